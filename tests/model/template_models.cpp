/// \file The models of a template's configurations: AutoTVM's, which orders them, and AdaTune's
/// forest, which says how sure it is.

#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "tests/model/template_space.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <numeric>

namespace nestwright::template_models_test {

using nlohmann::json;

using namespace test;

class TemplateModels : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void areFoundByName() {
    for (const char* name : {"autotvm", "forest", "xgboost"})
      QCOMPARE(costModel(name)->name(), name);
    const std::vector<std::string> names = costModelNames();
    QCOMPARE(std::vector<std::string>(names.begin(), names.begin() + 3),
             (std::vector<std::string>{"xgboost", "autotvm", "forest"}));
    QVERIFY(textOf([] { costModel("nonesuch"); }).contains("nestwright_nonesuch.so"));
  }

  /// What was not seen is ordered well by both losses, and by the forest.
  void orderAMadeUpSpace() {
    const DataSet all = space({.programs = 900});
    const DataSet seen = select(all, firstOf(300));
    const std::vector<double> labels = labelsOf(all);
    for (const auto& [name, options] :
         {std::pair("autotvm", json{{"loss", "rank"}}), std::pair("autotvm", json{{"loss", "reg"}}),
          std::pair("forest", json())}) {
      const auto model = costModel(name, options);
      QVERIFY(!model->trained());
      QVERIFY_THROWS_EXCEPTION(InputError, model->predict(all.features));
      const UpdateReport report = model->update(seen);
      QVERIFY(model->trained());
      QCOMPARE(report.kind, UpdateReport::Kind::Full);
      QCOMPARE(report.programs, std::size_t{300});
      // Of scores that only order programs an error in their scale says nothing.
      QCOMPARE(report.trainingRmse.has_value(), !options.is_object() || options["loss"] == "reg");
      const std::vector<double> scores = model->predict(all.features).scores;
      const double accuracy =
          pairwiseAccuracy(std::span(scores).subspan(300), std::span(labels).subspan(300));
      const double peak =
          peakAt(16, std::span(scores).subspan(300), std::span(labels).subspan(300));
      qInfo("%s %s: %d trees, pairwise %.3f, peak at 16 %.3f", name, options.dump().c_str(),
            report.trees, accuracy, peak);
      QVERIFY(accuracy > 0.85);
      QVERIFY(peak > 0.85);
    }
  }

  /// Nothing is rounded, and nothing wraps around.
  void optionsAreWhatTheySay() {
    for (const char* name : {"autotvm", "forest", "xgboost"}) {
      for (const char* option : {"maxBins", "warmup", "threads", "seed"})
        for (const char* value :
             {"1.5", "2.0", "true", "-1", "99999999999999999999", "\"2\"", "null"}) {
          const QString said = textOf([&] { costModel(name, {{option, json::parse(value)}}); });
          QVERIFY2(said.contains("cannot be set to"), qPrintable(said + name + option + value));
        }
      const QString large = textOf([&] { costModel(name, {{"maxBins", 4294967552}}); }); // 256
      QVERIFY2(large.contains("`maxBins` cannot be set to 4294967552"), qPrintable(large));
      const QString bins = textOf([&] { costModel(name, {{"maxBins", 1}}); });
      QVERIFY2(bins.contains("`maxBins` must be 2 to 1024"), qPrintable(bins));
    }
    (void)costModel("autotvm", {{"eta", 1}, {"gamma", 0}}); // whole numbers are numbers
    for (const char* name : {"autotvm", "xgboost"}) {
      QVERIFY(textOf([&] { costModel(name, {{"maxDepth", 17}}); }).contains("must be 1 to 16"));
      QVERIFY(textOf([&] { costModel(name, {{"eta", 0}}); }).contains("must be above 0"));
    }
    QVERIFY(textOf([] { costModel("autotvm", {{"lambda", -1}}); }).contains("`lambda` must not"));
  }

  void failuresAreTheWorst() {
    DataSet set = space({.programs = 200});
    std::vector<float> row = configuration(1, 0);
    for (std::size_t i = 0; i < 60; ++i) { // all that have 9 there fail
      row[7] = 9;
      row[6] = static_cast<float>(i) / 60;
      set.add("dense", fmt::format("failed {}", i), "this machine", row, kFailed);
    }
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      model->update(set);
      const std::vector<double> scores = model->predict(set.features).scores;
      const auto worstThatRan = std::min_element(scores.begin(), scores.begin() + 200);
      for (std::size_t i = 200; i < scores.size(); ++i)
        QVERIFY2(scores[i] <= *worstThatRan + 0.02, name);
    }
  }

  void blankProgramsAreUnknown() {
    DataSet set = space({.programs = 120});
    set.add("dense", "no program", "this machine", std::vector<float>(kTemplateColumns, 0),
            kFailed);
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      QCOMPARE(model->update(set).programs, std::size_t{120});
      const Prediction prediction = model->predict(set.features);
      QCOMPARE(prediction.scores.back(), kUnknownProgram);
      QVERIFY(std::isfinite(prediction.scores.front()));
      QCOMPARE(model->explain(set.features, 120).score, kUnknownProgram);
      QVERIFY(model->predict(FeatureTable(kTemplateColumns)).scores.empty());
    }
  }

  /// Where no program ran there is nothing to learn from.
  void waitsForAProgramThatRuns() {
    DataSet set(kTemplateColumns);
    for (std::size_t i = 0; i < 40; ++i)
      set.add("dense", fmt::format("{}", i), "this machine", configuration(1, i), kFailed);
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      QCOMPARE(model->update(set).kind, UpdateReport::Kind::Skipped);
      QVERIFY(!model->trained());
      const auto patient = costModel(name, {{"warmup", 50}});
      QCOMPARE(patient->update(space({.programs = 50})).kind, UpdateReport::Kind::Skipped);
      QCOMPARE(patient->update(space({.programs = 51})).kind, UpdateReport::Kind::Full);
    }
  }

  /// Shorter rows are filled up with zeros; of longer ones the rest is not looked at.
  void readsRowsOfOtherLengths() {
    constexpr std::size_t kShort = 8;
    DataSet set(kTemplateColumns);
    for (std::size_t i = 0; i < 150; ++i) { // every other row ends early
      std::vector<float> row = configuration(1, i);
      if (i % 2 == 0) row[20] = 1;
      set.add("dense", fmt::format("{}", i), "this machine", row,
              1e-3 / throughput(row) * (i % 2 == 0 ? 1 : 9));
    }
    FeatureTable wider(kTemplateColumns + 5), narrower(kShort);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto row = set.features.program(i);
      std::vector<float> wide(row.begin(), row.end());
      narrower.add(std::span(wide).first(kShort));
      wide.resize(kTemplateColumns + 5, 3);
      wider.add(wide);
    }
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      model->update(set);
      const std::vector<double> scores = model->predict(set.features).scores;
      const std::vector<double> ofShort = model->predict(narrower).scores;
      QCOMPARE(model->predict(wider).scores, scores);
      for (std::size_t i = 1; i < set.size(); i += 2)
        QCOMPARE(ofShort[i], scores[i]);
      QVERIFY(ofShort[0] < scores[0]);
      QCOMPARE(model->explain(wider, 3).score, scores[3]);
      const Explanation explanation = model->explain(narrower, 3);
      QCOMPARE(explanation.score, scores[3]);
      QCOMPARE(explanation.contributions.size(), kShort);
      QVERIFY(std::abs(std::accumulate(explanation.contributions.begin(),
                                       explanation.contributions.end(), 0.0) +
                       static_cast<double>(explanation.bias.at(0)) - scores[3]) < 1e-4);
    }
  }

  void programsOfSeveralRowsAreRefused() {
    DataSet set = space({.programs = 20});
    std::vector<float> rows(2 * kTemplateColumns, 1);
    set.add("dense", "of sketches", "this machine", rows, 1e-3);
    for (const char* name : {"autotvm", "forest"})
      QVERIFY(textOf([&] { costModel(name)->update(set); }).contains("one row of features"));
  }

  /// Trees that agree are sure; where they were not shown anything alike they are not.
  void theForestSaysHowSureItIs() {
    DataSet alike(kTemplateColumns);
    for (std::size_t i = 0; i < 60; ++i)
      alike.add("dense", fmt::format("{}", i), "this machine", configuration(1, i), 1e-3);
    const auto sure = costModel("forest");
    sure->update(alike);
    const Prediction certain = sure->predict(alike.features);
    for (std::size_t i = 0; i < alike.size(); ++i) {
      QCOMPARE(certain.scores[i], 1.0);
      QCOMPARE(certain.uncertainty[i], 0.0);
    }
    const DataSet set = space({.programs = 300});
    const auto model = costModel("forest");
    model->update(set);
    const DataSet unseen = space({.programs = 300, .seed = 2});
    const Prediction known = model->predict(set.features), other = model->predict(unseen.features);
    const std::vector<double> labels = labelsOf(set);
    QVERIFY2(rSquared(known.scores, labels) > 0.9,
             qPrintable(QString::number(rSquared(known.scores, labels))));
    const auto mean = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(values.size());
    };
    QVERIFY(mean(known.uncertainty) > 0);
    QVERIFY(mean(other.uncertainty) > mean(known.uncertainty));
    // Its own errors are of the size that it says.
    const double error = rmse(other.scores, labelsOf(unseen));
    QVERIFY2(mean(other.uncertainty) > error / 3 && mean(other.uncertainty) < error * 3,
             qPrintable(QString("%1 %2").arg(mean(other.uncertainty)).arg(error)));
  }

  /// A forest of three trees has the two of a smaller one and a third, which knows nothing of them:
  /// it predicts labels, not what the others left over.
  void treesAreIndependent() {
    const DataSet set = space({.programs = 200});
    const std::vector<double> labels = labelsOf(set);
    const auto two = costModel("forest", {{"trees", 2}}),
               three = costModel("forest", {{"trees", 3}});
    two->update(set);
    three->update(set);
    const Prediction few = two->predict(set.features), more = three->predict(set.features);
    std::vector<double> third;
    for (std::size_t i = 0; i < set.size(); ++i) {
      third.push_back(3 * more.scores[i] - 2 * few.scores[i]);
      const double squares =
          2 * (few.scores[i] * few.scores[i] + few.uncertainty[i] * few.uncertainty[i]) +
          third[i] * third[i];
      const double variance = squares / 3 - more.scores[i] * more.scores[i];
      QVERIFY(std::abs(variance - more.uncertainty[i] * more.uncertainty[i]) < 1e-6);
    }
    QVERIFY2(rSquared(third, labels) > 0.2, qPrintable(QString::number(rSquared(third, labels))));
  }

  void sameForEveryThreadCount() {
    // Many columns that split alike: the least difference of two sums would choose another one.
    // Over many decades: sums of such floats are not exact in double precision.
    const DataSet plain = space({.programs = 1600, .failures = 0.1});
    DataSet set(kTemplateColumns);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const auto features = plain.features.program(i);
      std::vector<float> row(features.begin(), features.end());
      for (std::size_t c = 0; c < 7; ++c)
        row[8 + 2 * c] = row[c], row[9 + 2 * c] = -row[c];
      set.add("dense", plain.outcomes[i].program, "this machine", row,
              plain.outcomes[i].failed() ? kFailed : std::pow(10, -3 * throughput(row)));
    }
    for (const json& options : {json{{"loss", "rank"}, {"rounds", 4}},
                                json{{"loss", "reg"}, {"rounds", 4}}, json{{"trees", 2}}}) {
      const bool isForest = options.contains("trees");
      Prediction expected;
      for (const int threads : {1, 2, 3}) {
        json own = options;
        own["threads"] = threads;
        const auto model = costModel(isForest ? "forest" : "autotvm", own);
        model->update(set);
        const Prediction prediction = model->predict(set.features);
        if (threads == 1) expected = prediction;
        QVERIFY2(prediction.scores == expected.scores, qPrintable(QString::number(threads)));
        QCOMPARE(prediction.uncertainty, expected.uncertainty);
      }
    }
  }

  void saveAndLoad() {
    const DataSet all = space({.programs = 260, .failures = 0.05});
    const DataSet history = space({.programs = 600, .seed = 7, .task = "other"});
    for (const char* name : {"autotvm", "forest"}) {
      const bool hasHistory = std::string_view(name) == "autotvm";
      const auto model = costModel(name);
      QVERIFY_THROWS_EXCEPTION(InputError, model->save());
      if (hasHistory) {
        model->learnHistory(history);
        const auto fresh = costModel(name);
        fresh->load(model->save());
        QCOMPARE(fresh->predict(all.features).scores, model->predict(all.features).scores);
      }
      model->update(select(all, firstOf(128)));
      const std::string bytes = model->save();
      const auto loaded = costModel(name);
      loaded->load(bytes);
      QCOMPARE(loaded->save(), bytes);
      QCOMPARE(loaded->importance(), model->importance());
      for (const std::size_t programs : {128, 192, 260}) {
        if (programs > 128) {
          const DataSet set = select(all, firstOf(programs));
          QCOMPARE(loaded->update(set).reason, model->update(set).reason);
        }
        QCOMPARE(loaded->predict(all.features).scores, model->predict(all.features).scores);
        QCOMPARE(loaded->predict(all.features).uncertainty,
                 model->predict(all.features).uncertainty);
      }
    }
  }

  void damagedBytesAreRefused() {
    const DataSet set = space({.programs = 100});
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      if (std::string_view(name) == "autotvm")
        model->learnHistory(space({.programs = 600, .seed = 7, .task = "other"}));
      model->update(set);
      const std::vector<double> before = model->predict(set.features).scores;
      const std::string bytes = model->save();
      for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 200) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
        QVERIFY_THROWS_EXCEPTION(InputError, model->load(damaged));
        QVERIFY_THROWS_EXCEPTION(InputError, model->load(bytes.substr(0, at)));
      }
      const auto other = costModel("xgboost");
      QVERIFY_THROWS_EXCEPTION(InputError, other->load(bytes));
      // With a right hash, too.
      const std::size_t end = bytes.find('\n');
      const json header = json::parse(bytes.substr(0, end));
      const std::string trees = bytes.substr(end + 1);
      for (const auto& [field, value] : header.items()) {
        if (field == "hash" || field == "xgboost") continue; // who wrote it is for sentences alone
        for (const json& wrong : {json(), json("many"), json(1ll << 60), json::array({1})}) {
          if (field == "learned" && wrong == json(1ll << 60)) continue; // nobody can have so many
          json changed = header;
          changed[field] = wrong;
          changed.erase("hash");
          changed["hash"] = hashHex(changed.dump() + trees);
          QVERIFY2(!textOf([&] { model->load(changed.dump() + '\n' + trees); }).isEmpty(),
                   field.c_str());
        }
      }
      QCOMPARE(model->predict(set.features).scores, before);
    }
  }

  void explainTheirScores() {
    const DataSet set = space({.programs = 300});
    for (const char* name : {"autotvm", "forest"}) {
      const auto model = costModel(name);
      if (std::string_view(name) == "autotvm")
        model->learnHistory(space({.programs = 600, .seed = 7, .task = "other"}));
      model->update(set);
      const Prediction prediction = model->predict(set.features);
      double relevant = 0, others = 0;
      for (std::size_t i = 0; i < 30; ++i) {
        const Explanation explanation = model->explain(set.features, i);
        QCOMPARE(explanation.score, prediction.scores[i]);
        const std::vector<double> features = explanation.byFeature();
        const double sum = std::accumulate(features.begin(), features.end(), 0.0) +
                           static_cast<double>(explanation.bias.at(0));
        QVERIFY2(std::abs(sum - explanation.score) < 1e-4, name);
        for (std::size_t c = 0; c < features.size(); ++c)
          (c < 3 ? relevant : others) += std::abs(features[c]);
      }
      QVERIFY2(relevant > 2 * others, name);
      const std::vector<double> shares = model->importance();
      QCOMPARE(shares.size(), kTemplateColumns);
      QVERIFY(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
      QVERIFY2(shares[0] + shares[1] + shares[2] > 0.6, name);
    }
  }

  void refuseBadOptions() {
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("autotvm", {{"loss", "hinge"}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("autotvm", {{"loss", 1}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("autotvm", {{"plan", 0}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("autotvm", {{"maxDepth", "3"}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("forest", {{"trees", 1}}));
    QVERIFY_THROWS_EXCEPTION(UsageError, costModel("forest", {{"plan", 64}}));
    QVERIFY(textOf([] { costModel("autotvm", {{"depth", 3}}); }).contains("maxDepth"));
  }
};

NW_TEST_APPLESS(TemplateModels)

} // namespace nestwright::template_models_test

#include "template_models.moc"
