#include "core/learn/losses.h"

#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/learn/oracle.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::losses_test {

class Losses : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void asThePublicCode_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("loss");
    QTest::newRow("mse") << "mse_of_sigmoid" << static_cast<int>(Loss::Mse);
    QTest::newRow("lambdarank") << "lambdarank" << static_cast<int>(Loss::LambdaRank);
    QTest::newRow("ranknet") << "ranknet" << static_cast<int>(Loss::RankNet);
    QTest::newRow("listnet") << "listnet" << static_cast<int>(Loss::ListNet);
  }
  void asThePublicCode() {
    QFETCH(QString, key);
    QFETCH(int, loss);
    const nlohmann::json oracle = test::learningOracle().at("losses");
    const auto outputs = oracle.at("predictions").get<std::vector<float>>();
    const auto labels = oracle.at("labels").get<std::vector<float>>();
    const nlohmann::json& expected = oracle.at(key.toStdString());
    const LossValue value = lossOf(static_cast<Loss>(loss), outputs, labels, true);
    const auto wanted = expected.at("value").get<double>();
    QVERIFY2(std::abs(value.value - wanted) < 1e-4 * wanted,
             qPrintable(QString::number(value.value)));
    QCOMPARE(test::difference(value.gradient, expected.at("gradient")), std::string());
  }

  /// Of random batches, with equal labels and outputs far apart, in every direction.
  void gradientsAreSlopes() {
    constexpr double kStep = 1e-3;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      std::vector<float> outputs, labels;
      for (int i = 0; i < 12; ++i) {
        outputs.push_back(static_cast<float>(8 * random.unit() - 4));
        labels.push_back(static_cast<float>(random.below(4)) / 4);
      }
      for (const Loss loss : {Loss::Mse, Loss::RankNet, Loss::ListNet, Loss::Pairwise}) {
        const LossValue value = lossOf(loss, outputs, labels, seed % 2 == 0);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          std::vector<float> less = outputs, more = outputs;
          less[i] -= static_cast<float>(kStep);
          more[i] += static_cast<float>(kStep);
          const double width = static_cast<double>(more[i]) - static_cast<double>(less[i]);
          const double slope = (lossOf(loss, more, labels, seed % 2 == 0).value -
                                lossOf(loss, less, labels, seed % 2 == 0).value) /
                               width;
          QVERIFY2(std::abs(slope - static_cast<double>(value.gradient[i])) < 1e-5,
                   qPrintable(QString("%1 %2").arg(name(loss)).arg(slope)));
        }
      }
    }
  }

  /// Only the order of different labels counts, and each such pair as much as another.
  void pairsOfDifferentLabels() {
    const std::vector<float> outputs = {1, 3, 0}, labels = {1, 0.5F, 0.5F};
    const LossValue value = lossOf(Loss::Pairwise, outputs, labels, false);
    const double expected = (std::log(1 + std::exp(2)) + std::log(1 + std::exp(-1))) / 2;
    QVERIFY2(std::abs(value.value - expected) < 1e-9, qPrintable(QString::number(value.value)));
    QCOMPARE(lossOf(Loss::Pairwise, outputs, std::vector<float>(3, 1), false).value, 0.0);
  }

  void edges() {
    QCOMPARE(lossOf(Loss::LambdaRank, {}, {}, false).value, 0.0);
    const std::vector<float> one = {3}, label = {0.5F};
    for (const Loss loss : {Loss::LambdaRank, Loss::RankNet, Loss::ListNet, Loss::Pairwise})
      QVERIFY(std::abs(lossOf(loss, one, label, false).value) < 1e-9);
    // Outputs that no probability can tell apart: flat, and still numbers.
    const std::vector<float> far = {-200, 200}, labels = {1, 0};
    for (const Loss loss :
         {Loss::Mse, Loss::LambdaRank, Loss::RankNet, Loss::ListNet, Loss::Pairwise}) {
      const LossValue value = lossOf(loss, far, labels, true);
      QVERIFY(std::isfinite(value.value));
      QVERIFY(std::isfinite(value.gradient[0]) && std::isfinite(value.gradient[1]));
    }
    QVERIFY_THROWS_EXCEPTION(UsageError, lossFromName("best"));
  }
};

NW_TEST_APPLESS(Losses)

} // namespace nestwright::losses_test

#include "losses.moc"
