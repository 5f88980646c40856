/// Flags of tasks: of all operators that can be asked for by name, of the public implementation's
/// DAGs, and of every task of the zoo beside the nodes that its group was made of.

#include "core/feature/task_flags.h"

#include "core/feature/statement_features.h"
#include "core/network/graph/workloads.h"
#include "core/network/partition/partition.h"
#include "core/network/zoo/zoo.h"
#include "core/template/task_operator.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/ranges.h>

#include <QtTest>

#include <limits>
#include <set>

namespace nestwright::task_flags_test {

using Flags = std::set<std::string>;

Flags flagsOf(const ComputeDag& task) {
  const auto values = taskFlags(task);
  Flags flags;
  for (std::size_t i = 0; i < kTaskFlags; ++i)
    if (values[i] == 1) flags.insert(name(static_cast<TaskFlag>(i)));
  return flags;
}

QString text(const Flags& flags) {
  return QString::fromStdString(fmt::format("{}", fmt::join(flags, ", ")));
}

/// What the nodes of a group do, from what they are in the network's graph.
Flags flagsOfNodes(const Network& network, const std::vector<int>& nodes) {
  Flags flags;
  for (const int index : nodes) {
    const Node& node = network.nodes[static_cast<std::size_t>(index)];
    switch (node.kind) {
    case OpKind::Relu:
    case OpKind::Max:
    case OpKind::MaxPool:
    case OpKind::ReduceMax:
      flags.insert("max");
      break;
    case OpKind::Clip:
      flags.insert({"max", "min"});
      break;
    case OpKind::Min:
    case OpKind::ReduceMin:
      flags.insert("min");
      break;
    case OpKind::Add:
    case OpKind::LayerNorm:
      flags.insert("add");
      break;
    case OpKind::Softmax:
    case OpKind::LogSoftmax:
      flags.insert({"softmax", "max"});
      break;
    case OpKind::Conv: {
      const auto& conv = node.as<ConvAttributes>();
      const Shape& in = network.tensor(node.inputs[0]).shape;
      const std::int64_t channels = conv.layout == TensorLayout::ChannelsLast ? in.back() : in[1];
      flags.insert(conv.groups == channels && channels > 1 ? "depthwise" : "convolution");
      break;
    }
    case OpKind::ConvTranspose:
      flags.insert("convolution");
      break;
    case OpKind::MatMul: {
      const bool batched = std::ranges::count(node.inputs, node.inputs[1]) == 1 &&
                           !network.isConstant(node.inputs[1]);
      flags.insert(batched ? "batch matmul" : "dense");
      break;
    }
    default:
      break;
    }
  }
  return flags;
}

class TaskFlags : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void operators_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("expected");
    std::set<std::string> named;
    const auto row = [&](const char* task, const Flags& expected) {
      QTest::newRow(task) << QString(task) << text(expected);
      named.insert(std::string(task).substr(0, std::string(task).find(':')));
    };
    row("matmul", {"dense"});
    row("matmul:bias=1,relu=1", {"dense", "add", "max"});
    row("matmul:m=1,bf16=1", {"dense"});
    row("batch_matmul", {"batch matmul"});
    row("batch_matmul:b=1,nt=1,fp16=1", {"batch matmul"});
    row("conv1d", {"convolution"});
    row("conv2d", {"convolution"});
    row("conv2d:k=1,p=0,s=2,bias=1", {"convolution", "add"});
    row("conv2d:ci=1,relu=1", {"convolution", "max"});
    row("conv2d:ci=1,co=1,k=1,p=0", {"convolution"});
    row("conv3d", {"convolution"});
    row("depthwise_conv2d", {"depthwise"});
    row("depthwise_conv2d:k=1,p=0,bias=1,relu=1", {"depthwise", "add", "max"});
    row("grouped_conv2d", {"convolution"});
    row("grouped_conv2d:ci=64,co=64,g=64", {"depthwise"});
    row("grouped_conv2d:ci=64,co=128,g=64", {"depthwise"});
    row("dilated_conv2d", {"convolution"});
    row("transposed_conv2d:bf16=1", {"convolution"});
    row("softmax", {"softmax", "max"});
    row("softmax:fp16=1", {"softmax", "max"});
    row("norm", {});
    for (const WorkloadInfo& info : workloads())
      QVERIFY2(named.contains(info.name), info.name.c_str());
  }

  void operators() {
    QFETCH(QString, task);
    QFETCH(QString, expected);
    QCOMPARE(text(flagsOf(parseTaskSpec(task.toStdString()).dag)), expected);
  }

  void publicDags() {
    const std::map<std::string, Flags> expected = {
        {"llvm/double_matmul_512", {"dense"}},
        {"llvm/conv2d_nchw_bn_relu", {"convolution", "add", "max"}},
        {"llvm/max_pool2d", {"max"}},
        {"llvm/min_10_1024", {"min"}},
        {"llvm/softmax_1_1024", {"softmax", "max"}},
        {"llvm/op_dw_112_32_3", {"depthwise", "add", "max"}},
        {"bmm_12_128_128_64", {"batch matmul"}},
        {"conv_56_64_256_1", {"convolution", "add", "max"}}};
    const auto dags = test::tvmDags();
    for (const auto& [key, flags] : expected)
      QCOMPARE(text(flagsOf(dags.at(key))), text(flags));
    // Its product is neither a convolution nor one of matrices: the transforms make it one.
    QCOMPARE(text(flagsOf(test::winogradNhwc(14, 16, 32))), text({"Winograd"}));
  }

  void written_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("expected");
    const char* const operands =
        "A = PLACEHOLDER [8, 6]\nB = PLACEHOLDER [6, 5]\n"
        "v = PLACEHOLDER [6]\nu = PLACEHOLDER [9]\nW = CONSTANT [8, 1] {1, 2, 3, 4, 5, 6, 7, 8}\n";
    const auto row = [&](const char* what, const char* task, const Flags& expected) {
      QTest::newRow(what) << QString(operands) + task << text(expected);
    };
    row("named like others", "softmax_conv2d_max(i, j) += (A[i, k]*B[k, j])\n", {"dense"});
    row("a matrix and a vector", "y(i) += (A[i, k]*v[k])\n", {"dense"});
    row("an inner product", "y(i=1) += (v[k]*v[k])\n", {});
    row("a scaled product", "C(i, j) += ((A[i, k]*0.5f)*B[k, j])\n", {"dense"});
    row("a sum over one tensor", "s(i) += A[i, k]\n", {});
    row("a weighted window", "C(i=4) += (u[(i + k)]*v[k])\n", {"convolution"});
    row("places are no elements", "C(i=7, j=6) = A[(i + 1), max(j, 2)]\n", {});
    row("constants on one side alone",
        "T(i, j) += (A[k, j]*W[k, i])\nC(i, j) += (T[i, k]*B[k, j])\n", {"dense"});
    row("a difference to the largest without a sum",
        "m(i) max= A[i, k]\ne(i, j) = exp((A[i, j] - m[i]))\n", {"max"});
    row("exponentials in the sum", "m(i) max= A[i, k]\ne(i) += exp((A[i, j] - m[i]))\n",
        {"max", "softmax"});
  }

  void written() {
    QFETCH(QString, task);
    QFETCH(QString, expected);
    QCOMPARE(text(flagsOf(parseDag(task.toStdString()))), expected);
  }

  /// Every task of every network: what its expressions show is what the nodes were, and what
  /// templates recognise.
  void zooTasks() {
    std::size_t tasks = 0, recognised = 0;
    Flags seen;
    for (const ZooEntry& entry : zoo()) {
      const Partition partition = optimisedPartition(parseNetworkSpec(entry.name));
      for (const TaskGroup& group : partition.groups) {
        const Task& task = partition.tasks[static_cast<std::size_t>(group.task)];
        const Flags flags = flagsOf(task.dag);
        const Flags expected = flagsOfNodes(partition.network, group.nodes);
        QVERIFY2(flags == expected,
                 qPrintable(QStringLiteral("%1, %2: %3, not %4")
                                .arg(entry.name.c_str(), task.description.c_str(), text(flags),
                                     text(expected))));
        seen.insert(flags.begin(), flags.end());
        ++tasks;
        static const std::map<OperatorKind, std::string> kKinds = {
            {OperatorKind::Dense, "dense"},
            {OperatorKind::BatchMatmul, "batch matmul"},
            {OperatorKind::Conv2d, "convolution"},
            {OperatorKind::Conv3d, "convolution"},
            {OperatorKind::DepthwiseConv2d, "depthwise"}};
        if (const auto found = recognise(task.dag).found) {
          QVERIFY2(flags.contains(kKinds.at(found->kind)), task.description.c_str());
          ++recognised;
        }
      }
    }
    QVERIFY(tasks > 500);
    QVERIFY(recognised > 200);
    // The zoo has no Winograd convolutions of its own, and clips from above.
    QCOMPARE(text(seen), text({"max", "min", "add", "convolution", "depthwise", "dense", "softmax",
                               "batch matmul"}));
  }

  void columns() {
    QCOMPARE(taskFlagNames().size(), kTaskFlagColumns);
    const std::vector<float> rows = {1, 2, 3, 4}, more = {7, 8, 9};
    QCOMPARE(withColumns(rows, 2, more), (std::vector<float>{1, 2, 7, 8, 9, 3, 4, 7, 8, 9}));
    const auto flags = taskFlags(parseTaskSpec("softmax").dag);
    QCOMPARE(std::vector<float>(flags.begin(), flags.end()),
             (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0}));
    const std::vector<float> statement(kFeatureCount, 0.5F);
    QCOMPARE(withColumns(statement, kFeatureCount, flags).size(), std::size_t{174});
  }
};

NW_TEST_APPLESS(TaskFlags)

} // namespace nestwright::task_flags_test

#include "task_flags.moc"
