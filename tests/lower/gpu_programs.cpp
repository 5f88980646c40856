/// Known programs lowered for a GPU compute what the DAG says, after every pass.

#include "core/emulate/emulate.h"
#include "core/lower/gpu/narrow_indices.h"
#include "core/lower/gpu/verify_bounds.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/gpu_check.h"
#include "tests/schedule/tiled_product.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <limits>

namespace nestwright::gpu_programs_test {

// The schedule that TVM's gallery records for a 3x3 convolution of 7x7 pixels (its own file,
// gallery/how_to/tune_with_autoscheduler). %1 and %2 are the output and input channels.
const char* const kGalleryDag =
    "data = PLACEHOLDER [1, %2, 7, 7]\n"
    "pad_temp(i0=1, i1=%2, i2=9, i3=9) = if_then_else(((((i2 >= 1) && (i2 < 8)) && (i3 >= 1)) && "
    "(i3 < 8)), data[i0, i1, (i2 - 1), (i3 - 1)], 0f)\n"
    "kernel = PLACEHOLDER [%1, %2, 3, 3]\n"
    "conv(nn=1, ff=%1, yy=7, xx=7) {rc=%2, ry=3, rx=3} += (pad_temp[nn, rc, (yy + ry), (xx + "
    "rx)]*kernel[ff, rc, ry, rx])\n"
    "bias = PLACEHOLDER [1, %1, 1, 1]\n"
    "T_add(ax0=1, ax1=%1, ax2=7, ax3=7) = (conv[ax0, ax1, ax2, ax3] + bias[ax0, ax1, 0, 0])\n"
    "relu(i0=1, i1=%1, i2=7, i3=7) = max(T_add[i0, i1, i2, i3], 0f)\n";
const char* const kGallerySteps =
    R"([["CI", 5], ["SP", 3, 0, 1, [1, 1, 1, 1], 1], ["SP", 3, 5, %1, [1, 64, 2, 1], 1],
    ["SP", 3, 10, 7, [1, 1, 1, 1], 1], ["SP", 3, 15, 7, [1, 1, 7, 1], 1],
    ["SP", 3, 20, %2, [4, 2], 1], ["SP", 3, 23, 3, [1, 1], 1], ["SP", 3, 26, 3, [3, 1], 1],
    ["RE", 3, [0, 5, 10, 15, 1, 6, 11, 16, 2, 7, 12, 17, 20, 23, 26, 21, 24, 27, 3, 8, 13, 18,
    22, 25, 28, 4, 9, 14, 19]], ["FSP", 6, 0, 1, 3], ["FSP", 6, 4, 2, 3], ["FSP", 6, 8, 3, 3],
    ["FSP", 6, 12, 4, 3], ["RE", 6, [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]],
    ["CA", 3, 6, 11], ["CHR", 2, "shared", [3]], ["CA", 3, 4, 14], ["CHR", 1, "shared", [4]],
    ["CA", 2, 5, 14], ["CI", 1], ["FU", 8, [0, 1, 2, 3]], ["AN", 8, 0, 5],
    ["FU", 8, [1, 2, 3, 4]], ["AN", 8, 1, 4], ["FU", 8, [2, 3, 4, 5]], ["AN", 8, 2, 6],
    ["FU", 4, [0, 1, 2, 3]], ["SP", 4, 0, 48, [1], 1], ["AN", 4, 1, 2],
    ["FFSP", 4, 0, [4, 3, 2, 1], 1, 1], ["AN", 4, 1, 6], ["FU", 2, [0, 1, 2, 3]],
    ["SP", 2, 0, 504, [4], 1], ["AN", 2, 1, 2], ["FFSP", 2, 0, [4, 3, 2, 1], 1, 1],
    ["AN", 2, 1, 6], ["PR", 5, 0, "auto_unroll_max_step$512"]])";

const char* const kSoftmaxDag = "A = PLACEHOLDER [5, 100]\n"
                                "M(i) max= A[i, k]\n"
                                "E(i, j) = exp((A[i, j] - M[i]))\n"
                                "S(i) += E[i, k]\n"
                                "N(i, j) = (E[i, j]/S[i])\n";

class GpuPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<QString>("steps");
    const auto program = [](const char* name, const char* dag, const char* steps) {
      QTest::newRow(name) << QString(dag) << QString(steps);
    };
    program("tiled product", test::kProductDag, test::kTiledProductSteps);
    const auto gallery = [](const char* name, int outputs, int inputs) {
      QTest::newRow(name) << QString(kGalleryDag).arg(outputs).arg(inputs)
                          << QString(kGallerySteps).arg(outputs).arg(inputs);
    };
    gallery("gallery convolution, fewer channels", 128, 16);
    if (qEnvironmentVariableIsSet("NESTWRIGHT_RANDOM_PROGRAMS")) // half a minute
      gallery("gallery convolution", 512, 512);

    // Both reductions of a softmax computed by the threads that store its rows.
    for (const int threads : {2, 8, 24, 32, 33, 40, 64, 96, 128})
      QTest::addRow("softmax on %d threads", threads)
          << QString(kSoftmaxDag)
          << QString(R"([["CI", 2], ["SP", 4, 1, 100, [%1], 1], ["AN", 4, 2, 6],
             ["SP", 3, 1, 100, [%1], 1], ["AN", 3, 2, 6], ["CA", 3, 4, 0],
             ["SP", 1, 1, 100, [%1], 1], ["AN", 1, 2, 6], ["CA", 1, 4, 0], ["AN", 4, 0, 5]])")
                 .arg(threads);
    // Rows along y, reduced along x, and the other way round.
    const auto rows = [](int reducing, int others, int reducingAxis, int otherAxis) {
      QTest::addRow("%d threads of axis %d reduce, %d beside", reducing, reducingAxis, others)
          << QString("A = PLACEHOLDER [21, 130]\n"
                     "S(i) += (A[i, k]*A[i, k])\n"
                     "R(i=21) = sqrt(S[i])\n")
          << QString(R"([["SP", 1, 0, 21, [%1], 1], ["AN", 1, 0, 5], ["AN", 1, 1, %2],
             ["SP", 1, 2, 130, [%3], 1], ["AN", 1, 3, %4], ["AN", 2, 0, 5]])")
                 .arg(others)
                 .arg(otherAxis)
                 .arg(reducing)
                 .arg(reducingAxis);
    };
    for (const int reducing : {2, 16, 24, 32, 48, 64})
      for (const int others : {3, 4}) {
        rows(reducing, others, 6, 8);
        rows(reducing, others, 8, 6);
      }
    program("all of a tensor in one number",
            "A = PLACEHOLDER [7, 11, 5]\n"
            "S() += A[i, j, k]\n"
            "N() = sqrt(S[])\n",
            R"([["FU", 1, [0, 1, 2]], ["SP", 1, 0, 385, [64], 1], ["AN", 1, 1, 6]])");
    // The norm's threads wait for the sum that one of them stores.
    program("consumer of a reduction in the same kernel",
            "A = PLACEHOLDER [6, 90]\n"
            "S(i) += (A[i, k]*A[i, k])\n"
            "N(i) = sqrt(S[i])\n",
            R"([["SP", 1, 1, 90, [64], 1], ["AN", 1, 2, 6], ["CA", 1, 2, 0], ["AN", 2, 0, 5]])");
    program("reduction of several elements at once",
            "A = PLACEHOLDER [8, 6, 70]\n"
            "S(i, j) += A[i, j, k]\n",
            R"([["SP", 1, 2, 70, [32], 1], ["RE", 1, [0, 2, 3, 1]], ["AN", 1, 2, 6],
            ["AN", 1, 0, 5]])");
    program("thread loop around a serial reduction",
            "A = PLACEHOLDER [40, 30]\n"
            "S(i) += A[i, k]\n",
            R"([["RE", 1, [1, 0]], ["SP", 1, 1, 40, [16], 1], ["AN", 1, 1, 5], ["AN", 1, 2, 6]])");
    // Before the reduction the sums are set to zero, by the blocks in the same order.
    program(
        "blocks in raster order inside of a reduction",
        "A = PLACEHOLDER [4, 10]\n"
        "B = PLACEHOLDER [10, 6]\n"
        "C(i, j) += (A[i, k]*B[k, j])\n",
        R"([["RE", 2, [2, 0, 1]], ["FU", 2, [1, 2]], ["AN", 2, 1, 5], ["PR", 2, 0, "raster$2"]])");
    // What a block computes for all of its threads, without a thread of its own.
    program("result of one thread for its block",
            "A = PLACEHOLDER [4, 24]\n"
            "M(i) max= A[i, k]\n"
            "D(i, j) = (A[i, j] - M[i])\n",
            R"([["CA", 1, 2, 0], ["AN", 2, 0, 5], ["AN", 2, 1, 6]])");
    program("all axes of a grid and of a block",
            "A = PLACEHOLDER [4, 6, 40]\n"
            "B(i, j, k) = tanh(A[i, j, k])\n",
            R"([["SP", 1, 2, 40, [16], 1], ["SP", 1, 1, 6, [4], 1], ["SP", 1, 0, 4, [2], 1],
            ["AN", 1, 0, 9], ["AN", 1, 1, 10], ["AN", 1, 2, 7], ["AN", 1, 3, 8], ["AN", 1, 4, 5],
            ["AN", 1, 5, 6]])");
    program("two loops of virtual threads",
            "A = PLACEHOLDER [8, 6]\n"
            "B = PLACEHOLDER [6, 12]\n"
            "C(i, j) += (A[i, k]*B[k, j])\n"
            "D(i, j) = (C[i, j] + 1f)\n",
            R"([["SP", 2, 0, 8, [2], 1], ["SP", 2, 2, 12, [3], 1], ["FSP", 3, 0, 0, 1],
            ["FSP", 3, 2, 1, 1], ["CA", 2, 3, 3], ["AN", 3, 0, 6], ["AN", 3, 1, 4], ["AN", 3, 2, 8],
            ["AN", 3, 3, 4]])");
    program("one thread",
            "A = PLACEHOLDER [9]\n"
            "B(i) = exp(A[i])\n",
            "[]");
  }

  void refusesWithTheStep_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<int>("step");
    const QString product = "A = PLACEHOLDER [64, 64]\n"
                            "C(i, j) += (A[i, k]*A[k, j])\n"
                            "D(i, j) = max(C[i, j], 0f)\n";
    const auto row = [&](const char* name, const char* steps, const char* reason, int step) {
      QTest::newRow(name) << product << QString(steps) << QString(reason) << step;
    };
    row("blocks that reduce", R"([["AN", 1, 2, 5]])", "iterates a reduction", 0);
    row("virtual threads that reduce", R"([["AN", 1, 2, 4]])", "iterates a reduction", 0);
    row("parallel loop", R"([["AN", 1, 0, 3]])", "which this target has not", 0);
    row("two loops on one axis", R"([["AN", 2, 0, 6], ["AN", 2, 1, 6]])",
        "inside of another loop over these threads", 1);
    row("blocks inside of a kernel", R"([["CA", 1, 2, 0], ["AN", 1, 1, 5]])",
        "only the stage at root", 1);
    row("axes of two lengths",
        R"([["SP", 2, 1, 64, [32], 1], ["AN", 2, 2, 6], ["CA", 1, 2, 0], ["AN", 1, 1, 6]])",
        "have 64 and 32 iterations", -1);
    row("too many threads", R"([["FU", 2, [0, 1]], ["AN", 2, 0, 6]])",
        "4096 threads in a block; at most 1024", -1);
    QTest::newRow("too much shared memory")
        << QString(product).replace("64", "512")
        << QString(R"([["CHR", 0, "shared", [1]], ["CA", 1, 2, 0]])")
        << QString("1048576 bytes of shared memory in a block; at most") << -1;
    row("what a thread has for itself",
        R"([["CHW", 1, "local"], ["CA", 1, 2, 0], ["AN", 1, 1, 6], ["AN", 2, 0, 5]])",
        "what every thread has for itself", 2);
    row("reduction across virtual threads", R"([["AN", 1, 0, 4], ["AN", 1, 2, 6]])",
        "inside of virtual threads", 1);
  }

  /// Only what is proven: an access behind a condition may be inside whenever that holds.
  void whatIsOutsideOfItsBufferIsRefused() {
    const Buffer out = makeBuffer("out", {64});
    const Var thread = makeVar("threadIdx.x");
    const auto refusal = [&](const Expr& index, const Expr& condition = {}) {
      Launch launch;
      launch.kernel = "out";
      launch.threads[0] = {thread, 64};
      const Stmt store = makeStore(out, {index}, floatImm(1));
      try {
        verifyBounds(makeLaunch(launch, condition ? makeIf(condition, store) : store));
      } catch (const IllegalSchedule& error) {
        return QString::fromStdString(error.what());
      }
      return QString();
    };
    const Expr t(thread);
    QCOMPARE(refusal(t), QString());
    QCOMPARE(
        refusal(t + Expr(64)),
        QStringLiteral("the kernel out would touch out at 64 to 127, outside of its 64 elements"));
    QVERIFY(refusal(t - Expr(64)).contains("at -64 to -1"));
    QCOMPARE(refusal(t + Expr(32)), QString()); // half of it, which a condition may keep out
    QVERIFY(!refusal(t + Expr(32), t >= Expr(32)).isEmpty());
    QCOMPARE(refusal(t + Expr(32), t < Expr(32)), QString());
    QCOMPARE(refusal(t + Expr(64), t < Expr(0)), QString()); // which never happens
  }

  void refusesWithTheStep() {
    QFETCH(QString, dag);
    QFETCH(QString, steps);
    QFETCH(QString, reason);
    QFETCH(int, step);
    const State state = State::replay(parseDag(dag.toStdString()),
                                      stepsFromJson(nlohmann::json::parse(steps.toStdString())));
    LowerOptions options;
    options.gpu = testGpu();
    try {
      lower(state, options);
      QFAIL("nothing was refused");
    } catch (const IllegalSchedule& refusal) {
      QVERIFY2(QString(refusal.what()).contains(reason), refusal.what());
      QCOMPARE(refusal.stepIndex(), step);
    }
  }

  /// The variable of a loop is once as large as the number of its iterations.
  void loopsOfMoreThan32BitsHaveWideVariables() {
    const auto typeOf = [](std::int64_t extent) {
      const Buffer out = makeBuffer("out", {1});
      const Stmt loop =
          makeFor(makeVar("i"), 0, extent, ForKind::Serial, makeStore(out, {Expr(0)}, floatImm(0)));
      Launch launch;
      launch.kernel = "kernel";
      return narrowIndices(makeLaunch(std::move(launch), loop))->body[0]->var->type;
    };
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    QVERIFY(typeOf(kMost) == kInt32);
    QVERIFY(typeOf(kMost + 1) == kInt64);
  }

  void agreeWithTheDag() {
    QFETCH(QString, dag);
    QFETCH(QString, steps);
    const ComputeDag task = parseDag(dag.toStdString());
    const State state =
        State::replay(task, stepsFromJson(nlohmann::json::parse(steps.toStdString())));
    Random random = Random::stream(1, dag.toStdString(), 0);
    const Tensors inputs = randomInputs(task, random);
    const std::string problem = gpuProblem(state, inputs, evaluate(task, inputs));
    if (!problem.empty()) QFAIL(problem.c_str());
  }
};

NW_TEST_APPLESS(GpuPrograms)

} // namespace nestwright::gpu_programs_test

#include "gpu_programs.moc"
