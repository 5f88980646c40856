/// The lowered features of GPU programs: figures worked out by hand, and what holds for all
/// programs (handbook/cuda.md 5).

#include "core/feature/gpu_features.h"

#include "core/feature/kernel_work.h"
#include "core/feature/program_features.h"
#include "core/feature/warp_access.h"
#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/schedule/step.h"
#include "core/space/annotation.h"
#include "core/space/kernel_demand.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>

namespace nestwright::gpu_features_test {

/// The program of tests/lower/gpu_golden.cpp: 4 blocks of 16 threads, 2 virtual threads, each with
/// a tile of 2 x 4; fetches of 4 of the 16 steps of k, A's two and B's four elements wide.
const char* const kTiledSteps =
    R"([["SP", 2, 0, 32, [2, 4, 1, 2], 1], ["SP", 2, 5, 32, [1, 4, 1, 4], 1],
        ["SP", 2, 10, {0}, [2, {1}], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
        ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
        ["CA", 2, 3, 5], ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
        ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4],
        ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 64, [4], 1],
        ["AN", 3, 1, 2], ["FFSP", 3, 0, [1, 0], 1, 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]],
        ["SP", 1, 0, 64, [2], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [1, 0], 1, 1],
        ["AN", 1, 1, 6]])";

/// The tiled product over k elements, of which two times `inner` are fetched at a time.
State tiledProduct(int k, int inner) {
  const std::string dag = fmt::format("A = PLACEHOLDER [32, {0}]\n"
                                      "B = PLACEHOLDER [{0}, 32]\n"
                                      "C(i, j) += (A[i, k]*B[k, j])\n"
                                      "D(i, j) = max(C[i, j], 0f)\n",
                                      k);
  const std::string steps = fmt::format(fmt::runtime(kTiledSteps), k, inner);
  return State::replay(parseDag(dag), stepsFromJson(nlohmann::json::parse(steps)));
}

GpuFacts h100() {
  return gpuPreset({9, 0});
}

/// Features by statement and name, off the logarithmic scale.
class Table {
 public:
  Table(const LoopFunction& function, std::vector<std::string> statements,
        std::vector<double> registers = {32})
      : statements_(std::move(statements)),
        rows_(gpuFeatures(function, statements_, registers, h100())) {}

  double operator()(const char* statement, const char* name) const {
    const auto row = std::ranges::find(statements_, statement) - statements_.begin();
    const auto& names = gpuFeatureNames();
    const auto column = std::ranges::find(names, std::string("gpu.") + name) - names.begin();
    return std::exp2(static_cast<double>(
               rows_.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column)))) -
           1;
  }
  double sum(const char* name) const {
    double sum = 0;
    for (const std::string& statement : statements_)
      sum += (*this)(statement.c_str(), name);
    return sum;
  }

 private:
  std::vector<std::string> statements_;
  std::vector<GpuRow> rows_;
};

LoopFunction lowered(const State& state) {
  LowerOptions options;
  options.gpu = h100();
  options.unroll = false;
  return lower(state, options);
}

Table tableOf(const State& state, std::vector<double> registers = {32}) {
  return {lowered(state), {"A.shared", "B.shared", "C", "D"}, std::move(registers)};
}

std::vector<State> samples(const ComputeDag& dag, int count) {
  const SpaceOptions space = spaceOptionsFor(cudaTarget(h100()), Draws::Own);
  const std::vector<Sketch> sketches = generateSketches(dag, space);
  std::vector<State> states;
  for (std::uint64_t draw = 0; static_cast<int>(states.size()) < count; ++draw) {
    Random random = Random::stream(20261123, "gpu features", draw);
    if (auto program = sampleProgram(sketches, space, random); program.state)
      states.push_back(*program.state);
  }
  return states;
}

#define COMPARE_ABOUT(actual, expected)                                                            \
  do {                                                                                             \
    const double a = (actual), e = (expected);                                                     \
    QVERIFY2(std::abs(a - e) <= 1e-4 * std::max(1.0, std::abs(e)),                                 \
             fmt::format("{} is {}, not {}", #actual, a, e).c_str());                              \
  } while (false)

class TestGpuFeatures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sectorsAndWavefrontsOfAWarp_data() {
    QTest::addColumn<int>("factor"); // the address of thread t, in floats: t * factor + offset
    QTest::addColumn<int>("offset");
    QTest::addColumn<int>("floats"); // that each thread takes
    QTest::addColumn<int>("sectors");
    QTest::addColumn<int>("wavefronts");
    QTest::newRow("neighbours") << 1 << 0 << 1 << 4 << 1;
    QTest::newRow("neighbours, not aligned") << 1 << 1 << 1 << 5 << 1;
    QTest::newRow("one for all") << 0 << 7 << 1 << 1 << 1;
    QTest::newRow("every second") << 2 << 0 << 1 << 8 << 2;
    QTest::newRow("rows of 32") << 32 << 0 << 1 << 32 << 32;
    QTest::newRow("rows of 33") << 33 << 0 << 1 << 32 << 1;
    QTest::newRow("rows of 36") << 36 << 0 << 1 << 32 << 4;
    QTest::newRow("pairs") << 2 << 0 << 2 << 8 << 2;
    QTest::newRow("four at once") << 4 << 0 << 4 << 16 << 4;
    // Eight threads at a time, four words each: those of four rows share eight banks.
    QTest::newRow("four at once, rows of 8") << 8 << 0 << 4 << 32 << 8;
    QTest::newRow("backwards") << -1 << 0 << 1 << 5 << 1;
  }
  void sectorsAndWavefrontsOfAWarp() {
    QFETCH(int, factor);
    QFETCH(int, offset);
    QFETCH(int, floats);
    std::vector<std::int64_t> addresses;
    for (int t = 0; t < 32; ++t)
      addresses.push_back(4 * (t * factor + offset));
    QTEST(sectorsOf(addresses, 4 * floats), "sectors");
    QTEST(wavefrontsOf(addresses, 4 * floats), "wavefronts");
  }

  /// Threads count along x, then y; loops and blocks stand at their first iteration.
  void aWarpEvaluatesIndices() {
    Launch launch;
    launch.threads[0] = {makeVar("threadIdx.x"), 4};
    launch.threads[1] = {makeVar("threadIdx.y"), 12};
    const Expr x{launch.threads[0].var}, y{launch.threads[1].var};
    const Var k = makeVar("k");
    const Warp warp(launch), second(launch, 1);
    QCOMPARE(warp.lanes(), std::size_t(32));
    QCOMPARE(second.lanes(), std::size_t(16));
    const Buffer buffer = makeBuffer("A", {100, 10});
    const std::vector<Expr> indices = {y, x * Expr(2) + Expr(k) * Expr(3)};
    const LaneValues first = warp.positionOf(*buffer, indices);
    QCOMPARE(first[0], 0);
    QCOMPARE(first[3], 6);
    QCOMPARE(first[4], 10);
    QCOMPARE(second.positionOf(*buffer, indices)[1], 82);
    QCOMPARE(stepOf(*buffer, indices, k.get()), 3);
    QCOMPARE(stepOf(*buffer, {Expr(k), x}, k.get()), 10);
    QCOMPARE(stepOf(*buffer, {floorMod(Expr(k), Expr(8)), x}, nullptr), 0);
    const LaneValues holds = warp.valueOf(x < Expr(2) && logicalNot(equal(y, Expr(0))));
    QCOMPARE(holds[0], 0);
    QCOMPARE(holds[5], 1);
    QCOMPARE(holds[6], 0);
  }

  /// 32 x 32 products over 16, worked out from the loop nest of the golden test.
  void aTiledProduct() {
    const Table at = tableOf(tiledProduct(16, 2));
    COMPARE_ABOUT(at("C", "multiply_adds"), 32 * 32 * 16);
    COMPARE_ABOUT(at("C", "other_arithmetic"), 0);
    COMPARE_ABOUT(at("D", "other_arithmetic"), 32 * 32); // max
    COMPARE_ABOUT(at("D", "multiply_adds"), 0);
    COMPARE_ABOUT(at("C", "all_multiply_adds"), 32 * 32 * 16);

    // Each of the 4 warps reads A for 16 steps, 2 virtual threads and 2 rows, for all columns of
    // the tile at once, without conflicts: rows of threads are 8 words apart. It reads B for
    // 16 steps, 4 elements at a time, which 16 threads get in two goes.
    COMPARE_ABOUT(at("C", "shared_requests"), 4 * (16 * 2 * 2 + 16));
    COMPARE_ABOUT(at("C", "shared_wavefronts"), 4 * (16 * 2 * 2 + 2 * 16));
    COMPARE_ABOUT(at("C", "shared_bytes"), 4 * 16 * (64 * 4 + 16 * 16));
    COMPARE_ABOUT(at("C", "global_requests"), 0);

    // A's fetch: 4 steps of k, two rounds, pairs: 8 rows of 64 bytes, a piece of each.
    COMPARE_ABOUT(at("A.shared", "global_requests"), 4 * 4 * 2);
    COMPARE_ABOUT(at("A.shared", "global_sectors"), 4 * 4 * 2 * 8);
    COMPARE_ABOUT(at("A.shared", "sectors_per_request"), 8);
    COMPARE_ABOUT(at("A.shared", "shared_requests"), 4 * 4 * 2);
    COMPARE_ABOUT(at("A.shared", "shared_wavefronts"), 4 * 4 * 2);
    // B's: 4 steps, 4 elements: 4 rows, 64 bytes of each.
    COMPARE_ABOUT(at("B.shared", "global_requests"), 4 * 4);
    COMPARE_ABOUT(at("B.shared", "global_sectors"), 4 * 4 * 4 * 2);
    COMPARE_ABOUT(at("B.shared", "shared_wavefronts"), 4 * 4 * 2);
    // The store of D: 2 virtual threads, 2 rows, 4 neighbours at once.
    COMPARE_ABOUT(at("D", "global_requests"), 4 * 2 * 2);
    COMPARE_ABOUT(at("D", "sectors_per_request"), 8);
    COMPARE_ABOUT(at("D", "l2_bytes"), 4 * 2 * 2 * 8 * 32);

    // Everything fits caches: both inputs come once, and the result goes once.
    const double compulsory = 4 * (32 * 16 + 16 * 32 + 32 * 32);
    QVERIFY(at.sum("dram_bytes") >= compulsory && at.sum("dram_bytes") < 1.1 * compulsory);

    COMPARE_ABOUT(at("C", "block_barriers"), 2 * 4); // around the fetches of each step of k
    COMPARE_ABOUT(at("C", "block_shared_bytes"), 4 * (16 * 4 + 4 * 16));
    COMPARE_ABOUT(at("C", "registers"), 32);
    COMPARE_ABOUT(at("C", "spilled_registers"), 0);
    COMPARE_ABOUT(at("C", "resident_warps"), 32); // 32 blocks of one warp
    COMPARE_ABOUT(at("C", "waves"), 4.0 / (132 * 32));
    COMPARE_ABOUT(at("C", "tail_share"), 1 - 4.0 / (132 * 32));
    // Four blocks on as many multiprocessors: each has a quarter of the work.
    COMPARE_ABOUT(at("C", "arithmetic_clocks"), (32 * 32 * 16 + 32 * 32) / 4.0 / 128);
    COMPARE_ABOUT(at("C", "shared_clocks"), (4 * (16 * 2 * 2 + 2 * 16) + 32 + 32) / 4.0);
    // A thread waits for A twice and for B once in each of 4 steps; the most at once are the 16
    // bytes of B.
    COMPARE_ABOUT(at("C", "latency_clocks"), 600 * 4 * 3);
    COMPARE_ABOUT(at("C", "bytes_in_flight"), 16 * 32 * 32);
    COMPARE_ABOUT(at("C", "clocks"), 600 * 4 * 3);
    COMPARE_ABOUT(at("D", "clocks"), 600 * 4 * 3);
    COMPARE_ABOUT(at("A.shared", "all_clocks"), 600 * 4 * 3);
    COMPARE_ABOUT(at("A.shared", "all_kernels"), 1);
  }

  /// With 32 steps of k at a time, A's rows in shared memory are 32 words long: the four rows that
  /// a warp reads lie in the same bank.
  void rowsOf32WordsConflict() {
    const Table at = tableOf(tiledProduct(64, 16));
    COMPARE_ABOUT(at("C", "shared_requests"), 4 * (64 * 2 * 2 + 64));
    COMPARE_ABOUT(at("C", "shared_wavefronts"), 4 * (4 * 64 * 2 * 2 + 2 * 64));
  }

  /// Of three tiles two are on their way while one is computed with, and both are waited for at
  /// once: 16 bytes of A and of B each.
  void copiesOfAPipelineGoOn() {
    State state = tiledProduct(16, 2);
    state.apply(PragmaStep{4, 0, "pipeline_stages$3"});
    const Table at = tableOf(state);
    COMPARE_ABOUT(at("C", "latency_clocks"), 600 * 4 / 2);
    COMPARE_ABOUT(at("C", "bytes_in_flight"), 2 * (16 + 16) * 32 * at("C", "resident_warps"));
  }

  /// One instruction loads all rows of a tile of 16 x 16: four times eight rows of 16 bytes. Rows
  /// of 24 elements lie in different banks, of 16 elements two and two in the same.
  void tilesAreLoadedByWarps() {
    const auto requests = [](MemoryScope scope, std::int64_t stride, bool whole) {
      const TensorInstruction& mma = *tensorInstruction("mma_m16n8k16_bf16");
      const Buffer matrix = makeBuffer("matrix", {16, stride}, kBFloat16);
      const Buffer fragment = makeBuffer("fragment", {8}, kBFloat16);
      Launch launch;
      launch.kernel = "kernel";
      launch.threads[0] = {makeVar("threadIdx.x"), 32};
      Stmt body =
          makeAllocate(fragment, MemoryScope::PerThread,
                       makeLoadFragment(mma, fragment, {Expr(0)}, load(matrix, {Expr(0), Expr(0)}),
                                        {TensorOperand::A, stride, 1, whole}));
      if (scope == MemoryScope::Block) body = makeAllocate(matrix, scope, body);
      return kernelWork(*makeLaunch(std::move(launch), body), 1,
                        [](const std::string&) { return std::size_t{0}; })
          .requests;
    };
    for (const auto& [stride, wavefronts] : {std::pair(24, 4.0), std::pair(16, 8.0)}) {
      const auto whole = requests(MemoryScope::Block, stride, true);
      QCOMPARE(whole.size(), std::size_t{1});
      QCOMPARE(whole[0].bytes, 16.0 * 16 * 2);
      QCOMPARE(whole[0].wavefronts, wavefronts);
    }
    // By single elements: each of eight times a lane in four takes two bytes of one of eight rows.
    // Together they are all of the tile.
    const auto single = requests(MemoryScope::Global, 64, false);
    QCOMPARE(single.size(), std::size_t{1});
    QCOMPARE(single[0].requests, 8.0);
    QCOMPARE(single[0].bytes, 32.0 * 2);
    QCOMPARE(single[0].sectors, 8.0);
    QCOMPARE(single[0].reach->touched(kBlockLoops, kSectorBytes).elements, 16.0 * 16);
  }

  void aSpillIsTold() {
    const Table at = tableOf(tiledProduct(16, 2), {300});
    COMPARE_ABOUT(at("C", "registers"), 255);
    COMPARE_ABOUT(at("C", "spilled_registers"), 45);
    COMPARE_ABOUT(at("C", "resident_warps"), 8); // 256 registers for each of 32 threads
  }

  /// One side of a transposition reads or writes a column.
  void stridedAccessTakesManySectors() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [512, 512]\n"
                                    "B(i, j) = A[j, i]\n");
    const Table at(lowerNaive(dag, h100()), {"B"});
    const double warps = 512 * 512 / 32;
    COMPARE_ABOUT(at("B", "global_requests"), 2 * warps);
    COMPARE_ABOUT(at("B", "global_sectors"), warps * (32 + 4));
    COMPARE_ABOUT(at("B", "sectors_per_request"), 18);
  }

  /// Of all legal programs: what is computed is the task's work, whatever the tiles, and nothing is
  /// below its own bounds.
  void sampledProgramsDoTheWork() {
    const ComputeDag dag = test::matmul(256, 128, 64);
    for (const State& state : samples(dag, 60)) {
      const ProgramFeatureOptions options = [&] {
        ProgramFeatureOptions o;
        o.choice = {false, true, true};
        o.lowered.lowering.gpu = h100();
        return o;
      }();
      const ProgramFeatures features = programFeatures(state, options);
      QCOMPARE(features.values.size(), features.stages.size() * kGpuFeatureCount);
      for (const float value : features.values)
        QVERIFY(std::isfinite(value) && value >= 0);
      const Table at(lowered(state), features.statements,
                     {kernelDemands(state, inferBounds(state), h100())[0].registers()});
      COMPARE_ABOUT(at.sum("multiply_adds"), 256 * 128 * 64);
      QVERIFY(at.sum("shared_wavefronts") >= at.sum("shared_requests") - 1e-3);
      const double compulsory = 4 * (256 * 64 + 64 * 128 + 256 * 128);
      QVERIFY(at.sum("dram_bytes") >= 0.99 * compulsory);
      QVERIFY(at.sum("l2_bytes") >= 0.99 * compulsory);
      QVERIFY(at.sum("global_sectors") * 32 >= at.sum("l2_bytes") * 0.99);
      const char* pipes[] = {"arithmetic_clocks", "issue_clocks", "special_clocks", "shared_clocks",
                             "l2_clocks",         "dram_clocks",  "latency_clocks"};
      double most = 0;
      for (const char* pipe : pipes)
        most = std::max(most, at("C", pipe));
      COMPARE_ABOUT(at("C", "clocks"), most);
    }
  }

  /// Twice the rows are twice the blocks, and twice of all that they do.
  void workGrowsWithTheGrid() {
    std::vector<Table> tables;
    for (const int rows : {256, 512}) {
      const ComputeDag dag = test::matmul(rows, 128, 64);
      const std::string steps = fmt::format(
          R"([["SP", 2, 0, {}, [16], 1], ["SP", 2, 2, 128, [16], 1], ["RE", 2, [0, 2, 1, 3, 4]],
              ["FU", 2, [0, 1]], ["AN", 2, 0, 5], ["FU", 2, [1, 2]], ["AN", 2, 1, 6]])",
          rows);
      tables.emplace_back(lowered(State::replay(dag, stepsFromJson(nlohmann::json::parse(steps)))),
                          std::vector<std::string>{"C"});
    }
    for (const char* name : {"multiply_adds", "global_requests", "global_sectors", "waves"})
      COMPARE_ABOUT(tables[1]("C", name), 2 * tables[0]("C", name));
    COMPARE_ABOUT(tables[1]("C", "resident_warps"), tables[0]("C", "resident_warps"));
    QVERIFY(tables[1]("C", "dram_bytes") > tables[0]("C", "dram_bytes"));
  }

  /// The share of a thread and the result of all have a row each, as in the paper's features.
  void aReductionAcrossThreadsHasTwoRows() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 1024]\n"
                                    "C(i) += (A[i, k])\n");
    const State state =
        State::replay(dag, {SplitStep{1, 1, 1024, {32}}, AnnotationStep{1, 0, Annotation::BlockX},
                            AnnotationStep{1, 2, Annotation::ThreadX}});
    ProgramFeatureOptions options;
    options.choice = featureChoice("paper,lowered", cudaTarget(h100()));
    options.lowered.lowering.gpu = h100();
    const ProgramFeatures features = programFeatures(state, options);
    QVERIFY((features.statements == std::vector<std::string>{"C.share", "C"}));
    QVERIFY((features.stages == std::vector<std::string>{"C", "C"}));
    QCOMPARE(features.values.size(), 2 * (kFeatureCount + kGpuFeatureCount));
    const Table at(lowered(state), features.statements);
    // 64 warps read rows of 1024 in 32 goes, coalesced, and the first thread of each stores.
    COMPARE_ABOUT(at("C.share", "global_requests"), 64 * 32);
    COMPARE_ABOUT(at("C.share", "sectors_per_request"), 4);
    COMPARE_ABOUT(at("C", "global_requests"), 64);
    COMPARE_ABOUT(at("C", "sectors_per_request"), 1);
  }
};

NW_TEST_APPLESS(TestGpuFeatures)

} // namespace nestwright::gpu_features_test

#include "gpu_features.moc"
