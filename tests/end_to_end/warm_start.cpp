/// Sessions that remember earlier ones, and a polish, by the command line and on the machine.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <set>

namespace nestwright::warm_start_test {

using nlohmann::json;

class WarmStart : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = tune("matmul:m=64,n=64,k=64", {"--trials", "40", "--seed", "1"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    QVERIFY2(!tuned.errors.contains("remembered from"), tuned.errors);
  }

  void seedsAreListed() {
    const ProgramResult listed =
        run({"seeds", "matmul:m=64,n=64,k=64", "matmul:m=96,n=64,k=64", "softmax:m=8,n=8",
             "--threads", "1", "--db", database(), "--json"});
    QVERIFY2(listed.exitCode == 0, listed.errors);
    const json tasks = listed.json().at("tasks");
    QCOMPARE(tasks.at(0).at("standing").get<std::string>(), std::string("known"));
    QCOMPARE(tasks.at(1).at("standing").get<std::string>(), std::string("similar"));
    QCOMPARE(tasks.at(2).at("standing").get<std::string>(), std::string("unknown"));
    QVERIFY(tasks.at(1).at("programs").at(0).at("splits").size() > 0);
    const ProgramResult text =
        run({"seeds", "matmul:m=96,n=64,k=64", "--threads", "1", "--db", database()});
    QVERIFY2(text.output.contains("of C, 64 to 96") || text.output.contains(", 64 to 96"),
             text.output);
    const ProgramResult off =
        run({"seeds", "matmul:m=96,n=64,k=64", "--memory", "off", "--db", database()});
    QCOMPARE(off.exitCode, 2);
  }

  void aSessionBeginsWithThem() {
    const ProgramResult tuned = tune("matmul:m=64,n=64,k=64", {"--trials", "16", "--seed", "2"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    QVERIFY2(tuned.errors.contains("remembered from") && tuned.errors.contains("for 1 of 1 task"),
             tuned.errors);
    const RecordStore store = RecordStore::open(database().toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.session = 2;
    query.order = RecordQuery::Order::Oldest;
    const Record first = store.records().page(query).front();
    QCOMPARE(traceOf(first)->origin, Origin::Remembered);
    QVERIFY(store.records().one(traceOf(first)->source)->program == first.program);
  }

  void aRecordIsPolished() {
    const ProgramResult polished =
        run({"polish", "--db", database(), "--task", "1", "--trials", "12", "--json"});
    QVERIFY2(polished.exitCode == 0, polished.errors);
    const json result = polished.json();
    QCOMPARE(result.at("trials").get<int>(), 12);
    QVERIFY(result.at("decisions").size() > 1);
    QVERIFY(result.at("seconds_after").get<double>() <= result.at("seconds_before").get<double>());
    QCOMPARE(result.at("began_with"), result.at("best_before"));
    QCOMPARE(result.at("came_to"), result.at("best_after"));
    QCOMPARE(run({"polish", "--db", database()}).exitCode, 2);
    QCOMPARE(run({"polish", "99999", "--db", database()}).exitCode, 1);
  }

  /// Killed and paused, it goes on in its session and measures each neighbour once.
  void aPolishIsResumed() {
    const QString file = folder_.filePath("resumed.nwdb");
    QVERIFY(QFile::copy(database(), file));
    ProgramResult result = run({"polish", "--db", file, "--resume", "--task", "77"});
    QCOMPARE(result.exitCode, 1);
    result = run({"polish", "--db", folder_.filePath("none.nwdb"), "--resume"});
    QCOMPARE(result.exitCode, 1);
    result = run({"polish", "--db", file, "--resume", "--trials", "9"});
    QCOMPARE(result.exitCode, 2);
    const auto sessionOf = [&] {
      return RecordStore::open(file.toStdString(), OpenMode::ReadOnly).sessions().all().back().id;
    };
    const RowId before = sessionOf();
    const auto polished = [&] {
      RecordQuery query;
      query.session = before + 1;
      query.limit = 1000;
      return RecordStore::open(file.toStdString(), OpenMode::ReadOnly).records().page(query);
    };
    const QStringList resume{"polish", "--db", file, "--resume", "--task", "1"};
    std::size_t records = 0;
    for (const int signal : {SIGKILL, SIGINT, SIGKILL}) {
      QProcess process;
      process.start(programPath(), records == 0 ? QStringList{"polish", "--db", file, "--task", "1",
                                                              "--trials", "60"}
                                                : resume);
      records += 5;
      while (process.state() != QProcess::NotRunning && polished().size() < records)
        process.waitForFinished(5);
      kill(static_cast<pid_t>(process.processId()), signal);
      QVERIFY(process.waitForFinished(60'000));
      records = polished().size();
    }
    QVERIFY(records >= 15 && records < 60);
    result = run(QStringList(resume) << "--json");
    QVERIFY2(result.exitCode == 0, result.errors);
    QCOMPARE(result.json().at("session").get<RowId>(), before + 1);
    QCOMPARE(result.json().at("status"), "finished");
    QCOMPARE(sessionOf(), before + 1);
    std::set<std::string> programs;
    for (const Record& record : polished())
      programs.insert(record.program);
    QCOMPARE(programs.size(), polished().size());
    QCOMPARE(result.json().at("trials").get<std::size_t>(), polished().size());
    QVERIFY(result.json().at("seconds_after").get<double>() <=
            result.json().at("seconds_before").get<double>());
  }

  void aQuickEffortEnds() {
    const ProgramResult tuned =
        tune("matmul:m=48,n=64,k=64", {"--effort", "quick", "--memory", "off"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    QCOMPARE(tuned.json().at("trials").get<int>(), 24);
  }

  void badMemories() {
    const ProgramResult missing = tune("matmul:m=48,n=64,k=64", {"--memory", "nowhere.nwdb"});
    QCOMPARE(missing.exitCode, 1);
    QVERIFY2(missing.errors.contains("there is no such file"), missing.errors);
    QCOMPARE(tune("matmul:m=48,n=64,k=64", {"--memory", "off", "--memory", "this"}).exitCode, 2);
  }

 private:
  ProgramResult tune(const QString& task, const QStringList& options) {
    return run(QStringList{"tune", task, "--threads", "1", "--repeats", "1", "--policy", "random",
                           "--db", database(), "--json"} +
               options);
  }
  QString database() const { return folder_.filePath("warm.nwdb"); }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(WarmStart)

} // namespace nestwright::warm_start_test

#include "warm_start.moc"
