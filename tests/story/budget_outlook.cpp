/// What the rest of a budget is worth, by the sample's session.

#include "core/story/advice/budget_outlook.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/command.h"
#include "core/story/live_session.h"
#include "core/story/read_story.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <optional>

namespace nestwright::budget_outlook_test {

class BudgetOutlookTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void recordedSessionIsForeseen();
  void theRestIsWhatTheBudgetHasLeft();
  void timeEndsItEarlier();
  void tasksGetWhatTheyAreSteeredTo();
  void theBestPlaceGainsMostPerTrial();

 private:
  QTemporaryDir folder_;
  std::optional<RecordStore> store_;
  SessionContents contents_;
  LiveSession session_; // as if 600 trials more were to come
};

void BudgetOutlookTest::initTestCase() {
  const QString sample = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(NESTWRIGHT_SAMPLE, sample));
  QVERIFY(QFile::setPermissions(sample, QFile::ReadOwner | QFile::WriteOwner));
  store_ = RecordStore::open(sample.toStdString(), OpenMode::ReadOnly);
  contents_ = readContents(*store_, store_->sessions().all().front().id);
}

void BudgetOutlookTest::init() {
  session_ = LiveSession(contents_);
  session_.curves() = readHistory(*store_, contents_);
  session_.finishCurves();
  Progress progress = session_.progress();
  progress.budget = progress.trials + 600;
  session_.setProgress(progress);
}

/// The sample's own past: from each of some moments the gain until a later one, with what was known
/// then.
void BudgetOutlookTest::recordedSessionIsForeseen() {
  TuningHistory history;
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : contents_.tasks)
    rows.push_back(task.row), summaries.push_back(task.summary);
  history.reset(rows, summaries);
  for (const CurvePoint& point : store_->trials().curve(contents_.session.id))
    history.add(point);
  const SessionCourse course = courseOf(history);
  const auto totalAt = [&](std::int64_t trial) {
    const SessionStanding standing = course.at(trial);
    double total = 0;
    for (std::size_t i = 0; i < course.weights.size(); ++i)
      total += course.weights[i] * standing.tasks[i].seconds;
    return total;
  };
  int held = 0, made = 0;
  double error = 0;
  for (std::int64_t from = course.trials / 3; from < course.trials * 9 / 10;
       from += course.trials / 16) {
    SessionCourse until = course;
    until.trials = from;
    const std::int64_t further = std::min(course.trials - from, from / 4);
    const auto advice = adviseBudget(until, further);
    QVERIFY(advice.has_value());
    const double actual = 1 - totalAt(from + further) / totalAt(from);
    const Ranged& gain = advice->forecast.gain;
    ++made;
    held += actual >= gain.low && actual <= gain.high;
    error += gain.value - actual;
    qInfo("after %lld trials, %lld more: %.2f %% (%.2f to %.2f), came %.2f %%",
          static_cast<long long>(from), static_cast<long long>(further), 100 * gain.value,
          100 * gain.low, 100 * gain.high, 100 * actual);
  }
  qInfo("%d of %d ranges held, mean error %+.2f %%", held, made, 100 * error / made);
  QVERIFY(made >= 6);
  QVERIFY(2 * held > made);
}

void BudgetOutlookTest::theRestIsWhatTheBudgetHasLeft() {
  const BudgetOutlook outlook = budgetOutlook(session_, 10);
  QCOMPARE(outlook.trialsLeft, std::int64_t(600));
  QVERIFY(outlook.rest.has_value());
  QCOMPARE(outlook.rest->forecast.trials, std::int64_t(600));
  QVERIFY(outlook.trialsInMinutes > 0 && outlook.extended.has_value());
  QCOMPARE(outlook.extended->forecast.trials, 600 + outlook.trialsInMinutes);
  QCOMPARE(outlook.tasks.size(), contents_.tasks.size());
  QCOMPARE(budgetOutlook(LiveSession(), 10).trialsLeft, std::int64_t(0));
  QVERIFY(!budgetOutlook(LiveSession(), 10).rest);
}

void BudgetOutlookTest::timeEndsItEarlier() {
  const BudgetOutlook whole = budgetOutlook(session_, 10);
  const double half = whole.rest->seconds.value / 2;
  session_.anticipate(SetTimeBudget{session_.progress().wallSeconds + half});
  const BudgetOutlook outlook = budgetOutlook(session_, 10);
  QCOMPARE(outlook.trialsLeft, std::int64_t(300));
  QVERIFY(outlook.rest.has_value());
  const Ranged& seconds = outlook.rest->seconds;
  QVERIFY2(
      seconds.high <= half * 1.0001 && seconds.value > half / 2,
      qPrintable(QStringLiteral("%1 to %2 of %3").arg(seconds.value).arg(seconds.high).arg(half)));
}

void BudgetOutlookTest::tasksGetWhatTheyAreSteeredTo() {
  const std::vector<RowId> tasks = budgetOutlook(session_, 10).tasks;
  const auto trials = [&](std::size_t task) {
    return budgetOutlook(session_, 10).rest->forecast.taskTrials[task];
  };
  session_.anticipate(SetTaskMode{tasks[0], TaskMode::Paused});
  QCOMPARE(trials(0), 0.0);
  QVERIFY(trials(1) > 0);
  session_.anticipate(SetTaskMode{tasks[1], TaskMode::Pinned});
  QCOMPARE(trials(1), 600.0);
}

void BudgetOutlookTest::theBestPlaceGainsMostPerTrial() {
  BudgetOutlook outlook;
  QCOMPARE(outlook.bestPlace(), RowId(0));
  outlook.tasks = {7, 8, 9};
  outlook.rest.emplace();
  outlook.rest->forecast.taskGains = {0.5, 0.3, 0};
  outlook.rest->forecast.taskTrials = {100, 10, 0};
  QCOMPARE(outlook.bestPlace(), RowId(8));
}

NW_TEST_GUILESS(BudgetOutlookTest)

} // namespace nestwright::budget_outlook_test

#include "budget_outlook.moc"
