/// \file Bound inference against execution: random programs run iteration by iteration, and no
/// element may be missed, visited twice, read before it is there, or lie outside its tensor.

#include "core/schedule/bounds.h"

#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/schedule/loop_simulation.h"
#include "tests/schedule/random_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::bounds_test {

using namespace nestwright::test;

constexpr std::uint64_t kSeed = 20261120;
constexpr std::int64_t kMaxLoopIterations = 20'000;

/// Iterations of all loops of the program, with those of the loops around them.
std::int64_t loopIterations(const State& state, const Bounds& bounds) {
  std::int64_t sum = 0;
  for (int id = 0; id < state.stageCount(); ++id) {
    std::int64_t product = 1;
    const auto loops = static_cast<int>(bounds.stages[id].extents.size());
    for (std::optional<AttachPoint> at = AttachPoint{id, loops - 1}; at;
         at = state.attachPoint(at->stage))
      for (int i = 0; i <= at->iterator; ++i)
        product = std::min(product * bounds.stages[at->stage].extents[i], kMaxLoopIterations + 1);
    sum += product;
  }
  return sum;
}
class BoundsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void randomProgramsComputeWhatIsNeeded_data() {
    QTest::addColumn<int>("dag");
    for (int dag = 0; dag < static_cast<int>(smallDags().size()); ++dag)
      QTest::addRow("dag %d", dag) << dag;
  }

  void randomProgramsComputeWhatIsNeeded() {
    QFETCH(int, dag);
    const ComputeDag task = smallDags()[dag];
    int checked = 0, attached = 0, guarded = 0, factored = 0, cached = 0;
    for (int program = 0; program < 4000; ++program) {
      Random random = Random::stream(kSeed, "bounds", dag * 10'000 + program);
      const State state = randomState(task, 4 + program % 12, random);
      const std::string where = fmt::format("seed {} dag {} program {}: {}", kSeed, dag, program,
                                            recordText(toJson(state.steps())));
      Bounds bounds;
      try {
        bounds = inferBounds(state);
      } catch (const IllegalSchedule&) {
        continue;
      }
      if (loopIterations(state, bounds) > kMaxLoopIterations) continue;
      LoopSimulation simulation(state, bounds);
      const std::string complaint = simulation.run();
      QVERIFY2(complaint.empty(), (complaint + "\n" + where).c_str());
      ++checked;
      for (const Step& step : state.steps()) {
        factored += std::holds_alternative<RfactorStep>(step) ? 1 : 0;
        cached += std::holds_alternative<CacheReadStep>(step) ? 1 : 0;
      }
      for (int id = 0; id < state.stageCount(); ++id) {
        attached += state.attachPoint(id).has_value() ? 1 : 0;
        guarded += bounds.stages[id].guards.empty() ? 0 : 1;
      }
    }
    qInfo("%d programs executed, %d stages computed in loops, %d with guards; %d reductions "
          "factored, %d caches read",
          checked, attached, guarded, factored, cached);
    QVERIFY(checked > 2000);
    QVERIFY(guarded > 100);
    QVERIFY(cached > 200);
    const auto& ops = task.ops();
    const bool reduces =
        std::any_of(ops.begin(), ops.end(), [](const Op& op) { return !op->reduceAxes.empty(); });
    QVERIFY(!reduces || factored > 200);
  }

  /// Thirty stages that each read the one before twice: a billion loads, were all of them inlined.
  void bodiesThatInliningBlowsUpAreRefused() {
    std::string text = "B0 = PLACEHOLDER [64]\n";
    constexpr int kStages = 30;
    for (int i = 1; i <= kStages; ++i)
      text += fmt::format("B{}(i={}) = (B{}[i] + B{}[(i + 1)])\n", i, 64 - i, i - 1, i - 1);
    const ComputeDag dag = parseDag(text);
    Steps steps;
    for (int i = kStages - 1; i > 0; --i)
      steps.emplace_back(ComputeInlineStep{i});
    QVERIFY_THROWS_EXCEPTION(IllegalSchedule, inferBounds(State::replay(dag, steps)));
    // As far as it can be, it is done.
    const Steps half(steps.begin() + kStages / 2, steps.end());
    QCOMPARE(inferBounds(State::replay(dag, half)).stages[0].extents.size(), std::size_t{0});
  }

  /// The position of a tile and that inside of it are one index again, as TVM prints them.
  void regionsStartAtWholeIndices() {
    const ComputeDag dag =
        parseDag("A = PLACEHOLDER [112, 8]\n"
                 "P(i=114, c) = if_then_else(((i >= 1) && (i < 113)), A[(i - 1), c], 0f)\n"
                 "C(y=112, c) {r=3} += P[(y + r), c]\n");
    // Tiles of four channels, and in each of them all of y, in tiles of 56.
    const Steps steps{SplitStep{2, 0, 112, {56}}, SplitStep{2, 2, 8, {4}},
                      ReorderStep{2, {2, 0, 1, 3, 4}}, FuseStep{2, {0, 1, 2}},
                      ComputeAtStep{1, 2, 0}};
    const State state = withBounds(State::replay(dag, steps));
    QCOMPARE(QString::fromStdString(printLoopNest(state)).section('\n', 2, 2),
             QString("  for i (floormod(c.outer.y.outer.fused.y.inner.fused, 112),3)"));
  }
};

NW_TEST_APPLESS(BoundsTest)

} // namespace nestwright::bounds_test

#include "bounds.moc"
