#pragma once
/// \file Memory of an emulated GPU that knows who touched it. Private to this room.

#include "core/emulate/emulate.h"

namespace nestwright {

/// Thrown by a statement that does what it must not; emulate() adds where it stands.
struct Fault {
  EmulationFault fault;
  std::string what;
};

/// The threads of a block that take part, ascending.
struct ThreadSet {
  std::vector<int> ids;
  bool all = true; // of the block

  std::size_t size() const { return ids.size(); }
};

/// Where the emulation is.
struct EmulationPoint {
  ThreadSet everyone;          // of a block of the present launch
  std::int64_t firstBlock = 0; // of the present launch; blocks are numbered over all launches
  std::int64_t block = 0;      // that runs now
  std::int64_t epoch = 0;      // barriers so far, and starts of blocks
  bool races = true;

  int threads() const { return static_cast<int>(everyone.size()); }
};

/// The elements of one buffer. Those that every thread has for itself lie side by side.
class ThreadMemory {
 public:
  ThreadMemory(Buffer buffer, MemoryScope scope, const EmulationPoint& moment)
      : buffer_(std::move(buffer)), scope_(scope), moment_(&moment) {}

  const BufferNode& buffer() const { return *buffer_; }
  MemoryScope scope() const { return scope_; }
  bool isPerThread() const {
    return scope_ == MemoryScope::PerThread || scope_ == MemoryScope::Register;
  }

  /// Forgets everything: an allocation.
  void clear();
  void fill(const std::vector<double>& values) { values_ = values; }
  const std::vector<double>& values() const { return values_; }

  /// From here on accesses are logged, or not: Global memory only in launches that write to it.
  void watch(bool watched);
  bool isWatched() const { return watched_; }

  double read(std::int64_t element, int thread) {
    const double value = values_[position(element, thread)];
    if (isPoison(value)) refuseRead(element, value);
    if (watched_) logRead(element, thread);
    return value;
  }
  void write(std::int64_t element, int thread, double value) {
    if (watched_) logWrite(element, thread);
    double& place = values_[position(element, thread)];
    if (isUnderWay(place)) refuseUnfinished(element);
    place = value;
  }

  /// A thread begins to copy something to the element, which holds nothing until finishCopy().
  void beginCopy(std::int64_t element, int thread);
  /// The copy is there: as if the thread had written the value now.
  void finishCopy(std::int64_t element, int thread, double value);

  /// What an element holds that nothing was written to: a signalling NaN that no arithmetic yields.
  static double poison();
  /// Or one that is being copied to.
  static bool isPoison(double value);

 private:
  /// The last accesses to one element. A reader is a thread, or several.
  struct Log {
    std::int64_t writerBlock = -1, readerBlock = -1;
    std::int64_t writeEpoch = -1, readEpoch = -1;
    std::int32_t writer = -1, reader = -1;
  };
  static constexpr std::int32_t kSeveral = -2;

  std::size_t position(std::int64_t element, int thread) const {
    return static_cast<std::size_t>(isPerThread() ? element * moment_->threads() + thread
                                                  : element);
  }
  void logRead(std::int64_t element, int thread);
  void logWrite(std::int64_t element, int thread);
  bool writtenByOther(const Log& log, int thread) const;
  bool readByOther(const Log& log, int thread) const;
  static bool isUnderWay(double value);
  [[noreturn]] void refuseRead(std::int64_t element, double value) const;
  [[noreturn]] void refuseUnfinished(std::int64_t element) const;
  [[noreturn]] void refuseRace(std::int64_t element, const char* how) const;

  Buffer buffer_;
  MemoryScope scope_;
  const EmulationPoint* moment_;
  bool watched_ = false;
  std::vector<double> values_;
  std::vector<Log> log_;
};

} // namespace nestwright
