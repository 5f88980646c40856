#pragma once
/// \file After which phases a session pauses: told from any thread, asked by the session's.

#include "core/search/search_phase.h"

#include <atomic>
#include <optional>

namespace nestwright {

class PhaseGate {
 public:
  void stopAfterEach(bool on) { each_ = on; }
  /// Once: after the next phase, or after the next one of this kind.
  void stopAfterNext(std::optional<SearchPhase> phase) {
    next_ = phase ? static_cast<int>(*phase) : kAny;
  }
  /// Takes back stopAfterNext().
  void forgetNext() { next_ = kNone; }

  /// Whether to stop now that this phase has ended.
  bool stopsAfter(SearchPhase phase) {
    const int next = next_;
    const bool once = next == kAny || next == static_cast<int>(phase);
    if (once) next_ = kNone;
    return once || each_;
  }

 private:
  static constexpr int kNone = -1, kAny = -2;
  std::atomic<bool> each_{false};
  std::atomic<int> next_{kNone};
};

} // namespace nestwright
