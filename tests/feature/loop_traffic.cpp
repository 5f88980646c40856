/// What loops touch, how often each element of it is used, and what is computed twice.

#include "core/feature/nest_features.h"
#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace nestwright::loop_traffic_test {

std::vector<LoopTraffic> trafficOf(const ComputeDag& dag, const Steps& steps) {
  const State state = State::replay(dag, steps);
  return loopTraffic(state, inferBounds(state));
}

const LoopTraffic::Buffer& buffer(const LoopTraffic& loop, const char* name) {
  const auto found = std::ranges::find(loop.buffers, name, &LoopTraffic::Buffer::name);
  if (found == loop.buffers.end()) qFatal("the loop does not touch %s", name);
  return *found;
}

class LoopTrafficTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMatrixProduct();
  void tilesAreUsedMoreOften();
  void overlappingTilesComputeAgain();
  void tilesBeyondTheEndCountToo();
};

constexpr double kFloat = 4;

/// C(i, j) += A(i, k) * B(k, j): by hand.
void LoopTrafficTest::aMatrixProduct() {
  const std::vector<LoopTraffic> loops =
      trafficOf(parseTaskSpec("matmul:m=16,n=32,k=8,bias=0,relu=0").dag, {});
  QCOMPARE(loops.size(), std::size_t(3));
  const LoopTraffic &i = loops[0], &k = loops[2];
  QCOMPARE(i.runs, 1.0);
  QCOMPARE(buffer(i, "A").bytes, kFloat * 16 * 8);
  QCOMPARE(buffer(i, "A").iterationBytes, kFloat * 8);
  QCOMPARE(buffer(i, "A").accessedBytes, kFloat * 16 * 32 * 8);
  QCOMPARE(buffer(i, "A").reuse(), 32.0);
  QCOMPARE(buffer(i, "B").iterationBytes, kFloat * 8 * 32); // all of it, each time
  QCOMPARE(buffer(i, "B").reuse(), 16.0);
  QCOMPARE(k.runs, 16.0 * 32);
  QCOMPARE(buffer(k, "A").bytes, kFloat * 8);
  QCOMPARE(buffer(k, "A").iterationBytes, kFloat);
  QCOMPARE(buffer(k, "A").reuse(), 1.0);
  QCOMPARE(buffer(k, "C").bytes, kFloat);
  QCOMPARE(buffer(k, "C").reuse(), 8.0); // added to in each iteration
  for (const LoopTraffic& loop : loops)
    QCOMPARE(loop.recomputation, 1.0);
  QCOMPARE(k.reuse(), (8.0 + 8 + 8) / (8 + 8 + 1));
}

/// What tiling is for: within a tile, each element is used as often as the tile is wide.
void LoopTrafficTest::tilesAreUsedMoreOften() {
  const ComputeDag dag = parseTaskSpec("matmul:m=16,n=32,k=8,bias=0,relu=0").dag;
  // i, j.0, j.1, k: the tile of j is 8 wide, and k runs outside of it.
  const Steps steps{SplitStep{2, 1, 32, {TileSize(8)}, true}, ReorderStep{2, {0, 1, 3, 2}}};
  const std::vector<LoopTraffic> loops = trafficOf(dag, steps);
  QCOMPARE(loops.size(), std::size_t(4));
  const LoopTraffic &k = loops[2], &tile = loops[3];
  QCOMPARE(k.runs, 16.0 * 4);
  QCOMPARE(buffer(k, "A").reuse(), 8.0);
  QCOMPARE(buffer(k, "B").reuse(), 1.0);
  QCOMPARE(buffer(k, "C").bytes, kFloat * 8);
  QCOMPARE(buffer(tile, "A").reuse(), 8.0);
  QCOMPARE(buffer(tile, "A").bytes, kFloat);
}

/// A padded input that is computed at the tiles of a convolution is computed again where they
/// overlap: 18 elements for each 16 that are new.
void LoopTrafficTest::overlappingTilesComputeAgain() {
  const ComputeDag dag = parseTaskSpec("conv1d:n=1,l=64,ci=4,co=8,k=3,s=1,p=1").dag;
  int padded = -1, conv = -1;
  for (int s = 0; s < static_cast<int>(dag.size()); ++s) {
    if (dag[static_cast<std::size_t>(s)]->name() == "pad_temp") padded = s;
    if (dag[static_cast<std::size_t>(s)]->reducer) conv = s;
  }
  QVERIFY(padded >= 0 && conv >= 0);
  const Steps steps{SplitStep{conv, 1, 64, {TileSize(16)}, true}, ComputeAtStep{padded, conv, 1}};
  double again = 0, once = 0;
  for (const LoopTraffic& loop : trafficOf(dag, steps))
    (loop.stage == padded ? again : once) = loop.recomputation;
  QCOMPARE(again, 4.0 * 18 / 66);
  QCOMPARE(once, 1.0);
  for (const LoopTraffic& loop : trafficOf(dag, {}))
    QCOMPARE(loop.recomputation, 1.0); // all of it once, before it is read
}

/// Three tiles of 4 rows for 10 rows.
void LoopTrafficTest::tilesBeyondTheEndCountToo() {
  const ComputeDag dag = parseTaskSpec("matmul:m=10,n=32,k=8,bias=0,relu=1").dag;
  const Steps steps{SplitStep{3, 0, 10, {TileSize(4)}, true}, ComputeAtStep{2, 3, 0}};
  std::size_t loops = 0;
  for (const LoopTraffic& loop : trafficOf(dag, steps)) {
    QCOMPARE(loop.recomputation, loop.stage == 2 ? 12.0 / 10 : 1.0);
    loops += loop.stage == 2 ? 1 : 0;
  }
  QCOMPARE(loops, std::size_t(3));
}

NW_TEST_APPLESS(LoopTrafficTest)

} // namespace nestwright::loop_traffic_test

#include "loop_traffic.moc"
