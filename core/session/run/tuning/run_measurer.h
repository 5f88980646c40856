#pragma once
/// \file How a session measures: what it asks for, and who answers.

#include "core/measure/measure.h"
#include "core/session/run/part_clock.h"
#include "core/target/environment.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// A program as a worker is asked for it.
struct ProgramText {
  std::string dag; // exact text
  Steps steps;
};

/// The naive program of a task (its exact text), which all others are compared with.
MeasureRequest naiveRequest(const std::string& dag);
/// How a program is measured, whether the search or the user asks for it: so that both times of a
/// program can be compared (C34). Its answer is compared when it is below `bestSeconds`; without a
/// best that is 0 or infinite, and every answer is.
MeasureRequest programRequest(const ProgramText& program, double bestSeconds);
/// Only its answer is compared: the time says nothing.
MeasureRequest answerRequest(const ProgramText& program);
/// Only its time is taken, one repeat whatever the session's evaluator: what settles a claim (C31).
MeasureRequest timeRequest(const ProgramText& program);

/// The session's worker processes, or whoever measures in their place.
class RunMeasurer {
 public:
  /// Programs are for `target`, which may be set until the first request. `measure`: somebody
  /// else's measuring, for which no worker is started. The time that measuring takes belongs to
  /// that part of `parts`. All references are to outlive this.
  RunMeasurer(const MeasureOptions& options, const TargetFacts& target, WorkerLaunch launch,
              MeasureFunction measure, PartClock& parts)
      : options_(options), target_(target), launch_(std::move(launch)),
        measure_(std::move(measure)), parts_(parts) {}

  /// Programs are measured on this machine, by workers of ours.
  bool isOurs() const { return !measure_; }
  /// How they are started; null for somebody else's measuring.
  const WorkerLaunch* launch() const { return isOurs() ? &launch_ : nullptr; }
  /// The state of this machine, and of its GPU where programs are measured on that (C33).
  std::vector<EnvironmentFinding> environment() const;
  /// As Measurer::measure. Workers start with the first request.
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>& interrupt, const BesideMeasuring& beside = {});
  /// The results of all requests, in their order; those of an interruption are Cancelled.
  std::vector<MeasureResult> measureAll(std::vector<MeasureRequest> requests,
                                        const std::atomic<bool>& interrupt);
  /// Seconds of the last measurement in which programs were built and none was timed.
  double buildPhaseSeconds() const { return workers_ ? workers_->buildPhaseSeconds() : 0; }
  /// Ends the workers: idle ones hold memory, and starting fresh ones takes milliseconds.
  void release() { workers_.reset(); }

 private:
  const MeasureOptions& options_;
  const TargetFacts& target_;
  WorkerLaunch launch_;
  MeasureFunction measure_;
  PartClock& parts_;
  std::unique_ptr<Measurer> workers_;
};

} // namespace nestwright
