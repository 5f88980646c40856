/// \file Programs that use tensor cores, as CUDA C: run on the GPU in miniature, and compiled by
/// NVRTC where it is installed.

#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "plugins/cuda/compile/kernel_resources.h"
#include "tests/lower/random_tensors.h"
#include "tests/lower/tensor_samples.h"
#include "tests/plugins/cuda/host_gpu_run.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <bit>
#include <cmath>

namespace nestwright::cuda_tensor_programs_test {

constexpr std::uint64_t kSeed = 20261125;

LoopFunction lowered(const State& state) {
  LowerOptions options;
  options.gpu = gpuPreset({9, 0});
  return lower(state, options);
}

/// A task with inputs, and what its definition makes of them.
struct Example {
  explicit Example(const std::string& task) : dag(parseTaskSpec(task).dag) {
    Random random = Random::stream(kSeed, task, 1'000'000);
    inputs = randomInputs(dag, random);
    expected = evaluate(dag, inputs);
  }
  /// What the GPU in miniature computes wrong; empty when all is right.
  std::string wrongIn(const test::HostGpu& host, const LoopFunction& function, int order) const {
    const std::string problem = wrong(dag, expected, host.run(inputs, order));
    return problem.empty() ? problem : problem + "\n" + print(function);
  }

  ComputeDag dag;
  Tensors inputs, expected;
};

class CudaTensorPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computeWhatTheDagSays_data() { addTensorTasks(); }
  void computeWhatTheDagSays() {
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    const Example example(task);
    QVERIFY(forTensorPrograms(task, kSeed, test::randomPrograms(1), [&](const State& state, auto) {
      const LoopFunction function = lowered(state);
      const test::HostGpu host(function);
      for (const int order : {0, 2}) {
        const std::string problem = example.wrongIn(host, function, order);
        QVERIFY2(problem.empty(), problem.c_str());
      }
    }));
  }

  /// One instruction loads two neighbours of the second operand, whichever way its rows run.
  void loadNeighboursTogether_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("instruction");
    QTest::newRow("rows along k") << QString("matmul:m=32,n=32,k=32,bf16=1")
                                  << QString("nw_ldmatrix_x4_trans(&B_");
    QTest::newRow("rows along j") << QString("batch_matmul:b=2,m=16,n=32,k=32,nt=1,bf16=1")
                                  << QString("nw_ldmatrix_x4(&Y_");
  }
  void loadNeighboursTogether() {
    QFETCH(QString, text);
    QFETCH(QString, instruction);
    const std::string task = text.toStdString();
    const Example example(task);
    constexpr int kEnough = 3;
    int found = 0;
    QVERIFY(forTensorPrograms(task, kSeed, 60, [&](const State& state, auto) {
      if (found == kEnough) return;
      const LoopFunction function = lowered(state);
      if (cuda::cudaText(function).source.find(instruction.toStdString()) == std::string::npos)
        return;
      ++found;
      const std::string problem = example.wrongIn(test::HostGpu(function), function, 0);
      QVERIFY2(problem.empty(), problem.c_str());
    }));
    QCOMPARE(found, kEnough);
  }

  /// What is rounded to TF32 stays what it is where it is no number, whatever its digits.
  void nanStaysNan() {
    const std::string task = "matmul:m=32,n=32,k=16";
    const ComputeDag dag = parseTaskSpec(task).dag;
    Random random = Random::stream(kSeed, task, 0);
    Tensors inputs = randomInputs(dag, random);
    inputs.at("A")[0] = std::bit_cast<double>(0x7fff'ffff'ffff'ffff);
    QVERIFY(forTensorPrograms(task, kSeed, 1, [&](const State& state, auto) {
      const std::vector<double> is =
          test::HostGpu(lowered(state)).run(inputs).at(dag.outputs()[0]->output->name);
      for (std::size_t k = 0; k < is.size(); ++k)
        QCOMPARE(std::isnan(is[k]), k < 32);
    }));
  }

  void compile_data() {
    addTensorTasks();
    QTest::newRow("large") << QString("matmul:m=128,n=128,k=128,bf16=1");
  }
  void compile() {
    if (const auto& status = cuda::Nvrtc::instance().status(); !status.found)
      QSKIP(status.reason.c_str());
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    QVERIFY(
        forTensorPrograms(task, kSeed, test::randomPrograms(1), [&](const State& state, auto n) {
          const LoopFunction function = lowered(state);
          const cuda::CudaText made = cuda::cudaText(function);
          for (const GpuArchitecture architecture :
               {GpuArchitecture{8, 0}, GpuArchitecture{9, 0}}) {
            const cuda::Compiled compiled =
                cuda::Nvrtc::instance().compile(made.source, {architecture, false});
            QVERIFY(compiled.ptx.find("mma.sync.aligned.m16n8k") != std::string::npos);
            const auto kernels = cuda::kernelResources(compiled);
            for (const KernelLaunch& launch : made.launches) {
              const KernelResources& taken = kernels.at(launch.entry);
              qInfo("%s, program %d: %d registers, %d bytes spilled", qPrintable(text),
                    static_cast<int>(n), taken.registers, static_cast<int>(taken.spillStoreBytes));
              QCOMPARE(taken.stackBytes, 0); // fragments lie in registers
            }
          }
        }));
  }
};

NW_TEST_GUILESS(CudaTensorPrograms)

} // namespace nestwright::cuda_tensor_programs_test

#include "cuda_tensor_programs.moc"
