#include "core/story/predictions.h"

#include "core/model/metrics.h"
#include "core/search/search_policy.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace nestwright {
namespace {

/// The task's best time before this trial; infinity without one.
double bestBefore(const TaskHistory& task, std::int64_t trial) {
  const auto after =
      std::lower_bound(task.bests.begin(), task.bests.end(), trial,
                       [](const BestPoint& best, std::int64_t t) { return best.trial < t; });
  return after == task.bests.begin() ? kUnknown : (after - 1)->seconds;
}

bool isComparable(const PredictedProgram* program) {
  return program->comparable();
}

} // namespace

std::optional<PredictedProgram> predictionOf(const Record& record) {
  if (record.onDemand) return std::nullopt;
  const std::optional<Trace> trace = traceOf(record);
  if (!trace || !trace->predictedScore || !std::isfinite(*trace->predictedScore))
    return std::nullopt;
  PredictedProgram program;
  program.record = record.id;
  program.task = record.task;
  program.trial = record.trial;
  program.round = trace->round;
  program.predicted = *trace->predictedScore;
  program.deviation = trace->predictedDeviation;
  program.ranking = trace->ranking;
  program.seconds = record.result.verdict == Verdict::Ok ? record.result.latency() : kUnknown;
  program.exploring =
      trace->selection != PickReason::BestPredicted && trace->selection != PickReason::Diversity;
  return program;
}

void Predictions::add(const std::vector<PredictedProgram>& programs) {
  for (const PredictedProgram& program : programs) {
    if (!programs_.empty() && program.record <= programs_.back().record) continue;
    rounds_[program.round].push_back(programs_.size());
    programs_.push_back(program);
  }
}

void Predictions::clear() {
  programs_.clear();
  rounds_.clear();
}

void Predictions::expectByOrder(const std::vector<std::size_t>& round) {
  std::map<RowId, std::vector<const PredictedProgram*>> ran;
  for (const std::size_t i : round)
    if (programs_[i].comparable()) ran[programs_[i].task].push_back(&programs_[i]);
  for (const std::size_t i : round) {
    PredictedProgram& program = programs_[i];
    const auto others = ran.find(program.task);
    if (program.ranking.empty() || others == ran.end()) continue;
    std::vector<double> shares;
    std::size_t better = 0; // in the model's order; of equal ones the earlier
    for (const PredictedProgram* other : others->second) {
      shares.push_back(other->share);
      better += other->predicted > program.predicted ||
                (other->predicted == program.predicted && other->record < program.record);
    }
    const auto place = shares.begin() + std::ptrdiff_t(std::min(better, shares.size() - 1));
    std::ranges::nth_element(shares, place, std::greater());
    program.placed = *place;
  }
}

void Predictions::compare(const TuningHistory& history) {
  for (const auto& [round, members] : rounds_) {
    std::map<RowId, double> reference; // a round has one task, but the file may not say the round
    for (const std::size_t i : members) {
      const PredictedProgram& program = programs_[i];
      const auto [known, isNew] = reference.try_emplace(program.task, kUnknown);
      if (!isNew) continue;
      if (const TaskHistory* task = history.find(program.task))
        known->second = bestBefore(*task, program.trial);
    }
    std::map<RowId, double> own;
    for (const std::size_t i : members) {
      const auto [fastest, isNew] = own.try_emplace(programs_[i].task, programs_[i].seconds);
      fastest->second = std::min(fastest->second, programs_[i].seconds);
    }
    for (const std::size_t i : members) {
      PredictedProgram& program = programs_[i];
      double best = reference.at(program.task);
      if (!std::isfinite(best)) best = own.at(program.task);
      program.share = program.failed()      ? 0
                      : std::isfinite(best) ? best / program.seconds
                                            : std::numeric_limits<double>::quiet_NaN();
    }
    expectByOrder(members);
  }
}

const PredictedProgram* Predictions::find(RowId record) const {
  const auto found = std::ranges::lower_bound(programs_, record, {}, &PredictedProgram::record);
  return found != programs_.end() && found->record == record ? &*found : nullptr;
}

std::vector<int> Predictions::rounds(RowId task) const {
  std::vector<int> rounds;
  for (const auto& [round, members] : rounds_)
    if (task == 0 ||
        std::ranges::any_of(members, [&](std::size_t i) { return programs_[i].task == task; }))
      rounds.push_back(round);
  return rounds;
}

std::vector<const PredictedProgram*> Predictions::ofRound(int round) const {
  return between(round, round);
}

std::vector<const PredictedProgram*> Predictions::between(int first, int last, RowId task) const {
  std::vector<const PredictedProgram*> chosen;
  for (auto it = rounds_.lower_bound(first); it != rounds_.end() && it->first <= last; ++it)
    for (const std::size_t i : it->second)
      if (task == 0 || programs_[i].task == task) chosen.push_back(&programs_[i]);
  return chosen;
}

RoundQuality qualityOf(const std::vector<const PredictedProgram*>& round, std::size_t k) {
  RoundQuality quality;
  std::vector<double> predicted, measured;
  for (const PredictedProgram* program : round) {
    quality.round = program->round;
    quality.task = program->task;
    quality.ranking = program->ranking;
    if (!program->comparable()) continue;
    predicted.push_back(program->predicted);
    measured.push_back(program->share);
  }
  if (predicted.size() < 2) return quality;
  quality.programs = predicted.size();
  quality.accuracy = pairwiseAccuracy(predicted, measured);
  quality.correlation = rankCorrelation(predicted, measured);
  const bool chosen = k < predicted.size();
  quality.recall = chosen ? recallAt(k, predicted, measured) : std::nan("");
  quality.chance =
      chosen ? static_cast<double>(k) / static_cast<double>(predicted.size()) : std::nan("");
  return quality;
}

std::vector<const PredictedProgram*> worstSurprises(std::vector<const PredictedProgram*> programs,
                                                    std::size_t count) {
  std::erase_if(programs, [](const PredictedProgram* p) { return !isComparable(p); });
  const std::size_t kept = std::min(count, programs.size());
  const auto worse = [](const PredictedProgram* a, const PredictedProgram* b) {
    const double left = std::abs(a->surprise()), right = std::abs(b->surprise());
    return left != right ? left > right : a->record > b->record;
  };
  std::ranges::partial_sort(programs, programs.begin() + static_cast<std::ptrdiff_t>(kept), worse);
  programs.resize(kept);
  return programs;
}

std::vector<double> smoothed(const std::vector<double>& values, std::size_t radius) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i - std::min(i, radius);
    const std::size_t end = std::min(values.size(), i + radius + 1);
    double sum = 0;
    int count = 0;
    for (std::size_t k = first; k < end; ++k) {
      if (std::isnan(values[k])) continue;
      sum += values[k];
      ++count;
    }
    means.push_back(count > 0 ? sum / count : std::nan(""));
  }
  return means;
}

std::vector<RankedPrediction> ranksOf(const std::vector<const PredictedProgram*>& round) {
  std::vector<RankedPrediction> ranked;
  for (const PredictedProgram* program : round)
    if (isComparable(program)) ranked.push_back({program, 0, 0});
  const auto number = [&](auto value, auto rank) {
    std::vector<std::size_t> order(ranked.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t i) { return ranked[i].program->*value; });
    for (std::size_t i = 0; i < order.size(); ++i)
      ranked[order[i]].*rank = static_cast<int>(i) + 1;
  };
  number(&PredictedProgram::share, &RankedPrediction::measured);
  number(&PredictedProgram::predicted, &RankedPrediction::predicted);
  std::ranges::sort(ranked, {}, &RankedPrediction::predicted);
  return ranked;
}

} // namespace nestwright
