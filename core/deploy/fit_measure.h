#pragma once
/// \file Whether programs are still as fast as their records promise: they are measured again.

#include "core/deploy/fit.h"
#include "core/measure/measure.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

struct KeptPromise {
  std::string task;
  RowId record = 0;
  double promised = 0, now = 0; // seconds; `now` is 0 where it did not run
  std::string failure;          // why it did not, or that its answers are wrong

  /// By how much it takes longer, as a share of the promise: negative where it is faster, infinity
  /// where it does not run.
  double slowdown() const;
};

/// Of each task that was tuned on `machine`, the program that the report names, in worker processes
/// and with the options of the session that measured it. Each is measured some times, in turns with
/// the others, and its least median counts: what else the machine does makes programs slower and
/// never faster. Answers are compared with the naive program's. `told` is given how many
/// measurements are done, and of how many. Nothing is written. Throws as Measurer::measure() does.
std::vector<KeptPromise> measurePromises(const FitReport& report, const RecordStore& store,
                                         const TargetFacts& machine, const WorkerLaunch& launch,
                                         const std::function<void(std::size_t, std::size_t)>& told);

nlohmann::json toJson(const std::vector<KeptPromise>& promises);

} // namespace nestwright
