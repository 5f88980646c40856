#pragma once
/// \file After which phases a session pauses: told from any thread, asked by the session's.

#include "core/search/search_phase.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace nestwright {

class PhaseGate {
 public:
  void stopAfterEach(bool on) { each_ = on; }
  /// Once: after the next phase, or after the next one of this kind. How often it has stopped so so
  /// far.
  int stopAfterNext(std::optional<SearchPhase> phase) {
    const std::lock_guard lock(mutex_);
    next_ = phase ? static_cast<int>(*phase) : kAny;
    return stops_;
  }
  /// Takes back stopAfterNext().
  void forgetNext() {
    const std::lock_guard lock(mutex_);
    next_ = kNone;
  }
  /// Whether a stopAfterNext() that gave this has stopped since.
  bool hasStoppedSince(int stops) const {
    const std::lock_guard lock(mutex_);
    return stops_ != stops;
  }

  /// Whether to stop now that this phase has ended.
  bool stopsAfter(SearchPhase phase) {
    const std::lock_guard lock(mutex_);
    const bool once = next_ == kAny || next_ == static_cast<int>(phase);
    if (once) {
      next_ = kNone;
      ++stops_;
    }
    return once || each_;
  }

 private:
  static constexpr int kNone = -1, kAny = -2;
  mutable std::mutex mutex_;
  std::atomic<bool> each_{false};
  int next_ = kNone, stops_ = 0;
};

} // namespace nestwright
