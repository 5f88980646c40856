#include "core/session/run/tuning/session_changes.h"

#include "core/record/sql/file_trouble.h"
#include "core/record/store/record_rows.h"
#include "core/schedule/bounds.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/tuning/rounds_ahead.h"
#include "core/session/run/tuning/task_pauses.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Records of other sessions belong to whoever has those.
std::list<SessionLock> locksOf(const std::string& path, const std::set<RowId>& sessions) {
  std::list<SessionLock> locks;
  try {
    for (const RowId session : sessions)
      locks.emplace_back(path, session);
  } catch (const SystemError& error) {
    throw InputError(error.what()); // this session can go on all the same
  }
  return locks;
}

} // namespace

void SessionChanges::apply(const SetImportance& change) {
  if (!std::isfinite(change.importance))
    throw InputError("an importance is a number of at least 0");
  double& current = tasks_.memoryOf(tasks_.of(change.task)).importance;
  current = std::max(0.0, change.importance);
  tellAnew("the importance of a task was changed", ImportanceChanged{change.task, current});
}

void SessionChanges::apply(const SetTaskMode& change) {
  TaskMemory& memory = tasks_.memoryOf(tasks_.of(change.task));
  memory.mode = change.mode;
  forgetPause(memory, log_.counts().trials);
  tellAnew("a task was paused, pinned or set free", TaskModeChanged{change.task, change.mode});
}

void SessionChanges::apply(const SetTrialBudget& change) {
  if (change.trials < 1) throw InputError("a budget needs at least one trial");
  SessionConfig config = settings_.config;
  if (change.trials > config.trials) { // who gives more wants them used, whatever is left to gain
    config.stopGain = 0;
    log_.state().searchEnded.clear();
  }
  if (config.polish == config.trials) // it does nothing but polish, and goes on with that
    config.polish = static_cast<int>(std::min<std::int64_t>(change.trials, kMostProgramsAtOnce));
  config.trials = change.trials;
  takeOver(config);
}

void SessionChanges::apply(const SetTimeBudget& change) {
  if (!(change.seconds >= 0) || !std::isfinite(change.seconds))
    throw InputError("a time budget is a number of seconds, or 0 for none");
  SessionConfig config = settings_.config;
  if (config.maxSeconds > 0 && (change.seconds == 0 || change.seconds > config.maxSeconds)) {
    config.stopGain = 0; // as for trials: who gives more wants it used
    log_.state().searchEnded.clear();
  }
  config.maxSeconds = change.seconds;
  takeOver(config);
}

void SessionChanges::apply(const SetObjective& change) {
  SessionConfig config = settings_.config;
  config.objective = change.objective;
  checkObjective(config);
  takeOver(config);
}

void SessionChanges::apply(const SetSearchOptions& change) {
  takeOver(withSearchOptions(settings_.config, change.options));
}

void SessionChanges::apply(const PauseAfterPhases& change) {
  log_.storeAndTell({SteppingChanged{change.on}}, [] {});
}

std::vector<Event> SessionChanges::dropProposals(const std::string& what) {
  ++count_;
  return dropAhead(log_, what);
}

void SessionChanges::tellAnew(const std::string& what, const Event& event) {
  std::vector<Event> events = dropProposals(what);
  events.insert(events.begin(), event); // behind the command comes what it changed
  log_.saveAndTell(events);
}

void SessionChanges::follow(const SessionConfig& config) {
  const auto obey = [&] {
    settings_.makePolicies();
    learner_.follow();
  };
  const SessionConfig former = std::exchange(settings_.config, config);
  try {
    obey();
  } catch (const FileTrouble&) {
    throw; // the session ends
  } catch (const Error& error) {
    settings_.config = former;
    obey();
    throw InputError(error.what()); // this session can go on all the same
  }
}

void SessionChanges::takeOver(const SessionConfig& config) {
  const std::string what = differenceText(settings_.config, config);
  if (what.empty()) return;
  SessionConfig withItsTime = settings_.config;
  withItsTime.maxSeconds = config.maxSeconds;
  const bool onlyTime = toJson(withItsTime) == toJson(config);
  follow(config);
  const std::string before = log_.row().config;
  nlohmann::json json = configJson(log_.row());
  json.update(toJson(config)); // what others keep there stays
  log_.setConfig(json.dump());
  const SettingsChanged changed{what, log_.row().config, before};
  if (onlyTime) // says nothing of what is measured next
    log_.saveAndTell({changed});
  else
    tellAnew("the settings were changed", changed);
  progress_.tell();
}

void SessionChanges::apply(const SeedWith& change) {
  const auto& [id, program, added] = change;
  TunedTask& task = tasks_.of(id);
  const RecordStore& store = log_.store();
  const RecordProgram meant = meantProgram(program, task.row, task.dag, store);
  try {
    withBounds(State::replay(meant.dag, meant.steps));
  } catch (const IllegalSchedule& error) {
    throw InputError(
        fmt::format("the program cannot start a search, it is illegal: {}", error.what()));
  }
  tasks_.requireSeed(task, meant);
  const std::string identity = programId(meant.dag, meant.steps);
  std::vector<NamedProgram>& seeds = tasks_.memoryOf(task).seeds;
  const auto same = [&](const NamedProgram& seed) {
    const RecordProgram other = meantProgram(seed, task.row, task.dag, store);
    return programId(other.dag, other.steps) == identity;
  };
  const auto found = std::ranges::find_if(seeds, same);
  if ((found != seeds.end()) == added) return;
  if (added)
    seeds.push_back(program);
  else
    seeds.erase(found);
  tellAnew("the programs that the search starts from were changed",
           SeedChanged{id, program.record, identity, added});
}

void SessionChanges::apply(const MeasureProgram& change) {
  const TunedTask& task = tasks_.of(change.task);
  const RecordProgram meant = meantProgram(change.program, task.row, task.dag, log_.store());
  log_.state().demands.push_back({change.task, change.program});
  log_.saveAndTell(
      {MeasureDemanded{change.task, change.program.record, programId(meant.dag, meant.steps)}});
}

void SessionChanges::apply(const Forget& change) {
  RecordStore& store = log_.store();
  TuningState& state = log_.state();
  std::set<RowId> others; // sessions that this one must not run into
  std::vector<std::pair<RowId, std::string>> ofThis;
  std::set<RowId> changing;
  for (const RowId id : std::set<RowId>(change.records.begin(), change.records.end())) {
    const std::optional<Record> record = store.records().one(id);
    if (!record) throw InputError(fmt::format("there is no record {} in {}", id, store.path()));
    if (record->forgotten == change.forgotten) continue;
    changing.insert(record->task);
    if (record->session != log_.session())
      others.insert(record->session);
    else if (!record->onDemand)
      ofThis.emplace_back(record->task, record->program);
  }
  if (changing.empty()) return;
  const std::list<SessionLock> locks = locksOf(store.path(), others);
  RecordsForgotten event;
  event.forgotten = change.forgotten;
  log_.storeAndTell([&] {
    event.records = store.records().setForgotten(change.records, change.forgotten);
    for (TunedTask& task : tasks_.tasks())
      if (changing.contains(task.row.id)) tasks_.remakeHistory(task);
    if (state.open) state.open->claim = {};
    state.demandClaim = {};
    tasks_.countTrials();
    std::vector<Event> events = dropProposals("records were forgotten or restored");
    log_.save();
    events.insert(events.begin(), event);
    return events;
  });
  if (change.forgotten)
    learner_.forget(ofThis);
  else if (!ofThis.empty())
    learner_.reload();
  progress_.tell();
}

} // namespace nestwright
