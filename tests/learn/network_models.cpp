/// What a cost model must do, of the neural ones, as sessions get them.

#include "core/learn/trained_network.h"
#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "tests/learn/example_programs.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <numeric>

namespace nestwright::network_models_test {

DataSet firstOf(const DataSet& set, std::size_t count) {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  return select(set, chosen);
}

class NetworkModels : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void areKnownWithoutTheLearner() {
    for (const char* name : {"mlp", "lstm", "tlp", "mtl-tlp"}) {
      QVERIFY(!costModelKind(name).purpose.empty());
      QVERIFY(!costModel(name)->trained());
      QVERIFY_THROWS_EXCEPTION(InputError, costModel(name)->predict(FeatureTable(4)));
      QVERIFY_THROWS_EXCEPTION(InputError, costModel(name)->save());
      QVERIFY_THROWS_EXCEPTION(UsageError, costModel(name, {{"unheard", 1}}));
      QVERIFY_THROWS_EXCEPTION(UsageError, costModel(name, {{"loss", "best"}}));
    }
    QVERIFY(costModelKind("tlp").ofSteps && !costModelKind("mlp").ofSteps);
  }

  void warmsUpThenLearns_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"mlp", "lstm", "tlp", "mtl-tlp"})
      QTest::newRow(name) << name;
  }
  void warmsUpThenLearns() {
    NW_NEED_LEARNER();
    QFETCH(QString, name);
    const DataSet set = test::examplePrograms({.programs = 260, .tasks = 1, .mostRows = 6});
    const auto model = costModel(name.toStdString());
    QCOMPARE(model->update(firstOf(set, 50)).kind, UpdateReport::Kind::Skipped);
    QVERIFY(!model->trained());
    const UpdateReport first = model->update(firstOf(set, 200));
    QCOMPARE(first.kind, UpdateReport::Kind::Full);
    QCOMPARE(first.programs, std::size_t{200});
    const UpdateReport second = model->update(set);
    QCOMPARE(second.kind, UpdateReport::Kind::Incremental);
    const std::vector<float> labels = normalisedThroughput(set);
    const std::vector<double> scores = model->predict(set.features).scores;
    const double accuracy =
        pairwiseAccuracy(scores, std::vector<double>(labels.begin(), labels.end()));
    qInfo("pairwise accuracy %.3f", accuracy);
    QVERIFY(accuracy > 0.7);

    // A loaded one predicts and goes on as the saved one.
    const auto again = costModel(name.toStdString(), {{"threads", 2}});
    again->load(model->save());
    QVERIFY(again->predict(set.features).scores == scores);
    model->update(set);
    again->update(set);
    QVERIFY(again->save() == model->save() ||
            again->predict(set.features).scores == model->predict(set.features).scores);
  }

  /// The first head predicts, and goes on learning on another machine than its own.
  void severalHeadsGoOnElsewhere() {
    NW_NEED_LEARNER();
    DataSet set = test::examplePrograms({.programs = 200, .tasks = 1, .mostRows = 6});
    const auto model = costModel("mtl-tlp");
    model->update(set);
    const std::vector<double> before = model->predict(set.features).scores;
    set.machines.front() = "elsewhere";
    QCOMPARE(model->update(set).kind, UpdateReport::Kind::Incremental);
    QVERIFY(model->predict(set.features).scores != before);
  }

  void explainsByGradients() {
    NW_NEED_LEARNER();
    const DataSet set = test::examplePrograms({.programs = 150, .tasks = 1});
    for (const char* name : {"mlp", "tlp"}) {
      const auto model = costModel(name);
      model->update(set);
      FeatureTable batch(set.features.columns());
      batch.add(set.features.program(3));
      batch.add(std::vector<float>(2 * set.features.columns(), 0));
      const Explanation explanation = model->explain(batch, 0);
      const std::size_t rows = batch.rowCount(0), columns = batch.columns();
      QCOMPARE(explanation.contributions.size(), rows * columns);
      QCOMPARE(explanation.score, model->predict(batch).scores[0]);
      double sum = std::accumulate(explanation.bias.begin(), explanation.bias.end(), 0.0);
      for (std::size_t i = 0; i < rows * columns; ++i) {
        sum += static_cast<double>(explanation.contributions[i]);
        if (batch.values()[i] == 0) QCOMPARE(explanation.contributions[i], 0.0F);
      }
      QVERIFY(std::abs(sum - explanation.score) < 1e-3 * (1 + std::abs(explanation.score)));
      // What a feature adds is what changes when there is a little less of it.
      const auto largest = static_cast<std::size_t>(
          std::ranges::max_element(explanation.contributions, {},
                                   [](float value) { return std::abs(value); }) -
          explanation.contributions.begin());
      std::vector<float> less(batch.program(0).begin(), batch.program(0).end());
      constexpr double kShare = 1e-3;
      less[largest] *= static_cast<float>(1 - kShare);
      FeatureTable changed(columns);
      changed.add(less);
      const double slope = (explanation.score - model->predict(changed).scores[0]) / kShare;
      const auto told = static_cast<double>(explanation.contributions[largest]);
      QVERIFY2(std::abs(slope - told) < 0.05 * std::abs(told) + 1e-3,
               qPrintable(QString("%1: %2, told %3").arg(name).arg(slope).arg(told)));
      QCOMPARE(model->explain(batch, 1).score, kUnknownProgram);
      QCOMPARE(model->predict(batch).scores[1], kUnknownProgram);
    }
  }

  void modelsOfStepsTellTheirAttention() {
    NW_NEED_LEARNER();
    const DataSet set = test::examplePrograms({.programs = 150, .tasks = 1});
    FeatureTable batch(set.features.columns());
    batch.add(set.features.program(3));
    batch.add(std::vector<float>(2 * set.features.columns(), 0));
    for (const char* name : {"mlp", "tlp", "mtl-tlp"}) {
      const auto model = costModel(name);
      QVERIFY_THROWS_EXCEPTION(InputError, model->attention(batch, 0));
      model->update(set);
      const std::optional<Attention> attention = model->attention(batch, 0);
      QCOMPARE(attention.has_value(), costModelKind(name).ofSteps);
      if (attention) QCOMPARE(attention->rows, batch.rowCount(0));
      QVERIFY(!model->attention(batch, 1)); // a program without features
    }
  }

  void faultyDataAndRowsAreRefused() {
    NW_NEED_LEARNER();
    DataSet set = test::examplePrograms({.programs = 150});
    const auto model = costModel("mlp");
    model->update(set);
    QVERIFY_THROWS_EXCEPTION(InputError, model->predict(FeatureTable(3)));
    std::swap(set.entries[0], set.entries[1]);
    QVERIFY_THROWS_EXCEPTION(InputError, model->update(set));
    QVERIFY(model->trained());
    QVERIFY_THROWS_EXCEPTION(InputError, model->load("no model"));
    QVERIFY(model->trained());
  }
};

NW_TEST_GUILESS(NetworkModels)

} // namespace nestwright::network_models_test

#include "network_models.moc"
