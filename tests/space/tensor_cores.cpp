/// The rule for tensor cores: what it applies to, the steps that it takes, and that mutations leave
/// the instruction's tile alone.

#include "core/lower/lower.h"
#include "core/search/mutation.h"
#include "core/space/kernel_decisions.h"
#include "core/space/legality.h"
#include "core/space/tensor_product.h"
#include "core/support/error.h"
#include "tests/lower/tensor_samples.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>

namespace nestwright::tensor_cores_test {

/// Those whose reduction is whole; blocks may share it, too (Split Reduction).
std::vector<Sketch> wholeSketches(const ComputeDag& dag, const SpaceOptions& space) {
  std::vector<Sketch> sketches = tensorSketches(dag, space);
  std::erase_if(sketches, [](const Sketch& sketch) {
    return std::ranges::any_of(sketch.state.steps(), [](const Step& step) {
      return std::holds_alternative<RfactorStep>(step);
    });
  });
  return sketches;
}

std::string sketchText(const char* task) {
  const std::vector<Sketch> sketches = wholeSketches(parseTaskSpec(task).dag, tensorSpace());
  return sketches.size() == 1 ? recordText(sketches[0].state.steps())
                              : fmt::format("{} sketches", sketches.size());
}

/// How many tiles a warp has along rows and columns: all other axes end in parts of 1.
std::vector<TileSize> tilesOfWarps(const State& state) {
  std::vector<TileSize> tiles;
  for (const Step& step : state.steps())
    if (const auto* split = std::get_if<SplitStep>(&step);
        split && split->factors.size() == 4 && split->factors[3] != TileSize(1))
      tiles.push_back(split->factors[2]);
  return tiles;
}

class TensorCores : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void appliesToProductsOfHalves_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<int>("sketches");
    const auto row = [](const char* task, int sketches) {
      QTest::newRow(task) << QString(task) << sketches;
    };
    row("matmul:m=64,n=64,k=64", 0);
    row("matmul:m=64,n=64,k=64,bf16=1", 1);
    row("matmul:m=64,n=64,k=64,bias=1,relu=1,fp16=1", 1);
    row("matmul:m=64,n=60,k=64,bf16=1", 0);
    row("matmul:m=64,n=64,k=24,bf16=1", 0);
    row("matmul:m=8,n=64,k=64,bf16=1", 1); // the other way round
    row("batch_matmul:b=4,m=32,n=32,k=32,nt=1,bf16=1", 1);
    row("conv2d:n=1,h=16,w=16,ci=32,co=32,k=3,s=1,p=1,bf16=1", 1);
    row("conv2d:n=1,h=14,w=14,ci=32,co=32,k=3,s=1,p=1,bf16=1", 0);
    row("depthwise_conv2d:n=1,h=16,w=16,c=32,k=3,s=1,p=1,bf16=1", 0);
    row("norm:b=1,m=64,n=64,bf16=1", 0);
    row("softmax:m=64,n=64,fp16=1", 0);
  }
  void appliesToProductsOfHalves() {
    QFETCH(QString, task);
    QFETCH(int, sketches);
    const ComputeDag dag = parseTaskSpec(task.toStdString()).dag;
    SpaceOptions space = tensorSpace();
    QCOMPARE(static_cast<int>(wholeSketches(dag, space).size()), sketches);
    // The paper's rules know nothing of it, and older GPUs neither.
    for (const Sketch& sketch : generateSketches(dag, space))
      QVERIFY(!usesTensorCores(sketch.state));
    space.target.gpu = gpuPreset({7, 5});
    QVERIFY(tensorSketches(dag, space).empty());
  }

  /// Such kernels have no virtual threads, and several blocks fit into a multiprocessor all the same.
  void blocksAtOnceAreDecidedToo() {
    const ComputeDag dag = parseTaskSpec("matmul:m=512,n=512,k=512,bf16=1").dag;
    const SpaceOptions space = tensorSpace();
    const std::vector<Sketch> sketches = tensorSketches(dag, space);
    int offered = 0;
    for (std::uint64_t n = 0; n < 200; ++n) {
      Random random = Random::stream(3, "blocks", n);
      const SampledProgram sample = sampleProgram(sketches, space, random);
      if (!sample.state) continue;
      for (const KernelDecision& decision :
           kernelDecisions(*sample.state, inferBounds(*sample.state), space))
        offered += decision.kind == KernelDecision::Kind::MinBlocks ? 1 : 0;
    }
    QVERIFY(offered > 0);
  }

  void theAxisThatIsNoNumberOfTilesIsNamed_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("reason");
    QTest::newRow("rows and columns")
        << "matmul:m=28,n=64,k=64,bf16=1"
        << "its axes are no numbers of tiles of 16 by 8 by 16: 28 of i is no multiple of 8";
    QTest::newRow("reduction")
        << "matmul:m=64,n=64,k=24,bf16=1"
        << "its axes are no numbers of tiles of 16 by 8 by 16: 24 of k is no multiple of 16";
    QTest::newRow("convolution")
        << "conv2d:n=1,h=28,w=28,ci=64,co=64,k=3,s=1,p=1,bf16=1"
        << "its axes are no numbers of tiles of 16 by 8 by 16: 28 of xx is no multiple of 8";
  }
  void theAxisThatIsNoNumberOfTilesIsNamed() {
    QFETCH(QString, task);
    QFETCH(QString, reason);
    const State state(parseTaskSpec(task.toStdString()).dag);
    QStringList reasons;
    for (int stage = 0; stage < state.stageCount(); ++stage) {
      std::string why;
      QVERIFY(!tensorProduct(state, stage, tensorSpace(), why));
      reasons.append(QString::fromStdString(why));
    }
    QVERIFY2(reasons.contains(reason), qPrintable(reasons.join('|')));
  }

  /// float32 is rounded to TF32 only where that is allowed.
  void singlePrecisionHasToBeAllowed() {
    const ComputeDag dag = parseTaskSpec("matmul:m=64,n=64,k=64").dag;
    SpaceOptions space = tensorSpace();
    space.tf32 = true;
    const std::vector<Sketch> sketches = tensorSketches(dag, space);
    QCOMPARE(sketches.size(), std::size_t{1});
    Random random(5);
    std::optional<State> state;
    for (int draw = 0; draw < 1000 && !state; ++draw)
      state = sampleProgram(sketches, space, random).state;
    QVERIFY(state);
    QVERIFY(!illegality(*state, space));
    space.tf32 = false;
    QVERIFY(QString::fromStdString(illegality(*state, space).value().text).contains("TF32"));
  }

  void sketchesAreSteps() {
    QCOMPARE(
        QString::fromStdString(sketchText("matmul:m=64,n=128,k=256,bf16=1")),
        QString(R"([["SP", 2, 0, 64, [null, null, null, 16], 1], )"
                R"(["SP", 2, 5, 128, [null, null, null, 8], 1], )"
                R"(["SP", 2, 10, 256, [null, 16], 1], )"
                R"(["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], )"
                R"(["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], )"
                R"(["CA", 2, 3, 5], ["AN", 2, 10, 11], ["AN", 2, 11, 11], ["AN", 2, 12, 11], )"
                R"(["PR", 2, 0, "tensor_instruction$mma_m16n8k16_bf16"], )"
                R"(["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], )"
                R"(["CHR", 0, "shared", [3]], ["CA", 1, 4, 6]])"));
  }

  void unknownInstructionsAreRefused() {
    State state(parseTaskSpec("matmul:m=64,n=64,k=64,bf16=1").dag);
    try {
      state.apply(PragmaStep{2, 0, "tensor_instruction$wgmma"});
      QFAIL("accepted");
    } catch (const IllegalSchedule& error) {
      QVERIFY2(QString(error.what()).contains("mma_m16n8k16_bf16"), error.what());
    }
    // Loops without a name of what takes their place.
    state.apply(AnnotationStep{2, 0, Annotation::Tensorize});
    QVERIFY(QString::fromStdString(illegality(state, tensorSpace()).value().text)
                .contains("no instruction"));
  }

  /// A name alone takes the place of nothing, though lanes would share the tile; and it is a change
  /// of the stage.
  void aNamedInstructionHasToBeUsed() {
    State state(parseTaskSpec("matmul:m=64,n=64,k=64,bf16=1").dag);
    state.apply(PragmaStep{2, 0, "tensor_instruction$mma_m16n8k16_bf16"});
    const auto found = illegality(state, tensorSpace());
    QVERIFY(found);
    QVERIFY2(QString::fromStdString(found->text).contains("no loop of it"), found->text.c_str());
    QVERIFY_THROWS_EXCEPTION(IllegalSchedule, state.apply(CacheWriteStep{2, "local"}));
  }

  /// Lowering wants rows and columns that lie one behind the other, evenly.
  void stepsInMemoryAreEvenAndForwards_data() {
    QTest::addColumn<QString>("index");
    QTest::addColumn<bool>("applies");
    QTest::newRow("as it is") << "i, k" << true;
    QTest::newRow("every second") << "(i*2), k" << true;
    QTest::newRow("backwards") << "(63 - i), k" << false;
    QTest::newRow("as far as another says") << "(i*i), k" << false;
    QTest::newRow("both ways") << "((i + 63) - i), k" << false;
  }
  void stepsInMemoryAreEvenAndForwards() {
    QFETCH(QString, index);
    QFETCH(bool, applies);
    const ComputeDag dag = parseDag(
        fmt::format("A = PLACEHOLDER [4096, 64] bfloat16\nB = PLACEHOLDER [64, 64] bfloat16\n"
                    "C(i=64, j) += (float32(A[{}])*float32(B[k, j]))\n",
                    index.toStdString()));
    QCOMPARE(!tensorSketches(dag, tensorSpace()).empty(), applies);
  }

  /// What is legal is lowered, after any number of mutations.
  void mutationsKeepTheTile() {
    const SpaceOptions space = tensorSpace();
    LowerOptions lowering;
    lowering.gpu = gpuPreset({9, 0});
    int mutated = 0, ofWarps = 0;
    QVERIFY(forTensorPrograms("batch_matmul:b=4,m=128,n=96,k=64,bf16=1", 3, 8,
                              [&](const State& first, std::uint64_t n) {
                                State state = first;
                                Random random = Random::stream(4, "mutations", n);
                                for (int i = 0; i < 10; ++i) {
                                  std::optional<State> next = mutateTileSize(state, space, random);
                                  if (!next) continue;
                                  ++mutated;
                                  ofWarps += tilesOfWarps(*next) != tilesOfWarps(state);
                                  state = std::move(*next);
                                  (void)lower(state, lowering);
                                }
                              }));
    qInfo("%d mutations, %d of how many tiles a warp has", mutated, ofWarps);
    QVERIFY(mutated >= 20);
    QVERIFY(ofWarps > 0);
  }
};

NW_TEST_APPLESS(TensorCores)

} // namespace nestwright::tensor_cores_test

#include "tensor_cores.moc"
