/// `tune --policy exec:...`: the examples that come with Nestwright, killed and resumed, and what
/// is said where a program is missing.

#include "core/record/store/event_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/events.h"
#include "core/session/run/row_contents.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace nestwright::exec_tuning_test {

constexpr int kTrials = 100;

/// The interpreter: python3, or one that has optuna.
QString python() {
  const QString named = qEnvironmentVariable("NESTWRIGHT_TEST_PYTHON");
  return named.isEmpty() ? QStandardPaths::findExecutable("python3") : named;
}

QString example(const char* name) {
  return QStringLiteral("exec:%1 '" NESTWRIGHT_SOURCE "/resources/policies/%2'")
      .arg(python(), QString::fromUtf8(name));
}

QStringList tune(const QString& document, const QString& policy, int trials = kTrials) {
  QStringList arguments{"tune",      "matmul:m=32,n=32,k=32",
                        "--trials",  QString::number(trials),
                        "--seed",    "3",
                        "--repeats", "1",
                        "--threads", "1",
                        "--db",      document,
                        "--resume"};
  if (!policy.isEmpty()) arguments << "--policy" << policy;
  return arguments;
}

std::vector<PolicyTalk> talksOf(const QString& document) {
  const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
  std::vector<PolicyTalk> talks;
  for (const EventRow& row : store.events().of(store.sessions().all().back().id))
    if (row.kind == kind(Event(PolicyTalked())))
      talks.push_back(
          std::get<PolicyTalked>(eventFromJson(row.kind, nlohmann::json::parse(row.json))).talk);
  return talks;
}

std::vector<std::string> programsOf(const QString& document) {
  std::vector<std::string> programs;
  for (const Record& record : test::recordsOf(document))
    programs.push_back(record.program);
  return programs;
}

class ExecTuning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (python().isEmpty()) QSKIP("there is no python3 here");
    QVERIFY(folder_.isValid());
  }

  void examplesTune_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("name");
    QTest::newRow("random") << "random_policy.py"
                            << "random example";
    QTest::newRow("optuna") << "optuna_tpe.py"
                            << "optuna TPE";
  }
  void examplesTune() {
    QFETCH(QString, script);
    QFETCH(QString, name);
    if (name == "optuna TPE" && runIn({}, python(), {"-c", "import optuna"}).exitCode != 0)
      QSKIP("optuna is not installed: pip install optuna");
    const QString document = folder_.filePath(script + ".nwdb");
    const ProgramResult result = run(tune(document, example(script.toUtf8())));
    QVERIFY2(result.exitCode == 0, result.errors);
    int proposed = 0, others = 0;
    for (const Record& record : test::recordsOf(document)) {
      const Trace trace = *traceOf(record);
      proposed += trace.origin == Origin::Proposed ? 1 : 0;
      others += trace.origin == Origin::RandomSample ? 1 : 0;
    }
    QCOMPARE(proposed + others, kTrials);
    QVERIFY2(others <= 5, result.errors);
    const std::vector<PolicyTalk> talks = talksOf(document);
    QVERIFY(talks.size() >= 7);
    for (const PolicyTalk& talk : talks) {
      QVERIFY2(talk.failure.empty(), talk.failure.c_str());
      QCOMPARE(talk.name, name.toStdString());
    }
    // It is told the times.
    QVERIFY(talks.back().lines.front().text.find("\"tell\"") != std::string::npos);
    // The session has the program's name, and the log the command.
    const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
    const SessionRow session = store.sessions().all().back();
    QCOMPARE(
        configOf(session).policy,
        QStringLiteral("exec:%1 %2").arg(QFileInfo(python()).fileName(), script).toStdString());
    const ProgramResult log = run({"session", "log", "--db", document});
    if (log.exitCode == 0) QVERIFY2(log.output.contains("proposed"), log.output);
  }

  void killedSessionsDecideAsUndisturbedOnes() {
    const QString whole = folder_.filePath("whole.nwdb"), killed = folder_.filePath("killed.nwdb");
    const QString policy = example("random_policy.py");
    const ProgramResult undisturbed = run(tune(whole, policy, 48));
    QVERIFY2(undisturbed.exitCode == 0, undisturbed.errors);
    for (const int measurements : {3, 17, 9})
      test::killAfter(test::measurementsLeft(killed, 48, measurements), tune(killed, policy, 48)
                                                                            << "--events");
    const ProgramResult last = run(tune(killed, policy, 48));
    QVERIFY2(last.exitCode == 0, last.errors);
    QCOMPARE(programsOf(killed), programsOf(whole));
    QVERIFY(!talksOf(killed).empty());
    for (const PolicyTalk& talk : talksOf(killed))
      QVERIFY2(talk.remarks.empty() && talk.failure.empty(), sentence(talk).c_str());
  }

  void programsAreNamedByThePersonAlone() {
    const QString document = folder_.filePath("named.nwdb");
    ProgramResult result = run(tune(document, "exec:/nonexistent/policy", 4));
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("there is no program /nonexistent/policy"), result.errors);
    QVERIFY(!QFile::exists(document)); // before a file is made
    QCOMPARE(run(tune(document, "exec:", 4)).exitCode, 2);
    QCOMPARE(run(tune(document, "exec:sh 'x", 4)).exitCode, 2);
    result = run(tune(document, example("random_policy.py"), 4));
    QVERIFY2(result.exitCode == 0, result.errors);
    result = run(tune(document, {}, 8));
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("say which it is"), result.errors);
    result = run(tune(document, example("optuna_tpe.py"), 8));
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("what was given is exec:"), result.errors);
    result = run(tune(document, example("random_policy.py"), 8));
    QVERIFY2(result.exitCode == 0, result.errors);
    const QString other = folder_.filePath("other.nwdb");
    QCOMPARE(run(tune(other, "random", 4)).exitCode, 0);
    result = run(tune(other, example("random_policy.py"), 8));
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("leave --policy out"), result.errors);
  }

  void whatAPolicyDoesWrongIsSaid() {
    const QString document = folder_.filePath("wrong.nwdb");
    const QString policy =
        QStringLiteral("exec:%1 " NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py raises")
            .arg(python());
    const ProgramResult result = run(tune(document, policy));
    QCOMPARE(result.exitCode, 1); // somebody has to look after it
    QVERIFY2(result.errors.contains("RuntimeError: no idea what to propose"), result.errors);
    QVERIFY2(result.errors.contains("gave no program in 3 rounds in a row"), result.errors);
    QCOMPARE(talksOf(document).size(), std::size_t(3));
  }

 private:
  QTemporaryDir folder_;
};

NW_TEST_GUILESS(ExecTuning)

} // namespace nestwright::exec_tuning_test

#include "exec_tuning.moc"
