#pragma once
/// \file Where a round's time goes (C12). There is one timeline, every moment of which belongs to
/// exactly one part, so the parts add up to the time that passed, whatever calls whatever.

#include <array>
#include <functional>

namespace nestwright {

enum class RoundPart { Choosing, Measuring, Training, Storing };

class PartClock {
 public:
  /// Seconds since any fixed moment.
  using Now = std::function<double()>;

  /// Starts with Choosing. By default with the system's steady clock.
  explicit PartClock(Now now = {});

  /// From now on time belongs to this part. Returns the one that it belonged to.
  RoundPart enter(RoundPart part);
  /// So many seconds that nobody waited for belong to the present part, too.
  void add(double seconds) { seconds_[static_cast<std::size_t>(part_)] += seconds; }
  /// What was counted is dropped; the present part goes on from zero.
  void restart();
  /// Seconds of a part, and of all.
  double of(RoundPart part);
  double total();

 private:
  void count();

  Now now_;
  double last_ = 0;
  RoundPart part_ = RoundPart::Choosing;
  std::array<double, 4> seconds_{};
};

/// Time belongs to a part while this lives, and then again to the one before.
class InPart {
 public:
  InPart(PartClock& clock, RoundPart part) : clock_(clock), before_(clock.enter(part)) {}
  ~InPart() { clock_.enter(before_); }
  InPart(const InPart&) = delete;
  InPart& operator=(const InPart&) = delete;

 private:
  PartClock& clock_;
  RoundPart before_;
};

} // namespace nestwright
