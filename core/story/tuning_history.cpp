#include "core/story/tuning_history.h"

#include "core/record/rows/task_groups.h"
#include "core/session/schedule/alternatives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace nestwright {

void TuningHistory::reset(const std::vector<TaskRow>& tasks,
                          const std::vector<TaskSummary>& summaries, Scope scope) {
  *this = TuningHistory();
  scope_ = scope;
  addTasks(tasks, summaries);
}

void TuningHistory::addTasks(const std::vector<TaskRow>& tasks,
                             const std::vector<TaskSummary>& summaries) {
  std::unordered_map<RowId, double> naive;
  for (const TaskSummary& summary : summaries)
    naive[summary.task] = summary.naiveSeconds;
  for (const TaskRow& row : tasks) {
    if (index_.contains(row.id)) continue;
    TaskHistory history;
    history.task = row.id;
    history.weight = row.weight;
    history.flops = row.flops;
    if (const auto known = naive.find(row.id); known != naive.end())
      history.naiveSeconds = known->second;
    index_[row.id] = tasks_.size();
    tasks_.push_back(std::move(history));
  }
  const std::vector<std::size_t> definitions = definitionsAmong(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (definitions[i] != i) relate(tasks[i].id, tasks[definitions[i]].id);
}

void TuningHistory::relate(RowId task, RowId definition) {
  if (TaskHistory* history = mutableFind(task); history && find(definition))
    history->definition = definition;
}

std::vector<bool> TuningHistory::countedNow() const {
  std::vector<double> bests;
  for (const TaskHistory& task : tasks_)
    bests.push_back(task.best());
  return counted(bests);
}

std::vector<bool> TuningHistory::counted(const std::vector<double>& bests) const {
  std::vector<std::size_t> definitions;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto found = index_.find(tasks_[i].definition);
    definitions.push_back(found == index_.end() ? i : found->second);
  }
  return countedTasks(definitions, bests);
}

TaskHistory* TuningHistory::mutableFind(RowId task) {
  const auto found = index_.find(task);
  return found == index_.end() ? nullptr : &tasks_[found->second];
}

const TaskHistory* TuningHistory::find(RowId task) const {
  return const_cast<TuningHistory*>(this)->mutableFind(task);
}

void TuningHistory::inherit(RowId task, const std::vector<BestPoint>& bests) {
  if (!find(task)) return;
  for (BestPoint best : bests) {
    best.inherited = true;
    inherited_.push_back({task, best});
  }
  inheritedInOrder_ = false;
}

void TuningHistory::orderInherited() {
  if (inheritedInOrder_) return;
  std::sort(inherited_.begin() + static_cast<std::ptrdiff_t>(nextInherited_), inherited_.end(),
            [](const Inherited& a, const Inherited& b) { return a.best.record < b.best.record; });
  inheritedInOrder_ = true;
}

void TuningHistory::takeInherited(RowId before) {
  orderInherited();
  bool changed = false;
  for (; nextInherited_ < inherited_.size() && inherited_[nextInherited_].best.record < before;
       ++nextInherited_) {
    auto [task, best] = inherited_[nextInherited_];
    TaskHistory* history = mutableFind(task);
    if (!(best.seconds < history->best())) continue;
    best.trial = lastTrial_, best.wallSeconds = lastWall_;
    history->bests.push_back(best);
    changed = true;
  }
  if (changed) appendTotal(lastTrial_, lastWall_);
}

TrialPoint* TuningHistory::mutableTrial(RowId task, std::int64_t trial) {
  TaskHistory* history = mutableFind(task);
  if (!history) return nullptr;
  const auto found = std::ranges::lower_bound(history->trials, trial, {}, &TrialPoint::trial);
  return found != history->trials.end() && found->trial == trial ? &*found : nullptr;
}

void TuningHistory::settle(RowId task, std::int64_t trial, double seconds) {
  if (TrialPoint* point = mutableTrial(task, trial)) point->seconds = static_cast<float>(seconds);
}

void TuningHistory::setWrong(RowId task, std::int64_t trial) {
  TrialPoint* point = mutableTrial(task, trial);
  if (!point) return;
  point->seconds = std::numeric_limits<float>::infinity();
  point->verdict = Verdict::WrongAnswer;
}

void TuningHistory::add(const CurvePoint& point) {
  if (point.trial <= lastTrial_) return;
  TaskHistory* history = mutableFind(point.task);
  if (!history) {
    lastTrial_ = point.trial; // or whoever reads on behind it would get it again
    return;
  }
  takeInherited(point.record);
  if (nextInherited_ < inherited_.size() && inherited_[nextInherited_].best.record == point.record)
    ++nextInherited_;
  lastTrial_ = point.trial;
  lastWall_ = std::max(lastWall_, point.wallSeconds);
  if (trialCount_ < kMaxTrials && point.trial <= std::numeric_limits<std::int32_t>::max()) {
    ++trialCount_;
    history->trials.push_back({.record = point.record,
                               .trial = static_cast<std::int32_t>(point.trial),
                               .wallSeconds = static_cast<float>(point.wallSeconds),
                               .seconds = static_cast<float>(point.seconds),
                               .verdict = point.verdict});
  } else {
    thinned_ = true;
  }
  const bool ownBest = scope_ == Scope::ThisSession && point.verdict == Verdict::Ok &&
                       !point.doubtful && point.seconds < history->best();
  if (point.verifiedBest || ownBest)
    addBest(point.task, {point.trial, point.wallSeconds, point.seconds, point.record});
}

void TuningHistory::addBest(RowId task, const BestPoint& best) {
  TaskHistory* history = mutableFind(task);
  if (!history || !std::isfinite(best.seconds) || best.seconds >= history->best()) return;
  lastTrial_ = std::max(lastTrial_, best.trial);
  lastWall_ = std::max(lastWall_, best.wallSeconds);
  // One that was settled late stands where it was measured, as in the file: what came after it and
  // is slower was no best.
  const bool late = !history->bests.empty() && history->bests.back().trial > best.trial;
  while (!history->bests.empty() && history->bests.back().trial > best.trial)
    history->bests.pop_back();
  history->bests.push_back(best);
  if (late || (!total_.empty() && total_.back().trial > best.trial)) {
    rebuildTotal();
    ++rebuilds_;
  } else {
    appendTotal(best.trial, best.wallSeconds);
  }
}

void TuningHistory::dropTrials() {
  for (TaskHistory& task : tasks_)
    task.trials = {};
  trialCount_ = 0;
}

void TuningHistory::appendTotal(std::int64_t trial, double wallSeconds) {
  TotalPoint point{trial, wallSeconds, 0, true};
  const std::vector<bool> counts = countedNow();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!counts[i]) continue;
    const TaskHistory& task = tasks_[i];
    if (!task.bests.empty()) {
      point.seconds += task.weight * task.best();
    } else if (task.naiveSeconds > 0) {
      point.seconds += task.weight * task.naiveSeconds;
      point.complete = false;
    } else {
      return; // nothing is known of this task yet
    }
  }
  total_.push_back(point);
}

void TuningHistory::rebuildTotal() {
  struct Step {
    std::int64_t trial;
    double wallSeconds;
    std::size_t task;
    double seconds;
    bool inherited;
  };
  std::vector<Step> steps;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    for (const BestPoint& best : tasks_[i].bests)
      steps.push_back({best.trial, best.wallSeconds, i, best.seconds, best.inherited});
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.trial < b.trial; });

  total_.clear();
  std::vector<double> present;
  for (const TaskHistory& task : tasks_)
    present.push_back(task.naiveSeconds);
  std::vector<bool> tuned(tasks_.size(), false);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    tuned[step.task] = true;
    present[step.task] = step.seconds;
    // What is inherited is inherited together.
    if (step.inherited && at + 1 < steps.size() && steps[at + 1].inherited &&
        steps[at + 1].trial == step.trial)
      continue;
    TotalPoint point{step.trial, step.wallSeconds, 0, true};
    bool known = true;
    std::vector<double> bests(tasks_.size(), kUnknown);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tuned[i]) bests[i] = present[i];
    const std::vector<bool> counts = counted(bests);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (!counts[i]) continue;
      known = known && present[i] > 0;
      point.complete = point.complete && tuned[i];
      point.seconds += tasks_[i].weight * present[i];
    }
    if (known) total_.push_back(point);
  }
}

void TuningHistory::setNaive(RowId task, double seconds) {
  TaskHistory* history = mutableFind(task);
  if (!history || history->naiveSeconds == seconds) return;
  history->naiveSeconds = seconds;
  rebuildTotal();
  ++rebuilds_;
}

TuningHistory::Extent TuningHistory::extent() const {
  Extent extent{{},         total_.size(), trialCount_, nextInherited_,
                lastTrial_, lastWall_,     thinned_,    rebuilds_};
  for (const TaskHistory& task : tasks_)
    extent.tasks.push_back({task.trials.size(), task.bests.size(), task.naiveSeconds});
  return extent;
}

TuningHistory TuningHistory::until(const Extent& extent) const {
  const auto prefix = [](const auto& all, std::size_t count) {
    using Vector = std::decay_t<decltype(all)>;
    count = std::min(count, all.size()); // a best that was settled late took the place of others
    return Vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  };
  TuningHistory result;
  result.scope_ = scope_;
  result.index_ = index_;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const TaskHistory& all = tasks_[i];
    const Extent::Task& then = extent.tasks[i];
    result.tasks_.push_back({all.task, all.weight, all.flops, then.naiveSeconds,
                             prefix(all.trials, then.trials), prefix(all.bests, then.bests),
                             all.definition});
  }
  result.inherited_ = inherited_;
  result.inheritedInOrder_ = inheritedInOrder_;
  result.nextInherited_ = extent.inherited;
  result.lastTrial_ = extent.lastTrial;
  result.lastWall_ = extent.lastWall;
  result.trialCount_ = extent.trialCount;
  result.thinned_ = extent.thinned;
  result.rebuilds_ = extent.rebuilds;
  if (extent.rebuilds == rebuilds_)
    result.total_ = prefix(total_, extent.total);
  else
    result.rebuildTotal();
  return result;
}

double TuningHistory::naiveTotal() const {
  double sum = 0;
  for (const TaskHistory& task : tasks_) {
    if (task.definition != 0) continue; // an operator's is that of its own definition
    if (task.naiveSeconds <= 0) return kUnknown;
    sum += task.weight * task.naiveSeconds;
  }
  return tasks_.empty() ? kUnknown : sum;
}

double TuningHistory::totalFlops() const {
  double sum = 0;
  for (const TaskHistory& task : tasks_)
    if (task.definition == 0) sum += task.weight * task.flops;
  return sum;
}

} // namespace nestwright
