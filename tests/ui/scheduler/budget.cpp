/// The outlook of a budget: what is said of the sample's session, and what its buttons do.

#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/sample.h"
#include "ui/document/steering.h"
#include "ui/scheduler/budget_view.h"
#include "ui/scheduler/budget_watch.h"
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
  void saysWhatTheRestIsWorth();
  void buttonsSteer();
  void timeBudgetEndsItEarlier();
  void timeIsToldAndExtended();
  void pausedTasksGetNothing();
  void emptyAndShortSessions();
};

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
  const auto& advice = *view.watch().outlook().rest;
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
  const RowId place = view.watch().outlook().bestPlace();
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
  BudgetWatch watch(document, nullptr);
  openSample(document, *sample);
  Plan plan = planOf(document.session().config());
  plan.maxSeconds = document.session().progress().wallSeconds + 3;
  document.steering().setPlan(plan);
  watch.refresh();
  QVERIFY(watch.outlook().rest.has_value());
  QVERIFY(watch.outlook().rest->seconds.high <= 3 && watch.outlook().rest->seconds.value > 2);
  QVERIFY2(watch.outlook().trialsLeft > 40 && watch.outlook().trialsLeft < 80,
           qPrintable(QString::number(watch.outlook().trialsLeft)));
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
  BudgetWatch watch(document, nullptr);
  openSample(document, *sample);
  document.steering().steer(SetTaskMode{sample->tasks[1], TaskMode::Paused});
  watch.refresh();
  QVERIFY(watch.outlook().rest.has_value());
  QCOMPARE(watch.outlook().rest->forecast.taskTrials[1], 0.0);
  QVERIFY(watch.outlook().rest->forecast.taskTrials[0] > 0);
  document.steering().steer(SetTaskMode{sample->tasks[2], TaskMode::Pinned});
  watch.refresh();
  QCOMPARE(watch.outlook().rest->forecast.taskTrials, (std::vector<double>{0, 0, 600}));
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
