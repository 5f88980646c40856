#include "core/session/run/tuning/trial_recorder.h"

#include "core/lower/executed_work.h"
#include "core/record/store/record_rows.h"
#include "core/schedule/tensor_instruction.h"
#include "core/session/run/best_claim.h"
#include "core/target/dot_products.h"
#include "core/tensor/compulsory_bytes.h"
#include "core/tensor/dot_factors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// The task's first measurement of what the record is of; 0 for one of another machine's task.
RowId originalOf(const RecordStore& store, RowId id, RowId task) {
  const std::optional<Record> record = id != 0 ? store.records().one(id) : std::nullopt;
  if (!record || record->task != task) return 0;
  return record->original != 0 ? record->original : id;
}

/// Of a GPU's tensor cores where the program uses them, of a processor's instructions that add
/// several products where there are such for the task; 0 where neither is so.
double peakOfOtherUnits(const ComputeDag& dag, const Steps& steps, const TargetFacts& target) {
  if (!target.gpu) {
    const DotProducts dots = dotProductsOf(target);
    int products = 0;
    for (const Op& op : dag.ops())
      if (op->isCompute() && op->reducer == Reducer::Sum && dotFactors(op->body))
        products = std::max(products, dots.atOnce(op->body->type.isFloat()));
    return products * target.peakFlops();
  }
  const TensorInstruction* instruction = tensorInstructionOf(steps);
  if (instruction == nullptr) return 0;
  return instruction->input.isHalf() ? target.gpu->peakHalfFlops() : target.gpu->peakTf32Flops();
}

} // namespace

void TrialRecorder::record(TunedTask& task, const Candidate& candidate, const MeasureResult& result,
                           RoundWork& work) {
  const InPart storing(log_.parts(), RoundPart::Storing);
  const double previous = task.bestSeconds;
  Record record = judged(task, candidate, result);
  ++task.trials;
  work.add(result);
  ++work.trials;
  store(record, task, [] {});
  tell(record, previous);
}

void TrialRecorder::recordDemanded(TunedTask& task, const Candidate& candidate,
                                   const MeasureResult& result) {
  const InPart storing(log_.parts(), RoundPart::Storing);
  TuningState& state = log_.state();
  const double previous = task.bestSeconds;
  Record record = judged(task, candidate, result);
  record.onDemand = true;
  record.original = originalOf(log_.store(), state.demands.front().program.record, task.row.id);
  store(record, task, [&] {
    state.demands.pop_front();
    ++state.demandedTrials;
    if (record.contested) state.demandClaim = {record.id, {}, {}};
    log_.save();
  });
  tell(record, previous);
}

Record TrialRecorder::judged(const TunedTask& task, const Candidate& candidate,
                             const MeasureResult& result) const {
  Record record;
  record.session = log_.session();
  record.task = task.row.id;
  record.program = candidate.programId;
  record.steps = candidate.steps;
  record.result = result;
  record.verified = result.checked;
  Trace trace = candidate.trace;
  trace.round = log_.state().round;
  record.trace = toJson(trace).dump();
  const double seconds = result.latency();
  const auto isBelowFloor = [&](double operations) {
    return seconds <
           physicalFloorSeconds(settings_.target, operations, compulsoryBytes(task.dag),
                                peakOfOtherUnits(task.dag, candidate.steps, settings_.target));
  };
  // Programs for a processor need not do what the definition does with padding.
  record.implausible = result.verdict == Verdict::Ok && isBelowFloor(task.row.flops) &&
                       (settings_.target.gpu || isBelowFloor(leastOperations(task.dag)));
  const double previous = task.bestSeconds;
  const bool below =
      result.verdict == Verdict::Ok && record.verified && !record.implausible && seconds < previous;
  record.contested = below && settings_.config.confirmBest && std::isfinite(previous) &&
                     !isClearlyFaster(result.seconds, previous);
  record.best = below && !record.contested;
  return record;
}

void TrialRecorder::store(Record& record, TunedTask& task, const std::function<void()>& alsoStore) {
  record.trial = log_.countTrial(record.result);
  task.measured.insert(record.program);
  if (record.result.verdict != Verdict::Ok) ++task.errors;
  if (record.best) task.bestSeconds = record.result.latency();
  progress_.countTrial();
  record.wallSeconds = log_.wallSeconds();
  log_.store().transaction([&] {
    record.id = log_.store().records().add(record); // the record is its own event in the file
    alsoStore();
  });
  log_.noteRecord(record.id);
}

void TrialRecorder::tell(const Record& record, double previousBest) {
  const MeasureResult& result = record.result;
  const double seconds = result.latency();
  log_.tell(Measured{record.id, record.task, record.trial, result.verdict, seconds,
                     record.wallSeconds,
                     result.verdict == Verdict::Ok ? std::string() : oneSentence(result),
                     record.onDemand, record.original});
  if (record.best && tasks_.isFilesBest(record.task, record.id))
    log_.storeAndTell({NewBest{record.task, record.id, record.trial, seconds, previousBest,
                               tasks_.totalSeconds(), record.wallSeconds}},
                      [] {});
  progress_.tick();
}

} // namespace nestwright
