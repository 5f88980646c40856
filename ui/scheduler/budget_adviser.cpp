#include "ui/scheduler/budget_adviser.h"

#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kAdviceMilliseconds = 1000;

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

BudgetAdviser::BudgetAdviser(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  timer_.setInterval(kAdviceMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &BudgetAdviser::refresh);
  connect(&document, &Document::stateChanged, this, &BudgetAdviser::refresh);
  for (const auto signal : {&SessionFollower::historyChanged, &SessionFollower::progressChanged,
                            &SessionFollower::settingsChanged, &SessionFollower::tasksChanged,
                            &SessionFollower::jumped})
    connect(&document.follower(), signal, this, &BudgetAdviser::schedule);
}

void BudgetAdviser::setMinutes(int minutes) {
  minutes_ = std::max(1, minutes);
  refresh();
}

void BudgetAdviser::schedule() {
  if (!timer_.isActive()) timer_.start();
}

/// As the user steers them: paused, exhausted and unimportant tasks get nothing more, pinned ones
/// all. Without steering the scheduler's own recent shares are the best guess.
std::vector<double> BudgetAdviser::shares() const {
  const std::vector<TaskEntry>& entries = document_.session().tasks();
  const bool pinned = std::ranges::any_of(
      entries, [](const TaskEntry& task) { return task.mode == TaskMode::Pinned; });
  const bool steered =
      pinned || std::ranges::any_of(entries, [](const TaskEntry& task) {
        return task.mode == TaskMode::Paused || task.importance != 1 || !task.exhausted.empty();
      });
  if (!steered) return {};
  std::vector<double> shares;
  const std::int64_t half = document_.session().history().lastTrial() / 2;
  for (const RowId id : tasks_) {
    const TaskEntry* task = document_.session().task(id);
    const TaskHistory* of = document_.session().history().find(id);
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
void BudgetAdviser::keepWithinTime(const SessionCourse& course, const std::vector<double>& shares) {
  const double budget = document_.session().config().maxSeconds;
  if (!rest_ || budget <= 0) return;
  const double time = std::max(0.0, budget - document_.session().progress().wallSeconds);
  if (rest_->seconds.value > time) {
    left_ = std::llround(static_cast<double>(left_) * time / rest_->seconds.value);
    rest_ = adviseBudget(course, left_, shares);
  }
  if (!rest_) return;
  for (double* seconds : {&rest_->seconds.low, &rest_->seconds.value, &rest_->seconds.high})
    *seconds = std::min(*seconds, time);
}

void BudgetAdviser::refresh() {
  timer_.stop();
  rest_.reset();
  extended_.reset();
  tasks_.clear();
  left_ = inMinutes_ = 0;
  if (document_.state() == DocumentState::Ready && !document_.session().historyLoading()) {
    const SessionCourse course = courseOf(document_.session().history());
    for (const TaskHistory& task : document_.session().history().tasks())
      tasks_.push_back(task.task);
    const Progress& progress = document_.session().progress();
    left_ = std::max<std::int64_t>(0, progress.budget - progress.trials);
    const std::vector<double> shares = this->shares();
    rest_ = adviseBudget(course, left_, shares);
    keepWithinTime(course, shares);
    if (const auto one = adviseBudget(course, std::max<std::int64_t>(1, course.trials / 8)))
      if (one->seconds.value > 0)
        inMinutes_ = std::llround(60.0 * minutes_ * static_cast<double>(one->forecast.trials) /
                                  one->seconds.value);
    if (inMinutes_ > 0) extended_ = adviseBudget(course, left_ + inMinutes_, shares);
  }
  Q_EMIT changed();
}

RowId BudgetAdviser::bestPlace() const {
  const std::optional<BudgetAdvice>& advice = rest_ ? rest_ : extended_;
  if (!advice) return 0;
  RowId best = 0;
  double most = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const double trials = advice->forecast.taskTrials[i];
    const double worth = trials > 0 ? advice->forecast.taskGains[i] / trials : 0;
    if (worth <= most) continue;
    most = worth;
    best = tasks_[i];
  }
  return best;
}

QString gainText(const Ranged& gain) {
  const auto bare = [](double share) {
    return percentText(share).remove(QStringLiteral("%")).trimmed();
  };
  return QCoreApplication::translate("Adviser", "%1 (80 % range %2–%3)")
      .arg(percentText(gain.value), bare(gain.low), bare(gain.high));
}

QString durationRangeText(const Ranged& seconds) {
  QString low = durationText(seconds.low), high = durationText(seconds.high);
  if (low == high) return low;
  // "6–9 min" where both are of one unit.
  const qsizetype unit = low.indexOf(QLatin1Char(' '));
  const bool alike = unit > 0 && low.count(QLatin1Char(' ')) == 1 &&
                     high.count(QLatin1Char(' ')) == 1 && high.endsWith(low.mid(unit));
  return (alike ? low.left(unit) : low) + QStringLiteral("–") + high;
}

} // namespace nestwright::ui

#include "moc_budget_adviser.cpp"
