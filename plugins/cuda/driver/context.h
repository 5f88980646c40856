#pragma once
/// \file One device's context in this process, and what is known of it once a kernel has ended it.

#include "plugins/cuda/driver/driver.h"

#include <optional>
#include <string>

namespace nestwright::cuda {

/// The device's primary context with waits that leave the processor to others, and one stream that
/// everything runs on. All calls go through check(): when one says that the context is lost, or a
/// kernel has not ended in time, every later call throws the same at once.
class Context {
 public:
  Context(const Driver& driver, int device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  /// Throws what ended the context, if something has.
  const DriverApi& api() const;
  CuStream stream() const { return stream_; }
  void check(CuResult result, const std::string& what);
  /// Something odd of a kernel that need not hold it up, for the program's log. Said once: what
  /// holds of one kernel holds of all.
  void warnOnce(const std::string& what);
  /// For clean-up: false when a kernel still runs, so that any call would wait for it.
  bool mayBeCleaned() const { return !lost_ || lost_->fault() != DeviceFault::OutOfTime; }

  /// Waits until everything on the stream is done, `seconds` at most (0: any time). Throws
  /// DeviceError: what a kernel did, or OutOfTime, after which the process should end.
  void wait(double seconds, const std::string& what);

 private:
  void close() noexcept;

  const Driver& driver_;
  CuDevice device_ = 0;
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr;
  CuEvent done_ = nullptr;
  std::optional<DeviceError> lost_;
  bool hasWarned_ = false;
};

/// A point on the stream with a time.
class TimeMark {
 public:
  explicit TimeMark(Context& context);
  ~TimeMark();
  TimeMark(const TimeMark&) = delete;
  TimeMark& operator=(const TimeMark&) = delete;

  void record();
  /// The same while a graph is captured, so that it happens whenever the graph runs.
  void recordInGraph();
  /// Seconds between two marks that have passed.
  static double between(const TimeMark& begin, const TimeMark& end);

 private:
  Context& context_;
  CuEvent event_ = nullptr;
};

} // namespace nestwright::cuda
