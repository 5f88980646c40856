/// The decisions that sketches leave open: programs drawn from them are given again by their names
/// and values, and what cannot be is refused with the reason.

#include "core/search/decisions/sketch_decisions.h"

#include "core/space/choices.h"
#include "tests/exec_policy/asked_task.h"
#include "tests/support/test_program.h"

namespace nestwright::sketch_decisions_test {

const SketchDecision& ofKind(const std::vector<SketchDecision>& decisions, DecisionKind kind) {
  return *std::ranges::find(decisions, kind, &SketchDecision::kind);
}

class SketchDecisions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// What a drawn program decided is all that it takes to make it once more.
  void valuesGiveTheProgramAgain_data() {
    QTest::addColumn<int>("dag");
    for (int dag = 0; dag < 3; ++dag)
      QTest::newRow(qPrintable(QString::number(dag))) << dag;
  }
  void valuesGiveTheProgramAgain() {
    QFETCH(int, dag);
    const ComputeDag dags[] = {test::matmul(64, 96, 32), test::conv2dNchwBnRelu(),
                               test::softmax(32, 64)};
    const SpaceOptions space = test::AskedTask::spaceOf();
    const std::vector<Sketch> sketches =
        generateSketches(dags[dag], space, sketchRules("nestwright,paper"));
    int programs = 0, same = 0;
    for (std::uint64_t draw = 0; draw < 300; ++draw) {
      Random random = Random::stream(7, "sketch decisions", draw);
      const SampledProgram drawn = sampleProgram(sketches, space, random);
      if (!drawn.state) continue;
      ++programs;
      const Sketch& sketch = sketches[std::size_t(drawn.sketch)];
      const DecisionValues values = decisionValues(sketch, space, drawn.state->steps());
      Random other(draw);
      const SampledProgram again = decidedProgram(sketch, space, values, other);
      QVERIFY2(again.state, again.failure.c_str());
      same += again.state->steps() == drawn.state->steps() ? 1 : 0;
    }
    QVERIFY(programs > 100);
    QCOMPARE(same, programs);
  }

  void whatIsNotThereIsDrawn() {
    const test::AskedTask task;
    const Sketch& sketch = task.sketches.front();
    std::set<std::string> programs;
    for (int i = 0; i < 20; ++i) {
      Random random = Random::stream(7, "drawn", std::uint64_t(i));
      const SampledProgram drawn = decidedProgram(sketch, task.space, {}, random);
      if (drawn.state) programs.insert(programId(task.dag, drawn.state->steps()));
    }
    QVERIFY(programs.size() > 10);
  }

  void whatCannotBeIsRefused_data() {
    QTest::addColumn<QString>("of");
    QTest::addColumn<QString>("reason");
    QTest::newRow("unknown") << "unknown"
                             << "this sketch has no decision \"colour of C\"; there are";
    QTest::newRow("product") << "product"
                             << "their product has to be 64";
    QTest::newRow("parts") << "parts"
                           << "parts, outermost first, and not 1";
    QTest::newRow("innermost") << "innermost"
                               << "the innermost may be 16 at most";
    QTest::newRow("number") << "number"
                            << "are a list of whole numbers";
    QTest::newRow("unroll") << "unroll"
                            << "cannot be 17; there are 0, 16, 64, 512";
    QTest::newRow("parallel") << "parallel"
                              << "cannot be one parallel loop";
    QTest::newRow("vector") << "vector"
                            << "cannot be a vector";
  }
  void whatCannotBeIsRefused() {
    QFETCH(QString, of);
    QFETCH(QString, reason);
    test::AskedTask task;
    task.space.maxInnermostFactor = 16;
    if (of == "vector") task.space.maxVectorElements = 1;
    DecisionValues values;
    std::string failure;
    for (const Sketch& sketch : task.sketches) {
      const std::vector<SketchDecision> decisions = sketchDecisions(sketch, task.space);
      const SketchDecision& tiles = ofKind(decisions, DecisionKind::TileSize);
      std::vector<std::int64_t> whole(tiles.parts.size(), 1);
      whole.back() = tiles.extent;
      const SketchDecision& parallel = ofKind(decisions, DecisionKind::Parallel);
      const SketchDecision& vector = ofKind(decisions, DecisionKind::Vectorize);
      values.clear();
      if (of == "unknown") values["colour of C"] = std::int64_t(3);
      if (of == "product") values[tiles.name] = std::vector<std::int64_t>(tiles.parts.size(), 3);
      if (of == "parts") values[tiles.name] = std::vector<std::int64_t>{64};
      if (of == "innermost") values[tiles.name] = whole;
      if (of == "number") values[tiles.name] = std::int64_t(3);
      if (of == "unroll") values[ofKind(decisions, DecisionKind::Unroll).name] = std::int64_t(17);
      if (of == "parallel") values[parallel.name] = parallel.values.back();
      if (of == "vector") values[vector.name] = vector.values.back();
      Random random(3);
      const SampledProgram refused = decidedProgram(sketch, task.space, values, random);
      failure += refused.state ? std::string() : refused.failure + "\n";
    }
    QVERIFY2(failure.find(reason.toStdString()) != std::string::npos, failure.c_str());
  }

  /// A place in words is where the stage is computed.
  void stagesAreMoved() {
    const ComputeDag dag = test::softmax(32, 64);
    const SpaceOptions space = test::AskedTask::spaceOf();
    int moved = 0;
    for (const Sketch& sketch : generateSketches(dag, space, sketchRules("paper")))
      for (const SketchDecision& decision : sketchDecisions(sketch, space)) {
        if (decision.kind != DecisionKind::ComputeLocation) continue;
        QVERIFY(std::ranges::count(decision.places, kAtRoot) == 1);
        for (const std::string& place : decision.places) {
          Random random(5);
          const SampledProgram program =
              decidedProgram(sketch, space, {{decision.name, place}}, random);
          if (!program.state) continue; // a loop of one iteration, with these tiles
          ++moved;
          const DecisionValues values = decisionValues(sketch, space, program.state->steps());
          QCOMPARE(std::get<std::string>(values.at(decision.name)), place);
        }
      }
    if (moved == 0) QSKIP("no sketch of this task leaves a place open");
  }
};

NW_TEST_APPLESS(SketchDecisions)

} // namespace nestwright::sketch_decisions_test

#include "sketch_decisions.moc"
