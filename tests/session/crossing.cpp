/// Crossing what a session measured: what the children are judged by, and what is told of them.

#include "core/session/crossing/crossing.h"

#include "core/record/store/store.h"
#include "core/schedule/bounds.h"
#include "core/session/crossing/impartial_judges.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <set>

namespace nestwright::crossing_test {

/// A session that drew its programs at random, and the fastest of its last task.
struct Bench {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("a.nwdb"));
  RowId session = 0;
  CrossingConfig config;
  SessionConfig settings;

  explicit Bench(int trials = 96) {
    settings.trials = trials;
    settings.trialsPerRound = 16;
    settings.seed = 3;
    session = made_up::makeSession(path, settings);
    made_up::runToEnd(path, session);
    config.session = session;
    config.task = store().sessions().tasks(session).back().id;
  }
  RecordStore store() const { return RecordStore::open(path.toStdString(), OpenMode::ReadOnly); }
};

std::vector<std::string> names(const std::vector<CrossingParent>& programs) {
  std::vector<std::string> names;
  for (const CrossingParent& program : programs)
    names.push_back(program.program);
  return names;
}

Judges judgesOf(const Bench& bench, const std::vector<CrossingParent>& judged) {
  return impartialJudges(bench.store(), bench.settings,
                         {bench.session, bench.config.task, names(judged)});
}

std::vector<double> scores(const Bench& bench, const CostScorer& judge,
                           const std::vector<CrossingParent>& programs) {
  const ComputeDag dag = parseDag(bench.store().tasks().one(bench.config.task)->dag);
  std::vector<State> states;
  for (const CrossingParent& program : programs)
    states.push_back(withBounds(State::replay(dag, program.steps)));
  return judge.score(states);
}

class TestCrossing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aJudgeHasNotLearnedWhatItJudges();
  void manyShareTheirJudges();
  void learnsOfWhatWasMeasuredOnDemand();
  void comparesEachParentByItsJudge();
  void tooFewProgramsPredictNothing();
  void aMissingModelPredictsNothing();
};

/// It is the model that would be there without the record.
void TestCrossing::aJudgeHasNotLearnedWhatItJudges() {
  const Bench bench;
  const std::vector<CrossingParent> parents = crossingParents(bench.store(), bench.config);
  const Judges judges = judgesOf(bench, parents);
  QVERIFY2(judges.refusal.empty(), judges.refusal.c_str());
  QCOMPARE(judges.of.size(), std::size_t(10));
  const std::vector<double> ofThird = scores(bench, *judges.of[2], parents);
  QVERIFY(scores(bench, *judges.of[1], parents) != ofThird);
  // Without the third, one that judges something else has learned the same.
  forgetRecords(bench.path.toStdString(), {parents[2].record}, true);
  CrossingParent foreign;
  foreign.program = "measured nowhere";
  const Judges without = judgesOf(bench, {foreign});
  QCOMPARE(scores(bench, *without.of[0], parents), ofThird);
}

void TestCrossing::manyShareTheirJudges() {
  Bench bench;
  bench.config.top = 14;
  const std::vector<CrossingParent> parents = crossingParents(bench.store(), bench.config);
  const Judges judges = judgesOf(bench, parents);
  QCOMPARE(judges.of.size(), std::size_t(14));
  QCOMPARE(judges.models.size(), std::size_t(10));
  QVERIFY(judges.of[0] == judges.of[10] && judges.of[0] != judges.of[1]);
  forgetRecords(bench.path.toStdString(), {parents[0].record, parents[10].record}, true);
  CrossingParent foreign;
  foreign.program = "measured nowhere";
  QCOMPARE(scores(bench, *judgesOf(bench, {foreign}).of[0], parents),
           scores(bench, *judges.of[0], parents));
}

void TestCrossing::learnsOfWhatWasMeasuredOnDemand() {
  const Bench bench;
  const std::vector<CrossingParent> parents = crossingParents(bench.store(), bench.config);
  const std::vector<double> before = scores(bench, *judgesOf(bench, parents).of[0], parents);
  const Crossing crossing = crossRecords(bench.store(), bench.config);
  const std::vector<int> chosen = mostPromising(crossing.children, 12);
  QCOMPARE(chosen.size(), std::size_t(12));
  {
    Session session(
        bench.path.toStdString(), bench.session, [](const Event&) {}, made_up::measureAll);
    for (const int child : chosen)
      session.post(MeasureProgram{bench.config.task,
                                  namedProgram(crossing, crossing.children[std::size_t(child)])});
    session.wait();
  }
  QVERIFY(scores(bench, *judgesOf(bench, parents).of[0], parents) != before);
}

void TestCrossing::comparesEachParentByItsJudge() {
  const Bench bench;
  const Crossing crossing = crossRecords(bench.store(), bench.config);
  QVERIFY(crossing.predicted);
  QVERIFY(crossing.unpredicted.empty());
  const Judges judges = judgesOf(bench, crossing.parents);
  int legal = 0;
  for (const CrossChild& child : crossing.children) {
    if (child.outcome != CrossOutcome::Legal || ++legal > 20) continue;
    const CrossingParent program{0, child.programId, 0, child.steps};
    double sum = 0;
    bool better = true;
    for (const int parent : child.parents) {
      const auto at = std::size_t(parent);
      const std::vector<double> both =
          scores(bench, *judges.of[at], {program, crossing.parents[at]});
      sum += both[0];
      better &= both[0] > both[1];
    }
    QCOMPARE(*child.score, sum / 2);
    QCOMPARE(child.predictedBetter, better);
  }
  QVERIFY(legal > 12);
  QVERIFY(tally(crossing.children).predictedBetter > 0);
}

void TestCrossing::tooFewProgramsPredictNothing() {
  Bench bench(16); // all of the first task
  bench.config.task = bench.store().sessions().tasks(bench.session).front().id;
  bench.config.top = 4;
  const Crossing crossing = crossRecords(bench.store(), bench.config);
  QVERIFY(!crossing.predicted);
  QCOMPARE(crossing.unpredicted,
           std::string("a cost model needs 16 measured programs beside the parent"));
  QVERIFY(!mostPromising(crossing.children, 12).empty());
}

void TestCrossing::aMissingModelPredictsNothing() {
  const Bench bench;
  SessionConfig settings = bench.settings;
  settings.model = "oracle";
  const Judges judges = impartialJudges(bench.store(), settings,
                                        {bench.session, bench.config.task, {"some program"}});
  QVERIFY(judges.of.empty());
  QVERIFY2(judges.refusal.find("oracle") != std::string::npos, judges.refusal.c_str());
}

NW_TEST_APPLESS(TestCrossing)

} // namespace nestwright::crossing_test

#include "crossing.moc"
