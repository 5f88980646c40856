/// Sessions whose search policy is a process of its own: interruptions change nothing, what is said
/// is in the file, and one that gives nothing does not use up the budget.

#include "core/exec_policy/exec_policy.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::exec_sessions_test {

using namespace nestwright::made_up;

PolicyLaunch launchOf(const QString& script, const QStringList& arguments = {}) {
  PolicyLaunch launch;
  launch.command = {QStandardPaths::findExecutable("python3").toStdString(),
                    NESTWRIGHT_SOURCE "/tests/exec_policy/" + script.toStdString()};
  for (const QString& argument : arguments)
    launch.command.push_back(argument.toStdString());
  return launch;
}

SessionConfig configOf(const PolicyLaunch& launch) {
  SessionConfig config;
  config.trials = 60;
  config.trialsPerRound = 6;
  config.policy = execPolicyName(launch.command);
  config.measure.threads = 2;
  return config;
}

struct Ending {
  SessionStatus status = SessionStatus::Ready;
  std::string reason;
  PauseCause cause = PauseCause::None;
};

Ending run(const QString& path, RowId id, const PolicyLaunch& launch) {
  Ending ending;
  const auto observe = [&](const Event& event) {
    if (const auto* state = std::get_if<StateChanged>(&event)) {
      ending.reason = state->reason;
      ending.cause = state->cause;
    }
  };
  Session session(path.toStdString(), id, observe, measureAll, {}, launch);
  session.post(Start{});
  ending.status = session.wait();
  return ending;
}

class ExecSessions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3 here");
    QVERIFY(folder_.isValid());
  }

  /// Each of its draws depends on every line that it heard, so that one line more or less would
  /// show.
  void interruptionsChangeNothing() {
    const PolicyLaunch launch = launchOf("listening_policy.py");
    const QString whole = newPath(), pieces = newPath();
    const RowId first = makeSession(whole, configOf(launch));
    const RowId second = makeSession(pieces, configOf(launch));
    const Ending ending = run(whole, first, launch);
    QVERIFY2(ending.status == SessionStatus::Finished, ending.reason.c_str());
    const QStringList expected = decisions(whole, first);
    QCOMPARE(expected.size(), 60);
    const Lives lives = runInPieces(pieces, second, 2, 5, measureAll, launch);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 8);
    QCOMPARE(decisions(pieces, second), expected);
    int proposed = 0;
    for (const Record& record : recordsOf(whole, first)) {
      const Trace trace = *traceOf(record);
      proposed += trace.origin == Origin::Proposed ? 1 : 0;
      if (trace.origin == Origin::Proposed) QVERIFY(trace.reason.starts_with("number "));
    }
    QVERIFY2(proposed > 30, qPrintable(QString::number(proposed)));
    // What was said is the same, too.
    const auto talks = eventsOf<PolicyTalked>(whole, first);
    const auto others = eventsOf<PolicyTalked>(pieces, second);
    QCOMPARE(others.size(), talks.size());
    for (std::size_t i = 0; i < talks.size(); ++i) {
      QCOMPARE(others[i].task, talks[i].task);
      QVERIFY2(others[i].talk == talks[i].talk, sentence(others[i].talk).c_str());
    }
  }

  void oneThatGivesNothingPausesTheSession() {
    const PolicyLaunch launch = launchOf("misbehaving.py", {"garbage"});
    const QString path = newPath();
    const RowId id = makeSession(path, configOf(launch));
    for (std::size_t start = 1; start <= 2; ++start) { // whoever goes on gives it another chance
      const Ending ending = run(path, id, launch);
      QCOMPARE(ending.status, SessionStatus::Paused);
      QCOMPARE(ending.cause, PauseCause::Policy);
      QVERIFY2(ending.reason.find("gave no program in 3 rounds in a row") != std::string::npos,
               ending.reason.c_str());
      const auto talks = eventsOf<PolicyTalked>(path, id);
      QCOMPARE(talks.size(), start * kMostPolicyFailures);
      for (const PolicyTalked& event : talks)
        QVERIFY2(event.talk.failure.find("\"thinking...\"") != std::string::npos,
                 event.talk.failure.c_str());
    }
    for (const Record& record : recordsOf(path, id)) {
      const Trace trace = *traceOf(record);
      if (trace.origin == Origin::RandomSample)
        QVERIFY(trace.reason.find("in the place of one") != std::string::npos);
    }
  }

  /// A count of failures that is not in a row.
  void whatIsGivenNowAndThenGoesOn() {
    const PolicyLaunch launch = launchOf("listening_policy.py");
    const QString path = newPath();
    SessionConfig config = configOf(launch);
    config.trials = 24;
    const RowId id = makeSession(path, config);
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      SessionRow row = *store.sessions().one(id);
      TuningState state;
      state.policyFailures = kMostPolicyFailures - 1;
      QCOMPARE(tuningStateFromText(toText(state)).policyFailures, kMostPolicyFailures - 1);
      row.schedulerState = toText(state);
      store.sessions().update(row);
    }
    QCOMPARE(run(path, id, launch).status, SessionStatus::Finished);
  }

  /// Nothing that a file says is run.
  void aFileNamesNoProgram() {
    const QString path = newPath(), marker = folder_.filePath("marker");
    SessionConfig config = configOf(launchOf("listening_policy.py"));
    config.policy = "exec:touch " + marker.toStdString();
    const RowId id = makeSession(path, config);
    const Ending ending = run(path, id, {});
    QCOMPARE(ending.status, SessionStatus::Paused);
    QCOMPARE(ending.cause, PauseCause::Policy);
    QVERIFY2(ending.reason.find("what a file says is not run") != std::string::npos,
             ending.reason.c_str());
    QVERIFY(!QFile::exists(marker));
    // Nor is another program asked in its place.
    const Ending other = run(path, id, launchOf("listening_policy.py"));
    QCOMPARE(other.status, SessionStatus::Paused);
    QVERIFY2(other.reason.find("what was given is exec:python3 listening_policy.py") !=
                 std::string::npos,
             other.reason.c_str());
    QVERIFY(recordsOf(path, id).empty() && !QFile::exists(marker));
  }

  /// Interrupted while its policy thought, and gone on with by somebody who does not name the
  /// policy's program: the round is neither lost nor the session failed.
  void anOpenRoundWaitsForItsProgram() {
    const PolicyLaunch launch = launchOf("listening_policy.py");
    const QString path = newPath();
    const RowId id = makeSession(path, configOf(launch));
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      SessionRow row = *store.sessions().one(id);
      TuningState state;
      state.round = 1;
      state.open = OpenRound{};
      state.open->task = store.sessions().tasks(id).front().id;
      state.open->count = 6;
      state.open->firstTrial = 1;
      row.schedulerState = toText(state);
      store.sessions().update(row);
    }
    const Ending ending = run(path, id, {});
    QCOMPARE(ending.status, SessionStatus::Paused);
    QCOMPARE(ending.cause, PauseCause::Policy);
    QCOMPARE(run(path, id, launch).status, SessionStatus::Finished);
    QCOMPARE(recordsOf(path, id).size(), std::size_t(60));
  }

 private:
  QString newPath() { return folder_.filePath(QString("%1.nwdb").arg(++files_)); }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(ExecSessions)

} // namespace nestwright::exec_sessions_test

#include "exec_sessions.moc"
