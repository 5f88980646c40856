#include "core/worker/quiet.h"

#include "core/support/error.h"
#include "core/support/own_file.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

namespace nestwright {

namespace {

using std::chrono::steady_clock;

/// A lock on a byte of the file that several may share. It is the open file's, not the process's,
/// so that threads are kept apart, too.
enum class Byte : std::uint8_t { Timing, Batch, Session };

struct flock rangeOf(Byte byte, short kind) {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return range;
}

bool lock(int descriptor, Byte byte, short kind, bool waits) {
  struct flock range = rangeOf(byte, kind);
  int result = 0;
  do
    result = fcntl(descriptor, waits ? F_OFD_SETLKW : F_OFD_SETLK, &range);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

void release(int descriptor, Byte byte) {
  lock(descriptor, byte, F_UNLCK, false);
}

/// Whether nobody else has it now.
bool isFree(int descriptor, Byte byte, bool waits) {
  if (!lock(descriptor, byte, F_WRLCK, waits)) return false;
  release(descriptor, byte);
  return true;
}

int openOr(const std::string& file) {
  try {
    return openOwnFile(file);
  } catch (const SystemError& error) {
    static std::once_flag told;
    std::call_once(told, [&] {
      spdlog::warn("trainings and timings of kernels do not wait for one another: {}",
                   error.what());
    });
    return -1;
  }
}

} // namespace

std::string quietFile() {
  if (const char* file = std::getenv("NESTWRIGHT_QUIET_FILE")) return file;
  return std::filesystem::temp_directory_path() / fmt::format("nestwright-{}.quiet", getuid());
}

QuietHold::~QuietHold() {
  if (descriptor_ >= 0) close(descriptor_);
}

QuietHold::QuietHold(QuietHold&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

QuietHold& QuietHold::operator=(QuietHold&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

QuietHold holdForTiming(const std::string& file) {
  constexpr std::chrono::seconds kLongestBatch{2};
  // One that does not end, as of a training that was stopped by Ctrl+Z, is waited for once.
  static std::atomic<bool> hangs{false};
  const int descriptor = openOr(file);
  if (descriptor < 0) return {};
  QuietHold hold(descriptor);
  lock(descriptor, Byte::Timing, F_RDLCK, true);
  const auto end = steady_clock::now() + (hangs ? std::chrono::seconds(0) : kLongestBatch);
  bool quiet = isFree(descriptor, Byte::Batch, false);
  for (; !quiet && steady_clock::now() < end; quiet = isFree(descriptor, Byte::Batch, false))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  hangs = !quiet;
  return hold;
}

QuietHold holdForBatch(const std::string& file) {
  const int descriptor = openOr(file);
  if (descriptor < 0) return {};
  QuietHold hold(descriptor);
  for (;;) {
    isFree(descriptor, Byte::Timing, true);
    lock(descriptor, Byte::Batch, F_RDLCK, true);
    // A timing that began in between waits for this batch, or sees none.
    if (isFree(descriptor, Byte::Timing, false)) return hold;
    release(descriptor, Byte::Batch);
  }
}

QuietHold holdForSession(const std::string& file) {
  const int descriptor = openOr(file);
  if (descriptor < 0) return {};
  QuietHold hold(descriptor);
  lock(descriptor, Byte::Session, F_RDLCK, true);
  return hold;
}

bool isSessionRunning(const std::string& file) {
  const int descriptor = openOr(file);
  if (descriptor < 0) return false;
  const QuietHold open(descriptor);
  // Asked and not tried: two trainings that ask at once would see one another.
  struct flock range = rangeOf(Byte::Session, F_WRLCK);
  return fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

} // namespace nestwright
