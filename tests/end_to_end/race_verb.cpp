/// `nestwright race`: policies of ours and a program of the person's, killed and resumed, and what
/// is said of a command that is none.

#include "core/session/race/race.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <csignal>
#include <map>

namespace nestwright::race_verb_test {

QString exampleProgram() {
  return QStringLiteral("exec:%1 '" NESTWRIGHT_SOURCE "/resources/policies/random_policy.py'")
      .arg(QStandardPaths::findExecutable("python3"));
}

QStringList raceOf(const QString& document, const QStringList& policies) {
  QStringList arguments{"race",      "matmul:m=32,n=32,k=32",
                        "--trials",  "12",
                        "--seeds",   "2",
                        "--repeats", "1",
                        "--threads", "1",
                        "--db",      document,
                        "--json",    "--trials-per-round",
                        "4"};
  for (const QString& policy : policies)
    arguments << "--policy" << policy;
  return arguments;
}

/// The programs of each session, in order.
std::map<RowId, std::vector<std::string>> programsOf(const QString& document) {
  std::map<RowId, std::vector<std::string>> programs;
  for (const Record& record : test::recordsOf(document))
    programs[record.session].push_back(record.program);
  return programs;
}

/// Runs it until the file has so many records, and ends it with the signal.
void endAfter(std::size_t records, const QString& document, const QStringList& arguments,
              int signal) {
  QProcess process;
  process.start(programPath(), arguments);
  QVERIFY(process.waitForStarted());
  const auto measured = [&]() -> std::size_t {
    if (!QFile::exists(document)) return 0;
    try {
      return test::recordsOf(document).size();
    } catch (const Error&) { // it is being made
      return 0;
    }
  };
  while (process.state() == QProcess::Running && measured() < records)
    process.waitForFinished(5);
  kill(static_cast<pid_t>(process.processId()), signal);
  QVERIFY(process.waitForFinished(60'000));
}

class RaceVerb : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3 here");
    QVERIFY(folder_.isValid());
  }

  void policiesRace() {
    const QString document = folder_.filePath("race.nwdb");
    const ProgramResult result =
        run(raceOf(document, {"random", "random,draft=first", exampleProgram()}));
    QVERIFY2(result.exitCode == 0, result.errors);
    const nlohmann::json json = result.json();
    QCOMPARE(json.at("status"), "finished");
    QCOMPARE(json.at("over"), true);
    QCOMPARE(json.at("racers").size(), std::size_t(3));
    QCOMPARE(json.at("wins").size(), std::size_t(3));
    for (const nlohmann::json& racer : json.at("tasks").at(0).at("racers")) {
      QVERIFY(!racer.at("curve").empty());
      for (const nlohmann::json& point : racer.at("curve"))
        QVERIFY(point.at("low") <= point.at("gflops") && point.at("gflops") <= point.at("high"));
      QCOMPARE(racer.at("sessions").size(), std::size_t(2));
      for (const nlohmann::json& session : racer.at("sessions")) {
        QCOMPARE(session.at("trials"), 12);
        QCOMPARE(session.at("status"), "finished");
      }
    }
    // As a table, from the file alone; the program is named again.
    const ProgramResult table =
        run({"race", "--db", document, "--resume", "--policy", exampleProgram()});
    QVERIFY2(table.exitCode == 0, table.errors);
    QVERIFY2(table.output.contains("p after Holm"), table.output);
    QVERIFY2(table.output.contains("random, draft=first"), table.output);
    QVERIFY2(table.output.contains("2 pairs cannot tell that"), table.output);
    QCOMPARE(programsOf(document).size(), std::size_t(6));
    QCOMPARE(run({"db", "check", document}).exitCode, 0);
  }

  /// A signal pauses it, a kill leaves it as it is: the programs are those of an undisturbed one.
  void killedRacesGoOn() {
    const QStringList policies{"random,polish=4", exampleProgram()};
    const QString whole = folder_.filePath("whole.nwdb"), killed = folder_.filePath("killed.nwdb");
    const ProgramResult undisturbed = run(raceOf(whole, policies));
    QVERIFY2(undisturbed.exitCode == 0, undisturbed.errors);
    const QStringList command = raceOf(killed, policies) << "--resume";
    std::size_t records = 0;
    for (const int more : {3, 9, 6, 11}) {
      records += std::size_t(more);
      endAfter(records, killed, command, more % 2 == 0 ? SIGINT : SIGKILL);
      records = test::recordsOf(killed).size();
    }
    const ProgramResult last = run(command);
    QVERIFY2(last.exitCode == 0, last.errors);
    const auto expected = programsOf(whole), found = programsOf(killed);
    QCOMPARE(expected.size(), std::size_t(4));
    // What a polish takes next depends on times, which differ; all before it does not.
    for (const auto& [session, programs] : expected) {
      const std::vector<std::string>& others = found.at(session);
      QCOMPARE(others.size(), programs.size());
      const std::size_t same = 8;
      QCOMPARE(std::vector(others.begin(), others.begin() + same),
               std::vector(programs.begin(), programs.begin() + same));
    }
  }

  void whatIsNoRaceIsSaid() {
    const QString document = folder_.filePath("wrong.nwdb");
    const auto said = [&](const QStringList& arguments, const char* what) {
      const ProgramResult result = run(arguments);
      QCOMPARE(result.exitCode, 2);
      QVERIFY2(result.errors.contains(what), result.errors);
    };
    said(raceOf(document, {"random"}), "one policy alone does not race");
    said(raceOf(document, {"random", "clever"}), "there is no search policy");
    said(raceOf(document, {"random", "random"}), "random is given twice");
    said(raceOf(document, {"random", "exec:/nonexistent/policy"}),
         "there is no program /nonexistent/policy");
    said(raceOf(document, {"random", "grid"}) << "--seeds"
                                              << "0",
         "0 is not above 0");
    said(raceOf(document, {"random", "random,draft=first"}) << "matmul:m=32,n=32,k=32",
         "a race has each task once");
    said(raceOf(document, {"random", "random,draft=first"}) << "--seconds"
                                                            << "9",
         "excludes");
    const ProgramResult nothing = run({"race", "--db", document, "--resume"});
    QCOMPARE(nothing.exitCode, 1);
    QVERIFY2(nothing.errors.contains("there is no race to resume"), nothing.errors);
    QVERIFY(!QFile::exists(document)); // before a file is made
    QCOMPARE(run(raceOf(document, {"random", exampleProgram()}) << "--seed"
                                                                << "4")
                 .exitCode,
             0);
    said(raceOf(document, {"random", "random,draft=first"}), "holds the race");
    said({"race", "--db", document, "--resume"}, "name it again with --policy");
    const QStringList resume{"race", "--db", document, "--resume", "--policy", exampleProgram()};
    said(QStringList(resume) << "--policy"
                             << "random,draft=first",
         "holds the race");
    said(QStringList(resume) << "matmul:m=64,n=32,k=32", "of the tasks");
    said(QStringList(resume) << "--seeds"
                             << "3",
         "with 2 seeds");
    said(QStringList(resume) << "--seconds"
                             << "3",
         "whose budget is trials");
    const ProgramResult more = run(QStringList(resume) << "--trials"
                                                       << "16"
                                                       << "--json");
    QVERIFY2(more.exitCode == 0, more.errors);
    QCOMPARE(more.json().at("budget").at("trials"), 16);
  }

 private:
  QTemporaryDir folder_;
};

NW_TEST_GUILESS(RaceVerb)

} // namespace nestwright::race_verb_test

#include "race_verb.moc"
