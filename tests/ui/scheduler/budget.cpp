/// The budget adviser: what it says of the sample's session, and what its buttons do.

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/story/inherited_bests.h"
#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/sample.h"
#include "ui/document/steering.h"
#include "ui/scheduler/budget_adviser.h"
#include "ui/scheduler/budget_view.h"
#include "ui/window/status_line.h"

#include <QAbstractItemModel>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include <set>

namespace nestwright::budget_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class BudgetTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void recordedSessionIsForeseen();
  void saysWhatTheRestIsWorth();
  void buttonsSteer();
  void timeBudgetEndsItEarlier();
  void timeIsToldAndExtended();
  void pausedTasksGetNothing();
  void emptyAndShortSessions();
};

/// The sample's own past: from each of some moments the gain until a later one, with what was known
/// then.
void BudgetTest::recordedSessionIsForeseen() {
  QVERIFY(!samplePath().isEmpty());
  const RecordStore store = RecordStore::open(samplePath().toStdString(), OpenMode::ReadOnly);
  const SessionContents contents = readContents(store, store.sessions().all().front().id);
  TuningHistory history;
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : contents.tasks)
    rows.push_back(task.row), summaries.push_back(task.summary);
  history.reset(rows, summaries);
  for (const CurvePoint& point : store.trials().curve(contents.session.id))
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

void BudgetTest::saysWhatTheRestIsWorth() {
  const auto sample = makeSample(400);
  Document document;
  BudgetView view(document);
  StatusLine status(document);
  view.resize(700, 400);
  view.show();
  QVERIFY(view.restWords().contains(QStringLiteral("Open or make")));
  // While the file is read, nobody is told that nothing is left.
  std::set<QString> said;
  QTimer watch;
  connect(&watch, &QTimer::timeout, this, [&] { said.insert(view.restWords()); });
  watch.start(0);
  openSample(document, *sample);
  QTRY_VERIFY2(view.restWords().startsWith(QStringLiteral("The rest of the budget, 600 trials in")),
               qPrintable(view.restWords()));
  watch.stop();
  for (const QString& words : said)
    QVERIFY2(!words.contains(QStringLiteral("used up")), qPrintable(words));
  QVERIFY2(view.restWords().contains(QStringLiteral("80 % range")), qPrintable(view.restWords()));
  // 20 trials a second: ten minutes are 12,000 of them.
  QVERIFY2(view.extensionWords().contains(QStringLiteral("10 more min (12,000 trials)")),
           qPrintable(view.extensionWords()));
  view.minutes()->setValue(1);
  QVERIFY2(view.extensionWords().contains(QStringLiteral("1 more min (1,200 trials)")),
           qPrintable(view.extensionWords()));
  QVERIFY2(view.accuracyWords().contains(QStringLiteral("earlier forecasts held")),
           qPrintable(view.accuracyWords()));
  QCOMPARE(view.taskTable()->model()->rowCount(), 3);
  const auto& advice = *view.adviser().rest();
  QCOMPARE(view.testTable()->model()->rowCount(), int(advice.tests.size()));
  QVERIFY(!advice.tests.empty());
  QVERIFY(advice.seconds.low > 25 && advice.seconds.high < 35);
}

void BudgetTest::buttonsSteer() {
  const auto sample = makeSample(400);
  SessionScript script;
  Document document(scripted(script));
  BudgetView view(document);
  view.show();
  openSample(document, *sample);
  QTRY_VERIFY(view.extendButton()->isEnabled());
  const std::int64_t before = document.session().progress().budget;
  view.minutes()->setValue(1);
  QTest::mouseClick(view.extendButton(), Qt::LeftButton);
  QCOMPARE(document.session().progress().budget, before + 1200);
  QTRY_COMPARE(script.commands, std::vector<Command>{SetTrialBudget{2200}});
  QVERIFY(document.undoStack().canUndo());
  document.undoStack().undo();
  QCOMPARE(document.session().progress().budget, before);
  const RowId place = view.adviser().bestPlace();
  QVERIFY(place != 0 && view.moveButton()->isEnabled());
  QTest::mouseClick(view.moveButton(), Qt::LeftButton);
  QCOMPARE(document.session().task(place)->importance, 2.0);
  QVERIFY(view.stopButton()->isEnabled());
  QTest::mouseClick(view.stopButton(), Qt::LeftButton);
  QTRY_COMPARE(document.session().status(), SessionStatus::Finished);
}

/// 600 trials would take half a minute, but three seconds are left.
void BudgetTest::timeBudgetEndsItEarlier() {
  const auto sample = makeSample(400);
  SessionScript script;
  Document document(scripted(script));
  BudgetAdviser adviser(document, nullptr);
  openSample(document, *sample);
  Plan plan = planOf(document.session().config());
  plan.maxSeconds = document.session().progress().wallSeconds + 3;
  document.steering().setPlan(plan);
  adviser.refresh();
  QVERIFY(adviser.rest().has_value());
  QVERIFY(adviser.rest()->seconds.high <= 3 && adviser.rest()->seconds.value > 2);
  QVERIFY2(adviser.trialsLeft() > 40 && adviser.trialsLeft() < 80,
           qPrintable(QString::number(adviser.trialsLeft())));
}

/// Where time was given, time is told and more time is given; the trials follow.
void BudgetTest::timeIsToldAndExtended() {
  const auto sample = makeSample(336);
  SessionScript script;
  Document document(scripted(script));
  BudgetView view(document);
  StatusLine status(document);
  view.show();
  openSample(document, *sample);
  const auto says = [&](const char* text) { return status.text().contains(QLatin1String(text)); };
  QTRY_VERIFY2(says("336 of 1,000 trials"), qPrintable(status.text()));
  QTRY_VERIFY(view.extendButton()->text().contains(QStringLiteral("trials")));
  document.steering().tuneFor(120); // 16.8 s have gone
  QTRY_COMPARE(document.session().config().maxSeconds, 137.0);
  QTRY_VERIFY2(says("17 s of 2 min 17 s, 336 trials"), qPrintable(status.text()));
  QVERIFY(!says("2,736"));
  view.minutes()->setValue(5);
  QTRY_COMPARE(view.extendButton()->text(), QStringLiteral("Extend by 5 min"));
  QTRY_VERIFY(view.extendButton()->isEnabled());
  script.commands.clear();
  const std::int64_t trials = document.session().config().trials;
  QTest::mouseClick(view.extendButton(), Qt::LeftButton);
  QCOMPARE(document.session().config().maxSeconds, 437.0);
  QVERIFY(document.session().config().trials > trials); // enough to fill the time
  QTRY_VERIFY(std::ranges::find(script.commands, Command(SetTimeBudget{437})) !=
              script.commands.end());
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("extending by 5 min"));
  document.undoStack().undo();
  QCOMPARE(document.session().config().maxSeconds, 137.0);
  QCOMPARE(document.session().config().trials, trials);
  // Where the trials will be used up first, they are told with their budget.
  Plan plan = planOf(document.session().config());
  plan.trials = 400;
  plan.maxSeconds = 3600;
  document.steering().setPlan(plan);
  QTRY_VERIFY2(says("17 s of 1 h, 336 of 400 trials"), qPrintable(status.text()));
}

void BudgetTest::pausedTasksGetNothing() {
  const auto sample = makeSample(400);
  SessionScript script;
  Document document(scripted(script));
  BudgetAdviser adviser(document, nullptr);
  openSample(document, *sample);
  document.steering().steer(SetTaskMode{sample->tasks[1], TaskMode::Paused});
  adviser.refresh();
  QVERIFY(adviser.rest().has_value());
  QCOMPARE(adviser.rest()->forecast.taskTrials[1], 0.0);
  QVERIFY(adviser.rest()->forecast.taskTrials[0] > 0);
  document.steering().steer(SetTaskMode{sample->tasks[2], TaskMode::Pinned});
  adviser.refresh();
  QCOMPARE(adviser.rest()->forecast.taskTrials, (std::vector<double>{0, 0, 600}));
}

void BudgetTest::emptyAndShortSessions() {
  const auto sample = makeSample(5);
  Document document;
  BudgetView view(document);
  view.show();
  openSample(document, *sample);
  QTRY_VERIFY2(view.restWords().startsWith(QStringLiteral("Too little")),
               qPrintable(view.restWords()));
  QVERIFY(view.extensionWords().isEmpty() || !view.extensionWords().contains("more min"));
  QVERIFY(!view.extendButton()->isEnabled());
  QVERIFY(!view.moveButton()->isEnabled());
  const auto finished = makeSample(1000, SessionStatus::Finished);
  document.open(finished->path);
  QTRY_VERIFY2(view.restWords().startsWith(QStringLiteral("The budget is used up")),
               qPrintable(view.restWords()));
  QTRY_VERIFY(view.extensionWords().startsWith(QStringLiteral("10 more min")));
}

NW_TEST_GUI(BudgetTest)

} // namespace nestwright::budget_test

#include "budget.moc"
