#include "core/session/run/tuning/nothing_left.h"

#include "core/record/store/trial_rows.h"
#include "core/session/schedule/budget_advice.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace nestwright {

namespace {

constexpr int kFewestRounds = 2; // of every task

/// The session's trials of one task.
struct TaskCourse {
  std::vector<std::int64_t> trials;                   // ascending
  std::vector<std::pair<std::int64_t, double>> bests; // trial and seconds, descending
  double naiveSeconds = 0;
};

TaskStanding standingOf(const TaskCourse& task, std::int64_t trial) {
  TaskStanding standing;
  standing.trials = std::ranges::upper_bound(task.trials, trial) - task.trials.begin();
  const auto best = std::ranges::upper_bound(task.bests, trial, {},
                                             [](const auto& point) { return point.first; });
  if (best != task.bests.begin())
    standing.seconds = std::prev(best)->second;
  else if (task.naiveSeconds > 0)
    standing.seconds = task.naiveSeconds;
  return standing;
}

/// Of each task whether no scheduler chooses it, as long as people do not change their minds: it is
/// paused, of no importance, or not pinned where others are. Exhausted ones are not meant.
std::vector<bool> leftOut(const std::vector<TaskProgress>& tasks) {
  const bool pins = std::ranges::any_of(tasks, [](const TaskProgress& task) {
    return task.mode == TaskMode::Pinned && takesTrials(task);
  });
  std::vector<bool> result;
  for (TaskProgress task : tasks) {
    task.exhausted = false;
    result.push_back(!takesTrials(task) || (pins && task.mode != TaskMode::Pinned));
  }
  return result;
}

} // namespace

std::optional<double> expectedGain(const RunLog& log, const TaskBook& tasks, std::int64_t left) {
  std::map<RowId, TaskCourse> courses;
  SessionCourse course;
  const std::vector<TaskProgress> progress = tasks.progress();
  const std::vector<bool> counted = countedTasks(progress), out = leftOut(progress);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (!counted[i] || out[i]) continue; // what it may still gain is nothing that trials bring
    const TunedTask& task = tasks.tasks()[i];
    const auto memory = log.state().tasks.find(task.row.id);
    if (memory == log.state().tasks.end()) return std::nullopt;
    if (memory->second.failed) continue;
    if (memory->second.rounds < kFewestRounds && memory->second.exhausted.empty())
      return std::nullopt;
    courses[task.row.id].naiveSeconds = task.naiveSeconds;
    course.weights.push_back(memory->second.importance * task.row.weight);
  }
  if (courses.empty()) return std::nullopt;
  constexpr int kPage = 100000;
  std::int64_t after = 0;
  double wall = 0;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page = log.store().trials().curve(log.session(), after, kPage);
    for (const CurvePoint& point : page) {
      after = point.trial;
      wall = point.wallSeconds;
      const auto found = courses.find(point.task);
      if (point.onDemand || found == courses.end()) continue;
      TaskCourse& task = found->second;
      task.trials.push_back(point.trial);
      // Of the session itself: what others measured before says nothing of what it gains.
      const bool isLower = task.bests.empty() || point.seconds < task.bests.back().second;
      const bool wasBest = point.verifiedBest || (tasks.isAlone() && !point.doubtful);
      if (point.verdict == Verdict::Ok && (wasBest || task.bests.empty()) && isLower)
        task.bests.emplace_back(point.trial, point.seconds);
    }
    more = std::ssize(page) == kPage;
  }
  // In the order of the weights.
  std::vector<const TaskCourse*> ordered;
  for (const TunedTask& task : tasks.tasks())
    if (const auto found = courses.find(task.row.id); found != courses.end())
      ordered.push_back(&found->second);
  course.trials = after;
  course.at = [&](std::int64_t trial) {
    SessionStanding standing{trial, after > 0 ? wall * double(trial) / double(after) : 0, {}};
    for (const TaskCourse* task : ordered)
      standing.tasks.push_back(standingOf(*task, trial));
    return standing;
  };
  const std::optional<BudgetAdvice> advice = adviseBudget(course, std::min(left, after));
  return advice ? std::optional(advice->forecast.gain.value) : std::nullopt;
}

bool asksAfter(int round) {
  constexpr int kTimes = 20;
  return round % std::max(1, round / kTimes) == 0;
}

} // namespace nestwright
