/// Models that begin with a trained one: unchanged, with a difference model beside it, gone on
/// with, learned anew.

#include "core/model/base_and_local.h"
#include "core/model/base_and_retrained.h"
#include "core/model/metrics.h"
#include "core/model/task_models.h"
#include "core/model/tuned_base.h"
#include "core/model/unchanged_model.h"
#include "core/plugin/plugin.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <cmath>
#include <numeric>

namespace nestwright::pretrained_models_test {

using nestwright::test::messageOf;

std::unique_ptr<CostModel> trees() {
  return costModel("xgboost", {{"warmup", 0}});
}
std::unique_ptr<CostModel> localTrees() {
  return costModel("xgboost",
                   {{"warmup", 0}, {"weights", "none"}, {"maxDepth", 6}, {"maxTrees", 100}});
}
std::unique_ptr<CostModel> tunedTrees() {
  return costModel("xgboost", {{"warmup", 0}, {"tuningTrees", 60}});
}

/// A machine on which rows with feature 9 above a half take twice as long as the base has learned.
DataSet elsewhere(std::size_t programs, std::size_t tasks = 1, std::uint64_t seed = 9) {
  const DataSet known = test::synthetic({.programs = programs, .tasks = tasks, .seed = seed});
  DataSet set(test::kColumns);
  for (std::size_t i = 0; i < known.size(); ++i) {
    double throughput = 0;
    for (auto row = known.features.firstRow(i); row < known.features.firstRow(i + 1); ++row)
      throughput +=
          test::truth(known.features.row(row)) * (known.features.row(row)[9] > 0.5F ? 0.5 : 1.0);
    set.add(known.tasks[known.outcomes[i].task], known.outcomes[i].program, "another machine",
            known.features.program(i), 1e-3 / throughput);
  }
  return set;
}

DataSet part(const DataSet& set, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> chosen(end - begin);
  std::iota(chosen.begin(), chosen.end(), begin);
  return select(set, chosen);
}

double accuracy(const CostModel& model, const DataSet& set) {
  const std::vector<float> labels = normalisedThroughput(set);
  return pairwiseAccuracy(model.predict(set.features).scores,
                          std::vector<double>(labels.begin(), labels.end()));
}

bool addsUp(const CostModel& model, const DataSet& set) {
  const Prediction prediction = model.predict(set.features);
  for (std::size_t i = 0; i < 5; ++i) {
    const Explanation explanation = model.explain(set.features, i);
    double parts =
        std::accumulate(explanation.contributions.begin(), explanation.contributions.end(), 0.0);
    parts = std::accumulate(explanation.bias.begin(), explanation.bias.end(), parts);
    double rows = 0;
    for (auto row = set.features.firstRow(i); row < set.features.firstRow(i + 1); ++row)
      rows += static_cast<double>(prediction.rowScores.at(row));
    const double score = prediction.scores[i];
    if (std::abs(explanation.score - score) > 1e-6 || std::abs(parts - score) > 1e-4 ||
        std::abs(rows - score) > 1e-4)
      return false;
  }
  return true;
}

/// Scores that order programs as the base does, on no scale of throughputs; like a network it has
/// no splits, and tells attention: so many rows as the program's number.
class OrderAlone final : public CostModel {
 public:
  explicit OrderAlone(std::shared_ptr<const CostModel> of) : of_(std::move(of)) {}
  std::string name() const override { return "order"; }
  bool trained() const override { return true; }
  bool scoresAreThroughputs() const override { return false; }
  Prediction predict(const FeatureTable& batch) const override {
    Prediction prediction = of_->predict(batch);
    for (double& score : prediction.scores)
      score = 40 * score - 25;
    prediction.rowScores.clear();
    return prediction;
  }
  UpdateReport update(const DataSet&) override { return {}; }
  Explanation explain(const FeatureTable& batch, std::size_t program) const override {
    return of_->explain(batch, program);
  }
  std::optional<Attention> attention(const FeatureTable&, std::size_t program) const override {
    return Attention{program, {}};
  }
  std::string save() const override { return "order"; }
  void load(std::string_view) override {}

 private:
  std::shared_ptr<const CostModel> of_;
};

class PretrainedModels : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void initTestCase() {
    const auto model = trees();
    model->update(test::synthetic({.programs = 2000, .seed = 3}));
    base_ = trainedBase(trees, model->save());
    new_ = elsewhere(240);
    test_ = elsewhere(400, 1, 77);
    alone_ = accuracy(*base_.model, test_);
  }

  void anUnchangedModelLearnsNothing() {
    UnchangedModel model(base_);
    QVERIFY(model.trained());
    const std::vector<double> before = model.predict(test_.features).scores;
    const UpdateReport report = model.update(new_);
    QCOMPARE(report.kind, UpdateReport::Kind::Skipped);
    QVERIFY(!report.reason.empty());
    QCOMPARE(model.predict(test_.features).scores, before);
    QCOMPARE(before, base_.model->predict(test_.features).scores);
    QCOMPARE(model.ranking(), "base");
    UnchangedModel loaded(base_);
    loaded.load(model.save());
    QCOMPARE(loaded.predict(test_.features).scores, before);
    QVERIFY(addsUp(model, test_));
  }

  /// Base and local together are better than the base alone, whose score they correct both ways.
  void aLocalModelLearnsTheDifference() {
    BaseAndLocal model(base_, localTrees);
    QVERIFY(model.trained());
    QCOMPARE(model.ranking(), "base");
    QCOMPARE(accuracy(model, test_), alone_);
    const UpdateReport report = model.update(new_);
    QCOMPARE(report.kind, UpdateReport::Kind::Full);
    QCOMPARE(model.ranking(), "base + local");
    qInfo("pairwise %.3f alone, %.3f with the local model", alone_, accuracy(model, test_));
    QVERIFY(accuracy(model, test_) > alone_ + 0.02);
    QVERIFY(addsUp(model, test_));
    const std::vector<double> sums = model.predict(test_.features).scores;
    const std::vector<double> base = base_.model->predict(test_.features).scores;
    int below = 0, above = 0;
    for (std::size_t i = 0; i < sums.size(); ++i)
      (sums[i] < base[i] ? below : above) += 1;
    QVERIFY2(below > 20, qPrintable(QString::number(below))); // a sigmoid would allow none
    BaseAndLocal loaded(base_, localTrees);
    loaded.load(model.save());
    QCOMPARE(loaded.predict(test_.features).scores, sums);
    QCOMPARE(loaded.ranking(), model.ranking());
  }

  void aLocalModelWaitsForItsWarmup() {
    BaseAndLocal model(base_, localTrees, {.warmup = 64});
    QCOMPARE(model.update(part(new_, 0, 64)).kind, UpdateReport::Kind::Skipped);
    QCOMPARE(model.ranking(), "base");
    QCOMPARE(model.update(part(new_, 0, 65)).kind, UpdateReport::Kind::Full);
  }

  /// A base that knows orders alone is put on the labels' scale: else the local model would have to
  /// learn it all from the session's few programs.
  void aBaseOfOrdersIsPutOnTheScale() {
    TrainedBase orders = base_;
    orders.model = std::make_shared<OrderAlone>(base_.model);
    BaseAndLocal model(orders, localTrees);
    model.update(new_);
    QVERIFY(model.scoresAreThroughputs());
    qInfo("pairwise %.3f alone, %.3f with the local model", alone_, accuracy(model, test_));
    QVERIFY(accuracy(model, test_) > alone_);
    BaseAndLocal loaded(orders, localTrees);
    loaded.load(model.save());
    QCOMPARE(loaded.predict(test_.features).scores, model.predict(test_.features).scores);
  }

  void scalesAreFoundAndNeverTurnedOver() {
    const std::vector<float> labels = normalisedThroughput(new_);
    std::vector<double> scores;
    for (const float label : labels)
      scores.push_back(10 * static_cast<double>(label) - 3);
    const LabelScale scale = fitLabelScale(new_, scores, labels);
    QVERIFY(std::abs(scale.slope - 0.1) < 1e-6 && std::abs(scale.offset - 0.3) < 1e-6);
    for (double& score : scores)
      score = -score;
    QCOMPARE(fitLabelScale(new_, scores, labels).slope, 0.0);
    QCOMPARE(fitLabelScale(new_, std::vector<double>(scores.size(), 4), labels).slope, 1.0);
  }

  void tasksHaveModelsOfTheirOwn() {
    const DataSet two = elsewhere(240, 2);
    TaskModels model(base_, [this]() -> std::unique_ptr<CostModel> {
      return std::make_unique<BaseAndLocal>(base_, localTrees);
    });
    model.update(two);
    QCOMPARE(model.ofTask("task 0").ranking(), "base + local");
    QCOMPARE(model.ofTask("a task without records").ranking(), "base");
    QCOMPARE(model.predict(test_.features).scores, base_.model->predict(test_.features).scores);
    const std::vector<double> first = model.ofTask("task 0").predict(test_.features).scores;
    QVERIFY(first != model.ofTask("task 1").predict(test_.features).scores);
    // Each is what its task's records alone teach.
    std::vector<std::size_t> ofFirst;
    for (std::size_t i = 0; i < two.size(); i += 2)
      ofFirst.push_back(i);
    BaseAndLocal alone(base_, localTrees);
    alone.update(select(two, ofFirst));
    QCOMPARE(alone.predict(test_.features).scores, first);
    QCOMPARE(model.update(two).kind, UpdateReport::Kind::Skipped);
    TaskModels loaded(base_, [this]() -> std::unique_ptr<CostModel> {
      return std::make_unique<BaseAndLocal>(base_, localTrees);
    });
    loaded.load(model.save());
    QCOMPARE(loaded.ofTask("task 0").predict(test_.features).scores, first);
    QCOMPARE(loaded.update(two).kind, UpdateReport::Kind::Skipped);
  }

  /// Each update begins at the base: whatever was learned before, the same records give the same.
  void fineTuningGoesOnFromTheBase() {
    TunedBase model(base_, tunedTrees);
    QCOMPARE(model.ranking(), "base");
    model.update(part(new_, 0, 60));
    const UpdateReport report = model.update(new_);
    QCOMPARE(report.kind, UpdateReport::Kind::Incremental);
    QVERIFY(report.treesAdded > 0 && report.treesAdded <= 60);
    QCOMPARE(model.ranking(), "fine-tuned");
    qInfo("pairwise %.3f before, %.3f after", alone_, accuracy(model, test_));
    QVERIFY(accuracy(model, test_) > alone_ + 0.01);
    QVERIFY(addsUp(model, test_));
    TunedBase atOnce(base_, tunedTrees), loaded(base_, tunedTrees);
    atOnce.update(new_);
    QCOMPARE(atOnce.predict(test_.features).scores, model.predict(test_.features).scores);
    loaded.load(model.save());
    QCOMPARE(loaded.predict(test_.features).scores, model.predict(test_.features).scores);
    // With next to nothing to learn from it still knows more than those few programs teach.
    TunedBase few(base_, tunedTrees);
    few.update(part(new_, 0, 5));
    const auto scratch = trees();
    scratch->update(part(new_, 0, 5));
    qInfo("5 programs: pairwise %.3f, %.3f anew", accuracy(few, test_), accuracy(*scratch, test_));
    QVERIFY(accuracy(few, test_) > accuracy(*scratch, test_) + 0.02);
  }

  void retrainingKeepsTheBase() {
    BaseAndRetrained model(base_, [] { return costModel("xgboost", {{"warmup", 32}}); });
    QCOMPARE(model.update(part(new_, 0, 20)).kind, UpdateReport::Kind::Skipped);
    QCOMPARE(model.ranking(), "base");
    QCOMPARE(model.predict(test_.features).scores, base_.model->predict(test_.features).scores);
    QCOMPARE(model.update(part(new_, 0, 60)).kind, UpdateReport::Kind::Full);
    QCOMPARE(model.ranking(), "base + retrained");
    const auto scratch = costModel("xgboost", {{"warmup", 32}});
    scratch->update(part(new_, 0, 60));
    const double anew = accuracy(*scratch, test_), both = accuracy(model, test_);
    qInfo("60 programs: pairwise %.3f of the base, %.3f anew, %.3f of both", alone_, anew, both);
    QVERIFY(both > anew);
    QVERIFY(addsUp(model, test_));
    BaseAndRetrained loaded(base_, [] { return costModel("xgboost", {{"warmup", 32}}); });
    loaded.load(model.save());
    QCOMPARE(loaded.predict(test_.features).scores, model.predict(test_.features).scores);
    loaded.update(new_);
    model.update(new_);
    QCOMPARE(loaded.predict(test_.features).scores, model.predict(test_.features).scores);
    QCOMPARE(baseShare(0), 1.0);
    QCOMPARE(baseShare(128), 0.5);
    QCOMPARE(baseShare(1'000'000), 0.25);
  }

  /// Beside a network the trees' shares are not the model's.
  void sharesAreOfThePartThatHasSplits() {
    TrainedBase network = base_;
    network.model = std::make_shared<OrderAlone>(base_.model);
    BaseAndLocal local(network, localTrees), ofTrees(base_, localTrees);
    BaseAndRetrained retrained(network, trees);
    for (CostModel* model : std::initializer_list<CostModel*>{&local, &retrained}) {
      QVERIFY(model->importance().empty() && !model->importanceIsOfAPart());
      model->update(new_);
      QVERIFY(!model->importance().empty() && model->importanceIsOfAPart());
    }
    ofTrees.update(new_);
    QVERIFY(!ofTrees.importance().empty() && !ofTrees.importanceIsOfAPart());
  }

  void attentionIsTheBases() {
    TrainedBase network = base_;
    network.model = std::make_shared<OrderAlone>(base_.model);
    BaseAndLocal local(network, localTrees);
    BaseAndRetrained retrained(network, trees);
    UnchangedModel unchanged(network);
    TaskModels tasks(network, trees);
    TunedBase tuned(network, tunedTrees);
    for (CostModel* model :
         std::initializer_list<CostModel*>{&local, &retrained, &unchanged, &tasks, &tuned})
      QCOMPARE(model->attention(test_.features, 7).value_or(Attention()).rows, std::size_t(7));
    for (CostModel* model : std::initializer_list<CostModel*>{&local, &retrained}) {
      model->update(new_);
      QCOMPARE(model->attention(test_.features, 7).value_or(Attention()).rows, std::size_t(7));
    }
    BaseAndLocal ofTrees(base_, localTrees);
    QVERIFY(!ofTrees.attention(test_.features, 7));
  }

  void whatIsNotOfTheBaseIsRefused() {
    BaseAndLocal model(base_, localTrees);
    model.update(new_);
    const std::string bytes = model.save();
    const auto other = trees();
    other->update(new_);
    const TrainedBase another = trainedBase(trees, other->save());
    BaseAndLocal onAnother(another, localTrees);
    const std::vector<double> before = onAnother.predict(test_.features).scores;
    QVERIFY(messageOf([&] { onAnother.load(bytes); }).find("another trained model") !=
            std::string::npos);
    QCOMPARE(onAnother.predict(test_.features).scores, before);
    for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 40)
      QVERIFY_EXCEPTION_THROWN(model.load(std::string_view(bytes).substr(0, cut)), InputError);
    QVERIFY_EXCEPTION_THROWN(model.load(base_.bytes), InputError);
  }

  void unknownProgramsStayUnknown() {
    BaseAndLocal model(base_, localTrees);
    model.update(new_);
    FeatureTable batch(test::kColumns);
    batch.add({});
    batch.add(test_.features.program(0));
    const Prediction prediction = model.predict(batch);
    QCOMPARE(prediction.scores[0], kUnknownProgram);
    QVERIFY(std::isfinite(prediction.scores[1]));
  }

 private:
  TrainedBase base_;
  DataSet new_, test_;
  double alone_ = 0;
};

NW_TEST_APPLESS(PretrainedModels)

} // namespace nestwright::pretrained_models_test

#include "pretrained_models.moc"
