#include "core/measure/perf_counters.h"

#include "core/support/folder_entries.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

/// A group has to find room in the processor at once, which has as few as four counters besides
/// those of cycles and instructions.
constexpr std::array kCoreGroup{Counter::Cycles, Counter::Instructions};
constexpr std::array kBranchGroup{Counter::Branches, Counter::BranchMisses};
constexpr std::array kL1Group{Counter::L1Loads, Counter::L1LoadMisses};
constexpr std::array kCacheGroup{Counter::CacheReferences, Counter::CacheMisses};
constexpr std::array kSystemGroup{Counter::TaskClock, Counter::PageFaults,
                                  Counter::ContextSwitches};
constexpr std::array<std::span<const Counter>, 5> kGroups{kCoreGroup, kBranchGroup, kL1Group,
                                                          kCacheGroup, kSystemGroup};

constexpr std::uint64_t l1Loads(std::uint64_t result) {
  return PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | result << 16;
}

/// Type and number of the event.
std::pair<std::uint32_t, std::uint64_t> eventOf(Counter counter) {
  switch (counter) {
  case Counter::Cycles:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
  case Counter::Instructions:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
  case Counter::Branches:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS};
  case Counter::BranchMisses:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES};
  case Counter::L1Loads:
    return {PERF_TYPE_HW_CACHE, l1Loads(PERF_COUNT_HW_CACHE_RESULT_ACCESS)};
  case Counter::L1LoadMisses:
    return {PERF_TYPE_HW_CACHE, l1Loads(PERF_COUNT_HW_CACHE_RESULT_MISS)};
  case Counter::CacheReferences:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES};
  case Counter::CacheMisses:
    return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};
  case Counter::TaskClock:
    return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
  case Counter::PageFaults:
    return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
  case Counter::ContextSwitches:
    return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES};
  }
  return {};
}

/// The kernel switches threads, so that without it there is nothing to count.
bool isOfKernel(Counter counter) {
  return counter == Counter::ContextSwitches;
}

struct Count {
  std::uint64_t value = 0, enabled = 0, running = 0; // times in nanoseconds
};

} // namespace

std::vector<int> threadsHere() {
  std::vector<int> threads;
  for (const fs::path& entry : entriesOf("/proc/self/task")) {
    const std::string text = entry.filename();
    int thread = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), thread).ec == std::errc())
      threads.push_back(thread);
  }
  std::ranges::sort(threads);
  return threads;
}

std::optional<int> perfEventParanoid(const fs::path& root) {
  const std::string line = firstLineOf(root / "proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), level);
  return error == std::errc() ? std::optional(level) : std::nullopt;
}

std::string whyNotCounted(Counter counter, int error, std::optional<int> paranoid) {
  const int allowed = isOfKernel(counter) ? 1 : 2;
  switch (error) {
  case ENOENT:
  case EOPNOTSUPP:
  case ENODEV:
    return "this processor, or the virtual machine, has no such counter";
  case EACCES:
  case EPERM:
    if (paranoid && *paranoid > allowed)
      return fmt::format("kernel.perf_event_paranoid is {}, which leaves it to root; as root, "
                         "sysctl kernel.perf_event_paranoid={} allows it",
                         *paranoid, allowed);
    return fmt::format("the system refuses it{}: a container may forbid perf_event_open (seccomp)",
                       paranoid
                           ? fmt::format(" although kernel.perf_event_paranoid is {}", *paranoid)
                           : std::string());
  case ENOSYS:
    return "there is no perf_event_open: the system has none, or a container hides it (seccomp)";
  case EINVAL:
    return "the system does not know this counter";
  case EBUSY:
    return "another program has the counter for itself";
  case EMFILE:
  case ENFILE:
    return "too many files are open, of which each counter of each thread is one (ulimit -n)";
  default:
    return fmt::format("perf_event_open: {}", std::strerror(error));
  }
}

int openPerfEvent(perf_event_attr& event, int thread, int group) {
  const long descriptor =
      syscall(SYS_perf_event_open, &event, thread, -1, group, PERF_FLAG_FD_CLOEXEC);
  return descriptor >= 0 ? static_cast<int>(descriptor) : -errno;
}

PerfCounters::PerfCounters(std::span<const int> threads, const PerfEventOpener& open) {
  for (const int thread : threads)
    for (const std::span<const Counter> group : kGroups)
      openGroup(group, thread, open);
}

PerfCounters::~PerfCounters() {
  for (const OpenEvent& event : events_)
    close(event.descriptor);
}

void PerfCounters::openGroup(std::span<const Counter> group, int thread,
                             const PerfEventOpener& open) {
  int leader = -1;
  for (const Counter counter : group) {
    perf_event_attr event{};
    event.size = sizeof event;
    std::tie(event.type, event.config) = eventOf(counter);
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    event.disabled = leader < 0;
    event.exclude_kernel = !isOfKernel(counter);
    event.exclude_hv = 1;
    const int descriptor = open(event, thread, leader);
    if (descriptor == -ESRCH) return; // the thread has ended
    if (descriptor < 0) {
      refused_[static_cast<std::size_t>(counter)] = -descriptor;
      continue;
    }
    events_.push_back({counter, descriptor, leader < 0});
    if (leader < 0) leader = descriptor;
  }
}

void PerfCounters::start() {
  for (const OpenEvent& event : events_)
    if (event.leads) {
      ioctl(event.descriptor, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
      ioctl(event.descriptor, PERF_EVENT_IOC_ENABLE, 0);
    }
}

void PerfCounters::stop() {
  for (const OpenEvent& event : events_)
    if (event.leads) ioctl(event.descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

std::vector<CounterReading> PerfCounters::readings(int runs) const {
  std::array<double, kCounters> sums{}, enabled{}, running{};
  for (const OpenEvent& event : events_) {
    Count count;
    if (::read(event.descriptor, &count, sizeof count) != sizeof count) continue;
    const auto of = static_cast<std::size_t>(event.counter);
    enabled[of] += static_cast<double>(count.enabled);
    running[of] += static_cast<double>(count.running);
    if (count.running > 0) // scaled to all of the time in which its thread ran
      sums[of] += static_cast<double>(count.value) *
                  (static_cast<double>(count.enabled) / static_cast<double>(count.running));
  }
  std::vector<CounterReading> readings;
  const std::optional<int> paranoid = perfEventParanoid();
  for (std::size_t i = 0; i < kCounters; ++i) {
    CounterReading& reading = readings.emplace_back();
    reading.counter = static_cast<Counter>(i);
    if (refused_[i] != 0)
      reading.whyNot = whyNotCounted(reading.counter, refused_[i], paranoid);
    else if (running[i] <= 0)
      reading.whyNot = "it never was its turn: other programs use the processor's counters";
    else {
      reading.perRun = sums[i] / std::max(1, runs);
      reading.counted = std::min(1.0, running[i] / enabled[i]);
    }
  }
  return readings;
}

} // namespace nestwright
