#pragma once
/// \file What a measurement gave: from the worker that made it to the record that keeps it.

#include "core/result/evaluation.h"
#include "core/result/measured_kernel.h"
#include "core/result/verdict.h"
#include "core/target/machine_state.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct MeasureResult {
  std::uint64_t id = 0;
  Verdict verdict = Verdict::Ok;
  std::string error;           // full text, up to 64 KiB; empty when ok (C2)
  std::string uncheckedReason; // why a check that was asked for could not be made
  int failingStep = -1;        // index of the step that broke it, if one did
  std::vector<double> seconds; // every repeat or micro-batch, per kernel run (C30)
  int runsPerRepeat = 1, warmups = 0;
  std::optional<Evaluation> evaluation; // where it was timed in micro-batches
  bool cacheFlushed = false;
  MachineState machine;                // when the last repeat had ended, where the system tells
  std::vector<MeasuredKernel> kernels; // of a GPU, in the order of their launches
  bool checked = false;                // agreed with the naive program
  /// Of the check: largest |x - reference| / (|reference| + s * absolute / relative tolerance), so
  /// that it is to be compared with the relative tolerance. Infinity for a NaN.
  double maxRelativeError = 0;
  double buildSeconds = 0;    // replay, lowering, compilation
  double runSeconds = 0;      // spent in kernels, warm-up and check included
  std::int64_t startedAt = 0; // microseconds since the epoch, UTC
  /// A run's time, seconds: the median of the repeats. Where it was timed in micro-batches, what
  /// the evaluator makes of them, until it was measured again by repeats (C31): then their median
  /// alone. Infinity when the verdict is not Ok.
  double latency() const;
  /// (largest - smallest repeat) / latency; 0 with fewer than two repeats.
  double spread() const;
};

/// How a result with an evaluation was timed: "150 runs in 3 micro-batches of 50 (adaptive):
/// steady, their speeds vary by 3.2 %".
std::string evaluationText(const MeasureResult& result);
/// The same as an object for people's scripts: evaluator, speed, micro_batches, runs, cv, stopped.
nlohmann::json evaluationJson(const MeasureResult& result);

/// One sentence for a list: the first line of the error and the failing step.
std::string oneSentence(const MeasureResult& result);

} // namespace nestwright
