#include "core/deploy/fit_measure.h"

#include "core/measure/worker_target.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/session/run/again/reproducer.h"
#include "core/support/infinity.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace nestwright {

namespace {

/// Programs that are measured with the same options.
struct Group {
  MeasureOptions options;
  std::vector<MeasureRequest> requests; // their ids are places among the promises
};

constexpr int kTurns = 3;

void keep(KeptPromise& promise, const MeasureResult& result) {
  if (result.verdict != Verdict::Ok) {
    promise.failure = result.error.empty() ? name(result.verdict) : result.error;
    return;
  }
  const double seconds = result.latency();
  promise.now = promise.now > 0 ? std::min(promise.now, seconds) : seconds;
}

} // namespace

double KeptPromise::slowdown() const {
  return failure.empty() && now > 0 ? now / promised - 1 : kInfinity;
}

std::vector<KeptPromise>
measurePromises(const FitReport& report, const RecordStore& store, const TargetFacts& machine,
                const WorkerLaunch& launch,
                const std::function<void(std::size_t, std::size_t)>& told) {
  std::vector<KeptPromise> promises;
  std::map<RowId, Group> groups; // by the session that measured
  for (const FittingTask& task : report.tasks) {
    if (task.fit != TaskFit::Here) continue;
    const Record record = requiredRecord(store, task.record);
    const TaskRow row = taskOf(store, record);
    requireDefinition(row);
    const RecordProgram program = recordProgram(parseDag(row.dag), record);
    Group& group = groups[record.session];
    if (group.requests.empty()) group.options = recordedOptions(store, record.session, row.target);
    MeasureRequest& request = group.requests.emplace_back();
    request.id = promises.size();
    request.dag = print(program.dag);
    request.steps = program.steps;
    promises.push_back({task.name, task.record, task.seconds, 0, {}});
  }
  std::size_t done = 0;
  const std::size_t all = kTurns * promises.size();
  std::map<RowId, Measurer> measurers;
  for (int turn = 0; turn < kTurns; ++turn)
    for (auto& [session, group] : groups) {
      for (MeasureRequest& request : group.requests)
        request.check = turn == 0;
      Measurer& measurer =
          measurers.try_emplace(session, group.options, launch, compiledAs(machine)).first->second;
      measurer.measure(group.requests, [&](const MeasureResult& result) {
        keep(promises.at(result.id), result);
        told(++done, all);
      });
    }
  return promises;
}

nlohmann::json toJson(const std::vector<KeptPromise>& promises) {
  nlohmann::json list = nlohmann::json::array();
  for (const KeptPromise& promise : promises) {
    const double slowdown = promise.slowdown();
    list.push_back(
        {{"task", promise.task},
         {"record", promise.record},
         {"seconds_promised", promise.promised},
         {"seconds_now", promise.now > 0 ? nlohmann::json(promise.now) : nlohmann::json()},
         {"slowdown", std::isfinite(slowdown) ? nlohmann::json(slowdown) : nlohmann::json()},
         {"failure",
          promise.failure.empty() ? nlohmann::json() : nlohmann::json(promise.failure)}});
  }
  return list;
}

} // namespace nestwright
