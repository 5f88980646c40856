#pragma once
/// \file Measurements that several sessions share: a program that one session measured has the same
/// time in the next, so that what differs between them are their decisions and not the machine's
/// mood.

#include "core/session/run/session.h"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace nestwright::bench {

class SharedMeasurements {
 public:
  SharedMeasurements(MeasureOptions options, WorkerLaunch launch)
      : measurer_(std::move(options), std::move(launch)) {}

  /// How the next session measures; one session at a time. The n-th measurement of a program gets
  /// the time of its n-th measurement in any session before; a check that was not made then is made
  /// now.
  MeasureFunction forNextSession();

  std::size_t measured() const { return measured_; } // on the machine
  std::size_t reused() const { return reused_; }

 private:
  struct Known {
    std::deque<std::optional<MeasureResult>> results; // addresses stay
    std::size_t used = 0;                             // by the present session
  };
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>* stop);

  Measurer measurer_;
  std::map<std::string, Known> known_;
  std::size_t measured_ = 0, reused_ = 0;
};

} // namespace nestwright::bench
