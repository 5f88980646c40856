/// Known programs lowered for a GPU compute what the DAG says, after every pass.

#include "core/emulate/emulate.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/gpu_check.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::gpu_programs_test {

class GpuPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<QString>("steps");
    const auto program = [](const char* name, const char* dag, const char* steps) {
      QTest::newRow(name) << QString(dag) << QString(steps);
    };
    // Example B of handbook/ansor.md 5.4.
    program("tiled matmul",
            "A = PLACEHOLDER [256, 256]\n"
            "B = PLACEHOLDER [256, 256]\n"
            "C(i, j) += (A[i, k]*B[k, j])\n",
            R"([["CHW", 2, "local"], ["SP", 2, 0, 256, [1, 16, 2, 2], 1],
            ["SP", 2, 5, 256, [2, 8, 1, 4], 1], ["SP", 2, 10, 256, [4, 2], 1],
            ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3],
            ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
            ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
            ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]],
            ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]],
            ["SP", 3, 0, 32, [4], 1], ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1],
            ["AN", 3, 1, 6], ["FU", 1, [0, 1]], ["SP", 1, 0, 32, [2], 1], ["AN", 1, 1, 2],
            ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
            ["PR", 4, 0, "auto_unroll_max_step$512"]])");
  }

  void agreeWithTheDag() {
    QFETCH(QString, dag);
    QFETCH(QString, steps);
    const ComputeDag task = parseDag(dag.toStdString());
    const State state =
        State::replay(task, stepsFromJson(nlohmann::json::parse(steps.toStdString())));
    Random random = Random::stream(1, dag.toStdString(), 0);
    const Tensors inputs = randomInputs(task, random);
    const std::string problem = gpuProblem(state, inputs, evaluate(task, inputs), testGpu());
    if (!problem.empty()) QFAIL(problem.c_str());
  }
};

NW_TEST_APPLESS(GpuPrograms)

} // namespace nestwright::gpu_programs_test

#include "gpu_programs.moc"
