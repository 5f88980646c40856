/// What a recorded machine gives is of a target of its own: in its identity, its text, and what is
/// stored of it.

#include "core/target/target_json.h"
#include "core/target/target_text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::recorded_targets_test {

class RecordedTargets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areTargetsOfTheirOwn_data() {
    QTest::addColumn<bool>("onGpu");
    QTest::newRow("processor") << false;
    QTest::newRow("GPU") << true;
  }
  void areTargetsOfTheirOwn() {
    QFETCH(bool, onGpu);
    const TargetFacts measured = onGpu ? cudaTarget(gpuPreset({9, 0})) : TargetFacts();
    TargetFacts recorded = measured;
    recorded.recorded = true;
    QCOMPARE(recorded.id(), measured.id() + "-recorded");
    QCOMPARE(recorded.text(), measured.text() + " -recorded");
    QVERIFY(recorded.recordHardware() == measured.recordHardware());
    // Through a public record, and through a file.
    QVERIFY(targetFromText(recorded.text(), recorded.recordHardware()).recorded);
    QVERIFY(!targetFromText(measured.text(), measured.recordHardware()).recorded);
    QCOMPARE(targetFactsFromJson(toJson(recorded)).id(), recorded.id());
    QVERIFY(!toJson(measured).contains("recorded")); // as files have it
  }
};

NW_TEST_APPLESS(RecordedTargets)

} // namespace nestwright::recorded_targets_test

#include "recorded_targets.moc"
