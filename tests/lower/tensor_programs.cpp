/// Programs that use tensor cores compute what the DAG says, race nowhere, and miss every barrier
/// that is taken out.

#include "core/emulate/emulate.h"
#include "core/lower/gpu/place_barriers.h"
#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/small_tasks.h"
#include "tests/lower/tensor_samples.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::tensor_programs_test {

int count(const LoopFunction& function, StmtKind kind) {
  int found = 0;
  visit(function.body, [&](const Stmt& s) { found += s->kind == kind; });
  return found;
}

/// C of 64 x 64 x 64: blocks of two warps, each of which computes two tiles of 16 x 8, or four.
/// `rows` has the factors of its rows; `around` and `tile` are those parts of them that the loops
/// inside of the reduction run over.
State product(const std::string& rows = "[1, 2, 1, 16]", int around = 3, int tile = 4) {
  const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 64] bfloat16\n"
                                  "B = PLACEHOLDER [64, 64] bfloat16\n"
                                  "C(i, j) += (float32(A[i, k])*float32(B[k, j]))\n"
                                  "D(i, j) = bfloat16(C[i, j])\n");
  const std::string steps = fmt::format(
      R"([["SP", 2, 0, 64, {}, 1], ["SP", 2, 5, 64, [1, 1, 2, 8], 1], ["SP", 2, 10, 64, [2, 16], 1],
          ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, {}, 8, 12, {}, 9]],
          ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
          ["CA", 2, 3, 5], ["AN", 2, 10, 11], ["AN", 2, 11, 11], ["AN", 2, 12, 11],
          ["PR", 2, 0, "tensor_instruction$mma_m16n8k16_bf16"],
          ["FU", 3, [0, 1]], ["AN", 3, 0, 7], ["FU", 3, [1, 2]], ["AN", 3, 1, 5],
          ["FU", 3, [2, 3]], ["AN", 3, 2, 8], ["SP", 3, 4, 0, [4, 2], 1], ["SP", 3, 3, 0, [2, 8], 1],
          ["RE", 3, [0, 1, 2, 5, 7, 3, 4, 6, 8]], ["FU", 3, [3, 4]], ["AN", 3, 3, 6]])",
      rows, around, tile);
  return State::replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
}

/// Why the program is not lowered; empty when it is.
std::string refusal(const State& state) {
  LowerOptions options;
  options.gpu = testGpu();
  try {
    (void)lower(state, options);
  } catch (const IllegalSchedule& refused) {
    return refused.what();
  }
  return {};
}

class TensorPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() { addTensorTasks(); }
  void agreeWithTheDag() {
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    const ComputeDag dag = parseTaskSpec(task).dag;
    Random values = Random::stream(test::randomSeed(20261124), task, 1'000'000);
    const Tensors inputs = randomInputs(dag, values);
    const Tensors expected = evaluate(dag, inputs);
    LowerOptions options;
    options.gpu = testGpu();
    const bool enough = forTensorPrograms(
        task, test::randomSeed(20261124), test::randomPrograms(6),
        [&](const State& state, std::uint64_t n) {
          QVERIFY(State::replay(dag, state.steps()).steps() == state.steps());
          std::string problem, lastPass;
          options.onPass = [&](const std::string& pass, const LoopFunction& function) {
            const bool looks = pass == "tensorize" || pass == "narrow_indices";
            if (!problem.empty() || !looks) return;
            EmulationOptions checks;
            checks.races = checks.registers = pass != "tensorize";
            const Emulation run = emulate(function, inputs, checks);
            problem = run.error ? fmt::format("{}: {} in {}", name(run.error->fault),
                                              run.error->what, run.error->lineText)
                                : wrong(dag, expected, run.outputs);
            if (!problem.empty()) problem = pass + ": " + problem + "\n" + print(function);
          };
          const LoopFunction function = lower(state, options);
          QVERIFY(count(function, StmtKind::Mma) > 0);
          if (!problem.empty())
            QFAIL(fmt::format("seed {} program {}: after {}\n{}", test::randomSeed(20261124), n,
                              problem, stepsText(state))
                      .c_str());
          missOneBarrier(function, inputs, n);
        });
    QVERIFY2(enough, "hardly any program is legal");
  }

  /// The rows of a tile are neighbours: with the innermost two of them outside, the instruction
  /// would get every second row of 32.
  void tilesOfOtherRowsAreRefused() {
    QCOMPARE(refusal(product()), std::string());
    const std::string why = refusal(product("[1, 2, 16, 2]", 4, 3));
    QVERIFY2(why.find("16 neighbours") != std::string::npos, why.c_str());
  }

  /// Two warps along an axis of three: one has no part in the last tile.
  void tilesOfSomeWarpsAreRefused() {
    const std::string task = "batch_matmul:b=3,m=32,n=16,k=32,fp16=1";
    QVERIFY(forTensorPrograms(task, 20261124, 1, [&](const State& state, std::uint64_t) {
      Steps steps = state.steps();
      for (Step& step : steps)
        if (auto* split = std::get_if<SplitStep>(&step); split && split->extent == TileSize(3))
          split->factors = {1, 2, 1, 1};
      QVERIFY(steps != state.steps());
      const std::string why = refusal(State::replay(parseTaskSpec(task).dag, steps));
      QVERIFY2(why.find("have no part in a tile") != std::string::npos, why.c_str());
    }));
  }

  /// A tile may reach over what its first element's first index names.
  void tilesOfSeveralSlotsWait() {
    const TensorInstruction& mma = *tensorInstruction("mma_m16n8k16_bf16");
    const Buffer in = makeBuffer("in", {256}, kBFloat16);
    const Buffer matrix = makeBuffer("matrix", {2, 128}, kBFloat16);
    const Buffer fragment = makeBuffer("fragment", {8}, kBFloat16);
    Launch launch;
    launch.kernel = "kernel";
    launch.threads[0] = {makeVar("threadIdx.x"), 32};
    const Expr thread{launch.threads[0].var};
    const auto fill = [&](int slot) {
      const Var i = makeVar("i");
      const Expr column = Expr(i) * Expr(32) + thread;
      return makeFor(
          i, 0, 4, ForKind::Serial,
          makeStore(matrix, {Expr(slot), column}, load(in, {Expr(slot * 128) + column})));
    };
    const Stmt tile = makeLoadFragment(mma, fragment, {Expr(0)}, load(matrix, {Expr(0), Expr(0)}),
                                       {TensorOperand::A, 16, 1, false});
    const Stmt body = makeAllocate(matrix, MemoryScope::Block,
                                   makeAllocate(fragment, MemoryScope::PerThread,
                                                makeSequence({fill(0), fill(1), tile, fill(1)})));
    LoopFunction function;
    function.parameters = {in};
    function.inputCount = 1;
    function.body = placeBarriers(makeLaunch(std::move(launch), body));
    QCOMPARE(count(function, StmtKind::Barrier), 2);
    const Emulation run = emulate(function, {{"in", std::vector<double>(256, 1)}});
    QVERIFY2(!run.error, run.error ? run.error->what.c_str() : "");
  }

  /// With room for a tile between the one that is fetched and the one that is multiplied, the warp
  /// multiplies first; and what it multiplies is written out.
  void multiplyBeforeTheyFetch_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<bool>("first");
    QTest::newRow("two tiles") << 2 << false;
    QTest::newRow("three tiles") << 3 << true;
    QTest::newRow("four tiles") << 4 << true;
  }
  void multiplyBeforeTheyFetch() {
    QFETCH(int, stages);
    QFETCH(bool, first);
    LowerOptions options;
    options.gpu = testGpu();
    const State state = pipelinedProduct(stages);
    const LoopFunction function = lower(state, options);
    std::vector<StmtKind> order; // of a tile's
    visit(function.body, [&](const Stmt& s) {
      if (s->kind == StmtKind::Wait) order.clear();
      if (s->kind == StmtKind::CopyAsync || s->kind == StmtKind::Mma) order.push_back(s->kind);
      if (s->kind == StmtKind::For && s->var->name == "k.1")
        QCOMPARE(s->forKind, ForKind::Unrolled);
    });
    QCOMPARE(order.size(), std::size_t(3));
    QCOMPARE(order.front() == StmtKind::Mma, first);
    QCOMPARE(order.back() == StmtKind::Mma, !first);
    const ComputeDag& dag = state.originalDag();
    Random values = Random::stream(20261127, "pipelined product", 0);
    const Tensors inputs = randomInputs(dag, values);
    const Emulation run = emulate(function, inputs);
    QVERIFY2(!run.error, run.error ? run.error->what.c_str() : "");
    const std::string problem = wrong(dag, evaluate(dag, inputs), run.outputs);
    QVERIFY2(problem.empty(), problem.c_str());
    for (std::uint64_t barrier = 0; barrier < 2; ++barrier)
      missOneBarrier(function, inputs, barrier);
  }

  void missEveryBarrier() {
    qInfo("%d of %d missed barriers were caught", caught_, missed_);
    QVERIFY(missed_ >= 20);
    QCOMPARE(caught_, missed_);
  }

 private:
  void missOneBarrier(const LoopFunction& function, const Tensors& inputs, std::uint64_t n) {
    const int barriers = count(function, StmtKind::Barrier);
    if (barriers == 0) return;
    int at = static_cast<int>(n) % barriers;
    const std::function<Stmt(const Stmt&)> without = [&](const Stmt& s) -> Stmt {
      if (s->kind == StmtKind::Barrier && at-- == 0) return makeSequence({});
      return mapChildren(s, without, nullptr);
    };
    LoopFunction missing = function;
    missing.body = without(function.body);
    ++missed_;
    const Emulation run = emulate(missing, inputs);
    caught_ += run.error && run.error->fault == EmulationFault::BlockRace;
  }

  int missed_ = 0, caught_ = 0;
};

NW_TEST_APPLESS(TensorPrograms)

} // namespace nestwright::tensor_programs_test

#include "tensor_programs.moc"
