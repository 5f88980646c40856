#include "ui/past.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright::ui {
namespace {

/// As a running session tells its rate.
constexpr double kRateSeconds = 30;

} // namespace

Moment Past::beginning(const Contents& contents) const {
  struct Seen {
    std::int64_t trials = 0, errors = 0;
    bool naive = false, best = false;
    double before = kUnknown; // the best of earlier sessions
  };
  std::map<RowId, Seen> seen;
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    const Event event = timeline_.event(i);
    if (const auto* measured = std::get_if<Measured>(&event)) {
      ++seen[measured->task].trials;
      if (measured->verdict != Verdict::Ok) ++seen[measured->task].errors;
    } else if (const auto* naive = std::get_if<NaiveMeasured>(&event)) {
      seen[naive->task].naive = true;
    } else if (const auto* best = std::get_if<NewBest>(&event)) {
      if (!std::exchange(seen[best->task].best, true))
        seen[best->task].before = best->previousSeconds;
    }
  }
  Moment moment;
  moment.tasks = contents.tasks;
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (TaskEntry& task : moment.tasks) {
    const Seen& of = seen[task.row.id];
    task.importance = 1;
    task.active = false;
    task.exhausted.clear();
    // Other sessions of the file may have tuned the same task.
    task.summary.trials -= of.trials;
    task.summary.errors -= of.errors;
    if (of.naive) task.summary.naiveSeconds = 0;
    if (of.best || of.trials > 0) {
      task.summary.bestRecord = of.best ? 0 : task.summary.bestRecord;
      task.summary.bestSeconds = of.best ? of.before : task.summary.bestSeconds;
    }
    rows.push_back(task.row);
    summaries.push_back(task.summary);
  }
  moment.history.reset(rows, summaries);
  moment.progress.budget = contents.config.trials;
  moment.progress.secondsLeft = kUnknown;
  return moment;
}

Past::Past(const RecordStore& store, const Contents& contents,
           const std::function<bool(double)>& progress)
    : timeline_(Timeline::read(store, contents.session.id, progress)) {
  Moment moment = beginning(contents);
  LiveChanges changes;
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    if (i % kStride == 0 && progress && !progress(1)) break;
    if (i % kStride == 0)
      checkpoints_.push_back({moment.tasks, moment.history.extent(), moment.progress, moment.status,
                              moment.statusReason, moment.round});
    const Event event = timeline_.event(i);
    if (std::holds_alternative<TaskChosen>(event)) rounds_.push_back(i);
    moment.parts().apply(event, changes);
  }
  if (checkpoints_.empty())
    checkpoints_.push_back({moment.tasks, moment.history.extent(), moment.progress, moment.status,
                            moment.statusReason, moment.round});
  history_ = std::move(moment.history);
}

Moment Past::at(std::size_t position) const {
  position = std::min(position, timeline_.size());
  const std::size_t nearest = std::min(position / kStride, checkpoints_.size() - 1);
  const Checkpoint& from = checkpoints_[nearest];
  Moment moment{position,      from.tasks,  history_.until(from.extent),
                from.progress, from.status, from.statusReason,
                from.round};
  LiveChanges changes;
  for (std::size_t i = nearest * kStride; i < position; ++i)
    moment.parts().apply(timeline_.event(i), changes);
  moment.progress = progressAt(position, moment.progress);
  return moment;
}

std::size_t Past::previousRound(std::size_t position) const {
  const auto after = std::ranges::lower_bound(rounds_, position);
  return after == rounds_.begin() ? 0 : *std::prev(after);
}

std::size_t Past::nextRound(std::size_t position) const {
  const auto after = std::ranges::upper_bound(rounds_, position);
  return after == rounds_.end() ? timeline_.size() : *after;
}

Progress Past::progressAt(std::size_t position, const Progress& before) const {
  Progress progress = before;
  if (position == 0) return progress;
  const double wall = timeline_.wallSeconds(position - 1);
  const std::int64_t made = timeline_.trials(position);
  const double window = std::min(wall, kRateSeconds);
  const std::int64_t earlier = timeline_.trials(timeline_.positionAt(wall - window));
  progress.trials = made;
  progress.wallSeconds = wall;
  progress.trialsPerSecond =
      window > 0 && position < timeline_.size() ? static_cast<double>(made - earlier) / window : 0;
  progress.secondsLeft =
      progress.trialsPerSecond > 0
          ? static_cast<double>(progress.budget - made) / progress.trialsPerSecond
          : kUnknown;
  return progress;
}

} // namespace nestwright::ui
