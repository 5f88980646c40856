/// What each mutation may change and what it must leave alone, on programs made by hand.

#include "core/schedule/bounds.h"
#include "core/search/mutation.h"
#include "core/space/annotation.h"
#include "core/tensor/text.h"
#include "tests/support/binomial.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <map>
#include <set>

namespace nestwright::mutations_test {

using test::doubt;

constexpr std::uint64_t kSeed = 20261122;

/// B can be computed in the loops of C, which are as many and of the same extents.
constexpr const char* kTwoStages = "A = PLACEHOLDER [4, 4, 4, 4]\n"
                                   "B(i, j, k, l) = exp(A[i, j, k, l])\n"
                                   "C(i, j, k, l) = (B[i, j, k, l]*2f)\n";

State program(const ComputeDag& dag, const char* steps) {
  return withBounds(State::replay(dag, stepsFromJson(nlohmann::json::parse(steps))));
}

using Mutation = std::optional<State> (*)(const State&, const SpaceOptions&, Random&);

/// What `read` tells of each child of many draws; of draws without a child, the empty string.
template <class Read>
std::map<std::string, int> childrenOf(const State& parent, Mutation mutation, int draws,
                                      const Read& read) {
  std::map<std::string, int> counts;
  Random random(kSeed);
  for (int i = 0; i < draws; ++i) {
    const std::optional<State> child = mutation(parent, SpaceOptions(), random);
    ++counts[child ? read(*child) : std::string()];
  }
  return counts;
}

std::string parallelLoop(const State& state) {
  for (int id = 0; id < state.stageCount(); ++id)
    for (const Iterator& iterator : state.stage(id).iterators)
      if (iterator.annotation == Annotation::Parallel) return iterator.name;
  return "none";
}

QStringList keys(const std::map<std::string, int>& counts) {
  QStringList result;
  for (const auto& [key, count] : counts)
    if (!key.empty()) result << QString::fromStdString(key);
  return result;
}

class TestMutations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The limit is on the tile size that comes of it, not on the divisor that is moved.
  void innermostTilesStayWithinTheLimit() {
    const State parent =
        program(test::matmul(512, 512, 512), R"([["SP", 2, 0, 512, [2, 4, 8], 1]])");
    std::set<std::int64_t> sizes;
    Random random(kSeed);
    State state = parent;
    for (int i = 0; i < 2000; ++i) {
      const std::optional<State> child = mutateTileSize(state, {}, random);
      if (!child) continue;
      state = *child;
      const auto& split = std::get<SplitStep>(state.steps()[0]);
      sizes.insert(*split.factors.back());
      std::int64_t product = 1;
      for (const TileSize& factor : split.factors)
        product *= *factor;
      QCOMPARE(512 % product, 0);
    }
    QCOMPARE(sizes, (std::set<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
  }

  /// A program that came with a larger tile can be brought back, and not be made worse.
  void largerTilesOnlyShrink() {
    const State parent = program(test::matmul(512, 512, 512), R"([["SP", 2, 0, 512, [128], 1]])");
    const auto children = childrenOf(parent, mutateTileSize, 500, [](const State& child) {
      return fmt::format("{:03}", *std::get<SplitStep>(child.steps()[0]).factors[0]);
    });
    QCOMPARE(keys(children), (QStringList{"001", "002", "004", "008", "016", "032", "064"}));
  }

  void unrollLimitsAreDrawnAlike() {
    const State parent =
        program(test::matmul(8, 8, 8), R"([["PR", 2, 0, "auto_unroll_max_step$16"]])");
    constexpr int kDraws = 4000;
    auto children = childrenOf(parent, mutateUnroll, kDraws, [](const State& child) {
      return std::get<PragmaStep>(child.steps()[0]).pragma;
    });
    QCOMPARE(keys(children), (QStringList{"auto_unroll_max_step$0", "auto_unroll_max_step$512",
                                          "auto_unroll_max_step$64"}));
    for (const auto& [child, count] : children) // and none when the value was drawn that it had
      QCOMPARE(doubt(count, kDraws, 0.25), QString());
  }

  void parallelLoopsAreDrawnAlike() {
    const State parent = program(parseDag(kTwoStages), R"([["FU", 2, [0, 1]], ["AN", 2, 0, 3]])");
    constexpr int kDraws = 4000;
    const auto children = childrenOf(parent, mutateParallel, kDraws, parallelLoop);
    QCOMPARE(keys(children), (QStringList{"i", "i@j@k@", "i@j@k@l@"}));
    for (const auto& [child, count] : children)
      QCOMPARE(doubt(count, kDraws, 0.25), QString());
  }

  /// A loop that carries a stage is never joined: the stage would be computed in other pieces.
  void parallelLoopsEndBeforeOneThatCarriesAStage() {
    const State parent =
        program(parseDag(kTwoStages), R"([["CA", 1, 2, 2], ["FU", 2, [0, 1]], ["AN", 2, 0, 3]])");
    QCOMPARE(keys(childrenOf(parent, mutateParallel, 400, parallelLoop)), QStringList{"i"});
  }

  /// A single loop is no fuse, and can become one.
  void aSingleParallelLoopIsJoinedWithOthers() {
    const State parent = program(parseDag(kTwoStages), R"([["AN", 2, 0, 3]])");
    QCOMPARE(keys(childrenOf(parent, mutateParallel, 400, parallelLoop)),
             (QStringList{"i@j@", "i@j@k@", "i@j@k@l@"}));
  }

  /// What later steps name is what it was.
  void laterLoopsAreFollowed() {
    const State parent =
        program(parseDag(kTwoStages),
                R"([["FU", 2, [0, 1]], ["AN", 2, 0, 3], ["FU", 2, [1, 2]], ["AN", 2, 1, 2]])");
    const auto loops = [](const State& state) {
      std::string text;
      for (const Iterator& iterator : state.stage(2).iterators)
        text += fmt::format("{} {} ", keyword(iterator.annotation), iterator.name);
      return text;
    };
    QCOMPARE(keys(childrenOf(parent, mutateParallel, 400, loops)),
             QStringList{"parallel i for j vectorize k@l@ "});
  }

  /// Tiles were placed by their sketch: only what annotation placed moves.
  void tiledStagesStayWhereTheirSketchPutThem() {
    const ComputeDag dag = test::conv2dNhwc(14, 16, 32, 3, 1);
    const auto sketches = generateSketches(dag, {});
    int moved = 0, tiled = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      Random random(kSeed + i);
      const auto sample = sampleProgram(sketches, {}, random);
      if (!sample.state) continue;
      const auto child = mutateComputeLocation(*sample.state, {}, random);
      if (!child) continue;
      State before(dag);
      for (std::size_t step = 0; step < child->steps().size(); ++step) {
        const auto* at = std::get_if<ComputeAtStep>(&child->steps()[step]);
        const bool same = child->steps()[step] == sample.state->steps()[step];
        if (at && before.stage(at->stage).name() == "pad_temp") moved += !same;
        if (at && before.stage(at->stage).name() == "conv2d_nhwc") {
          ++tiled;
          QVERIFY2(same, printLoopNest(*child).c_str());
        }
        before.apply(sample.state->steps()[step]);
      }
    }
    QVERIFY2(moved > 30 && tiled > 30, fmt::format("{} {}", moved, tiled).c_str());
  }

  void locationsAreDrawnAlike() {
    const State parent = program(parseDag(kTwoStages), R"([["CA", 1, 2, 1]])");
    constexpr int kDraws = 4000;
    const auto children = childrenOf(parent, mutateComputeLocation, kDraws, [](const State& child) {
      return fmt::format("loop {}", child.attachPoint(1)->iterator);
    });
    QCOMPARE(keys(children), (QStringList{"loop 0", "loop 2", "loop 3"}));
    for (const auto& [child, count] : children)
      QCOMPARE(doubt(count, kDraws, 0.25), QString());
  }

  /// A location is a loop as it was numbered when the stage was put there: the outer loops of the
  /// consumer are joined later.
  void locationsAreThoseOfTheirStep() {
    const State parent =
        program(parseDag(kTwoStages), R"([["CA", 1, 2, 2], ["FU", 2, [0, 1]], ["AN", 2, 0, 3]])");
    const auto children = childrenOf(parent, mutateComputeLocation, 400, [](const State& child) {
      return child.stage(2)
          .iterators[static_cast<std::size_t>(child.attachPoint(1)->iterator)]
          .name;
    });
    QCOMPARE(keys(children), (QStringList{"i@j@", "l"}));
  }
};

NW_TEST_APPLESS(TestMutations)

} // namespace nestwright::mutations_test

#include "mutations.moc"
