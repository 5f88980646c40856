/// Whether a cost model is as sure as it should be.

#include "core/story/calibration.h"

#include "core/search/search_policy.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>

namespace nestwright::calibration_test {

PredictedProgram program(RowId record, int round, double away, std::optional<double> deviation) {
  PredictedProgram program;
  program.record = record;
  program.task = 1 + round % 2;
  program.round = round;
  program.predicted = 0.5;
  program.share = 0.5 + away;
  program.seconds = 1e-3;
  program.deviation = deviation;
  return program;
}

std::vector<const PredictedProgram*> pointersTo(const std::vector<PredictedProgram>& programs) {
  std::vector<const PredictedProgram*> pointers;
  for (const PredictedProgram& program : programs)
    pointers.push_back(&program);
  return pointers;
}

class CalibrationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void countsWhatLiesWithin();
  void failedAndUntoldOnesAreLeftOut();
  void roundsAddUp();
  void fewProgramsSayNothing();
  void recordsKeepTheDeviation();
  void improvementIsThatOfThePlan();
};

void CalibrationTest::countsWhatLiesWithin() {
  const std::vector<PredictedProgram> programs{program(1, 1, 0.05, 0.1), program(2, 1, -0.1, 0.1),
                                               program(3, 1, 0.15, 0.1), program(4, 1, -0.3, 0.1),
                                               program(5, 1, 0, 0.0)};
  const Calibration all = calibrationOf(pointersTo(programs));
  QCOMPARE(all.programs, std::size_t(5));
  QCOMPARE(all.within1, std::size_t(3)); // the bound itself is within
  QCOMPARE(all.within2, std::size_t(4));
  QCOMPARE(all.share1(), 0.6);
  QCOMPARE(all.share2(), 0.8);
}

void CalibrationTest::failedAndUntoldOnesAreLeftOut() {
  std::vector<PredictedProgram> programs{program(1, 1, 0, {}), program(2, 1, 0, 0.1)};
  programs[1].seconds = kUnknown;
  programs[1].share = 0;
  const Calibration none = calibrationOf(pointersTo(programs));
  QCOMPARE(none.programs, std::size_t(0));
  QVERIFY(std::isnan(none.share1()) && std::isnan(none.share2()));
  Predictions predictions;
  predictions.add(programs);
  QVERIFY(calibrations(predictions, 0).empty());
}

void CalibrationTest::roundsAddUp() {
  Predictions predictions;
  predictions.add({program(1, 2, 0.05, 0.1), program(2, 2, 0.3, 0.1), program(3, 3, 0.15, 0.1),
                   program(4, 4, 0.01, 0.1)});
  const std::vector<RoundCalibration> all = calibrations(predictions, 0);
  QCOMPARE(all.size(), std::size_t(3));
  QCOMPARE(all[0].round, 2);
  QCOMPARE(all[0].own.within1, std::size_t(1));
  QCOMPARE(all[1].own.within1, std::size_t(0));
  QCOMPARE(all[1].own.within2, std::size_t(1));
  QCOMPARE(all[2].soFar.programs, std::size_t(4));
  QCOMPARE(all[2].soFar.within1, std::size_t(2));
  QCOMPARE(all[2].soFar.within2, std::size_t(3));
  QCOMPARE(calibrations(predictions, 2).size(), std::size_t(1)); // round 3 alone is of that task
}

void CalibrationTest::fewProgramsSayNothing() {
  const auto of = [](std::size_t within, std::size_t programs) {
    return surenessOf({programs, within, programs});
  };
  QCOMPARE(of(0, 0), Sureness::TooFew);
  QCOMPARE(of(4, 8), Sureness::TooFew); // half of them, which chance gives one time in five
  QCOMPARE(of(8, 8), Sureness::TooFew);
  QCOMPARE(of(14, 20), Sureness::TooFew);
  QCOMPARE(of(0, 8), Sureness::TooSure);
  QCOMPARE(of(100, 200), Sureness::TooSure);
  QCOMPARE(of(136, 200), Sureness::AsShould);
  QCOMPARE(of(190, 200), Sureness::Unsure);
}

void CalibrationTest::recordsKeepTheDeviation() {
  Record record;
  record.id = 1;
  record.result.verdict = Verdict::Ok;
  record.result.seconds = {1e-3};
  Trace trace;
  trace.predictedScore = 0.5;
  trace.selection = PickReason::Diversity;
  record.trace = toJson(trace).dump();
  QVERIFY(!predictionOf(record)->deviation);
  QVERIFY(!predictionOf(record)->exploring); // picked by the model, for what the others do not have
  trace.predictedDeviation = 0.125;
  trace.selection = PickReason::EpsilonGreedy;
  record.trace = toJson(trace).dump();
  QCOMPARE(predictionOf(record)->deviation.value(), 0.125);
  QVERIFY(predictionOf(record)->exploring);
}

void CalibrationTest::improvementIsThatOfThePlan() {
  QVERIFY(!improvementOf(program(1, 1, 0, {})));
  QCOMPARE(improvementOf(program(1, 1, 0, 0.0)).value(), 0.0); // surely slower
  PredictedProgram surelyFaster = program(1, 1, 0, 0.0);
  surelyFaster.predicted = 1.25;
  QCOMPARE(improvementOf(surelyFaster).value(), 0.25);
  PredictedProgram even = program(1, 1, 0, 0.5);
  even.predicted = 1;
  // Half of the mean distance of a normal distribution from its middle: σ / sqrt(2 π).
  QVERIFY(std::abs(improvementOf(even).value() - 0.5 / std::sqrt(2 * M_PI)) < 1e-12);
}

NW_TEST_APPLESS(CalibrationTest)

} // namespace nestwright::calibration_test

#include "calibration.moc"
