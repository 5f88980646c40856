/// The networks and their training beside the public classes: outputs, gradients, losses of three
/// steps of Adam, and outputs after them.

#include "core/learn/learner.h"
#include "tests/learn/oracle.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <limits>
#include <numeric>

namespace nestwright::published_networks_test {

using nlohmann::json;

/// A small network of the oracle, with its programs and labels.
struct Example {
  NeuralNetwork network;
  FeatureTable table;
  std::vector<float> labels;
};

std::vector<float> weightsIn(const json& parameters, const NetworkShape& shape) {
  std::vector<float> weights;
  for (const ParameterShape& parameter : parametersOf(shape)) {
    const auto values = parameters.at(parameter.name).at("values").get<std::vector<float>>();
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

Example statementExample(const json& oracle, Architecture architecture) {
  Example example;
  NetworkShape& shape = example.network.shape;
  shape = publishedShape(architecture, oracle.at("columns").get<std::size_t>());
  shape.hidden = 4;
  example.network.weights = weightsIn(oracle.at("parameters"), shape);
  example.table = FeatureTable(shape.columns);
  const auto rows = oracle.at("rows").get<std::vector<float>>();
  std::size_t place = 0;
  for (const auto count : oracle.at("rows_of_programs").get<std::vector<std::size_t>>()) {
    example.table.add(std::span(rows).subspan(place, count * shape.columns));
    place += count * shape.columns;
    shape.length = std::max(shape.length, count);
  }
  example.labels = oracle.at("labels").get<std::vector<float>>();
  return example;
}

Example stepExample(const json& oracle, const json& network, Architecture architecture) {
  Example example;
  NetworkShape& shape = example.network.shape;
  const json& features = oracle.at("tlp_features_cpu");
  shape = publishedShape(architecture, features.at("embedding").get<std::size_t>());
  shape.length = features.at("sequence").get<std::size_t>();
  const json& sizes = oracle.at("tlp");
  shape.encoder = sizes.at("hidden").get<std::vector<std::size_t>>();
  shape.decoder = sizes.at("decoder").get<std::vector<std::size_t>>();
  shape.attentionHeads = sizes.at("heads").get<std::size_t>();
  shape.residualBlocks = sizes.at("residual_blocks").get<std::size_t>();
  example.network.weights = weightsIn(network.at("parameters"), shape);
  example.table = FeatureTable(shape.columns);
  for (const json& program : features.at("programs")) {
    std::vector<float> rows;
    for (const json& row : program.at("rows")) {
      const auto values = row.get<std::vector<float>>();
      rows.insert(rows.end(), values.begin(), values.end());
    }
    example.table.add(rows);
  }
  if (architecture == Architecture::Tlp) {
    example.labels = network.at("labels").get<std::vector<float>>();
    return example;
  }
  const auto target = network.at("target_labels").get<std::vector<float>>();
  const auto known = network.at("target_label_known").get<std::vector<int>>();
  const auto helper = network.at("helper_labels").get<std::vector<float>>();
  for (std::size_t i = 0; i < target.size(); ++i) {
    example.labels.push_back(known[i] ? target[i] : std::numeric_limits<float>::quiet_NaN());
    example.labels.push_back(helper[i]);
  }
  return example;
}

/// One head after another, as the oracle has them.
std::vector<float> byHead(const std::vector<float>& outputs, std::size_t heads) {
  std::vector<float> sorted;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t i = head; i < outputs.size(); i += heads)
      sorted.push_back(outputs[i]);
  return sorted;
}

/// The rank loss does not see it when all outputs of a head move together, so the last bias has no
/// gradient but rounding, of which Adam makes whole steps in an arbitrary direction: outputs are
/// compared around their means.
std::string shiftedDifference(std::vector<float> given, std::vector<float> wanted,
                              std::size_t heads) {
  const double noise = 1e-4 * static_cast<double>(std::abs(*std::ranges::max_element(
                                  wanted, {}, [](float value) { return std::abs(value); })));
  const std::size_t programs = wanted.size() / heads;
  for (std::vector<float>* outputs : {&given, &wanted})
    for (std::size_t head = 0; head < heads; ++head) {
      const auto own = std::span(*outputs).subspan(head * programs, programs);
      const float mean =
          std::accumulate(own.begin(), own.end(), 0.0F) / static_cast<float>(programs);
      for (float& value : own)
        value -= mean;
    }
  return test::difference(given, wanted, noise);
}

/// Of the gradient, in the network's order.
std::string gradientDifference(const std::vector<float>& gradient, const json& expected,
                               const NetworkShape& shape) {
  // Some are 0 but for the rounding of sums of larger ones.
  constexpr double kRounding = 1e-5;
  double most = 0;
  for (const auto& [parameter, numbers] : expected.items())
    for (const double number : numbers.get<std::vector<double>>())
      most = std::max(most, std::abs(number));
  const double noise = kRounding * most;
  std::size_t place = 0;
  for (const ParameterShape& parameter : parametersOf(shape)) {
    const auto begin = gradient.begin() + static_cast<std::ptrdiff_t>(place);
    const std::vector<float> part(begin, begin + static_cast<std::ptrdiff_t>(parameter.size()));
    const json& wanted = expected.at(parameter.name);
    const std::string what = test::difference(part, wanted, noise);
    if (!what.empty()) return parameter.name + ": " + what;
    place += parameter.size();
  }
  return {};
}

class PublishedNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizes() {
    QCOMPARE(parameterCount(publishedShape(Architecture::Mlp, 174)), std::size_t{242'433});
    QCOMPARE(parameterCount(publishedShape(Architecture::Tlp, 22)), std::size_t{610'369});
  }

  void asThePublicCode_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("architecture");
    QTest::newRow("mlp") << "segment_sum_mlp" << static_cast<int>(Architecture::Mlp);
    QTest::newRow("lstm") << "lstm" << static_cast<int>(Architecture::Lstm);
    QTest::newRow("tlp") << "tlp" << static_cast<int>(Architecture::Tlp);
    QTest::newRow("mtl-tlp") << "mtl_tlp" << static_cast<int>(Architecture::MtlTlp);
  }
  void asThePublicCode() {
    NW_NEED_LEARNER();
    QFETCH(QString, key);
    QFETCH(int, architecture);
    const json all = test::learningOracle(), oracle = all.at(key.toStdString());
    const auto kind = static_cast<Architecture>(architecture);
    Example example = kind == Architecture::Tlp || kind == Architecture::MtlTlp
                          ? stepExample(all, oracle, kind)
                          : statementExample(oracle, kind);
    const NetworkShape& shape = example.network.shape;
    Learner learner;
    QCOMPARE(test::difference(byHead(learner.score(example.network, example.table, 1), shape.heads),
                              oracle.at("outputs")),
             std::string());

    std::vector<std::size_t> programs(example.table.programs());
    std::iota(programs.begin(), programs.end(), std::size_t{0});
    const TableFile table(example.table, programs, example.labels, shape.heads);
    StartWork work;
    work.shape = shape;
    work.table = table.layout();
    work.train = programs.size();
    std::vector<float> begin = example.network.weights;
    begin.resize(trainingNumbers(shape), 0);

    // Plain descent with a large rate shows the gradient.
    constexpr double kRate = 1000;
    work.step.optimiser = Optimiser::Sgd;
    work.step.learningRate = kRate;
    work.step.weightDecay = 0;
    learner.start(work, begin);
    std::vector<float> gradient = learner.epoch({0}, work, {}).numbers;
    gradient.resize(example.network.weights.size());
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = (example.network.weights[i] - gradient[i]) / static_cast<float>(kRate);
    const std::string wrong =
        gradientDifference(gradient, oracle.at("gradients_after_clipping"), shape);
    QVERIFY2(wrong.empty(), wrong.c_str());

    work.step = {};
    learner.start(work, begin);
    NeuralNetwork after = example.network;
    for (int step = 0; step < 3; ++step) {
      const EpochAnswer answer = learner.epoch({step}, work, {});
      const auto wanted =
          oracle.at("loss_and_gradient_norm_before_clipping").at(step).at(0).get<double>();
      QVERIFY2(std::abs(answer.trainingLoss - wanted) < 1e-4 * wanted,
               qPrintable(QString::number(answer.trainingLoss)));
      std::copy_n(answer.numbers.begin(), after.weights.size(), after.weights.begin());
    }
    const std::string moved =
        shiftedDifference(byHead(learner.score(after, example.table, 1), shape.heads),
                          oracle.at("outputs_after").get<std::vector<float>>(), shape.heads);
    QVERIFY2(moved.empty(), moved.c_str());
  }
};

NW_TEST_GUILESS(PublishedNetworks)

} // namespace nestwright::published_networks_test

#include "published_networks.moc"
