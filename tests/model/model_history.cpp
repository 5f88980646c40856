/// \file What AutoTVM's model takes from other tasks' records.

#include "core/model/history_weight.h"
#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "tests/model/template_space.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>

namespace nestwright::model_history_test {

using nlohmann::json;
using namespace test;

class ModelHistory : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  /// The order in which programs came changes the order of the predictions and nothing else: every
  /// starting score stays with its own row.
  void startingScoresStayWithTheirRows() {
    const DataSet history = space({.programs = 600, .seed = 7, .task = "other"});
    const DataSet set = space({.programs = 90});
    std::vector<std::size_t> order = firstOf(set.size());
    Random random(3);
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random.below(left)]);
    // So many rounds in any case: ties make the stop depend on the order.
    const json options = {{"rounds", 25}, {"patience", 25}};
    const auto plain = costModel("autotvm", options), permuted = costModel("autotvm", options);
    plain->learnHistory(history);
    permuted->learnHistory(history);
    plain->update(set);
    permuted->update(select(set, order));
    QCOMPARE(permuted->predict(set.features).scores, plain->predict(set.features).scores);
  }

  /// Predictions are those of the new trees and the history's times its weight.
  void historyCountsLessAndLess() {
    const DataSet history = space({.programs = 600, .seed = 7, .task = "other"});
    const FeatureTable probe = space({.programs = 50, .seed = 9}).features;
    const auto model = costModel("autotvm");
    QCOMPARE(model->learnHistory(history).programs, std::size_t{600});
    QVERIFY(model->trained());
    const std::vector<double> first = model->predict(probe).scores;
    QVERIFY(pairwiseAccuracy(first, labelsOf(space({.programs = 50, .seed = 9}))) > 0.8);
    // A single program gives no pair, so that its tree adds nothing.
    const DataSet one = space({.programs = 1});
    model->update(one);
    std::vector<double> scores = model->predict(probe).scores;
    for (std::size_t i = 0; i < scores.size(); ++i)
      QVERIFY(std::abs(scores[i] - historyWeight(1) * first[i]) < 1e-6);
    // From 277 programs on it is as if there had been no history.
    const auto without = costModel("autotvm");
    for (const std::size_t programs : {276, 277}) {
      const DataSet set = space({.programs = programs});
      model->update(set);
      without->update(set);
      QCOMPARE(model->predict(probe).scores == without->predict(probe).scores, programs == 277);
    }
  }

  /// Before there are records of the task itself, a history makes the first ones better.
  void historyHelpsTheFirstPlans() {
    const DataSet history = space({.programs = 600, .seed = 7, .task = "other"});
    const DataSet few = space({.programs = 16}), rest = space({.programs = 400, .seed = 5});
    const std::vector<double> labels = labelsOf(rest);
    const auto with = costModel("autotvm"), without = costModel("autotvm");
    with->learnHistory(history);
    with->update(few);
    without->update(few);
    const double gained = pairwiseAccuracy(with->predict(rest.features).scores, labels) -
                          pairwiseAccuracy(without->predict(rest.features).scores, labels);
    QVERIFY2(gained > 0.05, qPrintable(QString::number(gained)));
  }

  void aShortHistoryIsRefused() {
    const auto model = costModel("autotvm");
    const QString text = textOf([&] { model->learnHistory(space({.programs = 499})); });
    QVERIFY2(text.contains("499") && text.contains("500"), qPrintable(text));
    QVERIFY(!model->trained());
    for (const char* name : {"forest", "xgboost"})
      QVERIFY_THROWS_EXCEPTION(UsageError, costModel(name)->learnHistory(space({.programs = 600})));
  }

  void theWeightIsThePublishedOne() {
    const json published = oracle().at("transfer_discount");
    QVERIFY(!published.empty());
    for (const json& pair : published)
      QVERIFY(std::abs(historyWeight(pair[0].get<std::size_t>()) - pair[1].get<double>()) < 1e-12);
    QVERIFY(historyWeight(276) >= kLeastHistoryWeight);
    QVERIFY(historyWeight(277) < kLeastHistoryWeight);
  }

 private:
  static json oracle() {
    QFile file(NESTWRIGHT_TEST_DATA "/search-oracle.json");
    return file.open(QIODevice::ReadOnly) ? json::parse(file.readAll().toStdString()) : json();
  }
};

NW_TEST_APPLESS(ModelHistory)

} // namespace nestwright::model_history_test

#include "model_history.moc"
