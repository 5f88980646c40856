/// Where tasks were tuned, and what share of a latency is not (C36).

#include "core/execute/tuning_origin.h"

#include "core/record/store/record_rows.h"
#include "core/session/run/session.h"
#include "core/session/run/tuned_on.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>

namespace nestwright::tuning_origin_test {

constexpr const char* kHere = "llvm-2c-here";

/// Tasks of these keys on a target, each with a record that ended so.
class File {
 public:
  File() : store_(RecordStore::open(folder_.file("a.nwdb"), OpenMode::Create)) {
    SessionRow row;
    row.config = "{}";
    ground_.session = store_.sessions().add(row);
  }
  void add(const std::string& target, const std::string& key, Verdict verdict, bool verified) {
    const RowId on = store_.targets().add({0, target, target, "{}"});
    const RowId task = store_.tasks().add({0, 0, on, 0, key, key, "dag of " + key, 1, 1e9});
    ground_.tasks = {task};
    Record record = verdict == Verdict::Ok ? samples::record(ground_, ++trial_, 1e-3)
                                           : samples::failure(ground_, ++trial_, verdict);
    record.verified = verified;
    store_.records().add(record);
  }
  const RecordStore& store() const { return store_; }

 private:
  samples::Folder folder_;
  RecordStore store_;
  samples::Ground ground_;
  std::int64_t trial_ = 0;
};

class TuningOriginTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachTaskHasItsOrigin() {
    File file;
    file.add(kHere, "mine", Verdict::Ok, true);
    file.add("llvm-64c-there", "theirs", Verdict::Ok, true);
    file.add("an imported log's", "imported", Verdict::Ok, false);
    file.add(kHere, "both", Verdict::Ok, true);
    file.add("llvm-64c-there", "both", Verdict::Ok, true);
    file.add("llvm-64c-there", "both, failed here", Verdict::Ok, true);
    file.add(kHere, "both, failed here", Verdict::RunError, false);
    file.add(kHere, "not verified", Verdict::Ok, false);
    file.add("llvm-64c-there", "failed there", Verdict::RunError, false);
    const std::vector<std::string> keys{
        "mine",         "theirs",       "imported",      "both", "both, failed here",
        "not verified", "failed there", "never heard of"};
    using enum TuningOrigin;
    QCOMPARE(
        tuningOrigins(file.store(), keys, kHere),
        (std::vector{Here, Elsewhere, Elsewhere, Here, Elsewhere, Fallback, Fallback, Fallback}));
    // Seen from the other machine it is the other way round.
    QCOMPARE(tuningOrigins(file.store(), keys, "llvm-64c-there"),
             (std::vector{Elsewhere, Here, Elsewhere, Here, Here, Elsewhere, Fallback, Fallback}));
  }

  void theShareIsOfTheLatency() {
    using enum TuningOrigin;
    const auto share = [](const std::vector<OriginShare>& tasks) { return untunedShare(tasks); };
    QCOMPARE(share({{Here, 3}, {Elsewhere, 0.5}, {Fallback, 0.5}}).value(), 0.25);
    QCOMPARE(share({{Here, 3}, {Here, 1}}).value(), 0.0);
    QCOMPARE(share({{Fallback, 3}}).value(), 1.0);
    // Of what was not measured nothing is claimed.
    QVERIFY(!share({{Here, 3}, {Fallback, 0}}));
    QVERIFY(!share({{Here, 3}, {Fallback, std::numeric_limits<double>::infinity()}}));
    QVERIFY(!share({}));
  }

  /// By the newest session that tunes it; sessions that only collect records count for nothing.
  void aNetworkRunsOnWhatItWasTunedLast() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const auto add = [&](std::vector<std::string> subjects, const char* target) {
      SessionConfig config;
      config.subjects = std::move(subjects);
      config.target = target;
      config.measure.device = "H100";
      SessionRow row;
      row.config = toJson(config).dump();
      store.sessions().add(row);
    };
    QCOMPARE(lastTunedOn(store, "a").target, std::string("llvm"));
    add({"b", "a"}, "cuda");
    add({"b"}, "llvm");
    SessionRow imported;
    imported.config = "{}";
    store.sessions().add(imported);
    QCOMPARE(lastTunedOn(store, "a").target, std::string("cuda"));
    QCOMPARE(lastTunedOn(store, "a").device, std::string("H100"));
    QCOMPARE(lastTunedOn(store, "b").target, std::string("llvm"));
    QCOMPARE(lastTunedOn(store, "c").target, std::string("llvm"));
    QCOMPARE(lastTunedOn(store, "c").device, std::string());
    QVERIFY(lastTunedOn(store, "a").notes.empty());
    // C45: settings that cannot be read cost that session.
    SessionRow damaged;
    damaged.config = "{\"subjects\": 7";
    store.sessions().add(damaged);
    const TunedOn on = lastTunedOn(store, "a");
    QCOMPARE(on.target, std::string("cuda"));
    QCOMPARE(on.notes.size(), std::size_t{1});
    QVERIFY2(on.notes.front().find("is left aside") != std::string::npos, on.notes.front().c_str());
  }
};

NW_TEST_APPLESS(TuningOriginTest)

} // namespace nestwright::tuning_origin_test

#include "tuning_origin.moc"
