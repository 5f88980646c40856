/// Evaluators and a recorded machine as people ask for them: what workers timed in micro-batches is
/// stored and shown, and answers another session at once.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/session/run/row_contents.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::replayed_records_test {

using nlohmann::json;

class ReplayedRecords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { recorded_ = tuned(recording_, {"--evaluator", "fixed:runs=40,batch=10"}); }

  void microBatchesAreStoredAndShown() {
    const json record = shown("1");
    QCOMPARE(record.at("repeats").size(), std::size_t(4));
    QCOMPARE(record.at("runs_per_repeat"), json(10));
    QCOMPARE(record.at("evaluation").at("micro_batches"), json(4));
    QCOMPARE(record.at("evaluation").at("runs"), json(40));
    QCOMPARE(record.at("evaluation").at("stopped"), json("all runs made"));
    QVERIFY(record.at("evaluation").at("cv").get<double>() >= 0);
    const ProgramResult text = run({"show", "1", "--db", recording_});
    QVERIFY2(text.output.contains("40 runs in 4 micro-batches of 10 (fixed): all runs made"),
             text.output);
    const RecordStore store = RecordStore::open(recording_.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(toText(configOf(store.sessions().all().front()).measure.evaluator),
             std::string("fixed:runs=40,batch=10"));
  }

  void theRecordingAnswers() {
    const QString path = folder_.filePath("again.nwdb");
    const json again = tuned(
        path, {"--machine", "recorded:" + recording_, "--evaluator", "fixed:runs=20,batch=10"});
    QCOMPARE(again.at("trials"), recorded_.at("trials"));
    QCOMPARE(again.at("errors"), recorded_.at("errors"));
    QCOMPARE(again.at("naive_total_seconds"), recorded_.at("naive_total_seconds"));
    QVERIFY(again.at("total_seconds").is_number());
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.targets().all().size(), std::size_t(1));
    QVERIFY(store.targets().all().front().text.ends_with(" -recorded"));
    QCOMPARE(store.check(), std::vector<std::string>());
    const ProgramResult text = run({"show", "1", "--db", path});
    QVERIFY2(text.output.contains(QByteArray("answered by recorded:") + recording_.toUtf8() +
                                  ", not measured here"),
             text.output);
    QVERIFY2(text.output.contains("20 runs in 2 micro-batches of 10 (fixed): all runs made"),
             text.output);
    // It has ended, and going on with it needs no other word.
    const ProgramResult resumed = run({"tune", kTask, "--db", path, "--resume", "--json"});
    QVERIFY2(resumed.exitCode == 0, resumed.errors);
  }

  void measuringAgainTakesAnEvaluator() {
    const ProgramResult again =
        run({"measure", "--db", recording_, "--threads", "1", "--limit", "2", "--evaluator",
             "adaptive:runs=30,batch=10,least=1,cv=1000", "--json"});
    QVERIFY2(again.exitCode == 0, again.errors);
    const RecordStore store = RecordStore::open(recording_.toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.session = again.json().at("session").get<RowId>();
    for (const Record& record : store.records().page(query)) {
      if (record.result.verdict != Verdict::Ok) continue;
      QCOMPARE(record.result.seconds.size(), std::size_t(1));
      QCOMPARE(record.result.evaluation->stopped, StopReason::Steady);
    }
  }

  void mistakesAreSaid_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("why");
    QTest::newRow("evaluator") << QStringList{"--evaluator", "quick"} << 2
                               << QByteArray("there is no evaluator \"quick\"");
    QTest::newRow("cache") << QStringList{"--evaluator", "adaptive", "--flush-cache"} << 2
                           << QByteArray("leave --flush-cache out, or the evaluator adaptive:");
    QTest::newRow("machine") << QStringList{"--machine", "fast"} << 2
                             << QByteArray("\"fast\" is no machine to measure on");
    QTest::newRow("no file") << QStringList{"--machine", "recorded:nowhere.nwdb"} << 1
                             << QByteArray("there is no such file");
    QTest::newRow("lowering")
        << QStringList{"--machine", "recorded:" + recording_, "--lowering", "plain"} << 1
        << QByteArray("has no records for the target llvm:plain, but for: llvm ");
  }
  void mistakesAreSaid() {
    QFETCH(QStringList, options);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, why);
    const QString path = folder_.filePath("never.nwdb");
    const ProgramResult result = run(QStringList{"tune", kTask, "--db", path} + options);
    QVERIFY2(result.errors.contains(why), result.errors);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY(!QFile::exists(path));
  }

  void theDoctorListsEvaluators() {
    const json evaluators = run({"doctor", "--json"}).json().at("evaluators");
    QCOMPARE(evaluators.size(), std::size_t(3));
    for (const json& evaluator : evaluators)
      QVERIFY(!evaluator.at("purpose").get<std::string>().empty());
  }

 private:
  static constexpr const char* kTask = "matmul:m=48,n=48,k=48";

  static json tuned(const QString& path, const QStringList& options) {
    const ProgramResult result =
        run(QStringList{"tune", kTask, "--rules", "paper", "--trials", "8", "--threads", "1",
                        "--seed", "4", "--db", path, "--json"} +
            options);
    if (result.exitCode != 0) qFatal("%s", result.errors.constData());
    return json::parse(result.output.toStdString());
  }
  json shown(const QString& record) const {
    const ProgramResult result = run({"show", record, "--db", recording_, "--steps", "--json"});
    if (result.exitCode != 0) qFatal("%s", result.errors.constData());
    return json::parse(result.output.toStdString());
  }

  QTemporaryDir folder_;
  const QString recording_ = folder_.filePath(QStringLiteral("recording.nwdb"));
  json recorded_;
};

NW_TEST_GUILESS(ReplayedRecords)

} // namespace nestwright::replayed_records_test

#include "replayed_records.moc"
