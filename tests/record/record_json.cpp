/// \file A record as JSON holds the record's own values.

#include "core/record/format/record_json.h"

#include "core/record/format/imported_log.h"
#include "core/record/format/public_record.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

namespace nestwright::record_json_test {

class RecordJson : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void holdsTheValues() {
    Record record;
    record.id = 7;
    record.trial = 3;
    record.tags = {"keep"};
    record.wallSeconds = 1.5;
    record.result.seconds = {3, 1, 2};
    const nlohmann::json json = toJson(record);
    QCOMPARE(json.at("id").get<int>(), 7);
    QCOMPARE(json.at("trial").get<int>(), 3);
    QCOMPARE(json.at("seconds").get<double>(), 2.0); // the median
    QCOMPARE(json.at("repeats").size(), std::size_t(3));
    QCOMPARE(json.at("wall_seconds").get<double>(), 1.5);
    QCOMPARE(json.at("tags").at(0).get<std::string>(), std::string("keep"));
  }
  void hasWhatKernelsTook() {
    Record record;
    QVERIFY(!toJson(record).contains("kernels"));
    record.result.kernels = {{"nw_C", 64, 0, 0, 16384, {3, 24, 64, OccupancyLimit::Registers}}};
    const nlohmann::json kernel = toJson(record).at("kernels").at(0);
    QCOMPARE(kernel.at("registers"), 64);
    QCOMPARE(kernel.at("occupancy").at("limited_by"), "registers");
  }
  void anErrorHasNoTime() {
    Record record;
    record.result.verdict = Verdict::RunError;
    record.result.error = "crashed";
    QVERIFY(toJson(record).at("seconds").is_null());
    QCOMPARE(toJson(record).at("error").get<std::string>(), std::string("crashed"));
  }

  void whatALogSaidIsFactsInItsOrder() {
    Record record;
    QVERIFY_THROWS_EXCEPTION(InputError, importedFacts(record));
    record.trace =
        R"({"operation": "imported", "log": {"version": "v0.6", "config": {}, "host": null, "file": 3}})";
    std::string facts;
    for (const LogFact& fact : importedFacts(record))
      facts += fact.name + '=' + fact.value + ' ';
    QCOMPARE(facts, std::string("version=v0.6 file=3 "));
    record.trace = R"({"operation": "crossover"})";
    QVERIFY(importedFacts(record).empty());
  }

  void damageIsToldWhenARecordIsWritten_data() {
    QTest::addColumn<QString>("facts");
    QTest::addColumn<QString>("trace");
    QTest::newRow("hardware") << R"({"log_hardware": "many"})"
                              << "";
    QTest::newRow("host") << R"({"log_hardware": [1, 2], "log_host": 5})"
                          << "";
    QTest::newRow("facts") << R"({"cores": "many"})"
                           << "";
    QTest::newRow("layout") << ""
                            << R"({"log": {"layout_rewrite": "x"}})";
    QTest::newRow("no log") << ""
                            << R"({"log": 5})";
    QTest::newRow("no configuration") << ""
                                      << R"({"log": {"config": 7, "version": []}})";
  }
  void damageIsToldWhenARecordIsWritten() {
    QFETCH(QString, facts);
    QFETCH(QString, trace);
    TargetRow target;
    target.facts = facts.toStdString();
    Record record;
    record.trace = trace.toStdString();
    const auto raw = [&] {
      try {
        publicRecord({}, target, record);
      } catch (const InputError&) {
        return false;
      } catch (const std::exception&) {
        return true;
      }
      return false;
    };
    QVERIFY(!raw());
  }
};

NW_TEST_GUILESS(RecordJson)

} // namespace nestwright::record_json_test

#include "record_json.moc"
