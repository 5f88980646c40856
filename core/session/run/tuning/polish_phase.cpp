#include "core/session/run/tuning/polish_phase.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

const TaskMemory* knownMemory(const RunLog& log, const TunedTask& task) {
  const auto found = log.state().tasks.find(task.row.id);
  return found == log.state().tasks.end() ? nullptr : &found->second;
}

} // namespace

std::int64_t PolishPhase::budget() const {
  const SessionConfig& config = settings_.config;
  return std::min<std::int64_t>(config.trials,
                                config.polish * std::ranges::count(tasks_.counted(), true));
}

bool PolishPhase::isDue() const {
  const SessionConfig& config = settings_.config;
  if (config.polish == 0 || settings_.onTemplates()) return false;
  return log_.searchTrials() >= config.trials - budget() || log_.wallSeconds() >= searchSeconds();
}

double PolishPhase::searchSeconds() const {
  const SessionConfig& config = settings_.config;
  if (config.maxSeconds <= 0) return kInfinity;
  return config.maxSeconds * (1 - double(budget()) / double(config.trials));
}

std::string PolishPhase::whyDue() const {
  if (log_.searchTrials() < settings_.config.trials - budget())
    return fmt::format("the search's part of the budget, {}, is used",
                       formatBudget(searchSeconds()));
  return fmt::format("the search's part of the budget, {}, is used",
                     quantity(settings_.config.trials - budget(), "trial"));
}

std::int64_t PolishPhase::left() const {
  std::int64_t had = 0;
  for (const TunedTask& task : tasks_.tasks())
    if (const TaskMemory* memory = knownMemory(log_, task)) had += memory->polish.trials;
  return budget() - had;
}

double PolishPhase::worthOf(const TunedTask& task) const {
  const TaskMemory* memory = knownMemory(log_, task);
  if (memory == nullptr || memory->failed || memory->mode == TaskMode::Paused) return 0;
  if (!memory->polish.finished.empty()) return 0;
  return std::isfinite(task.bestSeconds) ? memory->importance * task.row.weight * task.bestSeconds
                                         : 0;
}

int PolishPhase::next(std::string& reason) const {
  if (left() <= 0) {
    reason = fmt::format("the polish is over: its {} trials are used", budget());
    return -1;
  }
  const std::vector<TunedTask>& tasks = tasks_.tasks();
  const std::vector<bool> counted = tasks_.counted();
  double total = 0; // of the tasks that have a program
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (counted[i] && std::isfinite(tasks[i].bestSeconds))
      total += tasks[i].row.weight * tasks[i].bestSeconds;
  int chosen = -1;
  double most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!counted[i]) continue; // another definition of the operator is faster
    const double worth = worthOf(tasks[i]);
    if (worth < kLeastPolishShare * total || worth == 0) continue;
    const TaskMemory& memory = *knownMemory(log_, tasks[i]);
    const double urgency = worth / (1 + double(memory.polish.trials) / kPolishBatch);
    if (urgency <= most) continue;
    most = urgency;
    chosen = static_cast<int>(i);
    reason = fmt::format("polish: {:.0f} % of the total, {} measured so far", 100 * worth / total,
                         quantity(memory.polish.trials, "neighbour"));
  }
  if (chosen < 0) reason = "the polish is over: no task has a neighbour left that is worth a trial";
  return chosen;
}

int PolishPhase::roundSize() const {
  return static_cast<int>(std::min<std::int64_t>(
      {kPolishBatch, left(), settings_.config.trials - log_.searchTrials()}));
}

bool PolishPhase::begin(const TunedTask& task) {
  PolishMemory& polish = tasks_.memoryOf(task).polish;
  std::optional<Record> incumbent;
  // Only what is nothing but a polish may be one of another program than the best.
  if (polish.incumbent != 0 && budget() == settings_.config.trials)
    incumbent = log_.store().records().one(polish.incumbent);
  if (!incumbent || incumbent->forgotten) incumbent = tasks_.bestOf(task);
  if (incumbent && !isOfTemplate(*incumbent)) {
    polish.incumbent = incumbent->id;
    return true;
  }
  polish.finished = incumbent ? "its best is a program of a template" : "no program of it ran";
  return false;
}

Record PolishPhase::incumbentOf(const TunedTask& task) const {
  const RowId id = tasks_.memoryOf(task).polish.incumbent;
  std::optional<Record> record = log_.store().records().one(id);
  if (!record) throw InputError(fmt::format("the record {} that is polished is gone", id));
  return std::move(*record);
}

void PolishPhase::endRound(const TunedTask& task, const std::vector<Record>& ofRound,
                           const std::string& shortage) {
  PolishMemory& polish = tasks_.memoryOf(task).polish;
  polish.trials += std::ssize(ofRound);
  const std::optional<Record> best = tasks_.bestOf(task);
  if (best && std::ranges::find(ofRound, best->id, &Record::id) != ofRound.end())
    polish.incumbent = best->id;
  else if (log_.state().open->successor != 0)
    polish.incumbent = log_.state().open->successor;
  if (ofRound.empty()) polish.finished = shortage;
}

} // namespace nestwright
