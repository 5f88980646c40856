/// What the user changes in a session under way. Each change is stored before it is told.

#include "core/plugin/plugin.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/schedule/bounds.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/session_rows.h"
#include "core/session/run/tuning_run.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <list>
#include <set>
#include <utility>

namespace nestwright {

void TuningRun::obey(const CommandObeyed& command, const std::function<void()>& how) {
  obeying_ = command;
  how();
  if (!obeying_) return;
  obeying_->changed = false;
  storeAndTell({}, [] {});
}

void TuningRun::refuse(const Command& command, const std::string& reason) {
  obeying_.reset();
  observer_(CommandRefused{command, reason});
}

void TuningRun::apply(const SetImportance& change) {
  if (!std::isfinite(change.importance))
    throw InputError("an importance is a number of at least 0");
  double& current = memoryOf(taskOf(change.task)).importance;
  current = std::max(0.0, change.importance);
  storeAndTell({ImportanceChanged{change.task, current}}, [&] { save(); });
}

void TuningRun::apply(const SetTaskMode& change) {
  memoryOf(taskOf(change.task)).mode = change.mode;
  freeTask(change.task);
  storeAndTell({TaskModeChanged{change.task, change.mode}}, [&] { save(); });
}

void TuningRun::apply(const SetTrialBudget& change) {
  if (change.trials < 1) throw InputError("a budget needs at least one trial");
  SessionConfig config = config_;
  config.trials = change.trials;
  takeOver(config);
}

void TuningRun::apply(const SetTimeBudget& change) {
  if (!(change.seconds >= 0) || !std::isfinite(change.seconds))
    throw InputError("a time budget is a number of seconds, or 0 for none");
  SessionConfig config = config_;
  config.maxSeconds = change.seconds;
  takeOver(config);
}

void TuningRun::apply(const SetObjective& change) {
  SessionConfig config = config_;
  config.objective = change.objective;
  checkObjective(config);
  takeOver(config);
}

void TuningRun::apply(const SetSearchOptions& change) {
  takeOver(withSearchOptions(config_, change.options));
}

void TuningRun::apply(const PauseAfterPhases& change) {
  storeAndTell({SteppingChanged{change.on}}, [] {});
}

void TuningRun::takeOver(const SessionConfig& config) {
  const std::string what = differenceText(config_, config);
  if (what.empty()) return;
  config_ = config;
  makePolicies();
  const std::string before = row_.config;
  nlohmann::json json = configJson(row_);
  json.update(toJson(config_)); // what others keep there stays
  row_.config = json.dump();
  storeAndTell({SettingsChanged{what, row_.config, before}}, [&] { save(); });
  emitProgress(true);
}

void TuningRun::makePolicies() {
  const SearchPolicyKind policy = searchPolicy(config_.policy);
  policy_ = policy.make({config_.epsilon, config_.population, config_.generations});
  scheduler_ =
      taskScheduler(config_.scheduler).make({config_.objective, config_.seed, config_.taskEpsilon});
  if (!policy.learns)
    learner_.reset();
  else if (!learner_ && !tasks_.empty())
    loadLearner();
}

Steps TuningRun::stepsOf(const Task& task, const NamedProgram& program) const {
  if (program.record == 0) return program.steps;
  std::optional<Record> record = store_.records().one(program.record);
  if (!record)
    throw InputError(fmt::format("there is no record {} in {}", program.record, store_.path()));
  if (record->task != task.row.id) {
    // The same computation on another target is as good.
    const std::optional<TaskRow> other = store_.tasks().one(record->task);
    if (!other || other->key != task.row.key)
      throw InputError(fmt::format("record {} is a program of \"{}\", which computes something "
                                   "else than \"{}\"",
                                   program.record, other ? other->name : "an unknown task",
                                   task.row.name));
  }
  return std::move(record->steps);
}

std::vector<Steps> TuningRun::seedsOf(const Task& task) {
  std::vector<Steps> seeds;
  for (const NamedProgram& seed : memoryOf(task).seeds)
    seeds.push_back(stepsOf(task, seed));
  return seeds;
}

void TuningRun::apply(const SeedWith& change) {
  const auto& [id, program, added] = change;
  Task& task = taskOf(id);
  const Steps steps = stepsOf(task, program);
  try {
    withBounds(State::replay(task.dag, steps));
  } catch (const IllegalSchedule& error) {
    throw InputError(
        fmt::format("the program cannot start a search, it is illegal: {}", error.what()));
  }
  const std::string identity = programId(task.dag, steps);
  std::vector<NamedProgram>& seeds = memoryOf(task).seeds;
  const auto same = [&](const NamedProgram& seed) {
    return programId(task.dag, stepsOf(task, seed)) == identity;
  };
  const auto found = std::ranges::find_if(seeds, same);
  if ((found != seeds.end()) == added) return;
  if (added)
    seeds.push_back(program);
  else
    seeds.erase(found);
  storeAndTell({SeedChanged{id, program.record, identity, added}}, [&] { save(); });
}

void TuningRun::apply(const MeasureProgram& change) {
  const Task& task = taskOf(change.task);
  const std::string identity = programId(task.dag, stepsOf(task, change.program));
  state_.demands.push_back({change.task, change.program});
  storeAndTell({MeasureDemanded{change.task, change.program.record, identity}}, [&] { save(); });
}

void TuningRun::measureDemands(const std::atomic<bool>& interrupt) {
  while (hasDemands() && !interrupt) {
    if (state_.demandClaim.record != 0) {
      if (!settleDemand(interrupt)) break;
      continue;
    }
    const Demand demand = state_.demands.front();
    Task& task = taskOf(demand.task);
    Candidate candidate;
    candidate.steps = stepsOf(task, demand.program);
    candidate.programId = programId(task.dag, candidate.steps);
    if (demand.program.trace)
      candidate.trace = *demand.program.trace;
    else
      candidate.trace.operation = "measured on demand";
    RoundWork work; // no part of a round
    measure(
        {requestFor(task, candidate, task.bestSeconds)},
        [&](const MeasureResult& result) {
          if (result.verdict != Verdict::Cancelled)
            storeResult(task, candidate, result, work, &demand);
        },
        interrupt);
  }
  parts_.restart(); // no part of a round
  emitProgress(true);
  if (!runningSince_) measurer_.reset();
}

void TuningRun::apply(const Forget& change) {
  const auto& [records, forgotten] = change;
  std::set<RowId> others; // sessions that this one must not run into
  std::vector<std::pair<RowId, std::string>> ofThis;
  std::set<RowId> changing;
  for (const RowId id : std::set<RowId>(records.begin(), records.end())) {
    const std::optional<Record> record = store_.records().one(id);
    if (!record) throw InputError(fmt::format("there is no record {} in {}", id, store_.path()));
    if (record->forgotten == forgotten) continue;
    changing.insert(record->task);
    if (record->session != row_.id)
      others.insert(record->session);
    else if (!record->onDemand)
      ofThis.emplace_back(record->task, record->program);
  }
  if (changing.empty()) return;
  std::list<SessionLock> locks;
  try {
    for (const RowId session : others)
      locks.emplace_back(store_.path(), session);
  } catch (const SystemError& error) {
    throw InputError(error.what()); // this session can go on all the same
  }
  RecordsForgotten event;
  event.forgotten = forgotten;
  storeAndTell([&] {
    event.records = store_.records().setForgotten(records, forgotten);
    for (Task& task : tasks_)
      if (changing.contains(task.row.id)) reloadResults(task);
    if (state_.open) state_.open->claim = {};
    state_.demandClaim = {};
    countTrials();
    save();
    return std::vector<Event>{event};
  });
  relearn(forgotten ? ofThis : decltype(ofThis){});
  emitProgress(true);
}

void TuningRun::reloadResults(Task& task) {
  loadResults(task);
  TaskMemory& memory = memoryOf(task);
  memory.exhausted.clear(); // what was forgotten can be proposed again
  const std::vector<CurvePoint> bests = store_.trials().bestHistory(task.row.id);
  for (std::size_t i = 0; i < memory.history.size(); ++i) {
    const auto after =
        std::ranges::upper_bound(bests, memory.roundEnds[i], {}, &CurvePoint::record);
    memory.history[i] = after == bests.begin() ? kInfinity : std::prev(after)->seconds;
  }
}

void TuningRun::relearn(const std::vector<std::pair<RowId, std::string>>& forgotten) {
  if (!learner_) return;
  std::set<std::pair<std::string, std::string>> gone;
  bool again = forgotten.empty();
  for (const auto& [id, program] : forgotten) {
    const Task& task = taskOf(id);
    again |= task.measured.contains(program); // in another record
    gone.emplace(task.row.key, program);
  }
  if (again)
    loadLearner();
  else
    learner_->remove(gone);
}

} // namespace nestwright
