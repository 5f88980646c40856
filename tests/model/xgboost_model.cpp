#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "tests/model/held_out.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace nestwright::xgboost_model_test {

using nlohmann::json;

std::vector<double> labelsOf(const DataSet& set) {
  const std::vector<float> labels = normalisedThroughput(set);
  return {labels.begin(), labels.end()};
}

/// The first programs of a set, as after fewer rounds.
DataSet firstOf(const DataSet& set, std::size_t count) {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  return select(set, chosen);
}

template <class Action>
QString textOf(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class XgboostModel : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void learnsASumOverRows() {
    const DataSet set = test::synthetic({.programs = 2500, .seed = 3});
    const test::HeldOut split = test::somePrograms(set, 0.2, 1);
    const auto model = costModel();
    QVERIFY(!model->trained());
    const UpdateReport report = model->update(select(set, split.train));
    QCOMPARE(report.kind, UpdateReport::Kind::Full);
    QCOMPARE(report.programs, split.train.size());
    QVERIFY(model->trained());
    const DataSet test = select(set, split.test);
    const std::vector<double> labels = labelsOf(test);
    const Prediction prediction = model->predict(test.features);
    qInfo("unseen: R2 %.3f, pairwise %.3f, training rmse %.4f, %d trees",
          rSquared(prediction.scores, labels), pairwiseAccuracy(prediction.scores, labels),
          *report.trainingRmse, report.trees);
    QVERIFY(rSquared(prediction.scores, labels) > 0.7); // the mean has 0
    QVERIFY(pairwiseAccuracy(prediction.scores, labels) > 0.82);
    QVERIFY(averagePeakAt(32, prediction.scores, labels) > 0.9);
    QVERIFY(*report.trainingRmse < 0.1);
  }

  void rowScoresAddUp() {
    const DataSet set = test::synthetic({.programs = 300});
    const auto model = costModel();
    model->update(set);
    const Prediction prediction = model->predict(set.features);
    QCOMPARE(prediction.rowScores.size(), set.features.rows());
    for (std::size_t i = 0; i < set.size(); ++i) {
      double sum = 0;
      for (auto row = set.features.firstRow(i); row < set.features.firstRow(i + 1); ++row)
        sum += static_cast<double>(prediction.rowScores[row]);
      QVERIFY(std::abs(sum - prediction.scores[i]) < 1e-6);
    }
  }

  /// Programs of many rows, all alike, make plain pack-sum boosting overshoot and diverge.
  void manyRowsDoNotDiverge() {
    const DataSet set = test::synthetic({.programs = 300, .leastRows = 20, .mostRows = 40});
    const auto model = costModel();
    const UpdateReport report = model->update(set);
    QVERIFY2(*report.trainingRmse < 0.1, qPrintable(QString::number(*report.trainingRmse)));
  }

  void failedProgramsHaveNoWeight() {
    const DataSet sound = test::synthetic({.programs = 400});
    DataSet mixed(test::kColumns);
    for (std::size_t i = 0; i < sound.size(); ++i) {
      const auto rows = sound.features.program(i);
      mixed.add("task 0", sound.outcomes[i].program, "this machine", rows,
                sound.outcomes[i].seconds);
      Random random(i);
      mixed.add("task 0", fmt::format("failed {}", i), "this machine", test::randomRow(random),
                std::numeric_limits<double>::infinity());
      mixed.add("hopeless task", fmt::format("hopeless {}", i), "this machine",
                test::randomRow(random), std::numeric_limits<double>::infinity());
    }
    const auto a = costModel(), b = costModel();
    a->update(sound);
    b->update(mixed);
    QCOMPARE(b->predict(sound.features).scores, a->predict(sound.features).scores);
  }

  void blankProgramsAreUnknown() {
    const DataSet set = test::synthetic({.programs = 200});
    const auto model = costModel();
    model->update(set);
    FeatureTable batch(test::kColumns);
    batch.add(std::vector<float>(2 * test::kColumns, 0));
    batch.add(set.features.program(0));
    batch.add({});
    const Prediction prediction = model->predict(batch);
    QCOMPARE(prediction.scores[0], kUnknownProgram);
    QVERIFY(std::isfinite(prediction.scores[1]));
    QCOMPARE(prediction.scores[2], kUnknownProgram);
    QCOMPARE(model->explain(batch, 0).score, kUnknownProgram);
    QVERIFY(model->predict(FeatureTable(test::kColumns)).scores.empty());
  }

  void sameForEveryThreadCount() {
    // Many pairs of equal columns: the least difference of two sums would choose another one.
    DataSet set(test::kColumns);
    for (std::size_t i = 0; i < 3000; ++i) {
      Random random(i);
      std::vector<float> row = test::randomRow(random);
      // Over many decades: sums of such floats are not exact in double precision.
      const double throughput = std::pow(10, 4 * test::truth(row) * (0.9 + 0.1 * random.unit()));
      for (std::size_t c = 0; c + 1 < 60; c += 2)
        row[100 + c] = row[c + 1], row[101 + c] = -row[c + 1];
      set.add("t", fmt::format("{}", i), "m", row, 1e-3 / throughput);
    }
    std::vector<double> expected;
    for (const int threads : {1, 2, 3, 8, 8}) {
      const auto model = costModel("xgboost", {{"threads", threads}, {"warmup", 10}});
      model->update(firstOf(set, 2000));
      model->update(firstOf(set, 2064));
      model->update(set);
      const std::vector<double> scores = model->predict(set.features).scores;
      if (expected.empty()) expected = scores;
      QVERIFY2(scores == expected, qPrintable(QString::number(threads)));
    }
  }

  void savesAndLoads() {
    const DataSet all = test::synthetic({.programs = 700, .tasks = 3, .failures = 0.1});
    const auto model = costModel();
    model->update(firstOf(all, 500));
    const std::string bytes = model->save();
    const auto loaded = costModel();
    loaded->load(bytes);
    QVERIFY(loaded->trained());
    QCOMPARE(loaded->predict(all.features).scores, model->predict(all.features).scores);
    QCOMPARE(loaded->save(), bytes);
    // A resumed session goes on as an uninterrupted one (C25): increments and trainings alike.
    for (const std::size_t programs : {564, 590, 700}) {
      const UpdateReport a = model->update(firstOf(all, programs));
      const UpdateReport b = loaded->update(firstOf(all, programs));
      QCOMPARE(a.kind, b.kind);
      QCOMPARE(a.reason, b.reason);
      QCOMPARE(loaded->predict(all.features).scores, model->predict(all.features).scores);
    }
  }

  /// Another version's defaults do not change how a saved model is trained on (C43).
  void goesOnWithItsOwnOptions() {
    const DataSet set = test::synthetic({.programs = 600});
    const auto model = costModel("xgboost", {{"maxTrees", 7}, {"patience", 100}});
    QCOMPARE(model->update(firstOf(set, 300)).trees, 7);
    const auto loaded = costModel();
    loaded->load(model->save());
    const UpdateReport report = loaded->update(set);
    QCOMPARE(report.kind, UpdateReport::Kind::Full);
    QCOMPARE(report.trees, 7);
    // Without them it is no model of ours.
    const std::string bytes = model->save();
    const std::size_t end = bytes.find('\n');
    json header = json::parse(bytes.substr(0, end));
    header.erase("options");
    header.erase("hash");
    const std::string hash = hashHex(header.dump() + bytes.substr(end + 1));
    header["hash"] = hash;
    const auto other = costModel("xgboost", {{"maxTrees", 9}, {"patience", 100}});
    QVERIFY_THROWS_EXCEPTION(InputError, other->load(header.dump() + bytes.substr(end)));
    QCOMPARE(other->update(set).trees, 9);
  }

  void predictsFromSeveralThreads() {
    const DataSet set = test::synthetic({.programs = 600});
    const auto model = costModel();
    model->update(set);
    const std::vector<double> expected = model->predict(set.features).scores;
    const std::string bytes = model->save();
    for (int round = 0; round < 20; ++round) {
      const auto loaded = costModel();
      loaded->load(bytes);
      std::atomic<int> equal = 0;
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { equal += loaded->predict(set.features).scores == expected; });
      threads.clear();
      QCOMPARE(equal.load(), 4);
    }
  }

  void refusesForeignBytes() {
    const auto model = costModel();
    QVERIFY_THROWS_EXCEPTION(InputError, model->save());
    model->update(test::synthetic({.programs = 200}));
    const std::string bytes = model->save();
    const FeatureTable probe = test::synthetic({.programs = 20}).features;
    const std::vector<double> before = model->predict(probe).scores;
    std::string newer = bytes;
    newer.replace(newer.find("\"format\":1"), 10, "\"format\":9");
    const QString text = textOf([&] { model->load(newer); });
    QVERIFY2(text.contains("form 9") && text.contains("form 1") && text.contains("1.7"),
             qPrintable(text));
    QVERIFY_THROWS_EXCEPTION(InputError, model->load(""));
    QVERIFY_THROWS_EXCEPTION(InputError, model->load("{}\n"));
    QVERIFY_THROWS_EXCEPTION(InputError, model->load(bytes.substr(bytes.find('\n') + 1)));
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
      QVERIFY_THROWS_EXCEPTION(InputError, model->load(damaged));
      QVERIFY_THROWS_EXCEPTION(InputError, model->load(bytes.substr(0, at)));
    }
    QCOMPARE(model->predict(probe).scores, before);
  }

  /// A model that XGBoost itself cannot read names both versions (C42).
  void namesWhoWroteWhatItCannotRead() {
    const auto model = costModel();
    model->update(test::synthetic({.programs = 200}));
    const std::string bytes = model->save();
    const std::size_t end = bytes.find('\n');
    json header = json::parse(bytes.substr(0, end));
    header["xgboost"] = "9.8.7";
    const std::string body = "what XGBoost 9 writes";
    header.erase("hash");
    const std::string hash = hashHex(header.dump() + body);
    header["hash"] = hash;
    const QString text = textOf([&] { model->load(header.dump() + '\n' + body); });
    QVERIFY2(text.startsWith("XGBoost 1.7") && text.contains("which XGBoost 9.8.7 wrote"),
             qPrintable(text));
    QVERIFY(model->trained());
  }

  void explains() {
    const DataSet set = test::synthetic({.programs = 1500});
    const auto model = costModel();
    model->update(set);
    const std::size_t program = 11;
    const Explanation explanation = model->explain(set.features, program);
    QCOMPARE(explanation.score, model->predict(set.features).scores[program]);
    const std::vector<double> features = explanation.byFeature();
    QCOMPARE(features.size(), test::kColumns);
    double sum = std::accumulate(features.begin(), features.end(), 0.0);
    for (const float bias : explanation.bias)
      sum += static_cast<double>(bias);
    QVERIFY2(std::abs(sum - explanation.score) < 1e-4,
             qPrintable(QString("%1 %2").arg(sum).arg(explanation.score)));
    // Over some programs the three features that matter explain more than all others.
    double relevant = 0, others = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      const std::vector<double> values = model->explain(set.features, i).byFeature();
      for (std::size_t c = 0; c < values.size(); ++c)
        (c == 0 || c == 1 || c == 4 ? relevant : others) += std::abs(values[c]);
    }
    QVERIFY2(relevant > others, qPrintable(QString("%1 %2").arg(relevant).arg(others)));
  }

  void knowsWhatItLooksAt() {
    const DataSet set = test::synthetic({.programs = 1500});
    const auto model = costModel();
    QVERIFY_THROWS_EXCEPTION(InputError, model->importance());
    model->update(set);
    const std::vector<double> shares = model->importance();
    QCOMPARE(shares.size(), test::kColumns);
    QVERIFY(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
    // The three features that make the synthetic throughput.
    QVERIFY2(shares[0] + shares[1] + shares[4] > 0.5,
             qPrintable(QString("%1 %2 %3").arg(shares[0]).arg(shares[1]).arg(shares[4])));
    // A loaded model has looked at the same.
    const auto loaded = costModel();
    loaded->load(model->save());
    QCOMPARE(loaded->importance(), shares);
  }

  void waitsForEnoughPrograms() {
    const DataSet set = test::synthetic({.programs = 200});
    const auto model = costModel();
    const UpdateReport early = model->update(firstOf(set, 100));
    QCOMPARE(early.kind, UpdateReport::Kind::Skipped);
    QVERIFY(!model->trained());
    QVERIFY_THROWS_EXCEPTION(InputError, model->predict(set.features));
    QCOMPARE(model->update(firstOf(set, 101)).kind, UpdateReport::Kind::Full);
  }

  void trainsAgainWhenMuchChanged() {
    const DataSet set = test::synthetic({.programs = 2000});
    const auto model = costModel();
    model->update(firstOf(set, 1000));
    const UpdateReport little = model->update(firstOf(set, 1064));
    QCOMPARE(little.kind, UpdateReport::Kind::Incremental);
    QVERIFY(little.treesAdded <= 10);
    QCOMPARE(model->update(firstOf(set, 1200)).kind, UpdateReport::Kind::Full);
    DataSet faster = firstOf(set, 1210);
    faster.add("task 0", "a leap", "this machine", set.features.program(0),
               bestSeconds(faster)[0] / 2);
    QCOMPARE(model->update(faster).kind, UpdateReport::Kind::Full);
    faster.add("task 9", "new", "this machine", set.features.program(0), 1);
    QCOMPARE(model->update(faster).kind, UpdateReport::Kind::Full);
  }

  void refusesBadData() {
    const auto model = costModel();
    DataSet set = test::synthetic({.programs = 200});
    std::swap(set.outcomes[0], set.outcomes[1]);
    QVERIFY_THROWS_EXCEPTION(InputError, model->update(set));
    model->update(test::synthetic({.programs = 200}));
    QVERIFY_THROWS_EXCEPTION(InputError, model->predict(FeatureTable(10)));
  }

  void refusesBadOptions() {
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", {{"depth", 3}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", {{"maxDepth", 99}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", {{"maxDepth", "3"}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", {{"warmup", -3}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", json::array()));
    QVERIFY(textOf([] { costModel("xgboost", {{"depth", 3}}); }).contains("maxDepth"));
    const QString missing = textOf([] { costModel("nonesuch"); });
    QVERIFY2(missing.contains("nestwright_nonesuch.so was looked for in"), qPrintable(missing));
  }

  /// The work of an update is bounded: more programs than there is room for are thinned (C13).
  void boundedWork() {
    const DataSet set = test::synthetic({.programs = 5600, .leastRows = 3, .mostRows = 6});
    for (const int maxRows : {4096, 16384, 1 << 20}) {
      const auto model = costModel("xgboost", {{"maxRows", maxRows}});
      const auto start = std::chrono::steady_clock::now();
      const UpdateReport report = model->update(set);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      qInfo("%zu of %zu rows, %d trees: %.2f s", report.rows, set.features.rows(),
            report.treesAdded, time.count());
      QVERIFY(report.rows <= static_cast<std::size_t>(maxRows));
      QVERIFY(report.treesAdded <= 300);
    }
  }

  /// Ahead of a search all programs teach, failed ones too where errors weigh the same
  /// (handbook/cost-models.md 2.4); who watches can end it, and then nothing was learned.
  void learnsFromAllAheadOfASearch() {
    const DataSet set = test::synthetic({.programs = 3000, .failures = 0.3, .seed = 4});
    const test::HeldOut split = test::somePrograms(set, 0.2, 1);
    const json bound = {{"maxTrees", 60}, {"maxRows", 100}, {"weights", "none"}};
    const auto model = costModel("xgboost", bound);
    int told = 0;
    const UpdateReport stopped =
        model->learn(set, split.train, [&](const LearningProgress&) { return ++told < 3; });
    QCOMPARE(stopped.kind, UpdateReport::Kind::Skipped);
    QCOMPARE(told, 3);
    QVERIFY(!model->trained());
    const UpdateReport report = model->learn(set, split.train, {});
    QCOMPARE(report.programs, split.train.size());
    // Other threads on the way change nothing.
    const auto other = costModel("xgboost", bound);
    other->learn(set, split.train,
                 [](const LearningProgress& progress) { return 1 + progress.done % 3; });
    QVERIFY(other->save() == model->save());
    const auto meanOfFailed = [&](const CostModel& of) {
      double sum = 0;
      int count = 0;
      const std::vector<double> scores = of.predict(set.features).scores;
      for (const std::size_t i : split.train)
        if (set.outcomes[i].failed()) sum += scores[i], ++count;
      return sum / count;
    };
    const auto byLabel = costModel("xgboost", {{"maxTrees", 60}});
    byLabel->learn(set, split.train, {});
    qInfo("failed programs score %.3f, and %.3f where labels weigh", meanOfFailed(*model),
          meanOfFailed(*byLabel));
    QVERIFY(meanOfFailed(*model) < meanOfFailed(*byLabel) - 0.02);
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("xgboost", {{"weights", "squares"}}));
  }

  /// At a hundred thousand records a round learns from as much as at a few thousand (C13);
  /// bench model --rounds says what share of a round that takes.
  void aHundredThousandRecordsAreThinned() {
    const DataSet set =
        test::synthetic({.programs = 100'064, .leastRows = 1, .mostRows = 1, .tasks = 20});
    const auto model = costModel("xgboost", {{"maxTrees", 12}, {"maxRows", 8192}});
    const UpdateReport first = model->update(firstOf(set, 100'000));
    QCOMPARE(first.kind, UpdateReport::Kind::Full);
    const UpdateReport round = model->update(set);
    QCOMPARE(round.kind, UpdateReport::Kind::Incremental);
    QVERIFY(round.treesAdded <= 10);
    for (const UpdateReport& report : {first, round})
      QVERIFY2(report.rows <= 8192 && report.rows > 4096, qPrintable(QString::number(report.rows)));
  }
};

NW_TEST_APPLESS(XgboostModel)

} // namespace nestwright::xgboost_model_test

#include "xgboost_model.moc"
