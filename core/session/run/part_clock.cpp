#include "core/session/run/part_clock.h"

#include <chrono>
#include <numeric>
#include <utility>

namespace nestwright {

namespace {

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

PartClock::PartClock(Now now) : now_(now ? std::move(now) : steadySeconds), last_(now_()) {}

void PartClock::count() {
  const double now = now_();
  seconds_[static_cast<std::size_t>(part_)] += now - last_;
  last_ = now;
}

RoundPart PartClock::enter(RoundPart part) {
  count();
  return std::exchange(part_, part);
}

void PartClock::restart() {
  count();
  seconds_.fill(0);
}

double PartClock::of(RoundPart part) {
  count();
  return seconds_[static_cast<std::size_t>(part)];
}

double PartClock::total() {
  count();
  return std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
}

} // namespace nestwright
