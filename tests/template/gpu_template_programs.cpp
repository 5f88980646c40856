/// Programs of templates for GPUs compute their tasks, thread by thread and without a race, or are
/// illegal for a reason that is said before anything is compiled.

#include "core/network/graph/workloads.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/template/task_template.h"
#include "core/tensor/check_bounds.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "plugins/cuda/compile/kernel_resources.h"
#include "plugins/cuda/text/cuda_text.h"
#include "tests/lower/gpu_check.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <map>

namespace nestwright::gpu_template_programs_test {

using nlohmann::json;

constexpr const char* kConvBiasAddRelu =
    "data = PLACEHOLDER [1, 7, 9, 4]\n"
    "pad_temp(i0, i1=9, i2=11, i3) = tir.if_then_else(((((i1 >= 1) && (i1 < 8)) && (i2 >= 1)) && "
    "(i2 < 10)), data[i0, (i1 - 1), (i2 - 1), i3], 0f)\n"
    "kernel = PLACEHOLDER [3, 3, 4, 12]\n"
    "conv2d_nhwc(nn, yy=7, xx=9, ff) += (pad_temp[nn, (yy + ry), (xx + rx), rc]*kernel[ry, rx, rc, "
    "ff]) @layout_free_placeholders(kernel)\n"
    "bias = PLACEHOLDER [1, 1, 1, 12]\n"
    "T_add(ax0, ax1, ax2, ax3) = (conv2d_nhwc[ax0, ax1, ax2, ax3] + bias[ax0, 0, 0, ax3])\n"
    "residual = PLACEHOLDER [1, 7, 9, 12]\n"
    "T_add_1(ax0, ax1, ax2, ax3) = (T_add[ax0, ax1, ax2, ax3] + residual[ax0, ax1, ax2, ax3])\n"
    "compute(i0, i1, i2, i3) = max(min(T_add_1[i0, i1, i2, i3], 6f), 0f)\n";

/// Heads of attention: two batch axes in another order than the operands have.
constexpr const char* kAttention = "X = PLACEHOLDER [2, 6, 3, 8]\n"
                                   "Y = PLACEHOLDER [2, 10, 3, 8]\n"
                                   "P(b0, b1, i, j) += (X[b0, i, b1, k]*Y[b0, j, b1, k])\n"
                                   "Q(ax0, ax1, ax2, ax3) = (P[ax0, ax1, ax2, ax3]/8f)\n";

constexpr const char* kComputedOperands = "A = PLACEHOLDER [24, 12]\n"
                                          "E(i, j) = exp(A[i, j])\n"
                                          "B = PLACEHOLDER [20, 12]\n"
                                          "G(i, j) = max(B[i, j], 0f)\n"
                                          "C(i, j) += (E[i, k]*G[j, k])\n"
                                          "S = PLACEHOLDER [20]\n"
                                          "D(i, j) = (C[i, j]*S[j])\n";

/// A task specification, a DAG's text, or the arguments of the template in a log.
ComputeDag taskOf(const QString& kind, const QString& text) {
  const std::string source = text.toStdString();
  if (source.front() == '[')
    return templateTask(*findTemplate(kind.toStdString()), TemplateArguments(json::parse(source)));
  return isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
}

TaskTemplate fitting(const ComputeDag& task, const QString& kind) {
  return templateNamed(task, kind.toStdString());
}

std::int64_t drawn(const TaskTemplate& of, Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::size_t>(of.space.size())));
}

SpaceOptions sm90() {
  return spaceOptionsFor(cudaTarget(testGpu()));
}

std::optional<Illegality> illegalityOf(const TemplateProgram& program) {
  return illegality(State::replay(program.dag, program.steps), sm90(), KernelLimits::Templates);
}

Tensors packed(const Tensors& values, const ComputeDag& task,
               const std::vector<PackedLayout>& layouts) {
  Tensors result;
  for (std::size_t i = 0; i < task.size(); ++i) {
    const std::string& name = task[i]->name();
    std::vector<double>& to = result[name];
    to.resize(static_cast<std::size_t>(layouts[i].packedElements()));
    layouts[i].pack(values.at(name).data(), to.data(), sizeof(double));
  }
  return result;
}

Tensors inputsOf(const ComputeDag& task, const Tensors& values) {
  Tensors inputs;
  for (const Op& op : task.inputs())
    inputs[op->name()] = values.at(op->name());
  return inputs;
}

void addPrograms() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* kind, const char* what, const char* text) {
    QTest::addRow("%s, %s", kind, what) << QString(kind) << QString(text);
  };
  const char* kind = "conv2d_nchw.cuda";
  row(kind, "tails", "conv2d:n=1,h=9,w=7,ci=6,co=8,k=3,s=1,p=1");
  row(kind, "fused", kConvBiasAddRelu);
  row(kind, "strides, two images, fused",
      "conv2d:n=2,h=7,w=11,ci=4,co=12,k=3,s=2,p=1,bias=1,relu=1");
  row(kind, "as in a log",
      R"([["TENSOR",[1,4,8,9],"float32"],["TENSOR",[6,4,3,2],"float32"],[2,1],)"
      R"([1,0,2,1],[1,2],"float32"])");
  row(kind, "1 x 1, half, fused", "conv2d:n=2,h=6,w=5,ci=6,co=12,k=1,s=1,p=0,bias=1,relu=1,bf16=1");
  for (const char* dense : {"dense_large_batch.gpu", "dense_small_batch.gpu"}) {
    row(dense, "as in a log",
        R"([["TENSOR",[32,24],"float32"],["TENSOR",[16,24],"float32"],null,"float32"])");
    row(dense, "tails", "matmul:m=15,n=14,k=18");
    row(dense, "fused", "matmul:m=12,n=24,k=20,bias=1,relu=1");
    row(dense, "operands that are computed", kComputedOperands);
  }
  row("dense_large_batch.gpu", "64 rows", "matmul:m=64,n=64,k=12,relu=1");
  kind = "batch_matmul.cuda";
  row(kind, "as in a log",
      R"([["TENSOR",[3,6,8],"float32"],["TENSOR",[3,10,8],"float32"],[3,6,10]])");
  row(kind, "odd", "batch_matmul:b=2,m=5,n=9,k=7");
  row(kind, "fused, two batch axes", kAttention);
  row(kind, "not transposed",
      R"([["TENSOR",[3,4,6],"float32"],["TENSOR",[3,6,8],"float32"],[3,4,8],null,false,false])");
  kind = "depthwise_conv2d_nchw.cuda";
  row(kind, "channels last", "depthwise_conv2d:n=1,h=8,w=7,c=12,k=3,s=1,p=1");
  row(kind, "fused", "depthwise_conv2d:n=2,h=7,w=9,c=8,k=3,s=2,p=1,bias=1,relu=1");
  row(kind, "without padding", "depthwise_conv2d:n=1,h=6,w=10,c=6,k=3,s=1,p=0");
  row(kind, "as in a log",
      R"([["TENSOR",[1,6,8,8],"float32"],["TENSOR",[6,1,3,3],"float32"],[1,1],)"
      R"([1,1,1,1],[1,1],"float32"])");
}

class GpuTemplatePrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computeTheirTasks_data() { addPrograms(); }

  void computeTheirTasks() {
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const ComputeDag task = taskOf(kind, text);
    const TaskTemplate of = fitting(task, kind);
    const std::uint64_t seed = test::randomSeed(20261123);
    Random random = Random::stream(seed, QTest::currentDataTag(), 0);
    const Tensors values = evaluate(task, randomInputs(task, random));
    std::map<std::string, int> refused;
    int right = 0;
    for (int n = 0; n < test::randomPrograms(16) || (right == 0 && n < 200); ++n) {
      const std::int64_t index = drawn(of, random);
      const TemplateProgram program = templateProgram(task, of, of.space.at(index));
      if (const auto illegal = illegalityOf(program)) {
        QVERIFY(!illegal->text.empty());
        ++refused[name(illegal->kind)];
        continue;
      }
      checkBounds(program.dag);
      const Tensors expected = packed(values, task, program.layouts);
      const Tensors inputs = inputsOf(task, expected);
      const State state = State::replay(program.dag, program.steps);
      std::string problem = difference(expected, evaluate(program.dag, inputs));
      try {
        // What is called legal can be lowered, too.
        if (problem.empty()) problem = gpuProblem(state, inputs, expected, Looks::AfterTheLast);
      } catch (const IllegalSchedule& error) {
        problem = error.what();
      }
      QVERIFY2(problem.empty(), fmt::format("seed {}, configuration {}: {}\n{}{}", seed, index,
                                            problem, print(program.dag), printLoopNest(state))
                                    .c_str());
      ++right;
    }
    QVERIFY2(right > 0, "no configuration is legal");
    qInfo("%d compute what the task says", right);
    for (const auto& [why, count] : refused)
      qInfo("%d are illegal: %s", count, why.c_str());
  }

  /// What is too much for a device is said with the figures, before anything is compiled.
  void illegalOnesHaveAReason_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* task, const char* config,
                        const char* reason) {
      QTest::newRow(name) << QString(task) << QString(config) << QString(reason);
    };
    row("threads", "batch_matmul:b=1,m=64,n=64,k=8",
        R"([["tile_y","sp",[-1,64,1]],["tile_x","sp",[-1,32,1]],["tile_k","sp",[-1,8]],)"
        R"(["auto_unroll_max_step","ot",8],["unroll_explicit","ot",0]])",
        "has 2048 threads in a block, more than 1024");
    row("shared memory", "batch_matmul:b=1,m=64,n=64,k=256",
        R"([["tile_y","sp",[-1,8,8]],["tile_x","sp",[-1,8,8]],["tile_k","sp",[-1,256]],)"
        R"(["auto_unroll_max_step","ot",8],["unroll_explicit","ot",0]])",
        "needs 131072 bytes of shared memory, more than the 49152 of a block");
    row("threads that fetch", "matmul:m=64,n=64,k=32",
        R"([["tile_x","sp",[-1,2,8,4]],["tile_y","sp",[-1,2,16,2]],["tile_k","sp",[-1,4,2]]])",
        "has loops of 16 and of 8 iterations on threadIdx.y");
    row("registers", "batch_matmul:b=1,m=128,n=128,k=32",
        R"([["tile_y","sp",[-1,4,32]],["tile_x","sp",[-1,4,32]],["tile_k","sp",[-1,8]],)"
        R"(["auto_unroll_max_step","ot",8],["unroll_explicit","ot",0]])",
        "keeps 1024 elements of one tile in the registers of a thread");
  }

  void illegalOnesHaveAReason() {
    QFETCH(QString, task);
    QFETCH(QString, config);
    QFETCH(QString, reason);
    const ComputeDag dag = taskOf({}, task);
    const TaskTemplate of =
        templatesFor(dag, TemplateVersion::V0_11, TemplateMachine::Gpu).fitting.at(0);
    std::vector<NamedEntity> entities;
    for (const json& entity : json::parse(config.toStdString()))
      entities.push_back(namedEntityFromJson(entity));
    const auto illegal = illegalityOf(templateProgram(dag, of, entities));
    QVERIFY(illegal);
    QVERIFY2(QString::fromStdString(illegal->text).contains(reason), illegal->text.c_str());
  }

  /// AutoTVM has no least number of threads, and no most of virtual threads.
  void limitsAreThoseOfTheTemplates() {
    const ComputeDag dag = parseTaskSpec("conv2d:n=1,h=16,w=16,ci=4,co=16,k=3,s=1,p=1").dag;
    const TaskTemplate of =
        templatesFor(dag, TemplateVersion::V0_11, TemplateMachine::Gpu).fitting.at(0);
    std::vector<NamedEntity> config = of.space.at(0);
    config[0].entity = SplitEntity{{-1, 4, 4, 1}};
    config[1].entity = SplitEntity{{-1, 4, 2, 1}};
    config[2].entity = SplitEntity{{-1, 1, 1, 1}};
    const TemplateProgram program = templateProgram(dag, of, config);
    QVERIFY(!illegalityOf(program));
    const auto asSketch = illegality(State::replay(program.dag, program.steps), sm90());
    QVERIFY(asSketch && asSketch->kind == Refusal::VirtualThreads);
  }

  /// The knob unroll_explicit: the code has the iterations one after another, or tells the compiler
  /// to unroll. What is computed is the same (computeTheirTasks() has both).
  void unrolledLoopsAreWrittenOut() {
    const ComputeDag dag = parseTaskSpec("conv2d:n=1,h=8,w=8,ci=4,co=8,k=3,s=1,p=1").dag;
    const TaskTemplate of =
        templatesFor(dag, TemplateVersion::V0_11, TemplateMachine::Gpu).fitting.at(0);
    const std::vector<NamedEntity> base = of.space.at(0);
    LowerOptions options;
    options.gpu = testGpu();
    std::map<std::int64_t, std::string> sources;
    for (const std::int64_t explicitly : {0, 1}) {
      std::vector<NamedEntity> config = base;
      config[0].entity = SplitEntity{{-1, 2, 4, 1}};
      config[1].entity = SplitEntity{{-1, 1, 4, 2}};
      config[2].entity = SplitEntity{{-1, 1, 8, 1}};
      config[6].entity = OptionEntity{std::int64_t{512}};
      config[7].entity = OptionEntity{explicitly};
      const TemplateProgram program = templateProgram(dag, of, config);
      sources[explicitly] =
          cuda::cudaText(lower(State::replay(program.dag, program.steps), options)).source;
    }
    const auto count = [&](std::int64_t explicitly, const char* what) {
      return QString::fromStdString(sources[explicitly]).count(what);
    };
    // The preamble has some of its own.
    QVERIFY(count(0, "#pragma unroll") > count(1, "#pragma unroll"));
    QVERIFY(count(1, "conv2d_nhwc_local[") > 2 * count(0, "conv2d_nhwc_local["));
    QVERIFY2(!QString::fromStdString(sources[1]).contains("for (int oc"), sources[1].c_str());
  }

  void compile_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* kind, const char* text) {
      QTest::newRow(kind) << QString(kind) << QString(text);
    };
    row("conv2d_nchw.cuda", kConvBiasAddRelu);
    row("dense_large_batch.gpu", "matmul:m=64,n=64,k=12,relu=1");
    row("dense_small_batch.gpu", "matmul:m=12,n=24,k=200,bias=1,relu=1");
    row("batch_matmul.cuda", kAttention);
    row("depthwise_conv2d_nchw.cuda", "depthwise_conv2d:n=2,h=7,w=9,c=8,k=3,s=2,p=1,bias=1,relu=1");
  }

  void compile() {
    if (const auto& status = cuda::Nvrtc::instance().status(); !status.found)
      QSKIP(status.reason.c_str());
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const ComputeDag task = taskOf(kind, text);
    const TaskTemplate of = fitting(task, kind);
    Random random = Random::stream(20261123, QTest::currentDataTag(), 1);
    LowerOptions options;
    options.gpu = testGpu();
    int compiled = 0;
    for (int n = 0; n < 200 && compiled < test::randomPrograms(2); ++n) {
      const TemplateProgram program = templateProgram(task, of, of.space.at(drawn(of, random)));
      if (illegalityOf(program)) continue;
      const LoopFunction function = lower(State::replay(program.dag, program.steps), options);
      const cuda::CudaText made = cuda::cudaText(function);
      const auto kernels = cuda::kernelResources(
          cuda::Nvrtc::instance().compile(made.source, {testGpu().architecture, false}));
      QCOMPARE(made.launches.size(), std::size_t(1));
      QVERIFY(kernels.at(made.launches[0].entry).registers > 0);
      ++compiled;
    }
    QVERIFY(compiled > 0);
  }
};

NW_TEST_APPLESS(GpuTemplatePrograms)

} // namespace nestwright::gpu_template_programs_test

#include "gpu_template_programs.moc"
