/// `nestwright train`, `models` and `evaluate --grid` as people call them, on the records of a
/// tuning and on imported logs of TVM.

#include "core/dataset/model_file.h"
#include "core/learn/train.h"
#include "core/training/training_files.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/end_to_end/run_program.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace nestwright::train_models_test {

using nlohmann::json;

/// Processes that are children of this one.
std::vector<int> startedBy(qint64 process) {
  std::vector<int> started;
  QDirIterator threads(QStringLiteral("/proc/%1/task").arg(process),
                       QDir::Dirs | QDir::NoDotAndDotDot);
  while (threads.hasNext()) {
    QFile children(threads.next() + "/children");
    if (!children.open(QIODevice::ReadOnly)) continue;
    for (const QByteArray& child : children.readAll().simplified().split(' '))
      if (!child.isEmpty()) started.push_back(child.toInt());
  }
  return started;
}

class TrainModels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The sample is not written to; three logs of TVM become one file.
  void initTestCase() {
    QVERIFY(QFile::copy(NESTWRIGHT_SAMPLE, file_));
    const ProgramResult imported =
        run({"import", logs_, NESTWRIGHT_TEST_DATA "/logs/matmul_512.records.json",
             NESTWRIGHT_TEST_DATA "/logs/conv_56_64_64_3.records.json",
             NESTWRIGHT_TEST_DATA "/logs/bmm_12_128_128_64.records.json"});
    QVERIFY2(imported.exitCode == 0, imported.errors);
  }

  void treesAreTrainedShownAndCompared() {
    const QString model = folder_.filePath("trees.nwm");
    const QStringList data = {"--db", file_, "--least-programs", "20", "--split", "by-task"};
    const ProgramResult trained = run(
        QStringList{"train", "--model", "xgboost", "--set", "maxTrees=40", "-o", model, "--json"} +
        data);
    QVERIFY2(trained.exitCode == 0, trained.errors);
    const json result = trained.json();
    QCOMPARE(result.at("status"), "finished");
    QCOMPARE(result.at("course").at("options").at("maxTrees"), 40);
    QCOMPARE(result.at("course").at("options").at("maxDepth"), 6);
    QVERIFY(result.at("course").at("test").at("pairwise_accuracy") > 0.5);
    QCOMPARE(result.at("leaks").at("train_test").at("tasks"), 0);

    const json known = run({"models", model, "--json"}).json().at("files").at(0);
    QCOMPARE(known.at("weights"), result.at("weights"));
    QVERIFY(known.at("problem").is_null());
    const ProgramResult text = run({"models", model});
    QVERIFY2(text.output.contains("xgboost, 40 trees") && text.output.contains("whole tasks"),
             text.output);

    const json evaluation =
        run(QStringList{"evaluate", "--models", model, "--bootstrap", "0", "--json"} + data).json();
    QCOMPARE(evaluation.at("models").at(0).at("tasks_learned_from"), 0);

    const ProgramResult again = run(QStringList{"train", "--model", "xgboost", "-o", model} + data);
    QCOMPARE(again.exitCode, 2);
    QVERIFY2(again.errors.contains("is there already"), again.errors);
    const ProgramResult done =
        run(QStringList{"train", "--model", "xgboost", "-o", model, "--resume"} + data);
    QVERIFY2(done.exitCode == 0 && done.errors.contains("trained already"), done.errors);
  }

  void mistakesAreToldWithWhatToDo() {
    const QString model = folder_.filePath("none.nwm");
    const auto problem = [&](const QStringList& arguments) {
      const ProgramResult result = run(QStringList{"train", "-o", model} + arguments);
      return result.exitCode == 0 ? QByteArray() : result.errors;
    };
    QVERIFY(problem({}).contains("--db"));
    QVERIFY(problem({"--db", file_, "--model", "lgbm"}).contains("there are mlp, lstm"));
    QVERIFY(problem({"--db", file_, "--loss", "hinge"}).contains("lambdarank"));
    QVERIFY(problem({"--db", file_, "--set", "rate=1"}).contains("learning_rate (0.0007)"));
    QVERIFY(problem({"--db", file_, "--hold-out", "resnet18"}).contains("nothing is left"));
    QVERIFY(problem({"--db", "missing.nwdb"}).contains("missing.nwdb"));
    const ProgramResult folder =
        run({"train", "--db", file_, "-o", folder_.filePath("no/such/folder.nwm")});
    QVERIFY2(folder.exitCode == 1 && folder.errors.contains("there is no folder"), folder.errors);
    QVERIFY(!QFile::exists(model));
    QVERIFY(!QFile::exists(model + ".checkpoint"));
  }

  void filesOfModelsThatCannotBeReadAreNamed() {
    const ProgramResult foreign = run({"models", foreign_});
    QCOMPARE(foreign.exitCode, 1);
    QVERIFY2(foreign.errors.contains("no file of a trained model"), foreign.errors);
    const json kept = run({"models", "--db", file_, "--json"}).json().at("sessions");
    QVERIFY(!kept.empty());
    QCOMPARE(kept.at(0).at("model"), "xgboost");
    QCOMPARE(run({"models"}).exitCode, 2);
  }

  /// What is there is not trained again.
  void sizesAreStudiedAndGoneOnWith() {
    const QString sizes = folder_.filePath("sizes");
    const QStringList arguments = {"evaluate",
                                   "--db",
                                   file_,
                                   "--least-programs",
                                   "20",
                                   "--split",
                                   "by-task",
                                   "--model",
                                   "xgboost",
                                   "--set",
                                   "maxTrees=10",
                                   "--grid",
                                   "tasks=2,8",
                                   "programs=10,20",
                                   "--grid-folder",
                                   sizes,
                                   "--bootstrap",
                                   "0",
                                   "--json"};
    const ProgramResult first = run(arguments);
    QVERIFY2(first.exitCode == 0, first.errors);
    QVERIFY2(first.errors.contains("model 4 of 4: 8 tasks x 20 programs"), first.errors);
    const json study = first.json();
    QCOMPARE(study.at("grid").size(), std::size_t(4));
    QCOMPARE(study.at("models").size(), std::size_t(6)); // and the yardsticks
    QCOMPARE(study.at("grid").at(3).at("learned_tasks"), 8);
    QVERIFY(QFile::remove(QString::fromStdString(study.at("grid").at(1).at("file"))));
    const ProgramResult second = run(arguments);
    QVERIFY2(!second.errors.contains("model 1 of 4") && second.errors.contains("model 2 of 4"),
             second.errors);
    QCOMPARE(second.json().at("models").at(1).at("figures"),
             study.at("models").at(1).at("figures"));
    QStringList text = arguments;
    text.removeLast();
    const ProgramResult table = run(text);
    QVERIFY2(table.output.contains("tasks \\ programs"), table.output);
    QVERIFY2(table.output.contains("beside it random "), table.output);
    QCOMPARE(study.at("groups").size(), std::size_t(6));
    // Some of them as if they were one model of several seeds.
    const auto cell = [&](std::size_t at) {
      return QString::fromStdString(study.at("grid").at(at).at("file"));
    };
    const QStringList grouped = {
        "evaluate", "--db",     file_,     "--least-programs",
        "20",       "--split",  "by-task", "--bootstrap",
        "50",       "--models", cell(3),   "pair=" + cell(0) + "," + cell(1)};
    const json groups = run(grouped + QStringList{"--json"}).json().at("groups");
    QCOMPARE(groups.size(), std::size_t(4)); // with the yardsticks
    QCOMPARE(groups.at(1).at("name"), "pair");
    QCOMPARE(groups.at(1).at("models").size(), std::size_t(2));
    const ProgramResult told = run(grouped);
    QVERIFY2(told.output.contains("by bootstrap over tasks and seeds"), told.output);
    QVERIFY2(told.output.contains("less pair, on the same tasks"), told.output);
    QCOMPARE(run({"evaluate", "--db", file_, "--models", "pair=,a.nwm"}).exitCode, 2);
    QCOMPARE(run({"evaluate", "--db", file_, "--models", "oracle=a.nwm"}).exitCode, 2);
    QStringList wrong = arguments;
    wrong.replace(wrong.indexOf("tasks=2,8"), "tasks=few");
    QCOMPARE(run(wrong).exitCode, 2);
    QCOMPARE(run({"evaluate", "--db", file_, "--epochs", "3"}).exitCode, 2); // of nothing
  }

  /// One of three imported tasks is held out, as a stranger would try it; what kill -9 leaves is
  /// gone on with to the same network.
  void aKilledTrainingEndsInTheSameNetwork() {
    NW_NEED_LEARNER();
    const QStringList data = {"--db",         logs_, "--split",          "by-task",
                              "--test-share", "0.3", "--least-programs", "5"};
    const QStringList arguments =
        QStringList{"train", "--model", "tlp", "--epochs", "12", "--batch", "8", "--json"} + data;
    QElapsedTimer timer;
    timer.start();
    const json whole = run(arguments + QStringList{"-o", folder_.filePath("whole.nwm")}).json();
    const int lasts = static_cast<int>(timer.elapsed());
    QCOMPARE(whole.value("status", ""), "finished");
    QCOMPARE(whole.at("tasks").size(), std::size_t(2));
    const quint32 seed = QRandomGenerator::system()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    const QString killed = folder_.filePath("killed.nwm");
    const QStringList resumed = arguments + QStringList{"-o", killed, "--resume"};
    int left = 0; // kills that left something to go on with
    for (int kill = 0; kill < 20 || (left == 0 && kill < 100); ++kill)
      if (!test::killedWithin(1 + random.bounded(lasts), resumed))
        QVERIFY(QFile::remove(killed)); // it had ended, and begins anew
      else if (QFile::exists(killed + ".checkpoint")) {
        ++left; // whoever finds it knows what was wished for, and can go on
        QCOMPARE(readWish(killed.toStdString()).model, std::string("tlp"));
        QVERIFY(!isModelThere(killed.toStdString()));
      }
    qInfo("%d kills left a checkpoint", left);
    QVERIFY(left > 0);
    const ProgramResult last = run(resumed);
    QVERIFY2(last.exitCode == 0, last.errors);
    QCOMPARE(last.json().at("weights"), whole.at("weights"));
    QCOMPARE(last.json().at("course").at("curve").size(), std::size_t(12));
    QVERIFY(!QFile::exists(killed + ".checkpoint"));
    QVERIFY(!QFile::exists(QString::fromStdString(wishFileOf(killed.toStdString()))));
    const ProgramResult shown = run({"models", killed});
    QVERIFY2(shown.output.contains("25 steps of 22 numbers"), shown.output);
    const json evaluation =
        run(QStringList{"evaluate", "--models", killed, "--bootstrap", "0", "--json"} + data)
            .json();
    QCOMPARE(evaluation.at("models").at(0).at("tasks_learned_from"), 0);
    QCOMPARE(evaluation.at("tasks").size(), std::size_t(1));
    // It scores from its file as it did when it was trained.
    const json accuracy = [&] {
      for (const json& one : evaluation.at("models").at(0).at("figures"))
        if (one.at("figure") == "pairwise_accuracy") return one.at("value");
      return json();
    }();
    QCOMPARE(accuracy, last.json().at("course").at("test").at("pairwise_accuracy"));
  }

  /// Why it ended says what is left of it, too.
  void aKilledLearnerLeavesItsEpochs() {
    NW_NEED_LEARNER();
    const QString model = folder_.filePath("orphan.nwm");
    QProcess process;
    process.start(programPath(),
                  {"train", "--db", logs_, "--model", "mlp", "--least-programs", "5", "--epochs",
                   "1000000", "--set", "patience=0", "--events", "-o", model});
    int epochs = 0;
    while (epochs < 2 && process.waitForReadyRead(120'000))
      while (process.canReadLine()) {
        const json event = json::parse(process.readLine().toStdString());
        if (event.at("event") == "epoch") ++epochs;
      }
    QVERIFY2(epochs >= 2, process.readAllStandardError());
    const std::vector<int> learners = startedBy(process.processId());
    QCOMPARE(learners.size(), std::size_t(1));
    kill(learners.front(), SIGKILL);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 1);
    const std::size_t kept = networkOfCheckpoint(checkpointOf(model.toStdString())).curve.size();
    const QByteArray errors = process.readAllStandardError();
    QVERIFY2(errors.contains("signal 9") &&
                 errors.contains(
                     QStringLiteral("; %1 epochs are kept, --resume goes on").arg(kept).toUtf8()),
             errors);
  }

  void eachEpochIsAModelWhereThatIsAskedFor() {
    NW_NEED_LEARNER();
    const QString model = folder_.filePath("each.nwm");
    const ProgramResult trained = run({"train", "--db", logs_, "--model", "mlp", "--least-programs",
                                       "5", "--epochs", "3", "--keep-epochs", "-o", model});
    QVERIFY2(trained.exitCode == 0, trained.errors);
    const ProgramResult shown = run({"models", folder_.filePath("each-epoch2.nwm")});
    QVERIFY2(shown.output.contains("epoch 2 of 2"), shown.output + shown.errors);
    QVERIFY(QFile::exists(folder_.filePath("each-epoch3.nwm")));
    const ProgramResult trees = run({"train", "--db", logs_, "--model", "xgboost", "--keep-epochs",
                                     "-o", folder_.filePath("each trees.nwm")});
    QCOMPARE(trees.exitCode, 2);
    QVERIFY2(trees.errors.contains("trees have no epochs"), trees.errors);
  }

  /// A network of each kind that ONNX can have; what others run it on is in its text.
  void networksAreExported() {
    NW_NEED_LEARNER();
    for (const char* kind : {"mlp", "lstm", "tlp", "mtl-tlp"}) {
      const QString model = folder_.filePath(QString("%1 to export.nwm").arg(kind));
      const QString onnx = folder_.filePath(QString("%1.onnx").arg(kind));
      const ProgramResult trained = run({"train", "--db", logs_, "--model", kind, "--epochs", "1",
                                         "--least-programs", "5", "-o", model});
      QVERIFY2(trained.exitCode == 0, trained.errors);
      const QStringList arguments = {"models", model, "--export", "onnx", "-o", onnx};
      const ProgramResult exported = run(arguments);
      QVERIFY2(exported.exitCode == 0 && exported.output.contains("the network of"),
               exported.errors + exported.output);
      onnx::ModelProto proto;
      QFile file(onnx);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY(proto.ParseFromString(file.readAll().toStdString()));
      onnx::checker::check_model(proto);
      std::map<std::string, std::string> known;
      for (const onnx::StringStringEntryProto& entry : proto.metadata_props())
        known[entry.key()] = entry.value();
      QCOMPARE(known["architecture"], std::string(kind));
      QCOMPARE(known["features"], readModelFile(model.toStdString()).features);
      const ProgramResult again = run(arguments); // overwrites nothing
      QCOMPARE(again.exitCode, 2);
      QVERIFY2(again.errors.contains("is there already"), again.errors);
    }
  }

  /// What the steps added, and what there was before them, is the score.
  void aScoreOfStepsIsToldStepByStep() {
    NW_NEED_LEARNER();
    const QString model = folder_.filePath("steps.nwm"), path = folder_.filePath("steps.nwdb");
    const ProgramResult trained = run({"train", "--db", logs_, "--model", "tlp", "--epochs", "1",
                                       "--least-programs", "5", "-o", model});
    QVERIFY2(trained.exitCode == 0, trained.errors);
    const ProgramResult tuned = run({"tune", "matmul:m=64,n=64,k=64", "--pretrained", model,
                                     "--update", "none", "--trials", "4", "--db", path});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const ProgramResult shown = run({"show", "--db", path, "4", "--explain"});
    QVERIFY2(shown.exitCode == 0, shown.errors);
    double sum = 0, score = 0;
    int steps = 0;
    for (const QString& line : QString::fromUtf8(shown.output).split('\n')) {
      const QString number = line.left(8).trimmed();
      if (line.startsWith("score ")) score = line.section(' ', 1, 1).chopped(1).toDouble();
      if (!number.startsWith('+') && !number.startsWith('-')) continue;
      sum += number.toDouble();
      steps += line.contains("before anything is known") ? 0 : 1;
    }
    QVERIFY2(steps > 3 && shown.output.contains("split loop"), shown.output);
    QVERIFY2(std::abs(sum - score) < 1e-2, shown.output);
    // What it does not see of other programs is said, with what would.
    const ProgramResult judged =
        run({"evaluate", "--models", model, "--db", file_, "--bootstrap", "0"});
    QVERIFY2(judged.output.contains("--features steps,fit"), judged.output + judged.errors);
  }

  /// Of every step of the program, or in a sentence that the model has none.
  void attentionIsToldWhereThereIsSome() {
    NW_NEED_LEARNER();
    const auto scored = [&](const char* kind) {
      const QString model = folder_.filePath(QString("attentive %1.nwm").arg(kind));
      const QString path = folder_.filePath(QString("attentive %1.nwdb").arg(kind));
      const ProgramResult trained = run({"train", "--db", logs_, "--model", kind, "--epochs", "1",
                                         "--least-programs", "5", "-o", model});
      QVERIFY2(trained.exitCode == 0, trained.errors);
      const ProgramResult tuned = run({"tune", "matmul:m=64,n=64,k=64", "--pretrained", model,
                                       "--update", "none", "--trials", "4", "--db", path});
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
    };
    for (const char* kind : {"tlp", "mlp"}) {
      scored(kind);
      if (QTest::currentTestFailed()) return;
    }
    const QStringList attentive = {"show", "--db",      folder_.filePath("attentive tlp.nwdb"),
                                   "4",    "--explain", "--attention"};
    const ProgramResult text = run(attentive);
    QVERIFY2(text.exitCode == 0, text.errors);
    for (const char* part : {"explanation:", "attention:", "split loop", "; padding "})
      QVERIFY2(text.output.contains(part), text.output);
    const json told = run(attentive + QStringList{"--json"}).json();
    QVERIFY(told.contains("explanation"));
    const json& attention = told.at("attention");
    const std::size_t steps = attention.at("steps").size();
    QCOMPARE(steps, told.at("step_list").size());
    QCOMPARE(attention.at("shares").size(), steps);
    for (std::size_t step = 0; step < steps; ++step) {
      QCOMPARE(attention.at("shares").at(step).size(), steps);
      double sum = attention.at("padding").at(step).get<double>();
      for (const json& share : attention.at("shares").at(step))
        sum += share.get<double>();
      QVERIFY2(std::abs(sum - 1) < 1e-4, qPrintable(QString::number(sum)));
    }

    QStringList none = attentive;
    none[2] = folder_.filePath("attentive mlp.nwdb");
    const ProgramResult beside = run(none);
    QVERIFY2(beside.exitCode == 0 && beside.output.contains("explanation:") &&
                 beside.output.contains("no attention between steps"),
             beside.output + beside.errors);
    none.removeOne("--explain");
    const ProgramResult alone = run(none);
    QCOMPARE(alone.exitCode, 1);
    QVERIFY2(alone.errors.contains("tlp and mtl-tlp"), alone.errors);
  }

  void whatHasNoOtherFormIsSaid() {
    const QString model = folder_.filePath("trees to export.nwm");
    const QString onnx = folder_.filePath("none.onnx");
    QCOMPARE(run({"train", "--db", logs_, "--model", "xgboost", "--set", "maxTrees=3",
                  "--least-programs", "5", "-o", model})
                 .exitCode,
             0);
    const auto refused = [](const QStringList& arguments, const char* sentence, int code = 2) {
      const ProgramResult result = run(QStringList{"models"} + arguments);
      QVERIFY2(result.errors.contains(sentence), result.errors);
      QCOMPARE(result.exitCode, code);
    };
    refused({model, "--export", "onnx", "-o", onnx},
            "xgboost cannot be written as ONNX: networks of mlp, lstm, tlp, mtl-tlp can");
    refused({model, "--export", "onnx"}, "--output");
    refused({model, "-o", onnx}, "is exported (--export onnx)");
    refused({model, model, "--export", "onnx", "-o", onnx}, "one model is exported at once");
    refused({foreign_, "--export", "onnx", "-o", onnx}, "no file of a trained model", 1);
    QVERIFY(!QFile::exists(onnx));
  }

  void whatHappensIsToldAsItHappens() {
    NW_NEED_LEARNER();
    const ProgramResult result =
        run({"train", "--db", logs_, "--model", "mlp", "--least-programs", "5", "--epochs", "2",
             "--events", "-o", folder_.filePath("events.nwm")});
    QVERIFY2(result.exitCode == 0, result.errors);
    QStringList events;
    for (const QByteArray& line : result.output.trimmed().split('\n')) {
      const json event = json::parse(line.begin(), line.end(), nullptr, false);
      QVERIFY2(event.is_object(), line);
      events.push_back(QString::fromStdString(event.at("event")));
    }
    QCOMPARE(events.count("epoch"), 2);
    QCOMPARE(events.count("data"), 1);
    QCOMPARE(events.back(), QString("ended"));
  }

 private:
  QTemporaryDir folder_;
  const QString file_ = folder_.filePath("sample.nwdb"), logs_ = folder_.filePath("logs.nwdb");
  const QString foreign_ = NESTWRIGHT_TEST_DATA "/logs/matmul_512.records.json";
};

NW_TEST_GUILESS(TrainModels)

} // namespace nestwright::train_models_test

#include "train_models.moc"
