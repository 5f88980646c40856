/// What is decided about a kernel in steps of its own: when it is open, how it gets into the steps,
/// and what it takes.

#include "core/space/kernel_decisions.h"

#include "core/lower/gpu/verify_kernel.h"
#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/schedule/pragma.h"
#include "core/space/annotation.h"
#include "core/space/kernel_demand.h"
#include "core/space/legality.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::kernel_decisions_test {

using Kind = KernelDecision::Kind;
using test::sm90;

/// 1024^3: blocks of 64 x 64 elements on 8 x 8 threads, `inner` of the reduction at a time.
/// A is fetched in loop `fetchOfA`, which is the outer one of its reduction.
State product(const std::string& inner = "[4, 2]", const std::string& more = "", int fetchOfA = 6) {
  const std::string steps = fmt::format(
      R"([["CHW", 2, "local"], ["SP", 2, 0, 1024, [1, 8, 2, 4], 1],
          ["SP", 2, 5, 1024, [1, 8, 2, 4], 1], ["SP", 2, 10, 1024, {}, 1],
          ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3],
          ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
          ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
          ["CA", 1, 4, {}], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4],
          ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 0, [2], 1],
          ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]],
          ["SP", 1, 0, 0, [2], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
          ["PR", 4, 0, "auto_unroll_max_step$512"]{}])",
      inner, fetchOfA, more);
  return State::replay(test::matmul(1024, 1024, 1024), stepsFromJson(nlohmann::json::parse(steps)));
}

std::vector<KernelDecision> decisions(const State& state, Draws draws = Draws::Own) {
  return kernelDecisions(state, inferBounds(state), sm90(draws));
}

const KernelDecision* find(const std::vector<KernelDecision>& all, Kind kind, int stage) {
  for (const KernelDecision& decision : all)
    if (decision.kind == kind && decision.stage == stage) return &decision;
  return nullptr;
}

State withSteps(const Steps& steps) {
  return State::replay(test::matmul(1024, 1024, 1024), steps);
}

KernelDemand demandOf(const State& state) {
  return kernelDemands(state, inferBounds(state), *sm90(Draws::Own).target.gpu)[0];
}

class KernelDecisions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Stages: A, A.shared, B, B.shared, C.local, C.
  void areThoseThatSaySomething() {
    const auto all = decisions(product());
    using Choices = std::vector<std::int64_t>;
    QCOMPARE(all.size(), 5u);
    QCOMPARE(find(all, Kind::Rows, 1)->choices, (Choices{0, 2, 4}));
    QCOMPARE(find(all, Kind::Rows, 3)->choices, (Choices{0, 2, 4}));
    QCOMPARE(find(all, Kind::Pipeline, 4)->choices, (Choices{1, 2, 3, 4, 5}));
    QCOMPARE(find(all, Kind::Raster, 5)->choices, (Choices{1, 2, 4, 8, 16}));
    QCOMPARE(find(all, Kind::MinBlocks, 5)->choices, (Choices{1, 2, 3, 4}));
    QVERIFY(decisions(product(), Draws::Paper).empty());
    // Two tiles in all; and one, which is not fetched tile by tile.
    QCOMPARE(find(decisions(product("[512, 1]")), Kind::Pipeline, 4)->choices, (Choices{1, 2}));
    QVERIFY(find(decisions(product("[1024, 1]")), Kind::Pipeline, 4) == nullptr);
    SpaceOptions turing = sm90(Draws::Own);
    turing.target.gpu->architecture = {7, 5};
    const State state = product();
    QCOMPARE(find(kernelDecisions(state, inferBounds(state), turing), Kind::Pipeline, 4)->choices,
             (Choices{1, 2}));
  }

  /// A step is added, changed and taken out, wherever it stands, and the rest means what it did.
  void comeAndGo() {
    const State before = product();
    const std::string nest = printLoopNest(withBounds(before));
    for (const KernelDecision& decision : decisions(before)) {
      Steps steps = before.steps();
      for (auto choice = decision.choices.rbegin(); choice != decision.choices.rend(); ++choice) {
        steps = withChoice(steps, decision, *choice);
        const State state = withSteps(steps);
        const bool isDefault = *choice == decision.choices.front();
        QCOMPARE(steps.size(), before.steps().size() + (isDefault ? 0 : 1));
        const Stage& stage = state.stage(decision.stage);
        switch (decision.kind) {
        case Kind::Rows:
          QCOMPARE(stage.alignments.size(), isDefault ? 0u : 1u);
          if (!isDefault) QCOMPARE(stage.alignments[0].strideFrom(8) % (2 * *choice), *choice);
          break;
        case Kind::Pipeline:
          QCOMPARE(stage.pipelineStages, static_cast<int>(*choice));
          break;
        case Kind::Raster:
          QCOMPARE(stage.rasterRows, static_cast<int>(*choice));
          break;
        case Kind::MinBlocks:
          QCOMPARE(stage.minBlocks, static_cast<int>(*choice));
          break;
        }
        if (isDefault) QCOMPARE(printLoopNest(withBounds(state)), nest);
      }
      QVERIFY(steps == before.steps());
    }
  }

  /// Every tile at once has memory of its own, rows with all their gaps; no more tiles than there
  /// are.
  void tilesAtOnceTakeMemory() {
    constexpr std::int64_t kTiles = (64 * 8 + 8 * 64) * 4;
    QCOMPARE(demandOf(product()).sharedBytes, kTiles);
    QCOMPARE(demandOf(product("[4, 2]", R"(, ["PR", 4, 0, "pipeline_stages$3"])")).sharedBytes,
             3 * kTiles);
    const std::int64_t half = (64 * 512 + 512 * 64) * 4;
    QCOMPARE(demandOf(product("[512, 1]", R"(, ["PR", 4, 0, "pipeline_stages$5"])")).sharedBytes,
             2 * half);
    State padded = product("[4, 2]", R"(, ["PR", 4, 0, "pipeline_stages$3"])");
    padded = withSteps(withChoice(padded.steps(), *find(decisions(padded), Kind::Rows, 1), 4));
    QCOMPARE(demandOf(padded).sharedBytes, 3 * (64 * 12 + 8 * 64) * 4);
  }

  /// B's tiles are fetched once for four of A's: only A's are several at once, before lowering and
  /// behind it.
  void fetchesAtTwoLoopsAreTheInnerOnes() {
    const State state = product("[4, 2]", R"(, ["PR", 4, 0, "pipeline_stages$3"])", 7);
    constexpr std::int64_t kBytes = (3 * 64 * 2 + 8 * 64) * 4;
    QCOMPARE(demandOf(state).sharedBytes, kBytes);
    LowerOptions options;
    options.gpu = sm90(Draws::Own).target.gpu;
    std::int64_t taken = 0;
    visit(lower(state, options).body, [&](const Stmt& s) {
      if (s->kind == StmtKind::Launch) taken = blockMemoryBytes(s);
    });
    QCOMPARE(taken, kBytes);
  }

  void whatAMultiprocessorCannotHoldIsRefused() {
    const auto refusal = [](const std::string& inner, const std::string& pragma) {
      const State state = product(inner, fmt::format(R"(, ["PR", 5, 0, "{}"])", pragma));
      const auto found = illegality(state, sm90(Draws::Own));
      return found ? found->text : std::string();
    };
    QCOMPARE(refusal("[4, 2]", "min_blocks$4"), std::string());
    // 64 threads each: 32 blocks have 2048, and 32 registers a thread.
    QVERIFY(refusal("[4, 2]", "min_blocks$32").find("registers") != std::string::npos);
    QVERIFY(refusal("[128, 2]", "min_blocks$2").find("shared memory") != std::string::npos);
  }

  void pragmasAreAsTheySay() {
    const auto refused = [](const std::string& pragma) {
      try {
        (void)product("[4, 2]", fmt::format(R"(, ["PR", 5, 0, "{}"])", pragma));
      } catch (const IllegalSchedule& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    for (const char* pragma : {"pipeline_stages$1", "raster$64", "min_blocks$32"})
      QCOMPARE(refused(pragma), std::string());
    for (const char* pragma : {"pipeline_stages$0", "pipeline_stages$6", "pipeline_stages$",
                               "raster$65", "min_blocks$x"})
      QVERIFY2(refused(pragma).find("should end in a number from") != std::string::npos, pragma);
    const std::string unknown = refused("tile_by_magic$3");
    QVERIFY2(unknown.find("\"pipeline_stages$N\"") != std::string::npos, unknown.c_str());
    QVERIFY(isPublicPragma("auto_unroll_max_step$16") && isPublicPragma("debug_skip_region"));
    QVERIFY(!isPublicPragma("raster$8"));
  }

  /// Our rules draw all of it, those of the paper nothing.
  void ourDrawsHaveThemAll() {
    const ComputeDag dag = test::matmul(512, 512, 512);
    for (const Draws draws : {Draws::Paper, Draws::Own}) {
      const SpaceOptions options = sm90(draws);
      SketchRules rules = draws == Draws::Own ? nestwrightRules(options.target) : SketchRules();
      for (const auto& rule : paperRules(options.target))
        rules.push_back(rule);
      const auto sketches = generateSketches(dag, options, rules);
      QCOMPARE(sketches.size(), draws == Draws::Own ? 2u : 1u);
      std::set<std::string> features;
      for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const SampledProgram program = sampleProgram(sketches, options, random);
        if (!program.state) continue;
        for (const std::string& feature :
             kernelFeatures(*program.state, inferBounds(*program.state), options))
          features.insert(feature);
      }
      if (draws == Draws::Paper) {
        QVERIFY(features.empty());
        continue;
      }
      for (const char* feature :
           {"2 pipeline stages", "5 pipeline stages", "padded rows", "8 rows of blocks together",
            "2 blocks a multiprocessor", "more shared memory than a block has unasked",
            "a reduction in 2 parts", "a reduction in 16 parts", "fetches of 4 elements"})
        QVERIFY2(features.contains(feature), feature);
    }
  }

  /// The parts of a reduction are blocks of their own; a consumer adds them up.
  void reductionsAreSplitWhereBlocksAreFew() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 4096]\nB = PLACEHOLDER [4096, 64]\n"
                                    "C(i, j) += (A[i, k]*B[k, j])\nD(i, j) = max(C[i, j], 0f)\n");
    const SpaceOptions options = sm90(Draws::Own);
    const auto sketches = generateSketches(dag, options, nestwrightRulesThen(options.target));
    int split = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Random random(seed);
      const SampledProgram program = sampleProgram(sketches, options, random);
      if (!program.state) continue;
      const State& state = *program.state;
      QVERIFY(State::replay(dag, state.steps()).steps() == state.steps());
      if (std::ranges::none_of(state.steps(), [](const Step& step) {
            return std::holds_alternative<RfactorStep>(step);
          }))
        continue;
      ++split;
      const auto kernels = kernelDemands(state, inferBounds(state), *options.target.gpu);
      QCOMPARE(kernels.size(), 2u);
      QVERIFY(kernels[0].blocks() > 1);
    }
    QVERIFY(split >= 5);
    // 1024^2 elements are 256 blocks; 64 values are added up at once.
    for (const auto& [m, k] : {std::pair(1024, 1024), std::pair(64, 64)})
      QCOMPARE(generateSketches(test::matmul(m, m, k), options, nestwrightRulesThen(options.target))
                   .size(),
               generateSketches(test::matmul(m, m, k), options).size());
  }

 private:
  static SketchRules nestwrightRulesThen(const TargetFacts& target) {
    SketchRules rules = nestwrightRules(target);
    for (const auto& rule : paperRules(target))
      rules.push_back(rule);
    return rules;
  }
};

NW_TEST_APPLESS(KernelDecisions)

} // namespace nestwright::kernel_decisions_test

#include "kernel_decisions.moc"
