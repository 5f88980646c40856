#include "core/story/live_state.h"

#include "core/support/overloaded.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace nestwright {
namespace {

/// Changes the entry of the event's task, if there is one.
template <class E, class F>
bool change(std::vector<TaskEntry>& tasks, const E& event, F f) {
  if (TaskEntry* task = taskIn(tasks, event.task)) f(*task);
  return true;
}

/// Whether it is the fastest of its session, although no claim to the file's best: such a claim is
/// settled before it counts.
bool isOwnBest(const TaskEntry& task, const Measured& measured) {
  return measured.verdict == Verdict::Ok && measured.seconds >= task.fileBestSeconds &&
         measured.seconds < task.summary.bestSeconds;
}

void applySeed(TaskEntry& task, const SeedChanged& seed) {
  if (seed.record == 0) return;
  std::erase(task.seeds, seed.record);
  if (seed.added) task.seeds.push_back(seed.record);
}

} // namespace

bool applyToTasks(std::vector<TaskEntry>& tasks, const Event& event, std::int64_t counted,
                  Scope scope) {
  const auto measured = [&](const Measured& e) {
    return change(tasks, e, [&](TaskEntry& task) {
      if (e.trial <= counted) return;
      ++task.summary.trials;
      if (e.verdict != Verdict::Ok) ++task.summary.errors;
      if (scope == Scope::ThisSession && isOwnBest(task, e)) {
        task.summary.bestRecord = e.record;
        task.summary.bestSeconds = e.seconds;
      }
    });
  };
  const auto best = [&](const NewBest& e) {
    return change(tasks, e, [&](TaskEntry& task) {
      task.fileBestSeconds = e.seconds;
      task.summary.bestRecord = e.record;
      task.summary.bestSeconds = e.seconds;
    });
  };
  const auto chosen = [&](const TaskChosen& e) {
    for (TaskEntry& task : tasks)
      task.active = task.row.id == e.task;
    return true;
  };
  return std::visit(Overloaded{measured, best, chosen,
                               [&](const NaiveMeasured& e) {
                                 return change(tasks, e, [&](auto& t) {
                                   t.summary.naiveSeconds = e.seconds;
                                   t.exhausted.clear(); // it may have failed before
                                 });
                               },
                               [&](const ImportanceChanged& e) {
                                 return change(tasks, e,
                                               [&](auto& t) { t.importance = e.importance; });
                               },
                               [&](const TaskModeChanged& e) {
                                 return change(tasks, e, [&](auto& t) {
                                   t.mode = e.mode;
                                   t.pauseReason = e.reason;
                                 });
                               },
                               [&](const SeedChanged& e) {
                                 return change(tasks, e, [&](auto& t) { applySeed(t, e); });
                               },
                               [&](const TaskExhausted& e) {
                                 return change(tasks, e, [&](auto& t) { t.exhausted = e.reason; });
                               },
                               [&](const AnswersCompared& e) {
                                 return change(tasks, e, [&](auto& t) {
                                   t.summary.errors += static_cast<std::int64_t>(e.wrong.size());
                                 });
                               },
                               [](const auto&) { return false; }},
                    event);
}

void LiveState::applyStatus(const StateChanged& change, LiveChanges& changes) {
  status = change.status;
  statusReason = change.reason;
  pauseCause = change.cause;
  killed = false;
  changes.status = true;
  if (status == SessionStatus::Running) return;
  for (TaskEntry& task : tasks)
    task.active = false;
  progress.trialsPerSecond = 0;
  progress.secondsLeft = kUnknown;
  changes.tasks = changes.progress = true;
}

void LiveState::applyMeasured(const Measured& measured, LiveChanges& changes,
                              std::vector<CurvePoint>* waiting) {
  if (measured.onDemand) ++progress.budget; // it comes on top
  if (measured.trial > progress.trials) {
    // The session sums up a few times per second; between that the trials themselves count.
    progress.trials = measured.trial;
    if (measured.verdict != Verdict::Ok) ++progress.errors;
    changes.progress = true;
  }
  const TaskEntry* task = taskIn(tasks, measured.task);
  const bool claims = task == nullptr || measured.seconds < task->fileBestSeconds;
  const CurvePoint point{measured.trial,   measured.wallSeconds, measured.seconds,
                         measured.task,    measured.record,      false,
                         measured.verdict, measured.onDemand,    claims};
  if (waiting)
    waiting->push_back(point);
  else
    history.add(point);
  changes.history = changes.records = true;
}

void LiveState::applySettings(const SettingsChanged& settings, LiveChanges& changes) {
  const std::int64_t before = config.trials;
  config = sessionConfigFromJson(nlohmann::json::parse(settings.config));
  progress.budget += config.trials - before;
  changes.progress = changes.status = changes.settings = true;
}

void LiveState::applyBest(const NewBest& best, LiveChanges& changes,
                          std::vector<CurvePoint>* waiting) {
  if (waiting) {
    // The trial itself was announced just before and waits with the others.
    for (CurvePoint& point : *waiting)
      if (point.record == best.record) point.verifiedBest = true;
  } else {
    history.addBest(best.task, {best.trial, best.wallSeconds, best.seconds, best.record});
  }
  changes.history = true;
}

void LiveState::applySettled(const ClaimSettled& settled, LiveChanges& changes,
                             std::vector<CurvePoint>* waiting) {
  if (waiting) {
    for (CurvePoint& point : *waiting)
      if (point.record == settled.record) point.seconds = settled.seconds;
  } else {
    history.settle(settled.task, settled.trial, settled.seconds);
  }
  changes.history = true;
}

void LiveState::applyCompared(const AnswersCompared& compared, LiveChanges& changes,
                              std::vector<CurvePoint>* waiting) {
  // In a replay nobody sums up again; a session that runs does so with the next progress.
  progress.errors += std::ssize(compared.wrong);
  changes.progress = true;
  for (const std::int64_t trial : compared.trials) {
    if (waiting) {
      for (CurvePoint& point : *waiting)
        if (point.trial == trial) {
          point.seconds = std::numeric_limits<double>::infinity();
          point.verdict = Verdict::WrongAnswer;
        }
    } else {
      history.setWrong(compared.task, trial);
    }
  }
  changes.history = changes.records = true;
}

void LiveState::apply(const Event& event, LiveChanges& changes, std::int64_t counted,
                      std::vector<CurvePoint>* waiting) {
  if (round.apply(event)) changes.round = true;
  if (applyToTasks(tasks, event, counted, scope)) changes.tasks = true;
  std::visit(Overloaded{
                 [&](const StateChanged& e) { applyStatus(e, changes); },
                 [&](const Measured& e) { applyMeasured(e, changes, waiting); },
                 [&](const NewBest& e) { applyBest(e, changes, waiting); },
                 [&](const NaiveMeasured& e) {
                   history.setNaive(e.task, e.seconds);
                   changes.history = changes.progress = true;
                 },
                 [&](const ClaimSettled& e) { applySettled(e, changes, waiting); },
                 [&](const AnswersCompared& e) { applyCompared(e, changes, waiting); },
                 [&](const SettingsChanged& e) { applySettings(e, changes); },
                 [&](const Progress& e) {
                   progress = e;
                   changes.progress = true;
                 },
                 [](const auto&) {}, // tells of what is in no part: the model
             },
             event);
}

} // namespace nestwright
