#include "core/feature/lowered_features.h"

#include "core/feature/memory_access.h"
#include "core/feature/program_features.h"
#include "core/schedule/bounds.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <set>

namespace nestwright::lowered_features_test {

constexpr std::uint64_t kSeed = 20261121;
constexpr double kLine = 64;

std::vector<State> samples(const ComputeDag& dag, int count) {
  SpaceOptions space;
  const std::vector<Sketch> sketches = generateSketches(dag, space);
  std::vector<State> states;
  for (std::uint64_t draw = 0; static_cast<int>(states.size()) < count; ++draw) {
    Random random = Random::stream(kSeed, "lowered features", draw);
    if (auto program = sampleProgram(sketches, space, random); program.state)
      states.push_back(*program.state);
  }
  return states;
}

double value(const LoweredRow& row, const char* name) {
  const auto& names = loweredFeatureNames();
  const auto at = std::ranges::find(names, name) - names.begin();
  return std::exp2(static_cast<double>(row[static_cast<std::size_t>(at)])) - 1;
}

class TestLoweredFeatures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void accessesTouchWhatTheirLoopsReach() {
    const Buffer buffer = makeBuffer("A", {64, 64});
    const Var i = makeVar("i"), j = makeVar("j"), k = makeVar("k");
    const std::vector<LoopAround> loops = {
        {k.get(), 5, false}, {i.get(), 8, false}, {j.get(), 16, false}};
    const MemoryAccess rows(buffer, {Expr(i), Expr(j)}, loops);
    QVERIFY(!rows.movedBy(0) && rows.movedBy(1) && rows.movedBy(2));
    QCOMPARE(rows.touched(3, kLine).elements, 1.0);
    QCOMPARE(rows.touched(2, kLine).elements, 16.0);
    QCOMPARE(rows.touched(1, kLine).elements, 128.0);
    QCOMPARE(rows.touched(0, kLine).elements, 128.0); // k moves nothing
    // A run of 16 elements starts anywhere in a line: nearly two lines on average.
    QCOMPARE(rows.touched(1, kLine).lines, 8 * (1 + 15 * 4 / kLine));
    // Four columns of 16, one after another: whole rows lie in one piece.
    const MemoryAccess whole(buffer, {Expr(i), Expr(j) * 4 + Expr(k)},
                             {{i.get(), 8, false}, {j.get(), 16, false}, {k.get(), 4, false}});
    QCOMPARE(whole.touched(0, kLine).lines, 1 + (8 * 64 - 1) * 4 / kLine);
    // A vector of 16 lanes counts as a loop; a column of them shares few cache sets.
    const Buffer wide = makeBuffer("B", {1024, 1024});
    const MemoryAccess column(wide, {Expr(i), ramp(Expr(j), Expr(1), 16)},
                              {{j.get(), 1, false}, {i.get(), 64, false}});
    QCOMPARE(column.touched(1, kLine).elements, 1024.0);
    QVERIFY(column.touched(1, kLine).conflict > 1);
    QVERIFY(rows.touched(1, kLine).conflict <= 1);
  }

  /// Four rows, two steps of four terms; a factor of each row and step, a vector of each step.
  void severalProductsAreOneInstruction() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4, 8] uint8\nB = PLACEHOLDER [8, 16] int8\n"
                                    "C(i, j) += (int32(A[i, k])*int32(B[k, j])) "
                                    "@layout_free_placeholders(B)\n");
    LoweredFeatureOptions options;
    options.lowering.unroll = false;
    const auto row = [&] {
      return loweredFeatures(lower(State(dag), options.lowering), {"C"}, options)[0];
    };
    const LoweredRow widened = row();
    options.lowering.dotProducts = {true, true};
    const LoweredRow dots = row();
    QCOMPARE(std::round(value(dots, "lowered.instructions")), 8.0);
    QCOMPARE(std::round(value(dots, "lowered.loads")), 8.0 + 2);
    QCOMPARE(std::round(value(dots, "lowered.stores")), 4.0);
    QVERIFY(value(widened, "lowered.instructions") >= 4 * 8);
    options.lowering.dotProducts = {.widened = true}; // two at once
    QCOMPARE(std::round(value(row(), "lowered.instructions")), 2 * 8.0);
  }

  void instructionsCoverTheWork() {
    const ComputeDag dag = test::conv2dNhwc(14, 16, 32, 3, 1);
    for (const State& state : samples(dag, 100)) {
      ProgramFeatureOptions options;
      options.choice = {false, true};
      const ProgramFeatures features = programFeatures(state, options);
      double instructions = 0, all = 0;
      for (std::size_t row = 0; row < features.stages.size(); ++row) {
        LoweredRow values;
        std::copy_n(features.values.begin() +
                        static_cast<std::ptrdiff_t>(row * kLoweredFeatureCount),
                    kLoweredFeatureCount, values.begin());
        for (const float entry : values)
          QVERIFY(std::isfinite(entry) && entry >= 0);
        instructions += value(values, "lowered.instructions");
        QVERIFY(value(values, "lowered.port_cycles") * 2.001 >=
                value(values, "lowered.instructions") - 1);
        all = value(values, "lowered.all_port_cycles");
      }
      // A vector instruction does 16 products and sums at most, each counted as two operations.
      const QByteArray text = QByteArray::number(instructions) + " for " +
                              QByteArray::number(flops(dag)) + " operations";
      QVERIFY2(instructions * 1.001 >= flops(dag) / 32 && instructions <= 16 * flops(dag),
               text.constData());
      QVERIFY(all > 0);
    }
  }

  /// What a condition guards counts as often as it holds.
  void guardedWorkCountsWhereItIsDone() {
    const Buffer from = makeBuffer("A", {10, 4096}), to = makeBuffer("B", {10, 4096});
    const Var i = makeVar("i"), j = makeVar("j");
    const Stmt store =
        makeStore(to, {Expr(i), Expr(j)}, load(from, {Expr(i), Expr(j)}) + floatImm(1));
    const auto rowOf = [&](Stmt body) {
      LoopFunction function;
      function.body = makeFor(i, 0, 10, ForKind::Serial, std::move(body));
      return loweredFeatures(function, {"B"}, {}).at(0);
    };
    const Stmt inner = makeFor(j, 0, 4096, ForKind::Serial, store);
    const LoweredRow all = rowOf(inner), some = rowOf(makeIf(Expr(i) < Expr(2), inner));
    const LoweredRow others = rowOf(makeIf(logicalNot(Expr(i) < Expr(2)), inner));
    for (const char* name : {"lowered.instructions", "lowered.loads", "lowered.stores",
                             "lowered.port_cycles", "lowered.lines_l1"}) {
      const double whole = value(all, name);
      QVERIFY2(whole > 0, name);
      QVERIFY2(std::abs(value(some, name) / whole - 0.2) < 0.01, name);
      QVERIFY2(std::abs(value(others, name) / whole - 0.8) < 0.01, name);
    }
  }

  void bothChoicesStandSideBySide() {
    for (const State& state : samples(test::conv2dNhwc(14, 16, 32, 3, 1), 20)) {
      ProgramFeatureOptions options;
      const ProgramFeatures both = programFeatures(state, options);
      const std::vector<StatementFeatures> paper = statementFeatures(state);
      options.choice = {false, true};
      const ProgramFeatures lowered = programFeatures(state, options);
      QCOMPARE(both.stages.size(), paper.size());
      QCOMPARE(both.values.size(), paper.size() * FeatureChoice{}.columns());
      for (std::size_t row = 0; row < paper.size(); ++row) {
        const auto begin =
            both.values.begin() + static_cast<std::ptrdiff_t>(row * FeatureChoice{}.columns());
        QCOMPARE(both.stages[row], paper[row].statement);
        QVERIFY(std::equal(paper[row].values.begin(), paper[row].values.end(), begin));
        const auto at = std::ranges::find(lowered.stages, both.stages[row]);
        QVERIFY(at != lowered.stages.end());
      }
    }
  }

  void threadsChangeNothing() {
    const std::vector<State> states = samples(test::conv2dNhwc(14, 16, 32, 3, 1), 64);
    const std::vector<ProgramFeatures> one = programFeatures(states, ProgramFeatureOptions{}, 1);
    const std::vector<ProgramFeatures> four = programFeatures(states, ProgramFeatureOptions{}, 4);
    for (std::size_t i = 0; i < states.size(); ++i)
      QCOMPARE(one[i].values, four[i].values);
  }
};

NW_TEST_GUILESS(TestLoweredFeatures)

} // namespace nestwright::lowered_features_test

#include "lowered_features.moc"
