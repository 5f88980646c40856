/// \file Sketches for GPUs. How many there are, and of which steps, follows from the rules
/// (handbook/cuda.md 2.1, 2.2); the public record of a convolution and the worked example of a
/// product say the rest.

#include "core/schedule/bounds.h"
#include "core/space/annotate.h"
#include "core/space/derivation.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::gpu_sketches_test {

using nlohmann::json;

std::vector<Sketch> sketchesOf(const ComputeDag& dag) {
  return generateSketches(dag, test::sm90(Draws::Paper));
}

Steps steps(const std::string& text) {
  return stepsFromJson(json::parse(text));
}

QStringList lines(const Steps& steps) {
  QStringList result;
  for (const Step& step : steps)
    result << QString::fromStdString(recordText(toJson(step)));
  return result;
}

/// Splits without their factors.
Steps undecided(Steps steps) {
  for (Step& step : steps)
    if (auto* split = std::get_if<SplitStep>(&step))
      std::fill(split->factors.begin(), split->factors.end(), TileSize());
  return steps;
}

/// The sketch with the tile sizes of a program that began with it.
Steps withTilesOf(const Steps& sketch, const Steps& program) {
  Steps result = sketch;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (auto* split = std::get_if<SplitStep>(&result[i]))
      split->factors = std::get<SplitStep>(program[i]).factors;
  return result;
}

/// Sketch and tile sizes, with threads and the one limit of unrolling.
State annotated(const ComputeDag& dag, const Steps& concrete, std::int64_t unrollLimit) {
  SpaceOptions options = test::sm90(Draws::Paper);
  options.unrollSteps = {unrollLimit};
  Random random(1);
  State state = withBounds(State::replay(dag, concrete));
  bindThreads(state, options, random);
  annotateUnroll(state, options, random);
  return state;
}

/// The worked example of a matrix product, 256 x 256 x 256.
constexpr const char* kProduct =
    R"([["CHW", 2, "local"], ["SP", 2, 0, 256, [1, 16, 2, 2], 1], ["SP", 2, 5, 256, [2, 8, 1, 4], 1],
        ["SP", 2, 10, 256, [4, 2], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
        ["FSP", 3, 0, 1, 3], ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
        ["CA", 2, 3, 5], ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
        ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4],
        ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 32, [4], 1],
        ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]],
        ["SP", 1, 0, 32, [2], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
        ["PR", 4, 0, "auto_unroll_max_step$512"]])";
constexpr std::size_t kProductSketch = 13; // steps before the threads

Steps galleryRecord() {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/logs/tvm-gallery-conv2d.json");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with('{')) break;
  return stepsFromJson(json::parse(line).at("i").at(1).at(1));
}

class TestGpuSketches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thereAreAsManyAsTheRulesGive_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<int>("count");
    const auto row = [](const char* text, int count) { QTest::newRow(text) << text << count; };
    // What is tiled has one way: the cache stage, its fusion and the fetches apply alone. It has
    // more elements than a block has threads, so that no reduction is shared.
    row("matmul:m=512,n=512,k=512", 1);
    row("matmul:m=512,n=512,k=512,bias=1,relu=1", 1);
    row("batch_matmul:b=12,m=128,n=128,k=64", 1);
    row("conv1d", 1);
    row("conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1", 1);
    row("conv2d:n=1,h=56,w=56,ci=64,co=64,k=1,s=1,p=0", 1);
    row("conv3d", 1);
    row("depthwise_conv2d", 1);
    row("grouped_conv2d", 1);
    row("dilated_conv2d", 1);
    row("transposed_conv2d", 1);
    // 64 elements, fewer than the 1024 products of each: the threads of a block may share these.
    row("matmul:m=8,n=8,k=1024", 2);
    // As many elements as products: they may not.
    row("matmul:m=32,n=32,k=1024", 1);
    // Maximum and sum, each with and without: 2 x 2.
    row("softmax:m=1,n=1024", 4);
    // Neither is longer than a warp.
    row("softmax:m=64,n=32", 1);
    row("softmax:m=64,n=33", 4);
    // The sum of squares, with and without.
    row("norm", 2);
  }
  void thereAreAsManyAsTheRulesGive() {
    QFETCH(QString, task);
    QFETCH(int, count);
    const ComputeDag dag = parseTaskSpec(task.toStdString()).dag;
    const std::vector<Sketch> sketches = sketchesOf(dag);
    QCOMPARE(static_cast<int>(sketches.size()), count);
    for (const Sketch& sketch : sketches)
      QCOMPARE(printLoopNest(State::replay(dag, sketch.state.steps())),
               printLoopNest(sketch.state));
    QCOMPARE(deriveSketches(dag, test::sm90(Draws::Paper)).sketches, sketches.size());
  }

  /// As the public implementation's own tests expect them.
  void publishedCounts() {
    QCOMPARE(sketchesOf(test::matmul(512, 512, 512)).size(), 1u);
    QCOMPARE(sketchesOf(test::matmul(8, 8, 1024)).size(), 2u);
    QCOMPARE(sketchesOf(test::doubleMatmul(512)).size(), 1u);
    QCOMPARE(sketchesOf(test::conv2dNchwBnRelu()).size(), 1u);
    QCOMPARE(sketchesOf(test::minReduction()).size(), 2u);
    QCOMPARE(sketchesOf(test::softmax(1, 1024)).size(), 4u);
    QCOMPARE(sketchesOf(test::winogradNhwc(14, 16, 32)).size(), 1u);
    const std::vector<Sketch> pool = sketchesOf(test::maxPool());
    QCOMPARE(pool.size(), 1u);
    // The padding, which is inlined in spite of its branch.
    QCOMPARE(lines(pool[0].state.steps()), lines(steps(R"([["CI", 1]])")));
    QCOMPARE(sketchesOf(parseDag("A = PLACEHOLDER [128]\nB() += A[k]\n")).size(), 2u);
  }

  void aProductIsStagedInSharedMemory() {
    const ComputeDag dag = test::matmul(256, 256, 256);
    const Steps program = steps(kProduct);
    const Steps expected(program.begin(), program.begin() + kProductSketch);
    const Sketch sketch = sketchesOf(dag)[0];
    QCOMPARE(lines(sketch.state.steps()), lines(undecided(expected)));

    // With the example's tiles, threads are bound as there. Only its vectors came from mutations.
    const State state = annotated(dag, withTilesOf(sketch.state.steps(), program), 512);
    Steps fetched = program;
    for (const std::size_t vector : {20, 25})
      std::get<SplitStep>(fetched[vector]).factors = {TileSize(1)};
    QCOMPARE(lines(state.steps()), lines(fetched));
  }

  /// The public record: its sketch is ours, and with its tiles threads are bound as in the record.
  void aConvolutionIsThatOfThePublicRecord() {
    const ComputeDag dag = test::galleryConvolution();
    const Steps record = galleryRecord();
    const std::vector<Sketch> sketches = sketchesOf(dag);
    QCOMPARE(sketches.size(), 1u);
    const Steps& sketch = sketches[0].state.steps();
    const Steps expected(record.begin(),
                         record.begin() + static_cast<std::ptrdiff_t>(sketch.size()));
    QCOMPARE(lines(sketch), lines(undecided(expected)));

    // The record's program was mutated after its threads were bound: its fetch of 504 elements was
    // made for rows of seven, one of which each block has by now, and one element wide.
    constexpr std::size_t kRows = 3, kFetch = 32;
    Steps first = withTilesOf(sketch, record);
    std::get<SplitStep>(first[kRows]).factors = {1, 1, 7, 1};
    Steps bound = annotated(dag, first, 512).steps();
    QCOMPARE(bound.size(), record.size());
    std::get<SplitStep>(bound[kRows]).factors = std::get<SplitStep>(record[kRows]).factors;
    std::get<SplitStep>(bound[kFetch]).factors = {4};
    QCOMPARE(lines(bound), lines(record));
  }

  void reductionsAreSharedInsideTheirConsumer() {
    // Softmax: the sum's threads are those of the result, the maximum's too.
    const Sketch both = sketchesOf(test::softmax(8, 1024))[0];
    QCOMPARE(lines(both.state.steps()), lines(steps(R"([
      ["SP", 4, 1, 1024, [32], 1], ["AN", 4, 2, 6], ["FSP", 3, 1, 0, 1], ["AN", 3, 2, 6],
      ["CA", 3, 4, 0], ["CI", 2], ["FSP", 1, 1, 0, 1], ["AN", 1, 2, 6], ["CA", 1, 4, 0]])")));
    // A norm reduces over two axes, which become one.
    const Sketch norm = sketchesOf(parseTaskSpec("norm").dag)[0];
    QCOMPARE(lines(norm.state.steps()), lines(steps(R"([
      ["FU", 1, [1, 2]], ["SP", 2, 0, 1, [32], 1], ["AN", 2, 1, 6], ["FSP", 1, 1, 1, 1],
      ["AN", 1, 2, 6], ["CA", 1, 2, 0]])")));
    // A product with few elements, of its own.
    const Sketch product = sketchesOf(test::matmul(8, 8, 1024))[0];
    QCOMPARE(lines(product.state.steps()),
             lines(steps(R"([["SP", 2, 2, 1024, [32], 1], ["AN", 2, 3, 6]])")));
  }

  /// Where the threads are the results of a block, it would reduce for one after the other.
  void withOurDrawsALongReductionAlsoHasBlocksOfItsOwn() {
    const auto ours = [](const ComputeDag& dag) {
      return generateSketches(dag, test::sm90(Draws::Own));
    };
    const std::vector<Sketch> norm = ours(parseTaskSpec("norm:b=4096,m=64,n=128").dag);
    QCOMPARE(norm.size(), 3u);
    QCOMPARE(lines(norm[1].state.steps()),
             lines(steps(R"([["FU", 1, [1, 2]], ["SP", 1, 1, 8192, [32], 1], ["AN", 1, 2, 6]])")));
    // The threads of a softmax are those of a row already.
    QCOMPARE(ours(test::softmax(8, 1024)).size(), sketchesOf(test::softmax(8, 1024)).size());
  }

  /// Where the public implementation ends the process: a consumer that reduces itself has no split
  /// that threads could follow.
  void aReductionThatAnotherReadsIsOfItsOwn() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [8, 64, 64]\n"
                                    "B(i, j) += A[i, j, k]\n"
                                    "C(i) max= B[i, j]\n");
    const std::vector<Sketch> sketches = sketchesOf(dag);
    QCOMPARE(sketches.size(), 4u);
    for (const Sketch& sketch : sketches)
      for (const Step& step : sketch.state.steps())
        QVERIFY(!std::holds_alternative<ComputeAtStep>(step));
  }

  /// The public implementation tests one consumer and fetches for all: here it would end the
  /// process at the one without a reduction.
  void fetchesAreForTilesAlone() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [128, 128]\nB = PLACEHOLDER [128, 128]\n"
                                    "C(i, j) += (A[i, k]*B[k, j])\n"
                                    "D(i, j) = (C[i, j] + A[i, j])\n");
    const std::vector<Sketch> sketches = sketchesOf(dag);
    QCOMPARE(sketches.size(), 1u);
    int fetches = 0;
    for (const Step& step : sketches[0].state.steps())
      if (const auto* cache = std::get_if<CacheReadStep>(&step)) {
        QCOMPARE(cache->readers.size(), 1u);
        ++fetches;
      }
    QCOMPARE(fetches, 2);
  }

  void winogradComputesItsTilesOutsideOfTheUnrolledLoops() {
    const ComputeDag dag = test::winogradNhwc(14, 16, 32);
    const QString nest = QString::fromStdString(printLoopNest(sketchesOf(dag).at(0).state));
    QVERIFY2(nest.contains("for p.0 (None)\n"
                           "  for ci.0 (None)\n"
                           "    for p.1 (None)\n"
                           "      for ci.1 (None)\n"
                           "        for eps (None)\n"
                           "          for nu (None)\n"
                           "            for p (None)\n"
                           "              for ci (None)\n"
                           "                input_tile = ...\n"
                           "        unroll eps (0,4)\n"),
             qPrintable(nest));
    QVERIFY2(nest.contains("data_pack.shared = ...") && nest.contains("bgemm.local = ..."),
             qPrintable(nest));
  }

  /// Memory is what a step names, not what a tensor is called.
  void aTensorMayBeCalledShared() {
    const auto product = [](const std::string& operand, const std::string& result) {
      const Op a = placeholder("A", {64, 64}), b = placeholder("B", {64, 64});
      const Op twice = compute(operand, {64, 64},
                               [&](const auto& i) { return read(a, i) + read(a, i); }, {"i", "j"});
      const Op c = reduce("C", Reducer::Sum, {64, 64}, {{"k", 64}},
                          [&](const auto& i, const auto& r) {
                            return read(twice, {i[0], r[0]}) * read(b, {r[0], i[1]});
                          },
                          {"i", "j"});
      return ComputeDag::fromOutputs(
          {compute(result, {64, 64}, [&](const auto& i) { return max(read(c, i), floatImm(0)); },
                   {"i", "j"})});
    };
    for (const bool onCpu : {true, false}) {
      const SpaceOptions options = onCpu ? SpaceOptions() : test::sm90(Draws::Paper);
      const auto plain = generateSketches(product("T", "D"), options),
                 named = generateSketches(product("T.shared", "D.shared"), options);
      QCOMPARE(named.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        QCOMPARE(lines(named[i].state.steps()), lines(plain[i].state.steps()));
    }
    // What lies in the loops of threads is computed for one of them.
    const Steps inThread = steps(R"([["AN", 4, 0, 6], ["CA", 1, 3, 0], ["CA", 3, 4, 0]])");
    const auto rows = [&](const char* operand) {
      return inferBounds(State::replay(product(operand, "D"), inThread)).stages[1].axes[0].extent;
    };
    QCOMPARE(rows("T"), 1);
    QCOMPARE(rows("T.shared"), 1);
  }

  void sayWhy() {
    const DerivationTree tree = deriveSketches(test::matmul(64, 64, 64), test::sm90(Draws::Paper));
    const QString text = QString::fromStdString(printDerivation(tree));
    for (const char* rule :
         {"Add Cache Read", "Special Compute Location", "Always Inline",
          "Simplify Compute with Constant Tensor", "Cross-Thread Reduction", "Add Cache Stage",
          "Multi-Level Tiling with Fusion", "Multi-Level Tiling", "Skip"})
      QVERIFY2(text.contains(QString("  %1: ").arg(rule)), qPrintable(text));
    for (const DerivationNode& node : tree.nodes)
      for (const RuleAnswer& answer : node.answers)
        if (!node.isInput && answer.answer != RuleAnswer::Answer::NotAsked)
          QVERIFY2(!answer.reason.empty(), answer.rule.c_str());
  }

  /// A CPU's space is what it was.
  void theTargetDecides() {
    const TargetFacts cpu, gpu = cudaTarget(gpuPreset({9, 0}));
    const auto names = [](const SketchRules& rules) {
      QStringList result;
      for (const auto& rule : rules)
        result << QString::fromStdString(rule->name());
      return result;
    };
    QCOMPARE(names(paperRules(cpu)), names(cpuRules()));
    QCOMPARE(names(paperRules(gpu)), names(gpuRules()));
    QCOMPARE(names(nestwrightRules(gpu)), (QStringList{"Tensor Cores", "Split Reduction"}));
    const SpaceOptions options = spaceOptionsFor(cpu), defaults;
    QCOMPARE(options.tilingStructure, defaults.tilingStructure);
    QCOMPARE(options.unrollSteps, defaults.unrollSteps);
    QCOMPARE(options.fusionLevels, defaults.fusionLevels);
  }
};

NW_TEST_APPLESS(TestGpuSketches)

} // namespace nestwright::gpu_sketches_test

#include "gpu_sketches.moc"
