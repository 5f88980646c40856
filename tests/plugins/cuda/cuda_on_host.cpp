/// \file Generated CUDA C computes what its loop IR says, on a GPU in miniature: threads in three
/// orders, memory poisoned, out of bounds and misaligned accesses fatal.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/lower/interpret.h"
#include "tests/plugins/cuda/host_gpu_run.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace nestwright::cuda_on_host_test {

using test::GpuProgram;
using test::HostGpu;
using test::Values;

/// Empty, or where the outputs differ by more than float arithmetic explains.
std::string difference(const Values& actual, const Values& expected, double tolerance) {
  for (const auto& [name, values] : expected) {
    const std::vector<double>& found = actual.at(name);
    if (found.size() != values.size()) return name + " has another size";
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(std::fabs(found[i] - values[i]) <= tolerance * (1 + std::fabs(values[i]))))
        return fmt::format("{}[{}] is {}, not {}", name, i, found[i], values[i]);
  }
  return "";
}

/// The text without its n-th line that says this.
cuda::CudaText without(cuda::CudaText text, const std::string& line, int n) {
  std::size_t at = 0;
  for (int i = 0; i <= n; ++i)
    at = text.source.find(line, at + 1);
  text.source.erase(at, line.size());
  return text;
}

class CudaOnHost : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void programsByHand_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("tiled product") << 0;
    QTest::newRow("product with much shared memory") << 1;
    QTest::newRow("softmax by shuffles") << 2;
    QTest::newRow("padded stencil in two kernels") << 3;
    QTest::newRow("all element types") << 4;
    QTest::newRow("two tiles at once") << 5;
    QTest::newRow("four tiles at once") << 6;
    QTest::newRow("two tiles at once, held in registers") << 7;
  }
  void programsByHand() {
    QFETCH(int, which);
    const GpuProgram program = which == 0   ? test::tiledProduct()
                               : which == 1 ? test::tiledProduct(256)
                               : which == 2 ? test::shuffledSoftmax()
                               : which == 3 ? test::paddedStencil()
                               : which == 4 ? test::mixedTypes()
                               : which == 5 ? test::pipelinedProduct(2)
                               : which == 6 ? test::pipelinedProduct(4)
                                            : test::pipelinedProduct(2, {7, 5});
    const HostGpu gpu(program.function);
    for (int order = 0; order < 3; ++order) {
      const std::string wrong =
          difference(gpu.run(program.inputs, order), program.outputs, which == 2 ? 1e-6 : 0);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  /// The miniature tells a barrier that is missing.
  void eachBarrierCounts() {
    const GpuProgram program = test::tiledProduct();
    const cuda::CudaText text = cuda::cudaText(program.function);
    for (int barrier = 0; barrier < 2; ++barrier) {
      const HostGpu gpu(program.function, without(text, "__syncthreads();", barrier));
      int wrong = 0;
      for (int order = 0; order < 3; ++order)
        wrong += difference(gpu.run(program.inputs, order), program.outputs, 0).empty() ? 0 : 1;
      QVERIFY2(wrong > 0, qPrintable(QString("barrier %1 is not missed").arg(barrier)));
    }
  }

  /// So do copies that are not waited for, and the barrier of a pipeline.
  void eachWaitCounts() {
    const GpuProgram program = test::pipelinedProduct(3);
    const cuda::CudaText text = cuda::cudaText(program.function);
    for (const char* line : {"nw_wait_for_copies<1>();", "__syncthreads();"}) {
      const HostGpu gpu(program.function, without(text, line, 0));
      int wrong = 0;
      for (int order = 0; order < 3; ++order)
        wrong += difference(gpu.run(program.inputs, order), program.outputs, 0).empty() ? 0 : 1;
      QVERIFY2(wrong > 0, qPrintable(QString("%1 is not missed").arg(line)));
    }
  }

  void aBarrierThatSomeDoNotReachIsTold() {
    const Var thread = makeVar("threadIdx.x", kInt32);
    const Buffer out = makeBuffer("out", {64});
    Launch launch;
    launch.kernel = "out";
    launch.threads[0] = {thread, 64};
    LoopFunction function;
    function.parameters = {out};
    function.body =
        makeLaunch(launch, makeSequence({makeIf(Expr(thread) < intImm(32, kInt32), makeBarrier()),
                                         makeStore(out, {Expr(thread)}, floatImm(1))}));
    QVERIFY_EXCEPTION_THROWN(HostGpu(function).run({}), Error);
  }

  /// Stages and tables may be called what means something else in CUDA C.
  void namesThatMeanSomethingElse() {
    const ComputeDag dag = parseDag("nullptr = PLACEHOLDER [8]\n"
                                    "vec(i) = (nullptr[i] + 1f)\n"
                                    "shared(i) = (vec[i]*2f)\n"
                                    "compl(i) = (shared[i] - vec[i])\n"
                                    "norm(i) = (compl[i] + shared[i])\n");
    const Values inputs{{"nullptr", {1, 2, 3, 4, 5, 6, 7, 8}}};
    const std::string wrong = difference(HostGpu(lowerNaive(dag, gpuPreset({9, 0}))).run(inputs),
                                         interpret(lowerNaive(dag), inputs), 0);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  /// No number of an unsigned type is -1.
  void unsignedNumbersAreDivided() {
    for (const char* type : {"uint8", "uint16", "uint32", "int8"}) {
      const ComputeDag dag =
          parseDag(fmt::format("a = PLACEHOLDER [6] {0}\nb = PLACEHOLDER [6] {0}\n"
                               "q(i) = floordiv(a[i], b[i])\n"
                               "r(i) = floormod(a[i], b[i])\n",
                               type));
      const bool isSigned = type[0] == 'i';
      const double highest = isSigned ? 127 : std::exp2(std::atoi(type + 4)) - 1;
      const double minus = isSigned ? -1 : highest;
      const Values inputs{{"a", {7, 100, highest, 9, 0, 100}},
                          {"b", {minus, minus, minus, 2, 5, 7}}};
      const std::string wrong = difference(HostGpu(lowerNaive(dag, gpuPreset({9, 0}))).run(inputs),
                                           interpret(lowerNaive(dag), inputs), 0);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  /// Every kind of operator, as the naive program of a GPU has it.
  void naivePrograms_data() {
    QTest::addColumn<QString>("task");
    for (const char* task :
         {"matmul:m=20,n=24,k=12", "conv2d:n=1,h=9,w=9,ci=3,co=8,k=3,s=2,p=1",
          "transposed_conv2d:n=1,h=4,w=4,ci=3,co=4", "softmax:m=9,n=40", "norm:b=2,m=12,n=9"})
      QTest::newRow(task) << task;
  }
  void naivePrograms() {
    QFETCH(QString, task);
    const ComputeDag dag = parseTaskSpec(task.toStdString()).dag;
    const LoopFunction function = lowerNaive(dag, gpuPreset({9, 0}));
    Values inputs;
    for (int i = 0; i < function.inputCount; ++i) {
      const Buffer& parameter = function.parameters[static_cast<std::size_t>(i)];
      std::vector<double>& values = inputs[parameter->name];
      for (std::int64_t k = 0; k < parameter->elements(); ++k)
        values.push_back(static_cast<double>((k * 37 + i) % 19) / 8 - 1);
    }
    const Values expected = interpret(lowerNaive(dag), inputs);
    const std::string wrong = difference(HostGpu(function).run(inputs, 2), expected, 1e-4);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
};

NW_TEST_GUILESS(CudaOnHost)

} // namespace nestwright::cuda_on_host_test

#include "cuda_on_host.moc"
