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

LiveState ReplayTimeline::beginning(const RecordStore& store,
                                    const SessionContents& contents) const {
  std::set<RowId> naive; // measured by this session
  bool configKnown = false;
  LiveState state;
  state.tasks = contents.tasks;
  state.config = contents.config;
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    if (timeline_.isGoodTrial(i)) continue;
    const Event event = timeline_.event(i);
    if (const auto* of = std::get_if<NaiveMeasured>(&event)) naive.insert(of->task);
    const auto* settings = std::get_if<SettingsChanged>(&event);
    if (!settings || std::exchange(configKnown, true) || settings->before.empty()) continue;
    state.config = sessionConfigFromJson(nlohmann::json::parse(settings->before));
  }
  std::vector<RowId> tasks;
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  const RowId first = timeline_.records().empty() ? std::numeric_limits<RowId>::max()
                                                  : timeline_.records().front().record;
  for (TaskEntry& task : state.tasks) {
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
    tasks.push_back(task.row.id);
    summaries.push_back(task.summary);
  }
  state.history.reset(rows, summaries);
  const InheritedBests inherited = forgetting_.empty()
                                       ? readInherited(store, contents.session.id, tasks)
                                       : forgetting_.bestsAtFirst();
  for (const auto& [id, bests] : inherited) {
    state.history.inherit(id, bests);
    TaskEntry* entry = taskIn(state.tasks, id);
    for (const BestPoint& best : bests) {
      if (best.record >= first) break;
      entry->summary.bestRecord = best.record;
      entry->summary.bestSeconds = best.seconds;
    }
  }
  state.progress.budget = state.config.trials;
  state.progress.secondsLeft = kUnknown;
  return state;
}

ReplayTimeline::ReplayTimeline(const RecordStore& store, const SessionContents& contents,
                               const std::function<bool(double)>& progress)
    : timeline_(Timeline::read(store, contents.session.id, progress)),
      forgetting_(store, contents, timeline_) {
  LiveState state = beginning(store, contents);
  bool counting = false; // after records were forgotten
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    if (i % kStride == 0 && progress && !progress(1)) break;
    if (i % kStride == 0) checkpoint(state);
    if (!counting && forgetting_.at(i) != forgetting_.at(i + 1)) {
      counting = true;
      history_ = state.history;
    }
    if (!timeline_.isGoodTrial(i) && std::holds_alternative<TaskChosen>(timeline_.event(i)))
      rounds_.push_back(i);
    apply(i, state);
  }
  if (checkpoints_.empty()) checkpoint(state);
  if (!counting) history_ = std::move(state.history);
}

void ReplayTimeline::checkpoint(LiveState& state) {
  // All but the history, of which a copy each time would be most of the work.
  const TuningHistory::Extent extent = state.history.extent();
  TuningHistory history = std::exchange(state.history, {});
  checkpoints_.push_back({state, extent});
  state.history = std::move(history);
}

void ReplayTimeline::apply(std::size_t index, LiveState& state) const {
  LiveChanges changes;
  state.apply(timeline_.event(index), changes);
  if (forgetting_.at(index) != forgetting_.at(index + 1))
    forgetting_.recount(forgetting_.at(index + 1), timeline_, state);
}

TuningHistory ReplayTimeline::recounted(const Checkpoint& from, std::size_t position) const {
  const std::size_t times = forgetting_.at(position);
  LiveState state = from.state;
  state.history = forgetting_.historyOf(times, timeline_, state.tasks);
  for (std::size_t i = forgetting_.positionOf(times); i < position; ++i)
    apply(i, state);
  return std::move(state.history);
}

Moment ReplayTimeline::at(std::size_t position) const {
  position = std::min(position, timeline_.size());
  const std::size_t nearest = std::min(position / kStride, checkpoints_.size() - 1);
  const std::size_t start = nearest * kStride;
  const Checkpoint& from = checkpoints_[nearest];
  Moment moment{position, from.state};
  LiveState& state = moment.state;
  state.history = forgetting_.at(start) == 0 ? history_.until(from.extent) : recounted(from, start);
  for (std::size_t i = start; i < position; ++i)
    apply(i, state);
  state.progress = progressAt(position, state.progress, state.config.maxSeconds);
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
