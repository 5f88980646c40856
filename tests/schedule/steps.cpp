/// \file Steps as JSON and in words.

#include "core/schedule/state.h"
#include "core/schedule/step_text.h"
#include "core/support/error.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::steps_test {

class StepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyStepSurvivesARoundTrip_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("annotation") << R"(["AN", 3, 0, 11])";
    QTest::newRow("fuse") << R"(["FU", 3, [0, 1, 2]])";
    QTest::newRow("fuse nothing") << R"(["FU", 3, []])";
    QTest::newRow("pragma") << R"(["PR", 2, 0, "auto_unroll_max_step$64"])";
    QTest::newRow("reorder") << R"(["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]])";
    QTest::newRow("split") << R"(["SP", 2, 0, 512, [2, 4, 8], 1])";
    QTest::newRow("split outside in") << R"(["SP", 2, 0, 512, [2], 0])";
    QTest::newRow("split of unknown extent") << R"(["SP", 2, 0, 0, [4], 1])";
    QTest::newRow("undecided split") << R"(["SP", 2, 0, 512, [null, 4, null], 1])";
    QTest::newRow("follow-split") << R"(["FSP", 3, 0, 1, 2])";
    QTest::newRow("follow-fused-split") << R"(["FFSP", 4, 0, [4, 3, 2, 1], 1, 1])";
    QTest::newRow("storage align") << R"(["SA", 4, 1, 32, 4])";
    QTest::newRow("compute-at") << R"(["CA", 2, 3, 5])";
    QTest::newRow("compute-inline") << R"(["CI", 5])";
    QTest::newRow("compute-root") << R"(["CR", 6])";
    QTest::newRow("cache-read") << R"(["CHR", 1, "shared", [2, 4]])";
    QTest::newRow("cache-write") << R"(["CHW", 2, "local"])";
    QTest::newRow("rfactor") << R"(["RF", 3, 2, 1])";
  }

  void everyStepSurvivesARoundTrip() {
    QFETCH(QString, text);
    const Step step = stepFromJson(nlohmann::json::parse(text.toStdString()));
    QCOMPARE(QString::fromStdString(recordText(toJson(step))), text);
    QCOMPARE(compactText({step, step}), toJson(Steps{step, step}).dump());
    QCOMPARE(QString::fromStdString(spacedText(compactText({step}))),
             QStringLiteral("[%1]").arg(text));
    QVERIFY(text.startsWith(QStringLiteral("[\"%1\"").arg(tag(step))));
    QVERIFY(!inWords(step).empty());
    QCOMPARE(stageOf(step), nlohmann::json::parse(text.toStdString())[1].get<int>());
  }

  void recordTextLeavesStringsAlone() {
    // No raw strings here: moc loses its way in them when they hold backslashes.
    const auto json =
        nlohmann::json::parse("{\"i\":[\"a,b:\\\"c,\\\\\",1.5,{\"k\":[]}],\"v\":null}");
    QCOMPARE(QString::fromStdString(recordText(json)),
             QStringLiteral("{\"i\": [\"a,b:\\\"c,\\\\\", 1.5, {\"k\": []}], \"v\": null}"));
  }

  void badStepsAreExplained_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("no list") << "7"
                             << "no list";
    QTest::newRow("no tag") << "[1, 2]"
                            << "begins with a tag";
    QTest::newRow("unknown tag") << R"(["XX", 2, 0])"
                                 << "\"XX\" is no step";
    QTest::newRow("too short") << R"(["SP", 2, 0])"
                               << "3 items instead of 6";
    QTest::newRow("too long") << R"(["CI", 2, 0])"
                              << "3 items instead of 2";
    QTest::newRow("text for number") << R"(["CI", "2"])"
                                     << "item 1 should be an integer";
    QTest::newRow("fraction") << R"(["CI", 2.5])"
                              << "item 1 should be an integer";
    QTest::newRow("negative stage") << R"(["CI", -1])"
                                    << "item 1 is -1";
    QTest::newRow("huge stage") << R"(["CI", 18446744073709551615])"
                                << "outside";
    QTest::newRow("annotation code") << R"(["AN", 2, 0, 12])"
                                     << "item 3 is 12";
    QTest::newRow("zero factor") << R"(["SP", 2, 0, 8, [0], 1])"
                                 << "is 0";
    QTest::newRow("flag") << R"(["SP", 2, 0, 8, [2], 2])"
                          << "item 5 is 2";
    QTest::newRow("list") << R"(["RE", 2, 0])"
                          << "item 2 should be a list";
    QTest::newRow("scope") << R"(["CHW", 2, 0])"
                           << "item 2 should be a text";
  }

  void badStepsAreExplained() {
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    try {
      stepFromJson(nlohmann::json::parse(text.toStdString()));
    } catch (const InputError& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(complaint), error.what());
      return;
    }
    QFAIL("accepted");
  }

  void stepsSpeakInNames_data() {
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("words");
    QTest::newRow("split") << R"(["SP", 2, 0, 512, [2, 4, 8], 1])"
                           << "split loop i of C (512) into 8, 2, 4, 8";
    QTest::newRow("undecided") << R"(["SP", 2, 2, 0, [null], 1])"
                               << "split loop k of C (512) into ?, ?";
    QTest::newRow("outside in") << R"(["SP", 2, 1, 512, [2, 4], 0])"
                                << "split loop j of C (512) into 2, 4, 64";
    QTest::newRow("reorder") << R"(["RE", 2, [2, 0, 1]])"
                             << "reorder the loops of C to k, i, j";
    QTest::newRow("fuse") << R"(["FU", 2, [0, 1]])"
                          << "fuse loops i, j of C";
    QTest::newRow("annotate") << R"(["AN", 2, 1, 2])"
                              << "make loop j of C \"vectorize\"";
    QTest::newRow("cache") << R"(["CHW", 2, "local"])"
                           << "compute C in a local buffer and copy it out";
    QTest::newRow("out of range") << R"(["CI", 7])"
                                  << "inline stage 7 into its readers";
  }

  void stepsSpeakInNames() {
    QFETCH(QString, step);
    QFETCH(QString, words);
    const State state(test::matmulDag(512, 512, 512));
    const Step parsed = stepFromJson(nlohmann::json::parse(step.toStdString()));
    QCOMPARE(QString::fromStdString(inWords(parsed, state)), words);
  }
};

NW_TEST_APPLESS(StepsTest)

} // namespace nestwright::steps_test

#include "steps.moc"
