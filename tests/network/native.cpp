#include "core/lower/lower.h"
#include "core/network/execution/executor.h"
#include "core/network/onnx/onnx_import.h"
#include "core/plugin/plugin.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "tests/network/native_kernel.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::native_test {

using test::nativeKernel;

void compareWithInterpreter(const Partition& parts) {
  std::vector<KernelFunction> kernels;
  for (const Task& task : parts.tasks)
    kernels.push_back(nativeKernel(task.dag));
  Executor executor(parts, std::move(kernels));
  const std::vector<Array> inputs = randomInputs(parts.network, 11);
  const std::vector<Array> actual = execute(executor, inputs);
  const std::vector<Array> expected = interpret(parts, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = relativeError(actual[i], expected[i]);
    QVERIFY2(error < 1e-5, qPrintable(QString("output %1: %2").arg(i).arg(error)));
  }
}

class NativeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void compiledNetworksAgreeWithTheInterpreter_data();
  void compiledNetworksAgreeWithTheInterpreter();
  void packedNetworksAgreeWithTheInterpreter();
  void importedNetworksAgreeWithTheInterpreter_data();
  void importedNetworksAgreeWithTheInterpreter();
};

void NativeTest::compiledNetworksAgreeWithTheInterpreter_data() {
  QTest::addColumn<int>("network");
  QTest::addColumn<bool>("optimised");
  const char* names[] = {"resnet", "mobilenet", "branches", "attention",
                         "bert",   "shuffle",   "decoder"};
  for (int n = 0; n < 7; ++n)
    for (const bool optimised : {false, true})
      QTest::addRow("%s%s", names[n], optimised ? " optimised" : "") << n << optimised;
}

void NativeTest::compiledNetworksAgreeWithTheInterpreter() {
  QFETCH(int, network);
  QFETCH(bool, optimised);
  const Network built = network == 0   ? tinyResnet()
                        : network == 1 ? tinyMobilenet()
                        : network == 2 ? tinyBranches()
                        : network == 3 ? tinyAttention()
                        : network == 4 ? tinyBert(2)
                        : network == 5 ? tinyShuffle()
                                       : tinyDecoder();
  compareWithInterpreter(optimised ? optimisedPartition(built) : partition(built, false));
}

// Programs as a search makes them, whose weights are packed.
void NativeTest::packedNetworksAgreeWithTheInterpreter() {
  SpaceOptions space;
  space.target = backend("llvm").target(1);
  int packed = 0;
  for (const Network& network : {tinyResnet(), tinyMobilenet()}) {
    const Partition parts = optimisedPartition(network);
    std::vector<KernelFunction> kernels;
    std::vector<InputLayouts> layouts;
    for (const Task& task : parts.tasks) {
      const std::vector<Sketch> sketches = generateSketches(task.dag, space);
      SampledProgram program;
      for (std::uint64_t i = 0; !program.state && i < 100; ++i) {
        Random random = Random::stream(5, task.key, i);
        program = sampleProgram(sketches, space, random);
      }
      QVERIFY(program.state);
      const LoopFunction function = lower(*program.state, lowerOptionsFor(space.target));
      layouts.push_back(function.layouts);
      kernels.push_back(nativeKernel(function));
      for (const auto& layout : function.layouts)
        packed += layout.has_value();
    }
    Executor executor(parts, std::move(kernels), layouts);
    const std::vector<Array> inputs = randomInputs(parts.network, 11);
    const std::vector<Array> actual = execute(executor, inputs);
    const std::vector<Array> expected = interpret(parts, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = relativeError(actual[i], expected[i]);
      QVERIFY2(error < 1e-5, qPrintable(QString("output %1: %2").arg(i).arg(error)));
    }
  }
  QVERIFY2(packed >= 5, qPrintable(QString("%1 packed").arg(packed)));
}

void NativeTest::importedNetworksAgreeWithTheInterpreter_data() {
  QTest::addColumn<QString>("file");
  for (const char* file : {"elementwise", "normalisation", "torch_mobilenet", "torch_encoder"})
    QTest::newRow(file) << file;
}

void NativeTest::importedNetworksAgreeWithTheInterpreter() {
  QFETCH(QString, file);
  const std::string path = NESTWRIGHT_TEST_DATA "/onnx/" + file.toStdString() + ".onnx";
  compareWithInterpreter(optimisedPartition(importOnnx(path)));
}

NW_TEST_GUILESS(NativeTest)

} // namespace nestwright::native_test

#include "native.moc"
