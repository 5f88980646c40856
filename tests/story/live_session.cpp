/// What is known of a session, from its file and from what it tells; and what commands change of
/// it.

#include "core/story/live_session.h"

#include "core/story/plan.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace nestwright::live_session_test {

/// Two tasks of weight 2 and 3, the second without a best.
SessionContents contents(SessionStatus status = SessionStatus::Paused) {
  SessionContents made;
  made.session.id = 7;
  made.session.status = status;
  made.config.trials = 100;
  made.summary.trials = 40;
  made.demandedTrials = 5;
  for (const RowId id : {11, 12}) {
    TaskEntry task;
    task.row.id = id;
    task.row.weight = id == 11 ? 2 : 3;
    task.summary.naiveSeconds = 1;
    made.tasks.push_back(task);
  }
  made.tasks[0].summary.bestRecord = 1;
  made.tasks[0].summary.bestSeconds = 0.25;
  return made;
}

class LiveSessionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void knowsWhatTheFileSays();
  void killedSessionCountsAsPaused();
  void toldWhileTheCurvesAreReadWaits();
  void wrongAnswersFoundLaterAreErrors();
  void commandsAreShownAndTakenBack_data();
  void commandsAreShownAndTakenBack();
  void whatIsSoAlreadyChangesNothing();
  void trialsThatWereMadeStay();
  void plansLeadToOneAnother();
};

void LiveSessionTest::knowsWhatTheFileSays() {
  QVERIFY(!LiveSession().isLoaded());
  const LiveSession session(contents());
  QVERIFY(session.isLoaded() && session.historyLoading());
  QCOMPARE(session.progress().trials, 40);
  QCOMPARE(session.progress().budget, 105); // those on demand come on top
  QVERIFY(std::isinf(bestTotal(session.tasks())));
  QCOMPARE(presentTotal(session.tasks()), 2 * 0.25 + 3 * 1.0);
  QCOMPARE(session.task(12)->row.weight, 3.0);
  QCOMPARE(session.task(13), nullptr);
}

void LiveSessionTest::killedSessionCountsAsPaused() {
  const LiveSession session(contents(SessionStatus::Running));
  QCOMPARE(session.status(), SessionStatus::Paused);
  QVERIFY(session.wasKilled());
  QVERIFY(session.statusReason().empty());
  LiveSession started = session;
  LiveChanges changes;
  started.apply(StateChanged{SessionStatus::Running, {}, PauseCause::None}, changes);
  QVERIFY(!started.wasKilled());
}

void LiveSessionTest::toldWhileTheCurvesAreReadWaits() {
  LiveSession session(contents());
  LiveChanges changes;
  session.apply(Measured{2, 12, 41, Verdict::Ok, 0.5, 1, {}}, changes);
  QVERIFY(changes.history && changes.records && changes.progress);
  QCOMPARE(session.progress().trials, 41);
  QCOMPARE(session.history().trialCount(), std::size_t(0));
  session.finishCurves();
  QVERIFY(!session.historyLoading());
  QCOMPARE(session.history().trialCount(), std::size_t(1));
}

/// In a replay nothing sums up the session's errors again.
void LiveSessionTest::wrongAnswersFoundLaterAreErrors() {
  LiveSession session(contents());
  session.finishCurves();
  LiveChanges changes;
  for (const std::int64_t trial : {41, 42, 43})
    session.apply(Measured{trial, 12, trial, Verdict::Ok, 0.5, 1, {}}, changes);
  const std::int64_t before = session.progress().errors;
  AnswersCompared compared;
  compared.task = 12;
  compared.wrong = {41, 43}; // records
  compared.trials = {41, 43};
  session.apply(compared, changes);
  QCOMPARE(session.progress().errors, before + 2);
}

void LiveSessionTest::commandsAreShownAndTakenBack_data() {
  QTest::addColumn<int>("which");
  QTest::newRow("importance") << 0;
  QTest::newRow("mode") << 1;
  QTest::newRow("trials") << 2;
}

void LiveSessionTest::commandsAreShownAndTakenBack() {
  QFETCH(const int, which);
  const std::vector<Command> commands{SetImportance{11, 4}, SetTaskMode{12, TaskMode::Pinned},
                                      SetTrialBudget{60}};
  const Command command = commands[std::size_t(which)];
  LiveSession session(contents());
  QVERIFY(changesSomething(session, command));
  const std::optional<Command> back = opposite(session, command);
  QVERIFY(back);
  const LiveChanges changes = session.anticipate(command);
  QVERIFY(changes.tasks != changes.settings);
  QCOMPARE(session.progress().budget, which == 2 ? 65 : 105);
  QVERIFY(!changesSomething(session, command)); // it is so now
  session.anticipate(possible(session, *back));
  QCOMPARE(session.task(11)->importance, 1.0);
  QCOMPARE(session.task(12)->mode, TaskMode::Free);
  QCOMPARE(session.config().trials, 100);
  QCOMPARE(session.progress().budget, 105);
}

void LiveSessionTest::whatIsSoAlreadyChangesNothing() {
  const LiveSession session(contents());
  QVERIFY(!changesSomething(session, SetImportance{11, 1}));
  QVERIFY(!changesSomething(session, SetImportance{11, -1}));
  QVERIFY(!changesSomething(session, SetImportance{99, 2}));
  QVERIFY(!changesSomething(session, SetTaskMode{11, TaskMode::Free}));
  QVERIFY(!changesSomething(session, Forget{}));
  QVERIFY(!opposite(session, MeasureProgram{11, {1, {}}}));
}

void LiveSessionTest::trialsThatWereMadeStay() {
  const LiveSession session(contents());
  // 40 were made, 5 of them on demand.
  QVERIFY(possible(session, SetTrialBudget{0}) == Command(SetTrialBudget{35}));
  QVERIFY(!changesSomething(session, SetTrialBudget{20}));
}

void LiveSessionTest::plansLeadToOneAnother() {
  LiveSession session(contents());
  const Plan before = planOf(session.config());
  const Plan after = planUntil(session, 600.5);
  QCOMPARE(after.maxSeconds, 601.0);
  QVERIFY(after.trials > 600 * 10); // at least ten a second
  for (const Command& command : commandsBetween(before, after))
    session.anticipate(command);
  QVERIFY(planOf(session.config()) == after);
  for (const Command& command : commandsBetween(after, before))
    session.anticipate(command);
  QVERIFY(planOf(session.config()) == before);
  QVERIFY(commandsBetween(before, before).empty());
}

NW_TEST_GUILESS(LiveSessionTest)

} // namespace nestwright::live_session_test

#include "live_session.moc"
