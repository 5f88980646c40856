/// \file Random GPU programs, from their steps to what is computed: lowered, written as CUDA C,
/// compiled by NVRTC where it is installed, and a few of them run on the GPU in miniature.

#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "plugins/cuda/compile/kernel_resources.h"
#include "tests/lower/random_gpu_program.h"
#include "tests/lower/random_tensors.h"
#include "tests/lower/small_tasks.h"
#include "tests/plugins/cuda/host_gpu_run.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace nestwright::cuda_random_programs_test {

constexpr std::uint64_t kSeed = 20261124;

GpuFacts gpu() {
  return gpuPreset({9, 0});
}

/// The n-th random program of the task that a GPU can run, or nothing.
std::optional<LoopFunction> program(const std::string& task, const ComputeDag& dag,
                                    std::uint64_t n) {
  Random random = Random::stream(kSeed, task, n);
  LowerOptions options;
  options.gpu = gpu();
  try {
    return lower(randomGpuProgram(dag, random), options);
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

std::vector<LoopFunction> programs(const std::string& task, const ComputeDag& dag, int count) {
  std::vector<LoopFunction> found;
  for (std::uint64_t n = 0; static_cast<int>(found.size()) < count && n < 1000; ++n)
    if (std::optional<LoopFunction> function = program(task, dag, n))
      found.push_back(std::move(*function));
  return found;
}

class CudaRandomPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void compile_data() { tasks(); }
  void compile() {
    if (const auto& status = cuda::Nvrtc::instance().status(); !status.found)
      QSKIP(status.reason.c_str());
    QFETCH(QString, text);
    const ComputeDag dag = smallTask(text.toStdString());
    for (const LoopFunction& function :
         programs(text.toStdString(), dag, test::randomPrograms(1))) {
      const cuda::CudaText made = cuda::cudaText(function);
      const auto kernels = cuda::kernelResources(
          cuda::Nvrtc::instance().compile(made.source, {gpu().architecture, false}));
      for (const KernelLaunch& launch : made.launches)
        QVERIFY(kernels.at(launch.entry).registers > 0);
    }
  }

  void computeWhatTheDagSays_data() { tasks(); }
  void computeWhatTheDagSays() {
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    const ComputeDag dag = smallTask(task);
    Random random = Random::stream(kSeed, task, 1'000'000);
    const Tensors inputs = randomInputs(dag, random);
    const Tensors expected = evaluate(dag, inputs);
    for (const LoopFunction& function : programs(task, dag, test::randomPrograms(1))) {
      const test::HostGpu host(function);
      for (const int order : {0, 2}) {
        const test::Values found = host.run(inputs, order);
        for (int i = function.inputCount; i < static_cast<int>(function.parameters.size()); ++i) {
          const std::string& name = function.parameters[static_cast<std::size_t>(i)]->name;
          const std::vector<double>&is = found.at(name), &should = expected.at(name);
          QCOMPARE(is.size(), should.size());
          const DataType type = function.parameters[static_cast<std::size_t>(i)]->type;
          const double digit = type == kBFloat16 ? 0x1p-7 : 1e-3;
          for (std::size_t k = 0; k < is.size(); ++k)
            QVERIFY2(
                std::fabs(is[k] - should[k]) <= digit * (1 + std::fabs(should[k])),
                fmt::format("{}[{}] is {}, not {}\n{}", name, k, is[k], should[k], print(function))
                    .c_str());
        }
      }
    }
  }

 private:
  static void tasks() {
    QTest::addColumn<QString>("text");
    addSmallTasks();
  }
};

NW_TEST_GUILESS(CudaRandomPrograms)

} // namespace nestwright::cuda_random_programs_test

#include "cuda_random_programs.moc"
