#include "core/story/predictions.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <array>
#include <cmath>

namespace nestwright::predictions_test {

PredictedProgram program(RowId record, int round, double predicted, double seconds) {
  PredictedProgram program;
  program.record = record;
  program.task = 1;
  program.trial = record;
  program.round = round;
  program.predicted = predicted;
  program.seconds = seconds;
  return program;
}

/// One task whose bests fell to `seconds` at these trials.
TuningHistory historyOf(const std::vector<std::pair<std::int64_t, double>>& bests) {
  TaskRow row;
  row.id = 1;
  TaskSummary summary;
  summary.task = 1;
  TuningHistory history;
  history.reset({row}, {summary});
  for (const auto& [trial, seconds] : bests) {
    CurvePoint point;
    point.trial = trial, point.seconds = seconds, point.task = 1, point.record = trial;
    point.verifiedBest = true;
    history.add(point);
  }
  return history;
}

class PredictionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sharesAreOfTheBestKnownThen();
  void ranksAndSurprises();
  void scoresThatOnlyOrderStandForPlaces();
  void meansAtTheEnds();
};

void PredictionsTest::sharesAreOfTheBestKnownThen() {
  Predictions predictions;
  predictions.add({program(5, 2, 0.5, 4e-3), program(6, 2, 0.9, 1e-3), program(7, 2, 0.1, kUnknown),
                   program(8, 3, 0.7, 2e-3)});
  predictions.add({program(8, 3, 0.7, 2e-3)}); // there already
  QCOMPARE(predictions.programs().size(), std::size_t(4));
  predictions.compare(historyOf({{2, 2e-3}, {6, 1e-3}}));
  QCOMPARE(predictions.find(5)->share, 0.5);
  QCOMPARE(predictions.find(6)->share, 2.0); // a new best: the one before is what counts
  QCOMPARE(predictions.find(7)->share, 0.0);
  QCOMPARE(predictions.find(8)->share, 0.5); // the best of round 2 is known now
  QVERIFY(!predictions.find(4));
  // Without a best before it, the round's own fastest is what there is.
  predictions.compare(historyOf({}));
  QCOMPARE(predictions.find(5)->share, 0.25);
  QCOMPARE(predictions.find(6)->share, 1.0);
}

void PredictionsTest::ranksAndSurprises() {
  Predictions predictions;
  predictions.add({program(1, 1, 0.9, 2e-3), program(2, 1, 0.8, 1e-3), program(3, 1, 0.2, 4e-3),
                   program(4, 1, 0.7, kUnknown), program(5, 1, 0.1, 1.25e-3)});
  predictions.compare(historyOf({}));
  const std::vector<const PredictedProgram*> round = predictions.between(1, 1);
  const std::vector<RankedPrediction> ranks = ranksOf(round);
  QCOMPARE(ranks.size(), std::size_t(4)); // not the failed one
  const std::vector<std::array<int, 3>> expected{{1, 1, 3}, {2, 2, 1}, {3, 3, 4}, {5, 4, 2}};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    QCOMPARE(ranks[i].program->record, RowId(expected[i][0]));
    QCOMPARE(ranks[i].predicted, expected[i][1]);
    QCOMPARE(ranks[i].measured, expected[i][2]);
  }
  const RoundQuality quality = qualityOf(round, 2);
  QCOMPARE(quality.programs, std::size_t(4));
  QCOMPARE(quality.accuracy, 0.5); // three of the six pairs
  QCOMPARE(quality.correlation, 0.0);
  QCOMPARE(quality.recall, 0.5); // of 2 and 5, the model had 2
  QCOMPARE(quality.chance, 0.5);
  QVERIFY(std::isnan(qualityOf(round, 4).recall)); // all four would be the best
  const auto worst = worstSurprises(round, 2);
  QCOMPARE(worst.size(), std::size_t(2));
  QCOMPARE(worst[0]->record, RowId(5)); // 0.8 measured, 0.1 predicted
  QCOMPARE(worst[1]->record, RowId(1)); // 0.5 and 0.9
  QVERIFY(worst[0]->surprise() > 0 && worst[1]->surprise() < 0);
}

/// -2.2 is no share: the program that the model put first was expected to be the round's fastest.
void PredictionsTest::scoresThatOnlyOrderStandForPlaces() {
  Predictions predictions;
  std::vector<PredictedProgram> round{program(1, 1, -2.2, 2e-3), program(2, 1, -2.4, 1e-3),
                                      program(3, 1, -2.4, 4e-3), program(4, 1, -2.3, kUnknown),
                                      program(5, 1, -9, kUnknown)};
  for (PredictedProgram& one : round)
    one.ranking = "base";
  predictions.add(round);
  predictions.compare(historyOf({}));
  QCOMPARE(predictions.find(1)->expected(), 1.0);
  QCOMPARE(predictions.find(1)->surprise(), -0.5);
  QCOMPARE(predictions.find(2)->expected(), 0.5);
  QCOMPARE(predictions.find(3)->expected(), 0.25); // an equal score, but later
  QCOMPARE(predictions.find(3)->surprise(), 0.0);
  QCOMPARE(predictions.find(4)->expected(), 0.5); // failed ones stand among those that ran
  QCOMPARE(predictions.find(5)->expected(), 0.25);
  QCOMPARE(predictions.find(1)->predicted, -2.2);
}

void PredictionsTest::meansAtTheEnds() {
  QCOMPARE(smoothed({1, 2, 6}, 1), (std::vector<double>{1.5, 3, 4}));
  QCOMPARE(smoothed({1, std::nan(""), 6}, 1), (std::vector<double>{1, 3.5, 6}));
  QVERIFY(std::isnan(smoothed({std::nan("")}, 2).front()));
  QVERIFY(smoothed({}, 2).empty());
}

NW_TEST_APPLESS(PredictionsTest)

} // namespace nestwright::predictions_test

#include "predictions.moc"
