/// All defaults in one place (C43): a default that changes must change here, too, and then whoever
/// changes it has to know that stored sessions keep theirs.

#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "core/session/run/session.h"
#include "core/session/run/tuning_state.h"
#include "plugins/xgboost/options.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::defaults_test {

using nlohmann::json;

/// Name and value of each, as they are stored.
constexpr const char* kSession = R"({
  "subjects": [],
  "target": "llvm",
  "trials": 1000,
  "max_seconds": 0.0,
  "trials_per_round": 16,
  "seed": 0,
  "space": "sketches",
  "policy": "random",
  "model": "xgboost",
  "features": "paper,lowered",
  "warmup": 32,
  "rules": "nestwright,paper",
  "alternatives": "exact",
  "tf32": false,
  "scheduler": "gradient",
  "epsilon": 0.05,
  "population": 2048,
  "generations": 4,
  "templates": "",
  "template_features": "itervar",
  "history": [],
  "pretrained": "",
  "update": "local",
  "local_per_task": false,
  "local": "trees",
  "seeds": "",
  "memory": [],
  "memory_model": false,
  "polish": 0,
  "draft": "off",
  "stop_gain": 0.0,
  "ahead": "off",
  "plan": 64,
  "chains": 128,
  "beam": 32,
  "diversity": 0.0,
  "diversity_ratio": 2.0,
  "energy": "relative",
  "exploration": "contextual",
  "task_epsilon": 0.05,
  "confirm_best": true,
  "check_share": 0.1,
  "stop_failures": 24,
  "stop_window": 32,
  "machine": "",
  "objective": {"kind": "f1", "network_seconds": [], "stop_after_rounds": 5},
  "measure": {
    "threads": 0,
    "builders": 0,
    "warmups": 1,
    "repeats": 3,
    "min_repeat_seconds": 0.02,
    "max_total_seconds": 0.5,
    "evaluator": "fixed",
    "flush_cache": false,
    "device": "",
    "build_timeout_seconds": 15.0,
    "run_timeout_seconds": 10.0,
    "reference_timeout_seconds": 300.0,
    "memory_limit_bytes": 4294967296,
    "jobs_per_worker": 500,
    "bytes_per_worker": 4294967296,
    "input_seed": 1,
    "relative_tolerance": 0.001,
    "absolute_tolerance": 0.0001
  }
})";

constexpr const char* kRecombination = R"({
  "network": "",
  "target": "",
  "device": "",
  "k": 3,
  "samples": 80,
  "seed": 1,
  "threads": 0,
  "repeats": 10,
  "max_seconds": 2.0,
  "baseline_every": 10,
  "reference": "naive",
  "tf32": false,
  "definitions": []
})";

constexpr const char* kXgboost = R"({
  "threads": 1,
  "seed": 43,
  "maxDepth": 10,
  "gamma": 0.001,
  "minChildWeight": 0.0,
  "eta": 0.2,
  "maxBins": 64,
  "maxTrees": 300,
  "patience": 10,
  "leastImprovement": 0.001,
  "warmup": 100,
  "retrainGrowth": 0.2,
  "retrainImprovement": 0.1,
  "incrementTrees": 10,
  "tuningTrees": 0,
  "weights": "label",
  "maxRows": 16384,
  "newest": 128
})";

/// "trials: 1000 is pinned, it is 1500; ...": what is not as pinned. Empty when all is.
QString differences(const json& actual, const json& pinned, const std::string& where = {}) {
  QString text;
  const auto say = [&](const std::string& what) {
    text += QString::fromStdString((text.isEmpty() ? "" : "; ") + where + what);
  };
  for (const auto& [key, value] : pinned.items()) {
    if (!actual.contains(key))
      say(key + " is pinned, and there is no such default");
    else if (value.is_object())
      text += differences(actual.at(key), value, where + key + ".");
    else if (actual.at(key) != value)
      say(key + ": " + value.dump() + " is pinned, it is " + actual.at(key).dump());
  }
  for (const auto& [key, value] : actual.items())
    if (!pinned.contains(key)) say(key + ": " + value.dump() + " is not pinned");
  return text;
}

/// A value of the same type that is another one and can be.
json another(const std::string& key, const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_float() && key != "max_seconds") return value.get<double>() / 2; // a share
  if (value.is_number()) return value.get<double>() * 2 + 1;
  if (key == "policy") return "evolutionary";
  if (key == "scheduler") return "round-robin";
  if (key == "features") return "paper";
  if (key == "rules") return "paper";
  if (key == "kind") return "f4";
  if (key == "evaluator") return "adaptive:runs=400,batch=40,cv=0.2,least=2,speed=cumulative";
  if (key == "machine") return "recorded:a.nwdb";
  return value;
}

json allOthers(const json& config) {
  json others = config;
  for (const auto& [key, value] : config.items())
    others[key] = value.is_object() ? allOthers(value) : another(key, value);
  return others;
}

class Defaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyDefaultIsPinned_data() {
    QTest::addColumn<QString>("actual");
    QTest::addColumn<QString>("pinned");
    const auto row = [](const char* name, const json& actual, const char* pinned) {
      QTest::newRow(name) << QString::fromStdString(actual.dump()) << QString(pinned);
    };
    row("session", toJson(SessionConfig{}), kSession);
    row("recombination", toJson(RecombinationConfig{}), kRecombination);
    row("cost model", xgboost::toJson(xgboost::Options{}), kXgboost);
  }
  void everyDefaultIsPinned() {
    QFETCH(QString, actual);
    QFETCH(QString, pinned);
    const QString text =
        differences(json::parse(actual.toStdString()), json::parse(pinned.toStdString()));
    QVERIFY2(text.isEmpty(), qPrintable(text));
  }

  /// Whatever a file says that this version would choose otherwise, the file's value counts: as if
  /// it were of a version in which all defaults were others.
  void aStoredSessionKeepsItsOwn() {
    const json stored = allOthers(json::parse(kSession));
    const QString unchanged = differences(stored, json::parse(kSession));
    for (const char* key : {"trials:", "epsilon:", "rules:", "confirm_best:", "repeats:",
                            "stop_after_rounds:", "relative_tolerance:", "evaluator:", "machine:"})
      QVERIFY2(unchanged.contains(key), key);
    const SessionConfig read = sessionConfigFromJson(stored);
    const QString text = differences(toJson(read), stored);
    QVERIFY2(text.isEmpty(), qPrintable(text));
  }

  /// It had no choice yet.
  void anOlderRecombinationRunsOnTheProcessor() {
    json older = json::parse(kRecombination);
    older.erase("target");
    older.erase("device");
    const RecombinationConfig config = recombinationConfigFromJson(older);
    QCOMPARE(config.target, std::string("llvm"));
    QCOMPARE(config.device, std::string());
  }

  /// All of them are written with a new session, and a resumed one goes on with what is written.
  void aResumedSessionKeepsItsOwn() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb");
    SessionConfig config;
    config.trials = 30;
    config.trialsPerRound = 1;
    config.measure.repeats = 7;
    const RowId id = made_up::makeSession(path, config);
    const auto stored = [&] {
      return json::parse(
          RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().one(id)->config);
    };
    const QString missing = differences(toJson(SessionConfig{}), stored());
    QVERIFY2(!missing.contains("no such default") && !missing.contains("not pinned"),
             qPrintable(missing));
    const json before = stored();
    QCOMPARE(made_up::runToEnd(path, id), SessionStatus::Finished);
    QCOMPARE(QString::fromStdString(stored().dump()), QString::fromStdString(before.dump()));
    // Rounds of one, as stored, not of up to sixteen.
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(tuningStateFromText(store.sessions().one(id)->schedulerState).round, 30);
  }
};

NW_TEST_GUILESS(Defaults)

} // namespace nestwright::defaults_test

#include "defaults.moc"
