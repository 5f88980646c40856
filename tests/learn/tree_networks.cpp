/// TreeGRU: what the learner computes is what the definition says (handbook/cost-models.md 5.8),
/// and it learns.

#include "core/learn/train.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "tests/learn/example_trees.h"
#include "tests/learn/scored.h"
#include "tests/learn/with_learner.h"
#include "tests/model/held_out.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>

namespace nestwright::tree_networks_test {

using test::pairwise;
using test::scores;

NetworkShape smallShape(std::size_t slots) {
  NetworkShape shape = publishedShape(Architecture::TreeGru, TreeColumns::kCount);
  shape.hidden = 20;
  shape.embedding = 12;
  shape.names = 16;
  shape.memorySlots = slots;
  return shape;
}

/// With biases, which fresh networks have not.
NeuralNetwork smallNetwork(std::size_t slots) {
  NeuralNetwork network = freshNetwork(smallShape(slots), 5);
  Random random(3);
  for (float& weight : network.weights)
    weight += static_cast<float>(0.2 * random.unit() - 0.1);
  return network;
}

using Vector = std::vector<double>;

/// The definition, node by node, in plain loops.
class Reference {
 public:
  explicit Reference(const NeuralNetwork& network) : shape_(network.shape) {
    std::size_t place = 0;
    for (const ParameterShape& parameter : parametersOf(shape_)) {
      parameters_[parameter.name] = {
          {network.weights.begin() + static_cast<std::ptrdiff_t>(place),
           network.weights.begin() + static_cast<std::ptrdiff_t>(place + parameter.size())},
          parameter.columns};
      place += parameter.size();
    }
  }

  double score(const FeatureTable& table, std::size_t program) {
    first_ = table.firstRow(program);
    count_ = table.rowCount(program);
    memory_.assign(shape_.memorySlots * shape_.hidden, 0);
    const Vector root = state(table, 0);
    Vector middle = times("decoder.0.weight", shape_.memorySlots > 0 ? memory_ : root);
    for (std::size_t i = 0; i < middle.size(); ++i)
      middle[i] = sigmoid(middle[i] + at("decoder.0.bias", i));
    return times("decoder.2.weight", middle)[0] + at("decoder.2.bias", 0);
  }

 private:
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
  double at(const std::string& name, std::size_t i) const {
    return static_cast<double>(parameters_.at(name).first[i]);
  }
  Vector times(const std::string& name, const Vector& x) const {
    const auto& [numbers, columns] = parameters_.at(name);
    Vector result(numbers.size() / columns, 0);
    for (std::size_t r = 0; r < result.size(); ++r)
      for (std::size_t c = 0; c < columns; ++c)
        result[r] += static_cast<double>(numbers[r * columns + c]) * x[c];
    return result;
  }

  Vector state(const FeatureTable& table, std::size_t node) {
    Vector below(shape_.hidden, 0);
    bool isInner = false;
    for (std::size_t child = node + 1; child < count_; ++child) {
      if (table.row(first_ + child)[0] != static_cast<float>(node)) continue;
      const Vector of = state(table, child);
      std::ranges::transform(below, of, below.begin(), std::plus<>());
      isInner = true;
    }
    const std::span<const float> row = table.row(first_ + node);
    Vector input(row.begin() + 2, row.end());
    for (std::size_t i = 0; i < shape_.embedding; ++i)
      input.push_back(
          at("embedding.weight", static_cast<std::size_t>(row[1]) * shape_.embedding + i));
    const Vector x = times("cell.weight_ih", input), h = times("cell.weight_hh", below);
    const std::size_t hidden = shape_.hidden;
    const auto own = [&](std::size_t i) { return x[i] + at("cell.bias_ih", i); };
    const auto from = [&](std::size_t i) { return h[i] + at("cell.bias_hh", i); };
    Vector result;
    for (std::size_t i = 0; i < hidden; ++i) {
      const double reset = sigmoid(own(i) + from(i));
      const double update = sigmoid(own(hidden + i) + from(hidden + i));
      const double fresh = std::tanh(own(2 * hidden + i) + reset * from(2 * hidden + i));
      result.push_back((1 - update) * fresh + update * below[i]);
    }
    if (isInner && shape_.memorySlots > 0) remember(result);
    return result;
  }

  void remember(const Vector& state) {
    Vector shares = times("memory.weight", state);
    double sum = 0;
    for (double& share : shares)
      sum += share = std::exp(share);
    for (std::size_t slot = 0; slot < shares.size(); ++slot)
      for (std::size_t i = 0; i < state.size(); ++i)
        memory_[slot * state.size() + i] += shares[slot] / sum * state[i];
  }

  NetworkShape shape_;
  std::map<std::string, std::pair<std::vector<float>, std::size_t>> parameters_;
  std::size_t first_ = 0, count_ = 0;
  Vector memory_;
};

TrainingOptions optionsOf(Loss loss, std::size_t slots, int epochs) {
  TrainingOptions options = publishedTraining(Architecture::TreeGru, loss);
  options.memorySlots = slots;
  options.epochs = epochs;
  options.patience = 0;
  options.keep = Keep::Last;
  return options;
}

std::vector<std::size_t> allOf(const DataSet& set) {
  std::vector<std::size_t> all(set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

class TreeNetworks : public QObject {
  Q_OBJECT

  Learner learner_;

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void initTestCase() { NW_NEED_LEARNER(); }

  void areWhatTheDefinitionSays_data() {
    QTest::addColumn<int>("slots");
    QTest::newRow("the root's state") << 0;
    QTest::newRow("memory slots") << 3;
  }
  void areWhatTheDefinitionSays() {
    QFETCH(int, slots);
    const NeuralNetwork network = smallNetwork(static_cast<std::size_t>(slots));
    FeatureTable table = test::exampleTrees(300, 1, false).features;
    std::vector<float> leaf;
    test::addNode(leaf, -1, 3, {2, 1});
    table.add(leaf); // a tree of one node
    const std::vector<float> given = learner_.score(network, table, 2);
    Reference reference(network);
    for (std::size_t program = 0; program < table.programs(); ++program) {
      const double expected = reference.score(table, program);
      QVERIFY2(std::abs(static_cast<double>(given[program]) - expected) < 1e-5,
               qPrintable(QString("%1: %2, expected %3")
                              .arg(program)
                              .arg(static_cast<double>(given[program]))
                              .arg(expected)));
    }
  }

  void scoresAreTheProgramsOwn() {
    const NeuralNetwork network = smallNetwork(2);
    const FeatureTable table = test::exampleTrees(1500, 1, false).features;
    const std::vector<float> all = learner_.score(network, table, 1);
    QVERIFY(learner_.score(network, table, 3) == all);
    const std::size_t few[] = {700, 3, 1400};
    const std::vector<float> alone = learner_.score(network, select(table, few), 1);
    for (std::size_t i = 0; i < alone.size(); ++i)
      QVERIFY(std::abs(alone[i] - all[few[i]]) < 1e-5F);
  }

  void explainsByGradients() {
    const NeuralNetwork network = smallNetwork(2);
    const FeatureTable table = test::exampleTrees(3, 1, false).features;
    const std::vector<float> given = learner_.explain(network, table, 1, 0);
    QCOMPARE(given.size(), table.rowCount(1) * table.columns());
    Reference reference(network);
    constexpr float kStep = 1e-3F;
    for (std::size_t row = 0; row < table.rowCount(1); ++row) {
      QCOMPARE(given[row * table.columns()], 0.0F); // places are no facts
      QVERIFY(given[row * table.columns() + 1] != 0.0F);
      for (std::size_t c = 2; c < 5; ++c) {
        std::vector<float> less(table.program(1).begin(), table.program(1).end()), more = less;
        const float value = less[row * table.columns() + c];
        less[row * table.columns() + c] -= kStep;
        more[row * table.columns() + c] += kStep;
        FeatureTable moved(table.columns());
        moved.add(less);
        moved.add(more);
        const double slope = (reference.score(moved, 1) - reference.score(moved, 0)) /
                             (2 * static_cast<double>(kStep));
        const double expected = slope * static_cast<double>(value);
        QVERIFY2(std::abs(static_cast<double>(given[row * table.columns() + c]) - expected) < 1e-4,
                 qPrintable(QString("row %1 column %2: %3").arg(row).arg(c).arg(expected)));
      }
    }
  }

  void learnsByHeart_data() {
    QTest::addColumn<int>("loss");
    QTest::addColumn<int>("memory");
    QTest::newRow("rank") << static_cast<int>(Loss::Pairwise) << 0;
    QTest::newRow("rank, memory slots") << static_cast<int>(Loss::Pairwise) << 3;
    QTest::newRow("regression") << static_cast<int>(Loss::Mse) << 0;
  }
  void learnsByHeart() {
    QFETCH(int, loss);
    QFETCH(int, memory);
    constexpr int kMostEpochs = 1200, kAtOnce = 30;
    QTemporaryDir folder;
    const int programs = test::randomPrograms(24);
    const bool few = programs < 48; // with more, steps as long as theirs come to no rest
    const DataSet set =
        test::exampleTrees(static_cast<std::size_t>(programs), 1, true); // only memory helps
    TrainingJob job{set,
                    {allOf(set), {}},
                    optionsOf(static_cast<Loss>(loss), static_cast<std::size_t>(memory), 0)};
    job.options.step.batch = few ? 12 : programs / 4;
    job.options.step.learningRate = few ? 4e-3 : 2e-3;
    job.options.step.weightDecay = 0;
    job.checkpoint = folder.filePath("checkpoint").toStdString();
    job.resume = true;
    double accuracy = 0;
    while (accuracy < 0.99 && job.options.epochs < kMostEpochs) {
      job.options.epochs += kAtOnce;
      accuracy = pairwise(scores(learner_, train(learner_, job, {}), set.features), set);
    }
    qInfo("pairwise accuracy %.4f after %d epochs", accuracy, job.options.epochs);
    QVERIFY2(accuracy >= 0.99, qPrintable(QString::number(accuracy)));
  }

  void learnsOfOtherTasksUnlessLabelsAreShuffled() {
    for (const bool shuffled : {false, true}) {
      const DataSet set = test::exampleTrees(1600, 4, shuffled);
      const test::HeldOut split = test::everySecondTask(set);
      const TrainedNetwork trained = train(
          learner_,
          {set, {split.train, split.test}, optionsOf(Loss::Pairwise, 0, shuffled ? 4 : 30)}, {});
      const DataSet unseen = select(set, split.test);
      const double accuracy = pairwise(scores(learner_, trained, unseen.features), unseen);
      qInfo("%s labels: pairwise accuracy %.3f", shuffled ? "shuffled" : "true", accuracy);
      QVERIFY(shuffled ? accuracy > 0.48 && accuracy < 0.52 : accuracy > 0.8);
    }
  }

  void threadsChangeNothing() {
    const DataSet set = test::exampleTrees(300, 1, false);
    std::vector<float> expected;
    for (const int threads : {1, 3}) {
      TrainingOptions options = optionsOf(Loss::Pairwise, 2, 3);
      options.step.batch = 300;
      options.threads = threads;
      const std::vector<float> weights =
          train(learner_, {set, {allOf(set), {}}, options}, {}).network.weights;
      if (expected.empty()) expected = weights;
      QVERIFY(weights == expected);
    }
  }

  void otherRowsAreRefused() {
    const NeuralNetwork network = smallNetwork(0);
    for (const auto& [parent, name] : {std::pair{1, 2}, {-1, 2}, {0, 99}}) {
      std::vector<float> rows;
      test::addNode(rows, -1, 0);
      test::addNode(rows, parent, name);
      FeatureTable table(TreeColumns::kCount);
      table.add(rows);
      QVERIFY_THROWS_EXCEPTION(InputError, learner_.score(network, table, 1));
    }
  }

  void isAModelOfConfigurations() {
    QVERIFY(costModelKind("treegru").ofConfigurations && costModelKind("treegru").ofTrees);
    const DataSet set = test::exampleTrees(160, 1, false);
    const auto model = costModel("treegru", {{"warmup", 0}, {"memorySlots", 2}});
    QCOMPARE(model->update(set).kind, UpdateReport::Kind::Full);
    QVERIFY(pairwise(model->predict(set.features).scores, set) > 0.8);
    const auto again = costModel("treegru");
    again->load(model->save());
    FeatureTable table = set.features;
    table.add({}); // a configuration whose program cannot be made
    const std::vector<double> scores = again->predict(table).scores;
    QCOMPARE(scores.back(), kUnknownProgram);
    QCOMPARE(scores, model->predict(table).scores);
    // Products of other sizes round otherwise.
    QVERIFY(std::abs(scores.front() - model->predict(set.features).scores.front()) < 1e-5);
    const Explanation why = again->explain(set.features, 5);
    double sum = 0;
    for (const float part : why.contributions)
      sum += static_cast<double>(part);
    for (const float part : why.bias)
      sum += static_cast<double>(part);
    QVERIFY(std::abs(sum - why.score) < 1e-4);
  }
};

NW_TEST_GUILESS(TreeNetworks)

} // namespace nestwright::tree_networks_test

#include "tree_networks.moc"
