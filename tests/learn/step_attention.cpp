/// How steps look at one another: the learner's shares beside those of plain loops over every
/// place.

#include "core/learn/learner.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <numeric>

namespace nestwright::step_attention_test {

constexpr std::size_t kColumns = 3, kLength = 6;

using Vector = std::vector<double>;

/// A small network, with weights so large that its steps do not look everywhere alike.
NeuralNetwork network() {
  NetworkShape shape = publishedShape(Architecture::Tlp, kColumns);
  shape.length = kLength;
  shape.encoder = {5, 4};
  shape.decoder = {3, 1};
  shape.attentionHeads = 2;
  shape.residualBlocks = 1;
  NeuralNetwork network = freshNetwork(shape, 1);
  for (float& weight : network.weights)
    weight *= 4;
  return network;
}

/// weight x + bias, of the network's layer of these names.
Vector linear(const NeuralNetwork& network, const std::string& weight, const std::string& bias,
              const Vector& x) {
  Vector result;
  std::size_t place = 0;
  for (const ParameterShape& parameter : parametersOf(network.shape)) {
    const float* values = network.weights.data() + place;
    if (parameter.name == weight) {
      result.assign(parameter.rows, 0);
      for (std::size_t i = 0; i < parameter.size(); ++i)
        result[i / x.size()] += static_cast<double>(values[i]) * x[i % x.size()];
    } else if (parameter.name == bias) {
      for (std::size_t i = 0; i < parameter.size(); ++i)
        result.at(i) += static_cast<double>(values[i]);
    }
    place += parameter.size();
  }
  return result;
}

/// What a step asks and finds, one behind the other.
Vector projected(const NeuralNetwork& network, Vector x) {
  for (std::size_t layer = 0; layer < network.shape.encoder.size(); ++layer) {
    const std::string name = fmt::format("encoder.{}", 2 * layer);
    x = linear(network, name + ".weight", name + ".bias", x);
    for (double& value : x)
      value = std::max(value, 0.0);
  }
  return linear(network, "attention.in_proj_weight", "attention.in_proj_bias", x);
}

/// Shares of all places, padding place by place: softmax(q k / sqrt(depth)), the mean over heads.
std::vector<Vector> sharesOfPlaces(const NeuralNetwork& network, const std::vector<Vector>& steps) {
  const std::size_t width = network.shape.encoder.back(), heads = network.shape.attentionHeads;
  const std::size_t depth = width / heads;
  std::vector<Vector> of;
  for (std::size_t i = 0; i < kLength; ++i)
    of.push_back(projected(network, i < steps.size() ? steps[i] : Vector(kColumns, 0)));
  std::vector<Vector> shares(kLength, Vector(kLength, 0));
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t i = 0; i < kLength; ++i) {
      Vector weights(kLength, 0);
      for (std::size_t j = 0; j < kLength; ++j) {
        double product = 0;
        for (std::size_t d = head * depth; d < (head + 1) * depth; ++d)
          product += of[i][d] * of[j][width + d];
        weights[j] = std::exp(product / std::sqrt(static_cast<double>(depth)));
      }
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t j = 0; j < kLength; ++j)
        shares[i][j] += weights[j] / sum / static_cast<double>(heads);
    }
  return shares;
}

const Vector kA = {1, 0, 2}, kB = {0, 3, 1}, kC = {2, 2, 0}, kD = {0, 1, 0};

FeatureTable tableOf(const std::vector<Vector>& steps) {
  FeatureTable table(kColumns);
  std::vector<float> values;
  for (const Vector& step : steps)
    values.insert(values.end(), step.begin(), step.end());
  table.add(values);
  return table;
}

class StepAttention : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Padding, of which the learner computes one place, has all of its places' shares.
  void isThatOfEveryPlace_data() {
    QTest::addColumn<std::vector<Vector>>("steps");
    QTest::newRow("padded") << std::vector<Vector>{kA, kB, kC, kD};
    QTest::newRow("one step") << std::vector<Vector>{kB};
    QTest::newRow("as long as can be") << std::vector<Vector>{kA, kB, kC, kD, kB, kA};
    QTest::newRow("equal steps") << std::vector<Vector>{kA, kB, kA, kA};
    QTest::newRow("cut") << std::vector<Vector>{kA, kB, kC, kD, kB, kC, kA, kD};
  }
  void isThatOfEveryPlace() {
    NW_NEED_LEARNER();
    QFETCH(std::vector<Vector>, steps);
    const NeuralNetwork of = network();
    const Attention attention = learner_.attention(of, tableOf(steps), 0);
    QCOMPARE(attention.rows, std::min(steps.size(), kLength));
    steps.resize(attention.rows);
    const std::vector<Vector> expected = sharesOfPlaces(of, steps);
    const auto near = [](float given, double wanted) {
      return std::abs(static_cast<double>(given) - wanted) < 1e-5;
    };
    double uneven = 0;
    for (std::size_t i = 0; i < attention.rows; ++i) {
      for (std::size_t j = 0; j < attention.rows; ++j) {
        QVERIFY2(near(attention.share(i, j), expected[i][j]),
                 qPrintable(QString("%1 at %2: %3, expected %4")
                                .arg(i)
                                .arg(j)
                                .arg(double(attention.share(i, j)))
                                .arg(expected[i][j])));
        uneven = std::max(uneven, std::abs(expected[i][j] * kLength - 1));
      }
      const double padding = std::accumulate(expected[i].begin() + std::ptrdiff_t(attention.rows),
                                             expected[i].end(), 0.0);
      QVERIFY2(near(attention.ofPadding(i), padding),
               qPrintable(QString("%1: %2 of padding, expected %3")
                              .arg(i)
                              .arg(double(attention.ofPadding(i)))
                              .arg(padding)));
    }
    QVERIFY2(uneven > 0.1, "the steps look everywhere alike");
  }

  void sharesOfAStepAddUpToOne() {
    NW_NEED_LEARNER();
    const Attention attention = learner_.attention(network(), tableOf({kA, kB, kC, kB}), 0);
    for (std::size_t i = 0; i < attention.rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j <= attention.rows; ++j)
        sum += static_cast<double>(attention.share(i, j));
      QVERIFY2(std::abs(sum - 1) < 1e-5, qPrintable(QString::number(sum)));
    }
  }

  /// To score, equal steps are one that counts twice; to be told, each has its own share.
  void equalStepsHaveAShareEach() {
    NW_NEED_LEARNER();
    const Attention attention = learner_.attention(network(), tableOf({kA, kB, kC, kB}), 0);
    for (std::size_t i = 0; i < attention.rows; ++i) {
      QVERIFY(attention.share(i, 1) > 0);
      QCOMPARE(attention.share(i, 1), attention.share(i, 3));
    }
    for (std::size_t j = 0; j <= attention.rows; ++j)
      QCOMPARE(attention.share(1, j), attention.share(3, j));
  }

  void networksOfStatementsHaveNone() {
    NW_NEED_LEARNER();
    const NeuralNetwork mlp = freshNetwork(publishedShape(Architecture::Mlp, kColumns), 1);
    try {
      learner_.attention(mlp, tableOf({kA}), 0);
      QFAIL("it was told");
    } catch (const InputError& error) {
      QVERIFY2(std::string(error.what()).find("mlp") != std::string::npos, error.what());
    }
  }

 private:
  Learner learner_;
};

NW_TEST_GUILESS(StepAttention)

} // namespace nestwright::step_attention_test

#include "step_attention.moc"
