#include "core/story/advice/budget_outlook.h"

#include "core/story/live_session.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

/// When the session had made so many trials, by the last one of them that is known.
double wallAt(const TuningHistory& history, std::int64_t trial) {
  double wall = 0;
  for (const TaskHistory& task : history.tasks()) {
    const auto after = std::ranges::upper_bound(task.trials, trial, {}, &TrialPoint::trial);
    if (after != task.trials.begin())
      wall = std::max(wall, static_cast<double>(std::prev(after)->wallSeconds));
  }
  return wall;
}

/// As the user steers them: paused, exhausted and unimportant tasks get nothing more, pinned ones
/// all. Without steering the scheduler's own recent shares are the best guess.
std::vector<double> sharesAsSteered(const LiveSession& session, const std::vector<RowId>& tasks) {
  const std::vector<TaskEntry>& entries = session.tasks();
  const bool pinned = std::ranges::any_of(
      entries, [](const TaskEntry& task) { return task.mode == TaskMode::Pinned; });
  const bool steered =
      pinned || std::ranges::any_of(entries, [](const TaskEntry& task) {
        return task.mode == TaskMode::Paused || task.importance != 1 || !task.exhausted.empty();
      });
  if (!steered) return {};
  std::vector<double> shares;
  const std::int64_t half = session.history().lastTrial() / 2;
  for (const RowId id : tasks) {
    const TaskEntry* task = session.task(id);
    const TaskHistory* of = session.history().find(id);
    const bool open = task && task->mode != TaskMode::Paused && task->exhausted.empty() &&
                      task->importance > 0 && (!pinned || task->mode == TaskMode::Pinned);
    const auto recent =
        of ? of->trials.end() - std::ranges::upper_bound(of->trials, half, {}, &TrialPoint::trial)
           : 0;
    // One that got nothing of late may get something now.
    shares.push_back(open ? pinned ? 1.0 : (static_cast<double>(recent) + 1) * task->importance
                          : 0.0);
  }
  return shares;
}

/// A time budget may end the session before its trials are made.
void keepWithin(double seconds, BudgetOutlook& outlook, const SessionCourse& course,
                const std::vector<double>& shares) {
  std::optional<BudgetAdvice>& rest = outlook.rest;
  if (rest && rest->seconds.value > seconds) {
    outlook.trialsLeft =
        std::llround(static_cast<double>(outlook.trialsLeft) * seconds / rest->seconds.value);
    rest = adviseBudget(course, outlook.trialsLeft, shares);
  }
  if (!rest) return;
  for (double* of : {&rest->seconds.low, &rest->seconds.value, &rest->seconds.high})
    *of = std::min(*of, seconds);
}

} // namespace

SessionCourse courseOf(const TuningHistory& history) {
  SessionCourse course;
  course.trials = history.lastTrial();
  const std::vector<bool> counted = history.countedNow();
  for (std::size_t i = 0; i < counted.size(); ++i)
    course.weights.push_back(counted[i] ? history.tasks()[i].weight : 0);
  course.at = [&history](std::int64_t trial) {
    SessionStanding standing{trial, wallAt(history, trial), {}};
    for (const TaskHistory& task : history.tasks()) {
      TaskStanding of;
      of.trials = std::ranges::upper_bound(task.trials, trial, {}, &TrialPoint::trial) -
                  task.trials.begin();
      const auto best = std::ranges::upper_bound(task.bests, trial, {}, &BestPoint::trial);
      if (best != task.bests.begin())
        of.seconds = std::prev(best)->seconds;
      else if (task.naiveSeconds > 0)
        of.seconds = task.naiveSeconds;
      standing.tasks.push_back(of);
    }
    return standing;
  };
  return course;
}

RowId BudgetOutlook::bestPlace() const {
  const std::optional<BudgetAdvice>& advice = rest ? rest : extended;
  if (!advice) return 0;
  RowId best = 0;
  double most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double trials = advice->forecast.taskTrials[i];
    const double worth = trials > 0 ? advice->forecast.taskGains[i] / trials : 0;
    if (worth <= most) continue;
    most = worth;
    best = tasks[i];
  }
  return best;
}

BudgetOutlook budgetOutlook(const LiveSession& session, int minutes) {
  BudgetOutlook outlook;
  const SessionCourse course = courseOf(session.history());
  for (const TaskHistory& task : session.history().tasks())
    outlook.tasks.push_back(task.task);
  const Progress& progress = session.progress();
  outlook.trialsLeft = std::max<std::int64_t>(0, progress.budget - progress.trials);
  const std::vector<double> shares = sharesAsSteered(session, outlook.tasks);
  outlook.rest = adviseBudget(course, outlook.trialsLeft, shares);
  if (const double budget = session.config().maxSeconds; budget > 0)
    keepWithin(std::max(0.0, budget - progress.wallSeconds), outlook, course, shares);
  if (const auto one = adviseBudget(course, std::max<std::int64_t>(1, course.trials / 8)))
    if (one->seconds.value > 0)
      outlook.trialsInMinutes = std::llround(
          60.0 * minutes * static_cast<double>(one->forecast.trials) / one->seconds.value);
  if (outlook.trialsInMinutes > 0)
    outlook.extended = adviseBudget(course, outlook.trialsLeft + outlook.trialsInMinutes, shares);
  return outlook;
}

} // namespace nestwright
