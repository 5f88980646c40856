#include "core/story/replay_timeline.h"

#include "core/story/inherited_bests.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace nestwright {
namespace {

/// As a running session tells its rate.
constexpr double kRateSeconds = 30;

} // namespace

Moment ReplayTimeline::beginning(const RecordStore& store, const SessionContents& contents) const {
  std::set<RowId> naive; // measured by this session
  bool configKnown = false;
  Moment moment;
  moment.tasks = contents.tasks;
  moment.config = contents.config;
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    if (timeline_.isGoodTrial(i)) continue;
    const Event event = timeline_.event(i);
    if (const auto* of = std::get_if<NaiveMeasured>(&event)) naive.insert(of->task);
    const auto* settings = std::get_if<SettingsChanged>(&event);
    if (!settings || std::exchange(configKnown, true) || settings->before.empty()) continue;
    moment.config = sessionConfigFromJson(nlohmann::json::parse(settings->before));
  }
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  const RowId first = timeline_.records().empty() ? std::numeric_limits<RowId>::max()
                                                  : timeline_.records().front().record;
  for (TaskEntry& task : moment.tasks) {
    task.importance = 1;
    task.mode = TaskMode::Free;
    task.seeds.clear();
    task.active = false;
    task.exhausted.clear();
    task.pauseReason.clear();
    const TrialCount earlier = forgetting_.earlier(task.row.id);
    task.summary.trials = earlier.trials;
    task.summary.errors = earlier.errors;
    if (naive.contains(task.row.id)) task.summary.naiveSeconds = 0;
    task.summary.bestRecord = 0;
    task.summary.bestSeconds = kUnknown;
    rows.push_back(task.row);
    summaries.push_back(task.summary);
  }
  moment.history.reset(rows, summaries);
  const InheritedBests inherited = forgetting_.empty()
                                       ? readInherited(store, contents.session.id, rows)
                                       : forgetting_.bestsAtFirst();
  for (const auto& [id, bests] : inherited) {
    moment.history.inherit(id, bests);
    const auto entry = std::ranges::find(moment.tasks, id, [](auto& task) { return task.row.id; });
    for (const BestPoint& best : bests) {
      if (best.record >= first) break;
      entry->summary.bestRecord = best.record;
      entry->summary.bestSeconds = best.seconds;
    }
  }
  moment.progress.budget = moment.config.trials;
  moment.progress.secondsLeft = kUnknown;
  return moment;
}

ReplayTimeline::ReplayTimeline(const RecordStore& store, const SessionContents& contents,
                               const std::function<bool(double)>& progress)
    : timeline_(Timeline::read(store, contents.session.id, progress)),
      forgetting_(store, contents, timeline_) {
  Moment moment = beginning(store, contents);
  bool counting = false; // after records were forgotten
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    if (i % kStride == 0 && progress && !progress(1)) break;
    if (i % kStride == 0) checkpoint(moment);
    if (!counting && forgetting_.at(i) != forgetting_.at(i + 1)) {
      counting = true;
      history_ = moment.history;
    }
    if (!timeline_.isGoodTrial(i) && std::holds_alternative<TaskChosen>(timeline_.event(i)))
      rounds_.push_back(i);
    apply(i, moment);
  }
  if (checkpoints_.empty()) checkpoint(moment);
  if (!counting) history_ = std::move(moment.history);
}

void ReplayTimeline::checkpoint(const Moment& moment) {
  checkpoints_.push_back({moment.tasks, moment.history.extent(), moment.progress, moment.status,
                          moment.statusReason, moment.pauseCause, moment.round, moment.config});
}

void ReplayTimeline::apply(std::size_t index, Moment& moment) const {
  LiveChanges changes;
  moment.parts().apply(timeline_.event(index), changes);
  if (forgetting_.at(index) != forgetting_.at(index + 1))
    forgetting_.recount(forgetting_.at(index + 1), timeline_, moment);
}

TuningHistory ReplayTimeline::recounted(const Checkpoint& from, std::size_t position) const {
  const std::size_t times = forgetting_.at(position);
  Moment moment;
  moment.tasks = from.tasks;
  moment.history = forgetting_.historyOf(times, timeline_, from.tasks);
  for (std::size_t i = forgetting_.positionOf(times); i < position; ++i)
    apply(i, moment);
  return std::move(moment.history);
}

Moment ReplayTimeline::at(std::size_t position) const {
  position = std::min(position, timeline_.size());
  const std::size_t nearest = std::min(position / kStride, checkpoints_.size() - 1);
  const std::size_t start = nearest * kStride;
  const Checkpoint& from = checkpoints_[nearest];
  Moment moment{position,          from.tasks,      {},         from.progress, from.status,
                from.statusReason, from.pauseCause, from.round, from.config};
  moment.history =
      forgetting_.at(start) == 0 ? history_.until(from.extent) : recounted(from, start);
  for (std::size_t i = start; i < position; ++i)
    apply(i, moment);
  moment.progress = progressAt(position, moment.progress, moment.config.maxSeconds);
  return moment;
}

std::size_t ReplayTimeline::previousRound(std::size_t position) const {
  const auto after = std::ranges::lower_bound(rounds_, position);
  return after == rounds_.begin() ? 0 : *std::prev(after);
}

std::size_t ReplayTimeline::nextRound(std::size_t position) const {
  const auto after = std::ranges::upper_bound(rounds_, position);
  return after == rounds_.end() ? timeline_.size() : *after;
}

Progress ReplayTimeline::progressAt(std::size_t position, const Progress& before,
                                    double maxSeconds) const {
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
  if (maxSeconds > 0)
    progress.secondsLeft = std::min(progress.secondsLeft, std::max(0.0, maxSeconds - wall));
  return progress;
}

} // namespace nestwright
