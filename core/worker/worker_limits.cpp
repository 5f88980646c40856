#include "core/worker/worker_limits.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

namespace nestwright {

namespace {

// A stack of glibc's default size and one arena of its allocator, which reserves without using.
constexpr std::int64_t kBytesPerThread = (8ll << 20) + (128ll << 20);

/// Field `index` of /proc/self/statm, in bytes.
std::int64_t statmBytes(int index) {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  long long pages[2] = {0, 0};
  const int count = std::fscanf(file, "%lld %lld", &pages[0], &pages[1]);
  std::fclose(file);
  return count == 2 ? pages[index] * sysconf(_SC_PAGESIZE) : 0;
}

void setSoftLimit(int resource, rlim_t value) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(value, limit.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

} // namespace

void disableCoreDumps() {
  setSoftLimit(RLIMIT_CORE, 0);
  prctl(PR_SET_DUMPABLE, 0); // core_pattern may name a program, which ignores the limit
}

void limitMemoryGrowth(std::int64_t bytes, int threads) {
  const std::int64_t allowed = statmBytes(0) + bytes + threads * kBytesPerThread;
  setSoftLimit(RLIMIT_AS, bytes > 0 ? static_cast<rlim_t>(allowed) : RLIM_INFINITY);
}

void limitProcessorTime(double seconds) {
  constexpr double kNoLimit = 1e15; // a number of seconds that the system's own type holds
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  setSoftLimit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(static_cast<double>(used.tv_sec) + 1 +
                                                         std::min(seconds, kNoLimit))));
}

std::int64_t residentBytes() {
  return statmBytes(1);
}

void exitWhenUnread(int descriptor) {
  std::thread([descriptor] {
    // With no events asked for, poll reports only that the other end is gone.
    pollfd watched{descriptor, 0, 0};
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(1);
  }).detach();
}

} // namespace nestwright
