#include "core/feature/program_features.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"
#include "core/training/model_summary.h"
#include "core/training/train_model.h"
#include "core/training/training_files.h"
#include "core/worker/quiet.h"
#include "tests/dataset/recorded.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <atomic>
#include <filesystem>
#include <thread>

namespace nestwright::model_training_test {

using test::messageOf;
using test::product;
using test::RecordedFile;
using test::tiled;

constexpr int kSizes[] = {128, 256, 512, 1024};

/// Four products with 64 programs each, which are the faster the smaller the tiles of the rows and,
/// less so, of the sums; a few fail.
void addProducts(RecordedFile& file, const std::string& target, double slower = 1) {
  const RowId on = file.target(target);
  for (const int size : kSizes) {
    const ComputeDag dag = product(size);
    const RowId task = file.task(dag, on);
    for (int n = 0; n < 64; ++n)
      file.add(task, dag, tiled(size, n),
               n % 16 == 9 ? std::vector<double>()
                           : std::vector{1e-3 * slower * (1 + n % 8 + 0.1 * (n / 8))});
  }
}

class ModelTrainingTest : public QObject {
  Q_OBJECT

  const samples::Folder folder_;

  ModelWish wishOf(const std::string& model, int epochs) const {
    ModelWish wish;
    wish.model = model;
    wish.data.files = {folder_.file("a.nwdb")};
    wish.data.split = SplitKind::ByTask;
    wish.data.testShare = 0.2;
    if (model != "xgboost") wish.options = {{"epochs", epochs}, {"batch", 32}, {"patience", 0}};
    return wish;
  }

  std::string checkpoint() const { return folder_.file("checkpoint"); }

 private Q_SLOTS:
  void initTestCase() {
    RecordedFile a(folder_.file("a.nwdb")), both(folder_.file("both.nwdb"));
    addProducts(a, "zen");
    addProducts(both, "zen");
    addProducts(both, "lake", 3);
    // Of a target that nobody asks for, whose programs have a step that those of the others lack.
    RecordedFile three(folder_.file("three.nwdb"));
    addProducts(three, "zen");
    addProducts(three, "lake", 3);
    const ComputeDag dag = product(128);
    Steps aligned = tiled(128, 1);
    aligned.emplace_back(StorageAlignStep{2, 0, 32, 0});
    three.add(three.task(dag, three.target("apple")), dag, aligned, {1e-3});
  }
  void cleanup() { std::filesystem::remove(checkpoint()); }

#ifdef HAS_COST_MODEL
  void noTreeGrowsWhileKernelsAreTimed() {
    ModelWish wish = wishOf("xgboost", 0);
    wish.options = {{"maxTrees", 1000000}, {"patience", 1000000}};
    std::atomic<int> trees = 0;
    std::stop_source stop;
    ModelObserver observer;
    observer.epochEnded = [&](const EpochResult&) { ++trees; };
    std::thread other([&] {
      try {
        trainModel(wish, observer, stop.get_token());
      } catch (const LearnerStopped&) { // as it is told below
      }
    });
    const auto end = qScopeGuard([&] {
      stop.request_stop();
      other.join();
    });
    QTRY_VERIFY_WITH_TIMEOUT(trees > 2, 60000);
    {
      const QuietHold hold = holdForTiming();
      const int before = trees;
      QTest::qWait(300);
      QCOMPARE(trees.load(), before);
    }
    const int before = trees;
    QTRY_VERIFY_WITH_TIMEOUT(trees > before, 60000);
  }

  void treesLearnAndSayAllOfIt() {
    ModelObserver observer;
    std::vector<std::string> phases;
    std::size_t learned = 0, trees = 0;
    observer.phase = [&](TrainingPhase phase, double) {
      if (phases.empty() || phases.back() != name(phase)) phases.emplace_back(name(phase));
    };
    observer.dataReady = [&](const TrainingFacts& facts) {
      learned = facts.parts.train.size();
      QCOMPARE(facts.survey.test.tasks, std::size_t{1});
      QVERIFY(facts.parts.leaks.trainTest == SharedBetween());
    };
    observer.epochEnded = [&](const EpochResult& result) {
      QCOMPARE(result.epoch, static_cast<int>(++trees));
    };
    const ModelFile file = trainModel(wishOf("xgboost", 0), observer);
    QCOMPARE(phases, (std::vector<std::string>{"reading", "training", "judging"}));
    QCOMPARE(file.model, std::string("xgboost"));
    QCOMPARE(file.features, std::string("paper,flags"));
    QCOMPARE(file.target, std::string("zen"));
    QCOMPARE(file.programs, learned);
    QCOMPARE(file.programs + file.validated, std::size_t{3 * 64});
    QCOMPARE(file.tasks.size(), std::size_t{3});
    QVERIFY(!file.kinds.empty() && file.kinds.size() <= 3);
    QCOMPARE(file.targetText, file.targets.front().text);
    QVERIFY(file.targets.front().labelled == file.programs);
    QCOMPARE(file.curve.size(), trees);
    QVERIFY(file.curve.back().trainingLoss < file.curve.front().trainingLoss);
    QCOMPARE(file.options.at("weights"), "none");
    QVERIFY(file.validation && file.test);
    qInfo("pairwise accuracy %.3f, on another task %.3f", file.validation->pairwiseAccuracy,
          file.test->pairwiseAccuracy);
    QVERIFY(file.validation->pairwiseAccuracy > 0.7 && file.test->pairwiseAccuracy > 0.6);
    QCOMPARE(file.test->programs, std::size_t{64});
    const ModelFile back = modelFileFrom(modelFileBytes(file));
    const ModelSummary summary = summaryOf(back);
    QVERIFY2(summary.problem.empty(), summary.problem.c_str());
    QCOMPARE(summary.parameters, static_cast<std::size_t>(file.kept));
    // The same again, to the last bit, whatever the threads.
    ModelWish again = wishOf("xgboost", 0);
    again.threads = 2;
    QCOMPARE(trainModel(again).kept, file.kept);
  }

  void treesStopAtOnce() {
    std::stop_source stop;
    ModelObserver observer;
    int trees = 0;
    observer.epochEnded = [&](const EpochResult&) {
      if (++trees == 3) stop.request_stop();
    };
    QVERIFY_THROWS_EXCEPTION(LearnerStopped,
                             trainModel(wishOf("xgboost", 0), observer, stop.get_token()));
    QCOMPARE(trees, 3);
  }

  /// The second of two that have one name is told, before it reads anything.
  void oneTrainingAtATime() {
    ModelWish wish = wishOf("xgboost", 0);
    wish.checkpoint = checkpoint();
    wish.options = {{"maxTrees", 3}};
    std::string refusal;
    ModelObserver observer;
    observer.dataReady = [&](const TrainingFacts&) {
      ModelWish missing = wish;
      missing.data.files = {folder_.file("missing.nwdb")};
      refusal = messageOf([&] { trainModel(missing); });
    };
    trainModel(wish, observer);
    QVERIFY2(refusal.find("is being trained by process ") != std::string::npos, refusal.c_str());
    QCOMPARE(trainModel(wish).kept, 3); // and nothing is left of the first
  }

  void badOptionsOfTreesAreTold() {
    ModelWish wish = wishOf("xgboost", 0);
    wish.options = {{"weights", "squares"}};
    QVERIFY(messageOf([&] { trainModel(wish); }).find("`weights`") != std::string::npos);
  }
#endif

  void networksLearn_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"mlp", "lstm", "tlp"})
      QTest::newRow(model) << model;
  }
  void networksLearn() {
    NW_NEED_LEARNER();
    QFETCH(QString, model);
    int epochs = 0;
    ModelObserver observer;
    observer.epochEnded = [&](const EpochResult& result) { QCOMPARE(result.epoch, ++epochs); };
    ModelWish wish = wishOf(model.toStdString(), 40);
    // Of so few programs the other losses learn the best one, and whether they learn the order of
    // the rest hangs on how the BLAS at hand rounds.
    wish.options["loss"] = "ranknet";
    const ModelFile file = trainModel(wish, observer);
    QCOMPARE(epochs, 40);
    QCOMPARE(file.curve.size(), std::size_t{40});
    QVERIFY(file.kept >= 1 && file.kept <= 40);
    QVERIFY(file.validation.has_value() && file.test.has_value());
    QVERIFY2(file.validation->pairwiseAccuracy > 0.65,
             qPrintable(QString::number(file.validation->pairwiseAccuracy)));
    QVERIFY(isOfSteps(file.features) == (model == "tlp"));
    const ModelSummary summary = summaryOf(file);
    QVERIFY2(summary.problem.empty(), summary.problem.c_str());
    QVERIFY(summary.parameters > 100'000);
    // It can be loaded from what the file keeps of it.
    const std::unique_ptr<CostModel> loaded = costModel(file.model);
    loaded->load(file.bytes);
    QVERIFY(loaded->trained());
  }

  void anInterruptedTrainingEndsInTheSameNetwork_data() {
    networksLearn_data();
  }
  void anInterruptedTrainingEndsInTheSameNetwork() {
    NW_NEED_LEARNER();
    QFETCH(QString, model);
    ModelWish wish = wishOf(model.toStdString(), 5);
    const std::string whole = summaryOf(trainModel(wish)).weightsHash;
    wish.checkpoint = checkpoint();
    std::stop_source stop;
    ModelObserver observer;
    observer.epochEnded = [&](const EpochResult& result) {
      if (result.epoch == 2) stop.request_stop();
    };
    QVERIFY_THROWS_EXCEPTION(LearnerStopped, trainModel(wish, observer, stop.get_token()));
    QVERIFY(std::filesystem::exists(checkpoint()));
    // Nobody loses it by accident.
    QVERIFY(messageOf([&] { trainModel(wish); }).find("--resume") != std::string::npos);
    wish.resume = true;
    int first = 0;
    observer.epochEnded = [&](const EpochResult& result) {
      if (first == 0) first = result.epoch;
    };
    const ModelFile resumed = trainModel(wish, observer);
    QCOMPARE(first, 3);
    QCOMPARE(resumed.curve.size(), std::size_t{5});
    QCOMPARE(summaryOf(resumed).weightsHash, whole);
    wish.options["learning_rate"] = 1e-3;
    QVERIFY(messageOf([&] { trainModel(wish); }).find("another training") != std::string::npos);
  }

  void allEpochsAreKeptWhereThatIsWished() {
    NW_NEED_LEARNER();
    const std::string model = folder_.file("all.nwm");
    ModelWish wish = wishOf("mlp", 4);
    wish.keepEpochs = true;
    QVERIFY(messageOf([&] { trainModel(wish); }).find("beside a checkpoint") != std::string::npos);
    wish.checkpoint = checkpointOf(model);
    const ModelFile whole = trainModel(wish);
    removeTraining(model);
    std::vector<std::string> weights;
    for (int epoch = 1; epoch <= 4; ++epoch) {
      const std::string path = epochFileOf(model, epoch);
      const ModelFile file = readModelFile(path);
      QCOMPARE(file.kept, epoch);
      QCOMPARE(file.curve.size(), static_cast<std::size_t>(epoch));
      QVERIFY(file.tasks == whole.tasks && file.dataHash == whole.dataHash && file.trained > 0);
      const ModelSummary summary = summaryOf(file);
      QVERIFY2(summary.problem.empty(), summary.problem.c_str());
      weights.push_back(summary.weightsHash);
    }
    QVERIFY(weights[0] != weights[1]);
    QCOMPARE(weights.at(static_cast<std::size_t>(whole.kept) - 1), summaryOf(whole).weightsHash);
    QVERIFY(messageOf([&] { trainModel(wish); }).find("all-epoch1.nwm is there already") !=
            std::string::npos);
    for (int epoch = 1; epoch <= 4; ++epoch)
      std::filesystem::remove(epochFileOf(model, epoch));
    // One that is gone on with keeps the same ones.
    std::stop_source stop;
    ModelObserver observer;
    observer.epochEnded = [&](const EpochResult& result) {
      if (result.epoch == 2) stop.request_stop();
    };
    QVERIFY_THROWS_EXCEPTION(LearnerStopped, trainModel(wish, observer, stop.get_token()));
    wish.resume = true;
    trainModel(wish);
    removeTraining(model);
    for (int epoch = 1; epoch <= 4; ++epoch)
      QCOMPARE(summaryOf(readModelFile(epochFileOf(model, epoch))).weightsHash,
               weights.at(static_cast<std::size_t>(epoch) - 1));
  }

  void headsLearnFromSeveralTargets() {
    NW_NEED_LEARNER();
    ModelWish wish = wishOf("mtl-tlp", 2);
    wish.data.files = {folder_.file("both.nwdb")};
    wish.data.target = "zen";
    wish.helpers = {"lake"};
    wish.targetRecords = 20;
    const ModelFile file = trainModel(wish);
    QCOMPARE(file.targets.size(), std::size_t{2});
    QCOMPARE(file.target, std::string("zen"));
    QCOMPARE(file.targets[1].id, std::string("lake"));
    QVERIFY(file.targets[0].labelled == std::size_t{20}); // the others are masked
    QVERIFY(file.targets[1].labelled == file.targets[1].programs);
    QCOMPARE(file.test->programs, std::size_t{64}); // of its own target alone
    ModelWish withOthers = wish;
    withOthers.data.files = {folder_.file("three.nwdb")};
    QCOMPARE(trainModel(withOthers).features, file.features);
    wish.helpers = {"arm"};
    QVERIFY(messageOf([&] { trainModel(wish); }).find("lake") != std::string::npos);
    wish.helpers = {"zen"};
    QVERIFY(messageOf([&] { trainModel(wish); }).find("named already") != std::string::npos);
  }

  void aTrainedNetworkIsGoneOnFrom() {
    NW_NEED_LEARNER();
    const ModelFile before = trainModel(wishOf("mlp", 3));
    const std::string path = folder_.file("before.nwm");
    writeModelFile(path, before);
    ModelWish wish = wishOf("mlp", 1);
    wish.startFrom = path;
    wish.fineTune = true;
    wish.options = {{"epochs", 2}};
    const ModelFile tuned = trainModel(wish);
    QCOMPARE(tuned.options.at("optimiser"), "sgd");
    QVERIFY(tuned.startFrom == hashHex(before.bytes));
    QVERIFY(summaryOf(tuned).weightsHash != summaryOf(before).weightsHash);
    wish.model = "lstm";
    QVERIFY(messageOf([&] { trainModel(wish); }).find("cannot be gone on from") !=
            std::string::npos);
  }

  void dataThatCannotBeLearnedFromAreRefused_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<int>("fault");
    QTest::newRow("mixed targets") << "256 of lake" << 0;
    QTest::newRow("several targets, one head") << "mtl-tlp takes the others" << 1;
    QTest::newRow("too few programs") << "--least-programs" << 2;
    QTest::newRow("nothing to test on") << "nothing is left to test on" << 3;
    QTest::newRow("no such file") << "missing.nwdb" << 4;
    QTest::newRow("no record") << "no record" << 5;
    QTest::newRow("no such target") << "no record" << 6;
    QTest::newRow("foreign file to start from") << "no file of a trained model" << 7;
  }
  void dataThatCannotBeLearnedFromAreRefused() {
    QFETCH(QString, part);
    QFETCH(int, fault);
    ModelWish wish = wishOf("mlp", 1);
    if (fault < 2) wish.data.files = {folder_.file("both.nwdb")};
    if (fault == 1) wish.data.acrossTargets = true;
    if (fault == 2) wish.data.leastPrograms = 100;
    if (fault == 3) {
      wish.data.split = SplitKind::ByNetwork;
      wish.data.holdOut = {"bert_tiny:batch=1,sequence=128"};
    }
    if (fault == 4) wish.data.files = {folder_.file("missing.nwdb")};
    if (fault == 5) wish.data.filter = "latency<1ns";
    if (fault == 6) wish.data.target = "arm";
    if (fault == 7) wish.startFrom = folder_.file("a.nwdb");
    const QString message = QString::fromStdString(messageOf([&] { trainModel(wish); }));
    QVERIFY2(message.contains(part), qPrintable(message));
  }

  void readingIsStopped() {
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(LearnerStopped, trainModel(wishOf("mlp", 1), {}, stop.get_token()));
  }

  /// The order of a long step is cut off by TLP's 22 columns.
  void cutsAreTold() {
    NW_NEED_LEARNER();
    const ComputeDag dag = product(512);
    {
      RecordedFile file(folder_.file("long.nwdb"));
      const RowId task = file.task(dag, file.target("zen"));
      for (int n = 0; n < 64; ++n) {
        Steps steps = tiled(512, n);
        for (int more = 0; more < 30; ++more)
          steps.emplace_back(PragmaStep{2, 0, "auto_unroll_max_step$16"});
        file.add(task, dag, steps, {1e-3 * (n + 1)});
      }
    }
    ModelWish wish = wishOf("tlp", 1);
    wish.data = {};
    wish.data.files = {folder_.file("long.nwdb")};
    std::vector<std::string> warnings;
    ModelObserver observer;
    observer.warned = [&](const std::string& sentence) { warnings.push_back(sentence); };
    trainModel(wish, observer);
    QVERIFY(!warnings.empty());
    for (const std::string& warning : warnings) // each with what can be done
      QVERIFY2(warning.find("--features steps,fit") != std::string::npos, warning.c_str());
    wish.data.features = "steps,fit";
    warnings.clear();
    const ModelFile fitted = trainModel(wish, observer);
    QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
    QVERIFY(fitted.features.find("steps {") == 0);
  }
};

NW_TEST_APPLESS(ModelTrainingTest)

} // namespace nestwright::model_training_test

#include "model_training.moc"
