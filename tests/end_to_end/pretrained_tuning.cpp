/// Sessions that begin with a trained model, as people start them: said what it knows, cut off with
/// kill -9, and gone on with without its file.

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/search/search_policy.h"
#include "core/session/run/row_contents.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/end_to_end/run_program.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::pretrained_tuning_test {

using nlohmann::json;
using test::killAfter, test::measurementsLeft;
using test::recordsOf;

const char* const kTask = "matmul:m=16,n=32,k=32";
const char* const kOther = "matmul:m=32,n=16,k=32";

QStringList decisions(const QString& path) {
  QStringList programs;
  for (const Record& record : recordsOf(path))
    programs << QString::fromStdString(record.program + record.trace);
  return programs;
}

class PretrainedTuning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A model that a session has learned of another product, and records of some hundred random
  /// programs to search among.
  void initTestCase() {
    const ProgramResult learned =
        run({"tune", kOther, "--policy", "evolutionary", "--features", "paper", "--trials", "64",
             "--threads", "1", "--repeats", "1", "--population", "256", "--db", other_});
    QVERIFY2(learned.exitCode == 0, learned.errors);
    model_ = folder_.filePath(QStringLiteral("trained.nwm"));
    const ProgramResult taken = run({"models", other_ + "#1", "-o", model_});
    QVERIFY2(taken.exitCode == 0, taken.errors);
    QVERIFY2(taken.output.contains("learned from  1 task\n"), taken.output);
    QVERIFY(run({"models", other_ + "#1", "-o", model_}).exitCode != 0); // not written over
    recording_ = folder_.filePath(QStringLiteral("space.nwdb"));
    const ProgramResult recorded =
        run({"tune", kTask, "--policy", "random", "--seed", "3", "--trials", "240", "--threads",
             "1", "--repeats", "1", "--db", recording_});
    QVERIFY2(recorded.exitCode == 0, recorded.errors);
  }

  /// kill -9 in the middle, and the model's file gone: the same decisions as undisturbed (C25).
  void killedSessionsDecideAsUndisturbedOnes_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QStringList>("update");
    for (const char* update : {"none", "local", "fine-tune", "retrain"})
      QTest::newRow(update) << "xgboost" << QStringList{"--update", update};
    QTest::newRow("a model a task")
        << "xgboost" << QStringList{"--update", "local", "--local-per-task"};
    QTest::newRow("a network, local") << "tlp" << QStringList{"--update", "local"};
    QTest::newRow("a network, fine-tune") << "tlp" << QStringList{"--update", "fine-tune"};
  }
  void killedSessionsDecideAsUndisturbedOnes() {
    QFETCH(QString, kind);
    QFETCH(QStringList, update);
    if (kind == "tlp") NW_NEED_LEARNER();
    QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("copy.nwm"));
    if (kind == "tlp") {
      const ProgramResult trained = run({"train", "--db", other_, "--model", "tlp", "--epochs", "1",
                                         "--least-programs", "5", "-o", copy});
      QVERIFY2(trained.exitCode == 0, trained.errors);
    } else {
      QVERIFY(QFile::copy(model_, copy));
    }
    const auto arguments = [&](const QString& path) {
      // Half of each round is drawn at random, from what was recorded.
      return QStringList{"tune",         kTask, "--machine", "recorded:" + recording_,
                         "--db",         path,  "--policy",  "evolutionary",
                         "--epsilon",    "0.5", "--seed",    "3",
                         "--trials",     "96",  "--warmup",  "12",
                         "--threads",    "1",   "--resume",  "--events",
                         "--population", "256"} +
             update;
    };
    const QStringList begun = {"--pretrained", copy};
    const QString whole = folder.filePath(QStringLiteral("whole.nwdb"));
    const ProgramResult undisturbed = run(arguments(whole) + begun);
    QVERIFY2(undisturbed.exitCode == 0, undisturbed.errors);
    QVERIFY2(undisturbed.errors.contains(
                 QStringLiteral("is the cost model %1, trained on 1 task of").arg(kind).toUtf8()),
             undisturbed.errors);
    QVERIFY2(undisturbed.errors.contains("the only one here is a new shape of a kind it knows"),
             undisturbed.errors);
    const QString killed = folder.filePath(QStringLiteral("killed.nwdb"));
    killAfter(5, arguments(killed) + begun);
    QVERIFY(QFile::remove(copy));
    // session/pretrained_sessions cuts all of them off more often.
    const int kills = kind == "xgboost" && update == QStringList{"--update", "local"} ? 4 : 2;
    for (int kill = 1; kill < kills; ++kill)
      killAfter(measurementsLeft(killed, 96, 3 + 5 * kill % 13),
                arguments(killed) + begun); // as it was typed the first time
    const ProgramResult last = run(arguments(killed) + begun);
    QVERIFY2(last.exitCode == 0, last.errors);
    const QStringList expected = decisions(whole);
    QCOMPARE(expected.size(), 96);
    QCOMPARE(decisions(killed), expected);
    int ran = 0, ranked = 0;
    for (const Record& record : recordsOf(whole)) {
      ran += record.result.verdict == Verdict::Ok;
      ranked += !traceOf(record)->ranking.empty();
    }
    qInfo("%d of 96 programs were recorded ones, %d were ranked", ran, ranked);
    QVERIFY(ran > 15);
    QVERIFY(ranked > 30);
  }

  /// A trained model is there to be asked: nobody has to say so twice.
  void theSearchIsOneThatAsksTheModel() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.nwdb"));
    const ProgramResult result =
        run({"tune", kTask, "--pretrained", model_, "--machine", "recorded:" + recording_,
             "--threads", "1", "--trials", "8", "--db", path});
    QVERIFY2(result.exitCode == 0, result.errors);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const nlohmann::json config = nlohmann::json::parse(store.sessions().all().front().config);
    QCOMPARE(config.at("policy"), "evolutionary");
  }

  void whatCannotBeHasASentence() {
    const auto refused = [&](const QStringList& options, const char* sentence, int code = 2) {
      QTemporaryDir folder;
      const QString path = folder.filePath(QStringLiteral("none.nwdb"));
      const ProgramResult result =
          run(QStringList{"tune", kTask, "--threads", "1", "--db", path} + options);
      QVERIFY2(result.errors.contains(sentence), result.errors);
      QCOMPARE(result.exitCode, code);
      QVERIFY(!QFile::exists(path));
    };
    const QStringList with = {"--policy", "evolutionary", "--pretrained", model_};
    refused({"--policy", "random", "--pretrained", model_}, "the policy random asks for none");
    refused(QStringList{"--method", "autotvm", "--pretrained", model_},
            "searches the configurations of templates");
    refused(with + QStringList{"--model", "mlp"}, "leave --model out");
    refused(with + QStringList{"--update", "alchemy"}, "none, local, fine-tune, retrain");
    refused({"--policy", "evolutionary", "--update", "none"}, "give one with --pretrained");
    refused(with + QStringList{"--update", "none", "--local-per-task"}, "with the update local");
    refused({"--policy", "evolutionary", "--pretrained", "/nowhere/a.nwm"}, "/nowhere/a.nwm", 1);
    refused({"--policy", "evolutionary", "--pretrained", recording_}, "has a cost model", 1);
  }

 private:
  QTemporaryDir folder_;
  const QString other_ = folder_.filePath(QStringLiteral("other.nwdb"));
  QString model_, recording_;
};

NW_TEST_GUILESS(PretrainedTuning)

} // namespace nestwright::pretrained_tuning_test

#include "pretrained_tuning.moc"
