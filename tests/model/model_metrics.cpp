#include "core/model/metrics.h"
#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>

namespace nestwright::model_metrics_test {

using Values = std::vector<double>;

/// The reference's definition (handbook/cost-models.md 1), pair by pair.
double pairwiseByDefinition(const Values& predictions, const Values& labels) {
  double agreeing = 0, pairs = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = i + 1; j < labels.size(); ++j, ++pairs)
      agreeing += (predictions[i] > predictions[j]) == (labels[i] > labels[j]);
  return pairs == 0 ? 0.5 : agreeing / pairs;
}

bool close(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

class ModelMetrics : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void errors() {
    QVERIFY(close(rmse(Values{1, 2, 3}, Values{1, 4, 3}), std::sqrt(4.0 / 3)));
    QVERIFY(close(rmse({}, {}), 0));
    // Residuals 0, 2, 0 around labels of mean 8/3 and squared deviations 14/3.
    QVERIFY(close(rSquared(Values{1, 2, 3}, Values{1, 4, 3}), 1 - 4.0 / (14.0 / 3)));
    QVERIFY(close(rSquared(Values{1, 2}, Values{3, 3}), 1));
  }

  void pairwise_data() {
    QTest::addColumn<Values>("predictions");
    QTest::addColumn<Values>("labels");
    QTest::addColumn<double>("accuracy");
    QTest::addColumn<double>("tau");
    QTest::newRow("same order") << Values{1, 2, 3} << Values{10, 20, 30} << 1.0 << 1.0;
    QTest::newRow("opposite") << Values{3, 2, 1} << Values{10, 20, 30} << 0.0 << -1.0;
    QTest::newRow("one pair wrong") << Values{1, 3, 2} << Values{1, 2, 3} << 2.0 / 3 << 1.0 / 3;
    QTest::newRow("predictions tied") << Values{1, 1, 1} << Values{1, 2, 3} << 0.5 << 0.0;
    QTest::newRow("both tied") << Values{1, 1} << Values{2, 2} << 1.0 << 0.0;
    // Pairs: (0,1) tied in both, (0,2) and (1,2) alike.
    QTest::newRow("one tie") << Values{1, 1, 2} << Values{5, 5, 6} << 1.0 << 1.0;
    // (0,1) tied in the prediction only, the others alike.
    QTest::newRow("half a tie") << Values{1, 1, 2} << Values{4, 5, 6} << 2.5 / 3
                                << 2 / std::sqrt(6.0);
    QTest::newRow("one program") << Values{1} << Values{1} << 0.5 << 0.0;
    QTest::newRow("none") << Values{} << Values{} << 0.5 << 0.0;
  }

  void pairwise() {
    QFETCH(Values, predictions);
    QFETCH(Values, labels);
    QTEST(pairwiseAccuracy(predictions, labels), "accuracy");
    QTEST(rankCorrelation(predictions, labels), "tau");
  }

  /// Without ties equal to the reference's definition; with ties equal to its mean over an order
  /// of the programs and the reverse order.
  void pairwiseAgainstDefinition() {
    const std::uint64_t seed = QDateTime::currentMSecsSinceEpoch();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    for (int round = 0; round < 200; ++round) {
      const std::size_t count = random.below(40), values = round % 2 ? 5 : 1U << 30;
      Values predictions, labels;
      for (std::size_t i = 0; i < count; ++i) {
        predictions.push_back(static_cast<double>(random.below(values)));
        labels.push_back(static_cast<double>(random.below(values)));
      }
      const double accuracy = pairwiseAccuracy(predictions, labels);
      const double forward = pairwiseByDefinition(predictions, labels);
      const Values p(predictions.rbegin(), predictions.rend()), l(labels.rbegin(), labels.rend());
      QVERIFY(close(accuracy, (forward + pairwiseByDefinition(p, l)) / 2));
    }
  }

  void peaksAndRecall() {
    const Values predictions = {0.9, 0.8, 0.1, 0.7}, labels = {0.2, 0.5, 1.0, 0.4};
    QVERIFY(close(peakAt(1, predictions, labels), 0.2));
    QVERIFY(close(peakAt(2, predictions, labels), 0.5));
    QVERIFY(close(peakAt(4, predictions, labels), 1.0));
    QVERIFY(close(averagePeakAt(2, predictions, labels), 0.35));
    QVERIFY(close(averagePeakAt(4, predictions, labels), (0.2 + 0.5 + 0.5 + 1.0) / 4));
    QVERIFY(close(averagePeakAt(99, predictions, labels), (0.2 + 0.5 + 0.5 + 1.0) / 4));
    QVERIFY(close(recallAt(1, predictions, labels), 0));
    QVERIFY(close(recallAt(2, predictions, labels), 0.5)); // {0, 1} against {2, 1}
    QVERIFY(close(recallAt(3, predictions, labels), 2.0 / 3));
    QVERIFY(close(recallAt(9, predictions, labels), 1));
    QVERIFY(close(averagePeakAt(3, Values{1, 2}, Values{0, 0}), 1));
    // The scale of the labels does not matter.
    QVERIFY(close(peakAt(2, predictions, Values{2, 5, 10, 4}), 0.5));
  }

  void averageRecall() {
    QFile file(NESTWRIGHT_TEST_DATA "/search-oracle.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto oracle = nlohmann::json::parse(file.readAll().toStdString()).at("average_recall");
    const auto predictions = oracle.at("predictions").get<Values>();
    const std::vector<std::size_t> ranks = descendingRanks(oracle.at("labels").get<Values>());
    const auto curve = oracle.at("curve").get<Values>();
    double sum = 0;
    for (std::size_t k = 1; k <= curve.size(); ++k) {
      sum += curve[k - 1];
      QVERIFY(std::abs(averageRecallAt(k, predictions, ranks) - sum / static_cast<double>(k)) <
              1e-6);
    }
    QVERIFY(close(averageRecallAt(8, predictions, ranks), oracle.at("at_8").get<double>()));
    // Cut to the programs that there are, and none without any.
    QVERIFY(close(averageRecallAt(99, predictions, ranks),
                  averageRecallAt(predictions.size(), predictions, ranks)));
    QVERIFY(close(averageRecallAt(5, {}, {}), 0));
    // Of equal values the earlier is the better one.
    QCOMPARE(descendingRanks(Values{1, 3, 1, 3}), (std::vector<std::size_t>{2, 0, 3, 1}));
    const std::vector<std::size_t> order = {0, 1, 2, 3};
    QVERIFY(
        close(averageRecallAt(4, Values{5, 5, 5, 5}, order), (0 + 1.0 / 2 + 2.0 / 3 + 0.75) / 4));
  }
};

NW_TEST_APPLESS(ModelMetrics)

} // namespace nestwright::model_metrics_test

#include "model_metrics.moc"
