/// Recombination of a small network by the command line: samples, pauses, kills, and the choice
/// that `run` uses.

#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>

namespace nestwright::recombine_test {

using nlohmann::json;

const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");

std::vector<std::vector<int>> drawn(const json& result) {
  std::vector<std::vector<int>> choices;
  for (const json& sample : result.at("samples"))
    if (!sample.at("baseline").get<bool>()) choices.push_back(sample.at("choice"));
  return choices;
}

class Recombine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = run({"tune", kNetwork, "--trials", "60", "--trials-per-round", "6",
                                     "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  void samplesAreMeasuredAndExplained() {
    const ProgramResult result = recombine({"--samples", "8", "--seed", "3", "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    whole_ = result.json();
    QCOMPARE(whole_.at("status").get<std::string>(), std::string("finished"));
    QCOMPARE(drawn(whole_).size(), std::size_t(8));
    QVERIFY(whole_.at("samples").at(0).at("baseline").get<bool>());
    for (const json& sample : whole_.at("samples")) {
      QCOMPARE(sample.at("verdict").get<std::string>(), std::string("ok"));
      QVERIFY(!sample.at("seconds").empty());
    }
    QVERIFY(whole_.at("baseline_seconds").get<double>() > 0);
    QVERIFY(!whole_.at("tasks").empty());
    const ProgramResult text = recombine({"--samples", "1"});
    QVERIFY2(text.exitCode == 0, text.errors);
    QVERIFY2(text.output.contains("per-task bests"), text.output);
  }

  void killedAndGoneOnWithNothingIsLost() {
    std::size_t told = 0;
    for (int kill = 0; kill < 3; ++kill) {
      QProcess process;
      process.start(programPath(), arguments({"--samples", "24", "--seed", "3", "--repeats", "2",
                                              "--resume", "--events"}));
      QByteArray output;
      while (output.count("\"event\":\"sample\"") < 2 && process.waitForReadyRead(60'000))
        output += process.readAllStandardOutput();
      process.kill();
      process.waitForFinished();
      output += process.readAllStandardOutput();
      told += static_cast<std::size_t>(output.count("\"event\":\"sample\"")) -
              (output.endsWith('\n') ? 0 : 1);
      const RecordStore store = RecordStore::open(database().toStdString(), OpenMode::ReadOnly);
      QVERIFY(store.check().empty());
      QVERIFY(store.recombinations().samples(store.recombinations().all().back().id).size() >=
              told);
    }
    const ProgramResult last = recombine({"--resume", "--json"});
    QVERIFY2(last.exitCode == 0, last.errors);
    std::vector<std::vector<int>> choices = drawn(last.json());
    QCOMPARE(choices.size(), std::size_t(24));
    choices.resize(8);
    QCOMPARE(choices, drawn(whole_)); // the seed decides, however often it is killed
  }

  void interruptedItPauses() {
    QProcess process;
    process.start(programPath(), arguments({"--samples", "500", "--k", "8", "--events"}));
    QByteArray output;
    while (!output.contains("\"event\":\"sample\"") && process.waitForReadyRead(60'000))
      output += process.readAllStandardOutput();
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(20'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    const RecordStore store = RecordStore::open(database().toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.recombinations().all().back().status, SessionStatus::Paused);
  }

  /// A candidate that cannot be built costs one sample, and the run goes on in the same file.
  void aBrokenCandidateCostsItsSamplesOnly() {
    RowId network = 0;
    {
      RecordStore store = RecordStore::open(database().toStdString());
      const RecombinationRow last = store.recombinations().all().back();
      network = last.network;
      const TaskCandidates task = recombinationStateFromText(last.state).candidates.front();
      Record broken = *store.records().one(task.programs.front().record);
      broken.trial = 1000;
      broken.program = "0123456789abcdef0123456789abcdef";
      broken.steps = {SplitStep{99, 0, 4, {2}, true}};
      broken.result.seconds = {task.programs.front().seconds * 0.5}; // rank 1, unverified
      broken.verified = broken.best = broken.contested = false;
      store.records().add(broken);
    }
    const ProgramResult result = recombine({"--samples", "12", "--k", "2", "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    int failed = 0;
    const json outcome = result.json();
    for (const json& sample : outcome.at("samples"))
      if (sample.at("verdict").get<std::string>() != "ok") {
        ++failed;
        QCOMPARE(sample.at("verdict").get<std::string>(), std::string("compile error"));
        QVERIFY(!sample.at("error").get<std::string>().empty());
      }
    QVERIFY2(failed >= 1 && failed < 8, qPrintable(QString::number(failed)));
    QVERIFY(network > 0);
  }

  void whatIsKeptIsRun() {
    int chosen = 0;
    RowId id = 0;
    {
      RecordStore store = RecordStore::open(database().toStdString());
      id = store.recombinations().all().front().id;
      for (const SampleRow& sample : store.recombinations().samples(id))
        if (!isBaseline(sample)) chosen = sample.sample;
      keepSample(store, id, chosen);
    }
    const json& choice = whole_.at("samples").at(static_cast<std::size_t>(chosen)).at("choice");
    const auto others = std::count_if(choice.begin(), choice.end(),
                                      [](const json& rank) { return rank.get<int>() > 0; });
    const QStringList arguments{"run", kNetwork, "--db", database(), "--repeats", "2", "--check"};
    const ProgramResult kept = run(arguments + QStringList{"--json"});
    QVERIFY2(kept.exitCode == 0, kept.errors);
    QCOMPARE(kept.json().at("recombination").get<RowId>(), id);
    const auto differing = [](const json& result) {
      const json& tasks = result.at("tasks");
      return std::count_if(tasks.begin(), tasks.end(), [](const json& task) {
        return task.at("record") != task.at("best_record");
      });
    };
    QCOMPARE(differing(kept.json()), others);
    const json best = run(arguments + QStringList{"--best", "--json"}).json();
    QVERIFY(best.at("recombination").is_null());
    QCOMPARE(differing(best), std::ptrdiff_t(0));
    QVERIFY(run(arguments).output.contains("kept from recombination"));
  }

  void mistakesAreTold_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("message");
    const QString there = database();
    QTest::newRow("no database") << QStringList{"recombine", kNetwork} << 2 << "--db";
    QTest::newRow("missing database")
        << QStringList{"recombine", kNetwork, "--db", "nowhere.nwdb"} << 1 << "nowhere.nwdb";
    QTest::newRow("not tuned") << QStringList{"recombine", "resnet18", "--db", there} << 1
                               << "tune it first";
    QTest::newRow("one candidate")
        << QStringList{"recombine", kNetwork, "--db", there, "--k", "1"} << 1 << "candidates (k)";
    QTest::newRow("no samples") << QStringList{"recombine", kNetwork,    "--db",
                                               there,       "--samples", "0"}
                                << 2 << "samples";
    QTest::newRow("--best without records")
        << QStringList{"run", kNetwork, "--best"} << 2 << "--db";
  }
  void mistakesAreTold() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    QFETCH(QString, message);
    const ProgramResult result = run(arguments);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.errors.contains(message.toUtf8()), result.errors);
  }

 private:
  QString database() const { return folder_.filePath(QStringLiteral("tiny.nwdb")); }
  QStringList arguments(const QStringList& more) const {
    return QStringList{"recombine", kNetwork, "--db", database()} + more;
  }
  ProgramResult recombine(const QStringList& more) const { return run(arguments(more)); }

  QTemporaryDir folder_;
  json whole_;
};

NW_TEST_GUILESS(Recombine)

} // namespace nestwright::recombine_test

#include "recombine.moc"
