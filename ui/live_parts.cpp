#include "ui/live_parts.h"

#include "ui/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::ui {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

} // namespace

TaskEntry* LiveParts::find(RowId task) {
  const auto found = std::find_if(tasks.begin(), tasks.end(),
                                  [&](const TaskEntry& entry) { return entry.row.id == task; });
  return found == tasks.end() ? nullptr : &*found;
}

void LiveParts::applyStatus(const StateChanged& change, LiveChanges& changes) {
  status = change.status;
  statusReason = qs(change.reason);
  changes.status = true;
  if (status == SessionStatus::Running) return;
  for (TaskEntry& task : tasks)
    task.active = false;
  progress.trialsPerSecond = 0;
  progress.secondsLeft = kUnknown;
  changes.tasks = changes.progress = true;
}

void LiveParts::applyMeasured(const Measured& measured, LiveChanges& changes) {
  if (TaskEntry* task = find(measured.task)) {
    ++task->summary.trials;
    if (measured.verdict != Verdict::Ok) ++task->summary.errors;
  }
  if (measured.onDemand) ++progress.budget; // it comes on top
  if (measured.trial > progress.trials) {
    // The session sums up a few times per second; between that the trials themselves count.
    progress.trials = measured.trial;
    if (measured.verdict != Verdict::Ok) ++progress.errors;
    changes.progress = true;
  }
  const CurvePoint point{measured.trial,   measured.wallSeconds, measured.seconds,
                         measured.task,    measured.record,      false,
                         measured.verdict, measured.onDemand};
  if (waiting)
    waiting->push_back(point);
  else
    history.add(point);
  changes.tasks = changes.history = changes.records = true;
}

void LiveParts::applySettings(const SettingsChanged& settings, LiveChanges& changes) {
  const std::int64_t before = config.trials;
  config = sessionConfigFromJson(nlohmann::json::parse(settings.config));
  progress.budget += config.trials - before;
  changes.progress = changes.status = changes.settings = true;
}

void LiveParts::applyBest(const NewBest& best, LiveChanges& changes) {
  if (TaskEntry* task = find(best.task)) {
    task->summary.bestRecord = best.record;
    task->summary.bestSeconds = best.seconds;
  }
  if (waiting) {
    // The trial itself was announced just before and waits with the others.
    for (CurvePoint& point : *waiting)
      if (point.record == best.record) point.verifiedBest = true;
  } else {
    history.addBest(best.task, {best.trial, best.wallSeconds, best.seconds, best.record});
  }
  changes.tasks = changes.history = true;
}

void LiveParts::apply(const Event& event, LiveChanges& changes) {
  if (round.apply(event)) changes.round = true;
  std::visit(Overloaded{
                 [&](const StateChanged& e) { applyStatus(e, changes); },
                 [&](const Measured& e) { applyMeasured(e, changes); },
                 [&](const NewBest& e) { applyBest(e, changes); },
                 [&](const TaskChosen& e) {
                   for (TaskEntry& task : tasks)
                     task.active = task.row.id == e.task;
                   changes.tasks = true;
                 },
                 [&](const NaiveMeasured& e) {
                   if (TaskEntry* task = find(e.task)) task->summary.naiveSeconds = e.seconds;
                   history.setNaive(e.task, e.seconds);
                   changes.tasks = changes.history = changes.progress = true;
                 },
                 [&](const ImportanceChanged& e) {
                   if (TaskEntry* task = find(e.task)) task->importance = e.importance;
                   changes.tasks = true;
                 },
                 [&](const TaskModeChanged& e) {
                   if (TaskEntry* task = find(e.task)) task->mode = e.mode;
                   changes.tasks = true;
                 },
                 [&](const SeedChanged& e) {
                   TaskEntry* task = find(e.task);
                   if (!task || e.record == 0) return;
                   std::erase(task->seeds, e.record);
                   if (e.added) task->seeds.push_back(e.record);
                   changes.tasks = true;
                 },
                 [&](const ClaimSettled& e) {
                   if (waiting) {
                     for (CurvePoint& point : *waiting)
                       if (point.record == e.record) point.seconds = e.seconds;
                   } else {
                     history.settle(e.task, e.trial, e.seconds);
                   }
                   changes.history = true;
                 },
                 [&](const SettingsChanged& e) { applySettings(e, changes); },
                 [&](const TaskExhausted& e) {
                   if (TaskEntry* task = find(e.task)) task->exhausted = qs(e.reason);
                   changes.tasks = true;
                 },
                 [&](const Progress& e) {
                   progress = e;
                   changes.progress = true;
                 },
                 [](const auto&) {}, // tells of what is in no part: rounds, the model
             },
             event);
}

} // namespace nestwright::ui
