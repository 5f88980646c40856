/// \file Random programs for GPUs: that they replay, compute what they should, and are within every
/// limit when the test works it out by itself from their bounds.

#include "core/lower/gpu/verify_kernel.h"
#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/schedule/pipeline.h"
#include "core/space/annotate.h"
#include "core/space/kernel_demand.h"
#include "core/space/state_facts.h"
#include "core/space/survey.h"
#include "core/support/error.h"
#include "tests/schedule/loop_simulation.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::gpu_programs_test {

using test::sm90;

constexpr std::uint64_t kSeed = 20261123;

/// What a kernel takes, in the plainest way: by looking at its loops one by one.
struct Counted {
  std::map<Annotation, std::set<std::int64_t>> extents; // of the loops on each axis
  std::int64_t virtualThreads = 1, sharedBytes = 0, vectorBytes = 0;
};

void countNest(const State& state, const Bounds& bounds, int id, std::int64_t virtualThreads,
               Counted& counted) {
  const Stage& stage = state.stage(id);
  if (stage.scope == StorageScope::Shared) {
    std::int64_t elements = 1;
    for (std::size_t axis = 0; axis < stage.op->axes.size(); ++axis)
      elements *= bounds.stages[id].axes[axis].extent;
    if (const auto point = state.attachPoint(id))
      elements *= tilesAtOnce(state, bounds, point->stage);
    counted.sharedBytes += elements * stage.op->output->type.elementBytes();
  }
  for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
    const Annotation annotation = stage.iterators[i].annotation;
    const std::int64_t extent = bounds.stages[id].extents[i];
    if (annotation == Annotation::VThread) virtualThreads *= extent;
    if (annotation == Annotation::Vectorize)
      counted.vectorBytes = std::max<std::int64_t>(counted.vectorBytes,
                                                   extent * stage.op->output->type.elementBytes());
    if (annotation >= Annotation::BlockX && annotation <= Annotation::ThreadZ)
      counted.extents[annotation].insert(extent);
    counted.virtualThreads = std::max(counted.virtualThreads, virtualThreads);
    for (const int attached : state.attachedAt({id, static_cast<int>(i)}))
      countNest(state, bounds, attached, virtualThreads, counted);
  }
}

/// Empty when the program is within sm_90's limits.
std::string beyond(const State& state, Draws draws) {
  const std::int64_t mostShared = draws == Draws::Own ? 227 << 10 : 48 << 10;
  const Bounds bounds = inferBounds(state);
  for (int root = 0; root < state.stageCount(); ++root) {
    const Stage& stage = state.stage(root);
    if (stage.isPlaceholder() || stage.location != ComputeLocation::Root) continue;
    Counted counted;
    countNest(state, bounds, root, 1, counted);
    std::int64_t threads = 1, blocks = 1, elements = 1;
    bool isTiled = false;
    for (const auto& [axis, extents] : counted.extents) {
      if (extents.size() != 1) return fmt::format("{} loops on {}", extents.size(), keyword(axis));
      const bool isBlock =
          axis == Annotation::BlockX || axis == Annotation::BlockY || axis == Annotation::BlockZ;
      (isBlock ? blocks : threads) *= *extents.begin();
    }
    for (const Iterator& iterator : stage.iterators)
      isTiled |= iterator.annotation == Annotation::VThread;
    for (const Axis& axis : stage.op->axes)
      elements *= axis.extent;
    if (!counted.extents.contains(Annotation::ThreadX)) return "it has no threads";
    if (threads > 1024) return fmt::format("{} threads", threads);
    if (isTiled && threads < 32 && elements > 64) return fmt::format("only {} threads", threads);
    if (counted.virtualThreads > 8) return fmt::format("{} virtual", counted.virtualThreads);
    if (counted.sharedBytes > mostShared) return fmt::format("{} bytes", counted.sharedBytes);
    if (counted.vectorBytes > 16) return fmt::format("{} bytes in a vector", counted.vectorBytes);
    if (blocks >= std::int64_t{1} << 31) return fmt::format("{} blocks", blocks);
  }
  return {};
}

State program(const ComputeDag& dag, const std::string& steps) {
  return State::replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
}

/// A product in blocks of 64 x 64, threads of 8 x 8 with tiles of 8 x 8, and a fetch of eight steps
/// of k: the worked example in other sizes, which are to be set.
std::string tiledProduct(const std::string& i, const std::string& j, const std::string& k,
                         int vector = 4) {
  return fmt::format(
      R"([["CHW", 2, "local"], ["SP", 2, 0, 1024, {0}, 1], ["SP", 2, 5, 1024, {1}, 1],
          ["SP", 2, 10, 1024, {2}, 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
          ["FSP", 3, 0, 1, 3], ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
          ["CA", 2, 3, 5], ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
          ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4],
          ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 0, [{3}], 1],
          ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]],
          ["SP", 1, 0, 0, [{3}], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
          ["PR", 4, 0, "auto_unroll_max_step$512"]])",
      i, j, k, vector);
}

class TestGpuPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void legalProgramsAreWithinTheLimits_data() {
    QTest::addColumn<int>("task");
    const auto tasks = test::gpuTasks();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      QTest::newRow(tasks[i].first.c_str()) << static_cast<int>(i);
  }
  void legalProgramsAreWithinTheLimits() {
    QFETCH(int, task);
    const ComputeDag dag = test::gpuTasks()[static_cast<std::size_t>(task)].second;
    for (const Draws draws : {Draws::Paper, Draws::Own}) {
      const SpaceOptions options = sm90(draws);
      const auto sketches = generateSketches(dag, options);
      const Survey survey = surveyPrograms(workloadKey(dag), sketches, options, kSeed, 100);
      QCOMPARE(survey.programs.size(), 100u);
      for (const State& state : survey.programs) {
        const State replayed = State::replay(dag, state.steps());
        QCOMPARE(printLoopNest(withBounds(replayed)), printLoopNest(state));
        const std::string why = beyond(replayed, draws);
        QVERIFY2(why.empty(), (why + "\n" + printLoopNest(state)).c_str());
        QVERIFY(!illegality(replayed, options));
      }
      qInfo("%s draws: %llu drawn for %zu", draws == Draws::Own ? "own" : "paper",
            static_cast<unsigned long long>(survey.drawn), survey.programs.size());
    }
  }

  /// Executed loop by loop, every program computes all elements, each once and from what is there.
  void programsComputeWhatTheyShould_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("programs");
    const auto row = [](const char* name, const char* text, int programs) {
      QTest::newRow(name) << text << programs;
    };
    row("product",
        "A = PLACEHOLDER [16, 12]\nB = PLACEHOLDER [12, 16]\nC(i, j) += (A[i, k]*B[k, j])\n", 10);
    row("convolution",
        "A = PLACEHOLDER [1, 6, 6, 4]\n"
        "P(n, y=8, x=8, c) = if_then_else(((((y >= 1) && (y < 7)) && (x >= 1)) && (x < 7)), A[n, "
        "(y - 1), (x - 1), c], 0f)\n"
        "W = PLACEHOLDER [3, 3, 4, 8]\n"
        "C(n, y=6, x=6, f) {ry, rx, rc} += (P[n, (y + ry), (x + rx), rc]*W[ry, rx, rc, f])\n"
        "D(n, y, x, f) = max(C[n, y, x, f], 0f)\n",
        4);
    row("softmax",
        "A = PLACEHOLDER [6, 50]\nM(i) max= A[i, k]\nE(i, j) = exp((A[i, j] - M[i]))\n"
        "S(i) += E[i, k]\nN(i, j) = (E[i, j]/S[i])\n",
        30);
    row("deep product",
        "A = PLACEHOLDER [4, 96]\nB = PLACEHOLDER [96, 4]\nC(i, j) += (A[i, k]*B[k, j])\n"
        "D(i, j) = (C[i, j]*2f)\n",
        20);
    row("scalar", "A = PLACEHOLDER [100]\nB() += A[k]\nC() = (B[]*2f)\n", 20);
    row("winograd", "", 4);
  }
  void programsComputeWhatTheyShould() {
    QFETCH(QString, text);
    QFETCH(int, programs);
    const ComputeDag dag =
        text.isEmpty() ? test::winogradNhwc(6, 4, 8) : parseDag(text.toStdString());
    for (const Draws draws : {Draws::Paper, Draws::Own}) {
      SpaceOptions options = sm90(draws);
      options.target.gpu->warpThreads = 8; // so that small tasks have legal programs
      options.target.gpu->threadsPerBlock = 64;
      const auto sketches = generateSketches(dag, options);
      const Survey survey =
          surveyPrograms("small", sketches, options, kSeed, static_cast<std::size_t>(programs));
      QCOMPARE(survey.programs.size(), static_cast<std::size_t>(programs));
      for (const State& state : survey.programs) {
        const std::string wrong = test::LoopSimulation(state, inferBounds(state)).run();
        QVERIFY2(wrong.empty(), (wrong + "\n" + printLoopNest(state)).c_str());
      }
    }
  }

  void drawsAreRepeatable() {
    const ComputeDag dag = test::matmul(256, 256, 256);
    const SpaceOptions options = sm90(Draws::Own);
    const auto sketches = generateSketches(dag, options);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random a(seed), b(seed);
      const SampledProgram one = sampleProgram(sketches, options, a),
                           other = sampleProgram(sketches, options, b);
      QCOMPARE(one.state.has_value(), other.state.has_value());
      if (one.state) QVERIFY(one.state->steps() == other.state->steps());
      QCOMPARE(one.failure, other.failure);
    }
  }

  /// With the paper's rules fetches begin one element wide and plain loops have a warp; with ours
  /// both are drawn, and so are the threads of a reduction.
  void ourOwnDrawsAreWider() {
    const auto sizes = [](const ComputeDag& dag, Draws draws, Annotation of) {
      const SpaceOptions options = sm90(draws);
      std::set<std::int64_t> found;
      const auto sketches = generateSketches(dag, options);
      for (const State& state : surveyPrograms("", sketches, options, kSeed, 150).programs)
        for (std::size_t i = 0; i < state.steps().size(); ++i)
          if (const auto* split = std::get_if<SplitStep>(&state.steps()[i]))
            if (partAnnotations(state, i).back() == of) found.insert(split->factors.back().value());
      return found;
    };
    using Sizes = std::set<std::int64_t>;
    const ComputeDag product = test::matmul(256, 256, 256), softmax = test::softmax(64, 4096);
    const ComputeDag rows = parseDag("A = PLACEHOLDER [64, 64]\nB(i, j) = (A[i, j]*2f)\n");
    // One result: the threads are those of its consumer, and as many as the reduction needs.
    const ComputeDag norm = parseTaskSpec("norm").dag;
    QCOMPARE(sizes(product, Draws::Paper, Annotation::Vectorize), Sizes{1});
    QCOMPARE(sizes(product, Draws::Own, Annotation::Vectorize), (Sizes{1, 2, 4}));
    QCOMPARE(sizes(softmax, Draws::Paper, Annotation::ThreadX), Sizes{32});
    QCOMPARE(sizes(softmax, Draws::Own, Annotation::ThreadX), (Sizes{32, 64, 128, 256, 512, 1024}));
    QCOMPARE(sizes(norm, Draws::Own, Annotation::ThreadX), (Sizes{32, 64, 128, 256, 512, 1024}));
    QCOMPARE(sizes(rows, Draws::Paper, Annotation::ThreadX), Sizes{32});
    QCOMPARE(sizes(rows, Draws::Own, Annotation::ThreadX), (Sizes{32, 64, 128, 256, 512, 1024}));
  }

  /// What a step says already is not drawn again.
  void decidedFactorsStay() {
    const SpaceOptions options = sm90(Draws::Own);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed);
      std::string failure;
      const auto filled =
          fillTileSizes({SplitStep{2, 0, 512, {TileSize(), TileSize(), TileSize(16)}, true}},
                        options, random, failure);
      QVERIFY2(filled, failure.c_str());
      const auto& factors = std::get<SplitStep>((*filled)[0]).factors;
      QCOMPARE(factors[2], TileSize(16));
      QCOMPARE(32 % (*factors[0] * *factors[1]), 0);
    }
    Random random(1);
    std::string failure;
    QVERIFY(!fillTileSizes({SplitStep{2, 0, 100, {TileSize(), TileSize(16)}, true}}, options,
                           random, failure));
    QVERIFY2(failure.find("do not divide it") != std::string::npos, failure.c_str());
  }

  /// Mutations ask it: a part that an instruction stands for keeps its size.
  void partsAreKnownByWhatExecutesThem() {
    const State state = program(test::matmul(256, 256, 256),
                                R"([["SP", 2, 0, 256, [4, 16], 1], ["SP", 2, 3, 256, [32], 1],
                                    ["CHR", 0, "shared", [2]], ["AN", 3, 2, 11], ["AN", 3, 4, 6]])");
    QCOMPARE(partAnnotations(state, 0),
             (std::vector{Annotation::None, Annotation::None, Annotation::Tensorize}));
    QCOMPARE(partAnnotations(state, 1), (std::vector{Annotation::None, Annotation::ThreadX}));
  }

  void scalarsHaveABlock() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [128]\nB() += A[k]\n");
    const SpaceOptions options = sm90(Draws::Paper);
    QStringList nests;
    for (const Sketch& sketch : generateSketches(dag, options)) {
      Random random(1);
      State state = withBounds(sketch.state);
      bindThreads(state, options, random);
      nests << QString::fromStdString(printLoopNest(withBounds(state), true));
    }
    QCOMPARE(nests, (QStringList{"Placeholder: A\n"
                                 "blockIdx.x  (0,1)\n"
                                 "  for k.0 (0,4)\n"
                                 "    threadIdx.x k.1 (0,32)\n"
                                 "      B = ...\n",
                                 "Placeholder: A\n"
                                 "threadIdx.x  (0,1)\n"
                                 "  for k (0,128)\n"
                                 "    B = ...\n"}));
  }

  void whatIsIllegalIsRefused_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& steps, Refusal kind,
                        const char* text) {
      QTest::newRow(name) << QString::fromStdString(steps) << nestwright::name(kind) << text;
    };
    const std::string k = "[4, 2]";
    QTest::newRow("legal") << QString::fromStdString(
                                  tiledProduct("[1, 8, 2, 4]", "[1, 8, 2, 4]", k))
                           << ""
                           << "";
    row("threads", tiledProduct("[1, 64, 1, 1]", "[1, 32, 1, 1]", k), Refusal::Threads,
        "the kernel of C has 2048 threads in a block, more than 1024");
    row("few threads", tiledProduct("[1, 4, 2, 2]", "[1, 4, 2, 2]", k), Refusal::FewThreads,
        "the kernel of C has 16 threads in a block, fewer than a warp");
    row("virtual threads", tiledProduct("[4, 8, 1, 1]", "[4, 8, 1, 1]", k), Refusal::VirtualThreads,
        "the kernel of C has 16 virtual threads, more than 8");
    // (64 + 64) x 512 x 4 bytes.
    row("shared memory", tiledProduct("[1, 8, 2, 4]", "[1, 8, 2, 4]", "[128, 4]"),
        Refusal::SharedMemory,
        "the kernel of C needs 262144 bytes of shared memory, more than the 232448 of a block");
    row("registers", tiledProduct("[1, 16, 2, 8]", "[1, 8, 2, 8]", k), Refusal::Registers,
        "the kernel of C needs about 371 registers a thread, and each of 128 threads has 255");
    row("large tile", tiledProduct("[1, 8, 4, 8]", "[1, 8, 2, 8]", k), Refusal::Registers,
        "keeps 512 elements of one tile in the registers of a thread, more than 256");
    row("vector", tiledProduct("[1, 8, 2, 4]", "[1, 8, 2, 4]", k, 8), Refusal::VectorWidth,
        "the kernel of C has vectors of 32 bytes, wider than 16");
    row("parallel", R"([["AN", 2, 0, 3]])", Refusal::ParallelLoop,
        "a GPU has blocks and threads instead");
    row("unequal", R"([["CHW", 2, "local"], ["CA", 2, 3, 0], ["SP", 3, 1, 1024, [32], 1],
                       ["AN", 3, 2, 6], ["SP", 2, 1, 0, [64], 1], ["AN", 2, 2, 6]])",
        Refusal::UnequalThreads, "loops of 32 and of 64 iterations on threadIdx.x");
    row("reduction of blocks", R"([["AN", 2, 2, 5]])", Refusal::Race, "add to the same elements");
    row("reduction of virtual threads", R"([["SP", 2, 2, 1024, [4], 1], ["AN", 2, 3, 4]])",
        Refusal::Race, "add to the same elements");
    row("virtual threads of a reduction",
        R"([["SP", 2, 2, 1024, [32], 1], ["AN", 2, 3, 6], ["SP", 2, 0, 1024, [2], 1],
            ["AN", 2, 1, 4], ["AN", 2, 0, 5]])",
        Refusal::Race, "reduces across threads, which have virtual threads");
    row("statements", R"([["SP", 2, 2, 1024, [64], 1], ["SP", 2, 1, 1024, [128], 1],
                          ["AN", 2, 0, 6], ["RE", 2, [0, 1, 3, 2, 4]],
                          ["PR", 2, 0, "auto_unroll_max_step$8192"]])",
        Refusal::Statements, "statements after unrolling, more than 4096");
  }
  void whatIsIllegalIsRefused() {
    QFETCH(QString, steps);
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const State state = program(test::matmul(1024, 1024, 1024), steps.toStdString());
    const auto found = illegality(state, sm90(Draws::Own));
    if (kind.isEmpty()) {
      QVERIFY2(!found, found ? found->text.c_str() : "");
      return;
    }
    QVERIFY(found);
    QCOMPARE(QString(name(found->kind)), kind);
    QVERIFY2(QString::fromStdString(found->text).contains(text), found->text.c_str());
  }

  /// (64 + 64) x 128 x 4 bytes: more than a block has unasked. Public records mean what it has.
  void onlyOurDrawsAskForMoreSharedMemory() {
    const State state = program(test::matmul(1024, 1024, 1024),
                                tiledProduct("[1, 8, 2, 4]", "[1, 8, 2, 4]", "[64, 2]"));
    const auto found = illegality(state, sm90(Draws::Paper));
    QVERIFY(found);
    QVERIFY(found->kind == Refusal::SharedMemory);
    QCOMPARE(found->text, std::string("the kernel of C needs 65536 bytes of shared memory, more "
                                      "than the 49152 of a block"));
    QVERIFY(!illegality(state, sm90(Draws::Own)));
  }

  /// Rows that begin at other places take more memory.
  void paddedRowsCount() {
    const ComputeDag dag = test::matmul(1024, 1024, 1024);
    const std::string tiles = tiledProduct("[1, 8, 2, 4]", "[1, 8, 2, 4]", "[8, 4]");
    const auto sharedBytes = [&](const std::string& steps) {
      const State state = program(dag, steps);
      return kernelDemands(state, inferBounds(state), *sm90(Draws::Own).target.gpu)[0].sharedBytes;
    };
    QCOMPARE(sharedBytes(tiles), (64 * 32 + 32 * 64) * 4);
    // A's rows of 32 begin 4 behind a multiple of 32: they are 36 long.
    std::string padded = tiles;
    const std::string before = R"(["FU", 1, [0, 1]])";
    padded.insert(padded.find(before), R"(["SA", 1, 0, 32, 4], )");
    QCOMPARE(sharedBytes(padded), (64 * 36 + 32 * 64) * 4);
  }

  /// The figures that the estimate was made from (handbook/cuda.md 2.4).
  void registersAreEstimated() {
    struct Known {
      int elements, reduction, registers;
    };
    for (const Known& known : {Known{16, 16, 63}, Known{64, 8, 127}, Known{64, 16, 153}}) {
      const double estimate = registerEstimate(known.elements, known.reduction);
      QVERIFY2(estimate < 1.35 * known.registers && estimate * 1.35 > known.registers,
               fmt::format("{} for {}", estimate, known.registers).c_str());
    }
    const GpuFacts gpu = gpuPreset({9, 0});
    QCOMPARE(registerLimit(256, gpu), 255);
    QCOMPARE(registerLimit(1024, gpu), 64);
    QVERIFY(registerEstimate(256, 8) > 1.3 * registerLimit(64, gpu)); // it spilled
  }

  /// Loads under way together take registers as long as that keeps no warp out: what 64 of 64, 24
  /// of 64 or 8 of 64 warps leave to a thread (handbook/cuda.md 2.4).
  void registersThatCostNothingAreTaken() {
    KernelDemand kernel;
    kernel.registerElements = 16;
    kernel.fetchedElements = 64;
    kernel.freeRegisters = 32;
    const double needed = kernel.neededRegisters();
    QCOMPARE(needed, 36 + 1.3 * 16);
    QCOMPARE(kernel.registers(), needed);
    kernel.freeRegisters = 80;
    QCOMPARE(kernel.registers(), 80.0);
    kernel.freeRegisters = 255;
    QCOMPARE(kernel.registers(), needed + 2 * 64);
    kernel.registerLimit = 64;
    QCOMPARE(kernel.registers(), 64.0);
    kernel.unrolledReduction = 8; // what windows share is kept
    const double ofProducts = kernel.neededRegisters();
    kernel.readsWindows = true;
    QCOMPARE(ofProducts, needed + 2 * 3);
    QCOMPARE(kernel.neededRegisters(), needed + 5 * 3);
    kernel.registerElements = 128; // needs more than it can have
    QVERIFY(kernel.neededRegisters() > 1.3 * 64);
    QCOMPARE(kernel.registers(), 64.0);
  }

  /// A sum of rows of 1000: blocks of one warp leave 64 registers to its loads, larger ones 32.
  void kernelsWithoutTilesFollowTheirBlocks() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [512, 1000]\n"
                                    "B(i) += (A[i, k])\n"
                                    "C(i) = (B[i] + 1f)\n");
    const auto demand = [&](int threads) {
      const State state = program(dag, fmt::format(R"([["SP", 1, 0, 512, [{0}], 1], ["AN", 1, 0, 5],
                               ["AN", 1, 1, 6], ["SP", 2, 0, 512, [{0}], 1], ["AN", 2, 0, 5],
                               ["AN", 2, 1, 6]])",
                                                   threads));
      return kernelDemands(state, inferBounds(state), *sm90(Draws::Own).target.gpu);
    };
    const auto narrow = demand(32), wide = demand(64);
    QCOMPARE(narrow[0].freeRegisters, 64);
    QCOMPARE(wide[0].freeRegisters, 32);
    QCOMPARE(narrow[0].tensorsRead, 1);
    QCOMPARE(narrow[0].loadsInLoops, 1000);
    QCOMPARE(narrow[0].registers(), 64.0);
    QCOMPARE(wide[0].registers(), 32.0);
    QCOMPARE(narrow[1].loadsInLoops, 0);
    QCOMPARE(narrow[1].registers(), 7.0 + 3);
  }

  /// Nothing that tile sizes alone decide is let through or refused otherwise than in the end.
  void aFirstLookAgreesWithTheSecond() {
    for (const bool isOneKernel : {true, false}) {
      const ComputeDag dag = isOneKernel ? test::matmul(256, 256, 256) : test::doubleMatmul(256);
      const SpaceOptions options = sm90(Draws::Paper);
      const Sketch sketch = generateSketches(dag, options)[0];
      int refused = 0;
      for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        std::string failure;
        const Steps steps = *fillTileSizes(sketch.state.steps(), options, random, failure);
        const auto first = illegalTiles(steps, options);
        if (!first) continue;
        State state = withBounds(State::replay(dag, steps));
        bindThreads(state, options, random);
        const auto second = illegality(state, options);
        ++refused;
        QVERIFY(second);
        if (isOneKernel) QCOMPARE(name(first->kind), name(second->kind));
      }
      QVERIFY2(refused > 200, fmt::format("{} of 400", refused).c_str());
    }
  }

  /// Stages that each read the one before twice are inlined as far as that pays.
  void longChainsHavePrograms() {
    std::string text = "B0 = PLACEHOLDER [512]\n";
    for (int i = 1; i <= 40; ++i)
      text += fmt::format("B{}(i={}) = (B{}[i] + B{}[(i + 1)])\n", i, 512 - i, i - 1, i - 1);
    const SpaceOptions options = sm90(Draws::Paper);
    const auto sketches = generateSketches(parseDag(text), options);
    QCOMPARE(surveyPrograms("task", sketches, options, kSeed, 2).programs.size(), std::size_t{2});
    // The same element twice: x * sigmoid(x) again and again.
    text = "B0 = PLACEHOLDER [512]\n";
    for (int i = 1; i <= 40; ++i)
      text += fmt::format("B{0}(i) = (B{1}[i]*sigmoid(B{1}[i]))\n", i, i - 1);
    const ComputeDag squares = parseDag(text);
    for (const SpaceOptions& space : {options, spaceOptionsFor(TargetFacts())}) {
      const Survey survey =
          surveyPrograms("task", generateSketches(squares, space), space, kSeed, 2);
      QCOMPARE(survey.programs.size(), std::size_t{2});
      LowerOptions lowering;
      lowering.gpu = space.target.gpu;
      (void)lower(survey.programs[0], lowering);
    }
    // Where somebody inlines all of them by hand it is refused.
    State inlined(squares);
    for (int id = 39; id >= 1; --id)
      inlined.apply(ComputeInlineStep{id});
    QVERIFY_THROWS_EXCEPTION(IllegalSchedule, inferBounds(inlined));
  }

  /// What rounds at each step is another number when parts of it are summed apart; the largest of
  /// all is the same.
  void sumsOf16BitsAreNotCut() {
    const auto isCut = [](const char* reduction, const SpaceOptions& options) {
      const ComputeDag dag = parseDag(fmt::format("A = PLACEHOLDER [4, 4096] bfloat16\n"
                                                  "S(i) {} A[i, k]\n",
                                                  reduction));
      for (const Sketch& sketch : generateSketches(dag, options))
        for (const Step& step : sketch.state.steps()) {
          const auto* annotation = std::get_if<AnnotationStep>(&step);
          if (std::holds_alternative<RfactorStep>(step) ||
              (annotation && annotation->annotation == Annotation::ThreadX))
            return true;
        }
      return false;
    };
    for (const SpaceOptions& options : {sm90(Draws::Paper), spaceOptionsFor(TargetFacts())}) {
      QVERIFY(!isCut("+=", options));
      QVERIFY(isCut("max=", options));
    }
  }

  /// Threads that reduce together hand values over in shared memory, unless a warp has them all.
  void sharedMemoryOfReductionsCounts() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 256]\nS(i) += (A[i, k]*A[i, k])\n");
    const SpaceOptions options = sm90(Draws::Own);
    LowerOptions lowering;
    lowering.gpu = options.target.gpu;
    const auto bytes = [&](int reducing, int rows, int reducingAxis, int rowAxis) {
      const State state =
          program(dag, fmt::format(R"([["SP", 1, 0, 64, [{}], 1], ["AN", 1, 0, 5], ["AN", 1, 1, {}],
                               ["SP", 1, 2, 256, [{}], 1], ["AN", 1, 3, {}]])",
                                   rows, rowAxis, reducing, reducingAxis));
      const std::int64_t told =
          kernelDemands(state, inferBounds(state), *options.target.gpu)[0].sharedBytes;
      std::int64_t taken = 0;
      visit(lower(state, lowering).body, [&](const Stmt& s) {
        if (s->kind == StmtKind::Launch) taken = blockMemoryBytes(s);
      });
      return std::pair(told, taken);
    };
    using Bytes = std::pair<std::int64_t, std::int64_t>;
    QCOMPARE(bytes(32, 4, 6, 8), (Bytes{0, 0}));
    QCOMPARE(bytes(64, 4, 6, 8), (Bytes{2 * 4 * 4, 2 * 4 * 4}));
    QCOMPARE(bytes(24, 4, 6, 8), (Bytes{24 * 4 * 4, 24 * 4 * 4}));
    QCOMPARE(bytes(64, 4, 8, 6), (Bytes{64 * 4 * 4, 64 * 4 * 4}));
  }

  /// Of a reduction across threads each element has one sum, not one for each part of it.
  void aReductionIsSharedOutAsAWhole() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 8, 32]\nS(i) {p, q} += A[i, p, q]\n");
    const SpaceOptions options = sm90(Draws::Paper);
    const State whole = program(dag, R"([["FU", 1, [1, 2]], ["SP", 1, 1, 256, [32], 1],
                                         ["AN", 1, 0, 5], ["AN", 1, 2, 6]])");
    QVERIFY(!illegality(withBounds(whole), options));
    const State joined = withBounds(program(dag, R"([["FU", 1, [0, 1]], ["AN", 1, 1, 6]])"));
    const auto refused = illegality(joined, options);
    QVERIFY(refused);
    QCOMPARE(name(refused->kind), name(Refusal::Race));
    LowerOptions lowering;
    lowering.gpu = options.target.gpu;
    QVERIFY_THROWS_EXCEPTION(IllegalSchedule, lower(joined, lowering));
  }

  /// A task for which nothing is legal says so, and soon (C5).
  void anImpossibleTargetEndsWithReasons() {
    const ComputeDag dag = test::matmul(256, 256, 256);
    for (const Draws draws : {Draws::Paper, Draws::Own}) {
      SpaceOptions options = sm90(draws);
      options.target.gpu->sharedBytesPerBlock = options.target.gpu->sharedBytesPerBlockOptIn = 64;
      const auto sketches = generateSketches(dag, options);
      const Survey survey = surveyPrograms("task", sketches, options, kSeed, 10);
      QVERIFY(survey.programs.empty());
      QCOMPARE(survey.drawn, static_cast<std::uint64_t>(options.maxSampleAttempts));
      QVERIFY(survey.refusals.at(Refusal::SharedMemory) > 0);
      std::uint64_t counted = 0;
      for (const auto& [kind, count] : survey.refusals)
        counted += count;
      QCOMPARE(counted, survey.drawn);
    }
    QCOMPARE(shortageText(0, 20, {{"too many registers", 5}, {"too much shared memory", 15}}),
             "no valid program: 20 tried, top reasons: too much shared memory (15 times); too many "
             "registers (5 times)");
  }
};

NW_TEST_APPLESS(TestGpuPrograms)

} // namespace nestwright::gpu_programs_test

#include "gpu_programs.moc"
