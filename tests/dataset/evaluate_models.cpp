#include "core/dataset/evaluate_models.h"

#include "core/dataset/model_file.h"
#include "core/dataset/model_likeness.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/definition.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <numeric>

namespace nestwright::evaluate_models_test {

using test::product;
using test::RecordedFile;

/// Three products, whose programs are the faster the smaller their tiles are.
RecordedData threeProducts(const samples::Folder& folder) {
  {
    RecordedFile file(folder.file("a.nwdb"));
    const RowId target = file.target("zen");
    for (const int size : {128, 256, 512}) {
      const ComputeDag dag = product(size);
      file.addMany(file.task(dag, target, size / 128), dag, 64);
    }
  }
  DataChoice choice;
  choice.files = {folder.file("a.nwdb")};
  return readData(openFiles(choice), choice);
}

std::vector<std::size_t> allOf(const DataSet& set) {
  std::vector<std::size_t> all(set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

NetworkTasks network(const std::string& name, const std::map<int, double>& weights) {
  NetworkTasks tasks{name, {}};
  for (const auto& [size, weight] : weights)
    tasks.weights[definitionHash(product(size))] = weight;
  return tasks;
}

double valueOf(const ModelEvaluation& evaluation, std::size_t model, const FigureId& id) {
  const auto place = std::ranges::find(evaluation.comparison.ids, id);
  if (place == evaluation.comparison.ids.end()) return std::nan("");
  return evaluation.comparison
      .models[model][static_cast<std::size_t>(place - evaluation.comparison.ids.begin())]
      .value;
}

class EvaluateModels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void oracleIsPerfectAndRandomIsNot() {
    const samples::Folder folder;
    const RecordedData data = threeProducts(folder);
    EvaluationWish wish;
    wish.programs = allOf(data.set);
    wish.bootstrap.resamples = 100;
    const ModelEvaluation evaluation = evaluateModels(data, wish, yardsticks(data.set, 1));
    QCOMPARE(evaluation.models[0].name, std::string("random"));
    QCOMPARE(evaluation.models[1].name, std::string("oracle"));
    QCOMPARE(evaluation.networks.size(), std::size_t{1});
    for (const Figure figure : {Figure::MeanOfNetworks, Figure::RatioOfSums}) {
      QCOMPARE(valueOf(evaluation, 1, {figure, 1}), 1.0);
      QVERIFY(valueOf(evaluation, 0, {figure, 1}) < 0.8);
    }
    QVERIFY(valueOf(evaluation, 1, {Figure::Rmse}) < 1e-6);
    QCOMPARE(valueOf(evaluation, 1, {Figure::FailedPicksAt, 1}), 0.0);
  }

  /// A network has the weights of its own, found by what tasks compute; what it lacks is told.
  void networksWeighTheirTasks() {
    const samples::Folder folder;
    const RecordedData data = threeProducts(folder);
    EvaluationWish wish;
    wish.programs = allOf(data.set);
    wish.networks = {network("a", {{128, 3}, {1024, 1}}), network("b", {{512, 1}}),
                     network("elsewhere", {{2048, 1}})};
    wish.ks = {1};
    wish.bootstrap.resamples = 0;
    // Its favourite of the smallest product is the fastest, of the largest the second fastest.
    ModelScores model{"mine", oracleScoresOf(data),
                      std::set<std::string>{definitionHash(product(512))}};
    for (std::size_t i = 0; i < data.set.size(); ++i)
      if (data.set.outcomes[i].seconds == 2e-3 && isOf(data, i, 512)) model.scores[i] = 2;
    const ModelEvaluation evaluation = evaluateModels(data, wish, {model});
    QCOMPARE(evaluation.tasks.size(), std::size_t{2}); // 256 is of no network
    QCOMPARE(evaluation.networks.size(), std::size_t{2});
    QCOMPARE(evaluation.networks[0].tasks, std::size_t{2});
    QCOMPARE(evaluation.networks[0].tested, std::size_t{1});
    QCOMPARE(valueOf(evaluation, 0, {Figure::Network, 1, 0}), 1.0);
    QCOMPARE(valueOf(evaluation, 0, {Figure::Network, 1, 1}), 0.5);
    QCOMPARE(valueOf(evaluation, 0, {Figure::MeanOfNetworks, 1}), 0.75);
    QVERIFY(std::abs(valueOf(evaluation, 0, {Figure::RatioOfSums, 1}) - 4.0 / 5) < 1e-9);
    // It has seen one of the two tasks that it is judged by.
    QCOMPARE(evaluation.models[0].seen, std::optional<std::size_t>(1));
    model.learnedFrom.reset();
    QVERIFY(!evaluateModels(data, wish, {model}).models[0].seen);
  }

  /// Whoever is in no group stands beside them by itself.
  void seedsAreJudgedAsOne() {
    const samples::Folder folder;
    const RecordedData data = threeProducts(folder);
    EvaluationWish wish;
    wish.programs = allOf(data.set);
    wish.ks = {1};
    wish.bootstrap.resamples = 50;
    std::vector<ModelScores> models = yardsticks(data.set, 1);
    models.push_back({"other", oracleScoresOf(data), std::nullopt});
    QVERIFY(evaluateModels(data, wish, models).groups.empty());
    wish.groups = {{"both", {0, 2}}};
    const ModelEvaluation evaluation = evaluateModels(data, wish, models);
    QCOMPARE(evaluation.groups.size(), std::size_t{2});
    QCOMPARE(evaluation.groups[0].name, std::string("both"));
    QCOMPARE(evaluation.groups[1].name, std::string("oracle"));
    const auto accuracy = [](const BoundedFigures& figures) { return figures[3].value; };
    QVERIFY(std::abs(accuracy(evaluation.groupComparison.models[0]) -
                     (accuracy(evaluation.comparison.models[0]) + 1) / 2) < 1e-9);
    const nlohmann::json json = toJson(evaluation, data);
    QCOMPARE(json.at("models").size(), std::size_t{3});
    QCOMPARE(json.at("groups").at(0).at("models"), (nlohmann::json{"random", "other"}));
    QCOMPARE(json.at("group_differences").size(), std::size_t{1});
  }

  /// Seeds alone make models alike; sizes make them points of a curve, and all else neither.
  void filesTellWhatTheyDifferBy() {
    ModelFile file{"mlp", "paper,flags", "zen", {}, {"d1"}, {}, "bytes"};
    file.options = {{"epochs", 3}, {"seed", 1}};
    ModelFile seeded = file, smaller = file, longer = file;
    seeded.options["seed"] = seeded.choice.seed = 2;
    seeded.programs = 7;
    smaller.choice.drawnPrograms = 10;
    longer.options["epochs"] = 4;
    QCOMPARE(textWithoutSeeds(seeded), textWithoutSeeds(file));
    QVERIFY(textWithoutSeeds(smaller) != textWithoutSeeds(file));
    QCOMPARE(textWithoutSize(smaller), textWithoutSize(file));
    QVERIFY(textWithoutSize(longer) != textWithoutSize(file));
  }

  void tasksThatNeverRanAreLeftOut() {
    const samples::Folder folder;
    const ComputeDag good = product(128), broken = product(256);
    {
      RecordedFile file(folder.file("b.nwdb"));
      const RowId target = file.target("zen");
      file.addMany(file.task(good, target), good, 20);
      const RowId task = file.task(broken, target);
      for (int n = 0; n < 20; ++n)
        file.add(task, broken, test::tiled(256, n), {});
    }
    DataChoice choice;
    choice.files = {folder.file("b.nwdb")};
    const RecordedData data = readData(openFiles(choice), choice);
    EvaluationWish wish;
    wish.programs = allOf(data.set);
    wish.bootstrap.resamples = 0;
    const ModelEvaluation evaluation = evaluateModels(data, wish, yardsticks(data.set, 1));
    QCOMPARE(evaluation.tasks.size(), std::size_t{1});
    QCOMPARE(evaluation.allFailed, std::size_t{1});
    wish.networks = {network("only the broken one", {{256, 1}})};
    QVERIFY_THROWS_EXCEPTION(InputError, evaluateModels(data, wish, yardsticks(data.set, 1)));
  }

  void modelFilesComeBack() {
    ModelFile file{"xgboost",
                   "paper",
                   "llvm-8c-1",
                   {},
                   {"d1", "d2"},
                   {{0, 0}, {3, 0}, {}},
                   std::string("\0bytes\n", 7)};
    file.choice.files = {"a.nwdb"};
    file.choice.seed = 7;
    const std::string bytes = modelFileBytes(file);
    QVERIFY(isModelFile(bytes));
    const ModelFile back = modelFileFrom(bytes);
    QVERIFY(back.bytes == file.bytes && back.tasks == file.tasks && back.choice == file.choice &&
            back.leaks == file.leaks);
    QVERIFY(back.model == file.model && back.features == file.features &&
            back.target == file.target);
    const auto problem = [](const std::string& bytes) -> QString {
      try {
        modelFileFrom(bytes);
        return {};
      } catch (const InputError& error) {
        return error.what();
      }
    };
    for (const std::size_t cut : {std::size_t{0}, std::size_t{20}, bytes.size() - 1})
      QVERIFY(!problem(bytes.substr(0, cut)).isEmpty());
    std::string altered = bytes;
    altered[altered.size() - 3] ^= 1;
    QVERIFY(problem(altered).contains("altered"));
    const std::string version = "\"version\":1,";
    std::string newer = bytes;
    const std::size_t place = newer.rfind("\"version\":1");
    QVERIFY(place != std::string::npos);
    newer[place + version.size() - 2] = '2';
    QVERIFY(problem(newer).contains("version 2") && problem(newer).contains("version 1"));
  }

  /// How it was trained, and files of the first version, which do not say.
  void modelFilesTellHowTheyWereTrained() {
    ModelFile file{"mlp", "paper,flags", "zen", {}, {"d1"}, {}, "bytes"};
    file.choice.files = {"a.nwdb"};
    const std::string first = [&] {
      nlohmann::json header = toJson(file);
      header.erase("course");
      header["kind"] = "nestwright trained model";
      header["version"] = 1;
      header["product"] = "Nestwright 0.1.0";
      header["hash"] = hashHex(header.dump() + file.bytes);
      return header.dump() + '\n' + file.bytes;
    }();
    const ModelFile old = modelFileFrom(first);
    QCOMPARE(old.product, std::string("Nestwright 0.1.0"));
    QVERIFY(old.curve.empty() && !old.validation && old.options.is_null());
    QCOMPARE(old.bytes, file.bytes);

    file.product = "Nestwright 9";
    file.trained = 1'700'000'000'000'000;
    file.seconds = 12.5;
    file.options = {{"epochs", 3}, {"loss", "mse"}};
    file.targets = {{"zen", "llvm -mcpu=zen", 90, 20}, {"lake", "", 10}};
    file.startFrom = "def";
    file.startFromPath = "/there/before.nwm";
    file.fineTune = true;
    file.targetRecords = 20;
    file.dataHash = "abc";
    file.programs = 100;
    file.validated = 10;
    file.curve = {{1, 3, 4, 0.5, 0.75, 1.5}, {2, 2, 3, 0.625, 0.75, 1.5}};
    file.kept = 2;
    file.validation = PartFigures{1, 10, 0.75, 0.625, 0.75};
    const samples::Folder folder;
    writeModelFile(folder.file("a.nwm"), file);
    const ModelFile back = readModelFile(folder.file("a.nwm"));
    QCOMPARE(back.product, file.product);
    QCOMPARE(back.trained, file.trained);
    QVERIFY(back.options == file.options && back.targets == file.targets);
    QVERIFY(back.startFrom == file.startFrom && back.startFromPath == file.startFromPath);
    QVERIFY(back.fineTune && back.targetRecords == 20);
    QCOMPARE(back.curve.size(), std::size_t{2});
    QCOMPARE(back.curve[1].top1, 0.625);
    QVERIFY(back.validation == file.validation && !back.test);
    QVERIFY(modelFileBytes(back) == modelFileBytes(file));
    QVERIFY_THROWS_EXCEPTION(InputError, readModelFile(folder.file("b.nwm")));
  }

#ifdef HAS_COST_MODEL
  /// Trees that learned two of the tasks order the third one's programs much better than chance.
  void treesThatLearnedTheTrainingPartAreBetterThanRandom() {
    const samples::Folder folder;
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId target = file.target("zen");
      for (const int size : {128, 256, 512}) {
        const ComputeDag dag = product(size);
        const RowId task = file.task(dag, target);
        for (int n = 0; n < 64; ++n) // by the tiles of the columns alone
          file.add(task, dag, test::tiled(size, n), {1e-3 * (1 + n / 8)});
      }
    }
    DataChoice choice;
    choice.files = {folder.file("a.nwdb")};
    const RecordedData data = readData(openFiles(choice), choice);
    choice.split = SplitKind::ByNetwork;
    choice.holdOut = {"held"};
    const std::vector<NetworkTasks> heldOut = {network("held", {{256, 1}})};
    const DataParts parts = partsOf(data, choice, heldOut);
    requireUsable(data, parts, choice);
    const std::unique_ptr<CostModel> model = costModel("xgboost");
    model->update(select(data.set, parts.train));
    EvaluationWish wish;
    wish.programs = parts.test;
    wish.networks = heldOut;
    wish.ks = {1, 5};
    wish.bootstrap.resamples = 50;
    std::vector<ModelScores> models = yardsticks(data.set, 1);
    models.push_back({"trees", model->predict(data.set.features).scores, std::nullopt});
    const ModelEvaluation evaluation = evaluateModels(data, wish, models);
    QCOMPARE(evaluation.tasks.size(), std::size_t{1});
    QVERIFY(valueOf(evaluation, 2, {Figure::PairwiseAccuracy}) > 0.7);
    QVERIFY(valueOf(evaluation, 2, {Figure::PairwiseAccuracy}) >
            valueOf(evaluation, 0, {Figure::PairwiseAccuracy}) + 0.1);
    const nlohmann::json json = toJson(evaluation, data);
    QCOMPARE(json.at("models").size(), std::size_t{3});
    QCOMPARE(json.at("differences").size(), std::size_t{3});
    QCOMPARE(json.at("tasks").at(0).at("models").size(), std::size_t{3});
  }
#endif

 private:
  static std::vector<double> oracleScoresOf(const RecordedData& data) {
    return yardsticks(data.set, 0)[1].scores;
  }
  static bool isOf(const RecordedData& data, std::size_t program, int size) {
    return data.tasks[data.set.outcomes[program].task].definition == definitionHash(product(size));
  }
};

NW_TEST_APPLESS(EvaluateModels)

} // namespace nestwright::evaluate_models_test

#include "evaluate_models.moc"
