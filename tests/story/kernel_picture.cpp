/// What blocks, virtual threads and threads compute of a kernel's output, and what they hold.

#include "core/story/kernel_picture.h"

#include "core/tensor/text.h"
#include "tests/schedule/tiled_product.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <set>
#include <tuple>

namespace nestwright::kernel_picture_test {

std::vector<KernelPicture> picturesOf(const char* dag, const char* steps,
                                      const GpuFacts& gpu = gpuPreset({9, 0})) {
  const State state = State::replay(parseDag(dag), stepsFromJson(nlohmann::json::parse(steps)));
  return kernelPictures(state, inferBounds(state), gpu);
}

class KernelPictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void levelsOfATiledProduct() {
    const std::vector<KernelPicture> pictures =
        picturesOf(test::kProductDag, test::kTiledProductSteps);
    QCOMPARE(pictures.size(), std::size_t(1));
    const KernelPicture& kernel = pictures.front();
    QCOMPARE(kernel.name, std::string("C"));
    QVERIFY(kernel.isBound);
    QCOMPARE(kernel.demand.blocks(), 16);
    QCOMPARE(kernel.demand.threadsPerBlock(), 128);
    QCOMPARE(kernel.demand.virtualThreads, 2);
    // Along j a thread's two pieces are 32 apart.
    const std::vector<AxisShare> expected{{"i", 256, 64, 4, 4}, {"j", 256, 64, 36, 4}};
    QVERIFY(kernel.axes == expected);
    QCOMPARE(kernel.elements->elementsOfThread(), 32);
    const double waves = wavesOf(kernel.demand.blocks(), kernel.occupancy, 132);
    QVERIFY(waves > 0);
    QVERIFY(waves < 1);
    // How many multiprocessors it has is not known.
    QCOMPARE(wavesOf(kernel.demand.blocks(), kernel.occupancy, GpuFacts().multiprocessors), 0.0);
  }

  void tilesThatLevelsHold() {
    const std::vector<KernelPicture> pictures =
        picturesOf(test::kProductDag, test::kTiledProductSteps);
    const KernelPicture& kernel = pictures.front();
    QCOMPARE(kernel.tiles.size(), std::size_t(3));
    // Both operands are there before the product that reads them.
    const auto& [a, b, c] = std::tie(kernel.tiles[0], kernel.tiles[1], kernel.tiles[2]);
    QCOMPARE(a.stage, std::string("A.shared"));
    QVERIFY(a.holder == HeldTile::Holder::Block);
    QVERIFY((a.shape == std::vector<std::int64_t>{64, 8}));
    QCOMPARE(a.fills, 32);
    QCOMPARE(a.bytes(), 64 * 8 * 4);
    QCOMPARE(b.stage, std::string("B.shared"));
    QVERIFY((b.shape == std::vector<std::int64_t>{8, 64}));
    QCOMPARE(c.stage, std::string("C.local"));
    QVERIFY(c.holder == HeldTile::Holder::Thread);
    QVERIFY((c.shape == std::vector<std::int64_t>{4, 4}));
    QCOMPARE(c.copies, 2);
    QCOMPARE(c.elements(), 32);
    // What the drawing says of shared memory is what legality counts.
    QCOMPARE(kernel.demand.sharedBytes, a.bytes() + b.bytes());
  }

  void aBlocksTileSaysWhoComputesIt() {
    const KernelPicture kernel = picturesOf(test::kProductDag, test::kTiledProductSteps).front();
    const BlockTile tile = blockTile(kernel, 5); // second row of blocks, second in it
    QCOMPARE(tile.row, 64);
    QCOMPARE(tile.column, 64);
    QCOMPARE(tile.rows, 64);
    QCOMPARE(tile.columns, 64);
    QVERIFY((tile.at(0, 0) == BlockTile::Cell{0, 0}));
    QVERIFY((tile.at(3, 3) == BlockTile::Cell{0, 0}));
    QVERIFY((tile.at(0, 4) == BlockTile::Cell{1, 0}));
    QVERIFY((tile.at(0, 32) == BlockTile::Cell{0, 1})); // as its second virtual thread
    QVERIFY((tile.at(4, 0) == BlockTile::Cell{8, 0}));
    QVERIFY((tile.at(63, 63) == BlockTile::Cell{127, 1}));
    std::vector<int> counts(128);
    for (const BlockTile::Cell& cell : tile.cells)
      ++counts[static_cast<std::size_t>(cell.thread)];
    QCOMPARE(std::ranges::count(counts, 32), 128);
  }

  void everyElementIsComputedOnce_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<QString>("steps");
    QTest::newRow("tiled product") << test::kProductDag << test::kTiledProductSteps;
    QTest::newRow("a flat loop over all axes, cut into warps")
        << "A = PLACEHOLDER [3, 5, 7]\nB(i=3, j=5, k=7) = (A[i, j, k]*2f)\n"
        << R"([["FU", 1, [0, 1, 2]], ["SP", 1, 0, 105, [32], 1], ["AN", 1, 0, 5],
           ["AN", 1, 1, 6]])";
    QTest::newRow("blocks and threads along two axes")
        << "A = PLACEHOLDER [20, 36]\nB(i=20, j=36) = exp(A[i, j])\n"
        << R"([["SP", 1, 0, 20, [4], 1], ["SP", 1, 2, 36, [8], 1], ["RE", 1, [0, 2, 1, 3]],
           ["AN", 1, 0, 7], ["AN", 1, 1, 5], ["AN", 1, 2, 8], ["AN", 1, 3, 6]])";
    QTest::newRow("threads that share a reduction")
        << "A = PLACEHOLDER [6, 90]\nS(i) += A[i, k]\n"
        << R"([["SP", 1, 1, 90, [32], 1], ["AN", 1, 2, 6], ["AN", 1, 0, 5]])";
  }

  void everyElementIsComputedOnce() {
    QFETCH(QString, dag);
    QFETCH(QString, steps);
    const KernelPicture kernel =
        picturesOf(dag.toUtf8().constData(), steps.toUtf8().constData()).front();
    std::set<std::vector<std::int64_t>> met;
    std::int64_t all = 1, times = 0;
    for (const AxisShare& axis : kernel.axes)
      all *= axis.whole;
    for (std::int64_t block = 0; block < kernel.demand.blocks(); ++block)
      for (std::int64_t thread = 0; thread < kernel.demand.threadsPerBlock(); ++thread) {
        const ElementMap::ThreadElements own = kernel.elements->ofThread(block, thread);
        for (std::int64_t i = 0; i < kernel.elements->elementsOfThread(); ++i) {
          const auto element = kernel.elements->at(block, thread, i);
          const auto at = static_cast<std::size_t>(i);
          QCOMPARE(own.isInside[at] != 0, element.has_value());
          if (!element) continue;
          QCOMPARE(own.pieces[at], std::int64_t(element->piece));
          for (std::size_t axis = 0; axis < element->position.size(); ++axis)
            QCOMPARE(own.positions[axis][at], element->position[axis]);
          met.insert(element->position);
          ++times;
        }
      }
    QCOMPARE(std::int64_t(met.size()), all);
    // Threads that reduce together have the element together.
    const std::int64_t together =
        kernel.demand.reducesAcrossThreads ? kernel.demand.threadsPerBlock() : 1;
    QCOMPARE(times, all * together);
  }

  void beyondTheEdgeNobodyComputes() {
    const KernelPicture kernel =
        picturesOf("A = PLACEHOLDER [3, 5, 7]\nB(i=3, j=5, k=7) = (A[i, j, k]*2f)\n",
                   R"([["FU", 1, [0, 1, 2]], ["SP", 1, 0, 105, [32], 1], ["AN", 1, 0, 5],
                   ["AN", 1, 1, 6]])")
            .front();
    QCOMPARE(kernel.demand.blocks(), 4);
    QVERIFY(kernel.elements->at(3, 8, 0)); // element 104, the last one
    QVERIFY(!kernel.elements->at(3, 9, 0));
  }

  void theFirstOfThreadsThatReduceTogetherHasTheElement() {
    const KernelPicture kernel =
        picturesOf("A = PLACEHOLDER [6, 90]\nS(i) += A[i, k]\n",
                   R"([["SP", 1, 1, 90, [32], 1], ["AN", 1, 2, 6], ["AN", 1, 0, 5]])")
            .front();
    QVERIFY(kernel.demand.reducesAcrossThreads);
    const BlockTile tile = blockTile(kernel, 2);
    QCOMPARE(tile.cells.size(), std::size_t(1));
    QVERIFY((tile.at(0, 0) == BlockTile::Cell{0, 0}));
  }

  void whatIsNotBoundIsOneThread() {
    const KernelPicture kernel = picturesOf(test::kProductDag, "[]").front();
    QVERIFY(!kernel.isBound);
    QCOMPARE(kernel.demand.blocks(), 1);
    const std::vector<AxisShare> expected{{"i", 256, 256, 256, 256}, {"j", 256, 256, 256, 256}};
    QVERIFY(kernel.axes == expected);
    QVERIFY(blockTile(kernel, 0).cells.size() == 256 * 256);
  }

  void blocksAreFoundByWhatTheyCompute() {
    const KernelPicture product = picturesOf(test::kProductDag, test::kTiledProductSteps).front();
    QCOMPARE(blockAt(product, 0, 0), std::optional<std::int64_t>(0));
    QCOMPARE(blockAt(product, 63, 64), std::optional<std::int64_t>(1));
    QCOMPARE(blockAt(product, 255, 255), std::optional<std::int64_t>(15));
    QVERIFY(!blockAt(product, 256, 0));
    // However many there are.
    const KernelPicture many =
        picturesOf("A = PLACEHOLDER [4096, 4096]\nB(i=4096, j=4096) = exp(A[i, j])\n",
                   R"([["SP", 1, 0, 4096, [4], 1], ["SP", 1, 2, 4096, [16], 1],
                   ["RE", 1, [0, 2, 1, 3]], ["FU", 1, [0, 1]], ["AN", 1, 0, 5],
                   ["AN", 1, 2, 6]])")
            .front();
    QCOMPARE(many.demand.blocks(), 1024 * 256);
    QCOMPARE(blockAt(many, 4095, 4095), std::optional<std::int64_t>(1024 * 256 - 1));
    QCOMPARE(blockAt(many, 4 * 700, 16 * 3), std::optional<std::int64_t>(700 * 256 + 3));
    // And where those below one another are neighbours in their order.
    const KernelPicture turned =
        picturesOf("A = PLACEHOLDER [64, 64]\nB(i=64, j=64) = exp(A[i, j])\n",
                   R"([["SP", 1, 0, 64, [8], 1], ["SP", 1, 2, 64, [8], 1],
                   ["RE", 1, [2, 0, 1, 3]], ["FU", 1, [0, 1]], ["AN", 1, 0, 5],
                   ["AN", 1, 2, 6]])")
            .front();
    QCOMPARE(blockAt(turned, 8, 0), std::optional<std::int64_t>(1));
    QCOMPARE(blockAt(turned, 0, 8), std::optional<std::int64_t>(8));
  }

  void whatIsTooLargeToDrawHasNoCells() {
    const KernelPicture kernel =
        picturesOf("A = PLACEHOLDER [2000, 2000]\nB(i=2000, j=2000) = (A[i, j]*2f)\n", "[]")
            .front();
    const BlockTile tile = blockTile(kernel, 0);
    QVERIFY(tile.cells.empty());
    QCOMPARE(tile.rows, 2000);
  }

  void theDrawnPlaneIsWhereBlocksComputeMost() {
    const KernelPicture kernel = picturesOf("A = PLACEHOLDER [1, 8, 3, 64]\n"
                                            "B(n=1, h=8, w=3, c=64) = (A[n, h, w, c]*2f)\n",
                                            R"([["SP", 1, 1, 8, [4], 1], ["SP", 1, 4, 64, [32], 1],
                   ["RE", 1, [0, 1, 3, 4, 2, 5]], ["FU", 1, [0, 1, 2, 3]], ["AN", 1, 0, 5],
                   ["AN", 1, 2, 6]])")
                                     .front();
    const TilePlane plane = planeOf(kernel);
    QCOMPARE(plane.rows, 1);
    QCOMPARE(plane.columns, 3);
    const BlockTile tile = blockTile(kernel, 1);
    QCOMPARE(tile.rows, 4);
    QCOMPARE(tile.columns, 32);
    QCOMPARE(tile.column, 32);
  }
};

NW_TEST_APPLESS(KernelPictures)

} // namespace nestwright::kernel_picture_test

#include "kernel_picture.moc"
