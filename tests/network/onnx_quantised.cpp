/// \file Quantised ONNX models: products of integers of 8 bits, in steps that the second opinion
/// finds as well.

#include "core/network/execution/executor.h"
#include "core/network/graph/integer_product.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/network/partition/partition.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <set>
#include <tuple>

namespace nestwright::onnx_quantised_test {

using Build = std::function<Model()>;
constexpr int kByte = onnx::TensorProto::UINT8, kSigned = onnx::TensorProto::INT8;

/// Weights of an integer type.
void integers(Model& m, const char* name, int type, const Shape& shape,
              const std::vector<std::int32_t>& values) {
  onnx::TensorProto& tensor = m.weight(name, shape);
  tensor.set_data_type(type);
  tensor.mutable_int32_data()->Assign(values.begin(), values.end());
}

void one(Model& m, const char* name, int type, std::int32_t value) {
  integers(m, name, type, {}, {value});
}

/// All values of the type, in no order.
void bytes(Model& m, const char* name, int type, const Shape& shape) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < elementCount(shape); ++i)
    values.push_back(static_cast<std::int32_t>(i * 149 % 256 - (type == kSigned ? 128 : 0)));
  integers(m, name, type, shape, values);
}

void floats(Model& m, const char* name, const std::vector<float>& values) {
  onnx::TensorProto& tensor = m.weight(name, {static_cast<std::int64_t>(values.size())});
  for (const float value : values)
    tensor.add_float_data(value);
}

void list(onnx::NodeProto& node, const char* name, const Shape& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values)
    attribute.add_ints(value);
}

/// The input `x`, which is in [-1, 1), as `q` of this type.
void quantiseInput(Model& m, int type, std::int32_t zero) {
  m.filled("step", {}, 1.0F / 128);
  one(m, "zero", type, zero);
  m.node("", "QuantizeLinear", {"x", "step", "zero"}, "q");
}

Model convInteger(int type, std::int32_t zero, int kernelType, std::int32_t kernelZero,
                  std::int64_t groups = 2) {
  Model m({2, 4, 7, 6}, 13, 4);
  quantiseInput(m, type, zero);
  bytes(m, "w", kernelType, {6, 4 / groups, 3, 3});
  one(m, "wz", kernelType, kernelZero);
  onnx::NodeProto& node = m.node("window", "ConvInteger", {"q", "w", "zero", "wz"}, "out");
  list(node, "pads", {1, 0, 2, 1});
  list(node, "strides", {2, 1});
  integer(node, "group", groups);
  return m;
}

Model matMulInteger(const Shape& input, const Shape& weights, std::int32_t zero, int type = kSigned,
                    std::optional<std::int32_t> weightsZero = {}) {
  Model m(input, 13, input.size());
  quantiseInput(m, kByte, zero);
  bytes(m, "w", type, weights);
  if (weightsZero) one(m, "wz", type, *weightsZero);
  m.node("product", "MatMulInteger",
         weightsZero ? QStringList{"q", "w", "zero", "wz"} : QStringList{"q", "w", "zero"}, "out");
  return m;
}

Model qLinearConv() {
  Model m({1, 3, 6, 6}, 13, 4);
  quantiseInput(m, kByte, 119);
  bytes(m, "w", kSigned, {4, 3, 3, 3});
  floats(m, "ws", {0.01F, 0.02F, 0.005F, 0.007F});
  integers(m, "wz", kSigned, {4}, {0, 0, 0, 0});
  integers(m, "bias", onnx::TensorProto::INT32, {4}, {100, -2000, 30000, 7});
  m.filled("ys", {}, 0.05F);
  one(m, "yz", kByte, 100);
  list(m.node("window", "QLinearConv", {"q", "step", "zero", "w", "ws", "wz", "ys", "yz", "bias"},
              "out"),
       "pads", {1, 1, 1, 1});
  return m;
}

/// y = quantised and dequantised x, as QuantFormat.QDQ puts it around every operator. The zero
/// point is that of uint8; int8 means the same with one 128 lower.
void quantiseAndBack(Model& m, const std::string& x, const std::string& y, float scale,
                     std::int32_t zero, int type = kByte) {
  m.filled((y + "_scale").c_str(), {}, scale);
  one(m, (y + "_zero").c_str(), type, zero - (type == kSigned ? 128 : 0));
  const QString s = (y + "_scale").c_str(), z = (y + "_zero").c_str();
  m.node("", "QuantizeLinear", {x.c_str(), s, z}, (y + "_steps").c_str());
  m.node("", "DequantizeLinear", {(y + "_steps").c_str(), s, z}, y.c_str());
}

/// Weights `name` from steps, with a scale for each output where `axis` says where these are.
void weights(Model& m, const std::string& name, const Shape& shape, std::int64_t axis) {
  bytes(m, (name + "_steps").c_str(), kSigned, shape);
  const std::int64_t count = axis < 0 ? 1 : shape[static_cast<std::size_t>(axis)];
  std::vector<float> scales;
  std::vector<std::int32_t> zeros(static_cast<std::size_t>(count), 0);
  for (std::int64_t i = 0; i < count; ++i)
    scales.push_back(0.002F + 0.0005F * static_cast<float>(i));
  floats(m, (name + "_scale").c_str(), scales);
  integers(m, (name + "_zero").c_str(), kSigned, {count}, zeros);
  onnx::NodeProto& node =
      m.node("", "DequantizeLinear",
             {(name + "_steps").c_str(), (name + "_scale").c_str(), (name + "_zero").c_str()},
             name.c_str());
  if (axis >= 0) integer(node, "axis", axis);
}

/// Two convolutions of the same form, the second added to its input; a maximum; a dense layer.
Model quantisedNetwork(std::int64_t axis, int type = kByte) {
  Model m({1, 4, 8, 8}, 13, 2);
  quantiseAndBack(m, "x", "a", 1.0F / 128, 128, type);
  weights(m, "w1", {4, 4, 3, 3}, axis);
  m.filled("b1", {4}, 0.25F);
  list(m.node("conv1", "Conv", {"a", "w1", "b1"}, "c1"), "pads", {1, 1, 1, 1});
  m.node("", "Relu", {"c1"}, "r1");
  quantiseAndBack(m, "r1", "d1", 0.02F, 0, type);
  weights(m, "w2", {4, 4, 3, 3}, axis);
  m.filled("b2", {4}, -0.5F);
  list(m.node("conv2", "Conv", {"d1", "w2", "b2"}, "c2"), "pads", {1, 1, 1, 1});
  m.node("", "Relu", {"c2"}, "r2");
  quantiseAndBack(m, "r2", "d2", 0.03F, 0, type);
  m.node("", "Add", {"d2", "d1"}, "sum");
  quantiseAndBack(m, "sum", "d3", 0.05F, 3, type);
  onnx::NodeProto& pool = m.node("pool", "MaxPool", {"d3"}, "p");
  list(pool, "kernel_shape", {2, 2});
  list(pool, "strides", {2, 2});
  quantiseAndBack(m, "p", "d4", 0.05F, 3, type);
  m.node("", "Flatten", {"d4"}, "flat");
  quantiseAndBack(m, "flat", "d5", 0.05F, 3, type);
  weights(m, "w3", {5, 64}, axis < 0 ? -1 : 0);
  m.filled("b3", {5}, 1);
  integer(m.node("dense", "Gemm", {"d5", "w3", "b3"}, "g"), "transB", 1);
  quantiseAndBack(m, "g", "out", 0.5F, 120, type);
  return m;
}

/// A convolution, a maximum and a convolution, in QuantFormat.QOperator with signed steps.
Model signedOperators() {
  Model m({1, 4, 9, 9}, 13, 4);
  quantiseInput(m, kSigned, -17);
  bytes(m, "w1", kSigned, {8, 4, 3, 3});
  m.filled("ws", {}, 0.01F);
  one(m, "wz", kSigned, 0);
  m.filled("ys", {}, 0.05F);
  one(m, "yz", kSigned, 5);
  list(m.node("c1", "QLinearConv", {"q", "step", "zero", "w1", "ws", "wz", "ys", "yz"}, "y"),
       "pads", {1, 1, 1, 1});
  onnx::NodeProto& pool = m.node("pool", "MaxPool", {"y"}, "p");
  list(pool, "kernel_shape", {3, 3});
  list(pool, "strides", {2, 2});
  list(pool, "pads", {1, 1, 1, 1});
  bytes(m, "w2", kSigned, {4, 8, 3, 3});
  m.filled("zs", {}, 0.3F);
  one(m, "zz", kSigned, -128);
  list(m.node("c2", "QLinearConv", {"p", "ys", "yz", "w2", "ws", "wz", "zs", "zz"}, "out"), "pads",
       {1, 1, 1, 1});
  return m;
}

class OnnxQuantised : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreesWithTheSecondOpinion_data();
  void agreesWithTheSecondOpinion();
  void halvesAreRoundedToEvenAndEndsAreKept();
  void productsAreOfBytes_data();
  void productsAreOfBytes();
  void channelsFillWholeSteps();
  void scalesMakeNoTasks();
  void ordersMakeNoTasks();
  void stepsAreNotTakenTwice();
  void constantsWrapAround();
  void inputsMustFitTheirType();
  void castsRoundToHalves();
};

/// Steps that differ, at most by `apart`.
double shareOfOthers(const Array& a, const Array& b, double apart) {
  std::size_t others = 0;
  const auto at = [](const Array& array, std::size_t i) {
    return array.isFloat() ? array.floats()[i] : static_cast<double>(array.ints()[i]);
  };
  const auto count = static_cast<std::size_t>(elementCount(a.shape));
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = std::abs(at(a, i) - at(b, i));
    if (difference > apart) return 1;
    others += difference > 1e-4 * apart ? 1 : 0;
  }
  return static_cast<double>(others) / static_cast<double>(count);
}

void OnnxQuantised::agreesWithTheSecondOpinion_data() {
  QTest::addColumn<Build>("build");
  QTest::addColumn<double>("step"); // of the result; sums of integers are exact
  const auto row = [](const char* name, double step, const Build& build) {
    QTest::newRow(name) << build << step;
  };
  row("convolution", 0, [] { return convInteger(kByte, 0, kSigned, 0); });
  row("convolution around a zero point", 0, [] { return convInteger(kByte, 77, kSigned, 0); });
  row("convolution of signed data", 0, [] { return convInteger(kSigned, -3, kSigned, 0); });
  row("convolution by half of uint8", 0, [] { return convInteger(kByte, 5, kByte, 128); });
  row("convolution by any zero point", 0, [] { return convInteger(kByte, 5, kByte, 200); });
  for (const auto& [type, zero, kernelType, kernelZero] : {std::tuple(kByte, 5, kByte, 200),
                                                           {kByte, 0, kByte, 0},
                                                           {kByte, 77, kByte, 128},
                                                           {kSigned, -3, kByte, 1},
                                                           {kSigned, -3, kSigned, 4}})
    row(qPrintable(QString("convolution in one group, around %1 and %2").arg(zero).arg(kernelZero)),
        0, [=] { return convInteger(type, zero, kernelType, kernelZero, 1); });
  row("convolution by a zero point an output", 0, [] {
    Model m({1, 3, 6, 6}, 13, 4);
    quantiseInput(m, kByte, 119);
    bytes(m, "w", kByte, {2, 3, 3, 3});
    integers(m, "wz", kByte, {2}, {7, 140});
    list(m.node("window", "ConvInteger", {"q", "w", "zero", "wz"}, "out"), "pads", {1, 1, 1, 1});
    return m;
  });
  row("matrix product", 0, [] { return matMulInteger({5, 8}, {8, 6}, 0); });
  row("matrix product around a zero point", 0, [] { return matMulInteger({5, 8}, {8, 6}, 250); });
  row("batch of matrices", 0, [] { return matMulInteger({3, 5, 8}, {8, 6}, 9); });
  for (const auto& [zero, type, weightsZero] : {std::tuple(9, kByte, 128),
                                                {9, kByte, 117},
                                                {0, kByte, 200},
                                                {0, kByte, 0},
                                                {9, kSigned, -5}})
    row(qPrintable(QString("weights of %1 around %2 by %3")
                       .arg(type == kByte ? "uint8" : "int8")
                       .arg(weightsZero)
                       .arg(zero)),
        0, [=] {
          return matMulInteger({3, 5, 8}, {8, 6}, zero, type, weightsZero);
        });
  row("weights of uint8 without a zero point", 0, [] {
    return matMulInteger({5, 8}, {8, 6}, 250, kByte);
  });
  row("two batches", 0, [] { return matMulInteger({3, 5, 8}, {3, 8, 6}, 9); });
  row("dynamic", 0, [] {
    Model m({5, 8});
    onnx::NodeProto& steps = m.node("", "DynamicQuantizeLinear", {"x"}, "q");
    steps.add_output("scale");
    steps.add_output("zero");
    bytes(m, "w", kSigned, {8, 6});
    m.node("product", "MatMulInteger", {"q", "w", "zero"}, "out");
    return m;
  });
  row("dynamic on both sides", 0, [] {
    Model m({5, 8});
    m.node("", "Transpose", {"x"}, "turned");
    for (const auto& [x, q] : {std::pair("x", "q"), {"turned", "r"}}) {
      onnx::NodeProto& steps = m.node("", "DynamicQuantizeLinear", {x}, q);
      steps.add_output(std::string(q) + "_scale");
      steps.add_output(std::string(q) + "_zero");
    }
    m.node("product", "MatMulInteger", {"q", "r", "q_zero", "r_zero"}, "out");
    return m;
  });
  row("dynamic, of one number", 0.01, [] {
    Model m({}, 13, 0);
    onnx::NodeProto& steps = m.node("", "DynamicQuantizeLinear", {"x"}, "q");
    steps.add_output("scale");
    steps.add_output("zero");
    m.node("back", "DequantizeLinear", {"q", "scale", "zero"}, "out");
    return m;
  });
  row("zero points of rows and columns", 0, [] {
    Model m({3, 4});
    quantiseInput(m, kByte, 100);
    integers(m, "rows", kByte, {3}, {1, 20, 255});
    bytes(m, "w", kByte, {4, 2});
    integers(m, "columns", kByte, {2}, {128, 3});
    m.node("product", "MatMulInteger", {"q", "w", "rows", "columns"}, "out");
    return m;
  });
  row("QLinearConv", 1, qLinearConv);
  row("QLinearMatMul", 1, [] {
    Model m({3, 4});
    quantiseInput(m, kByte, 100);
    bytes(m, "w", kSigned, {4, 2});
    floats(m, "ws", {0.01F, 0.03F});
    integers(m, "wz", kSigned, {2}, {0, 0});
    m.filled("ys", {}, 0.02F);
    one(m, "yz", kSigned, -10);
    m.node("product", "QLinearMatMul", {"q", "step", "zero", "w", "ws", "wz", "ys", "yz"}, "out");
    return m;
  });
  // The residual is dequantised in the product's kernel, before and behind it in the file.
  for (const bool isBehind : {false, true})
    row(isBehind ? "dense with a residual" : "dense with an earlier residual", 0.05, [=] {
      Model m({2, 3, 4}, 13, 3);
      quantiseAndBack(m, "x", "a", 1.0F / 128, 128);
      if (!isBehind) quantiseAndBack(m, "x", "r", 1.0F / 100, 120);
      weights(m, "w", {4, 4}, -1);
      m.node("dense", "MatMul", {"a", "w"}, "d");
      if (isBehind) quantiseAndBack(m, "x", "r", 1.0F / 100, 120);
      m.node("", "Add", {"d", "r"}, "sum");
      quantiseAndBack(m, "sum", "out", 0.05F, 120);
      return m;
    });
  row("network, a scale a tensor", 0.5, [] { return quantisedNetwork(-1); });
  row("network, a scale an output", 0.5, [] { return quantisedNetwork(0); });
  row("network of signed steps", 0.5, [] { return quantisedNetwork(0, kSigned); });
  row("operators of signed steps", 1, signedOperators);
  row("signed matrix product", 0, [] {
    Model m({5, 8});
    quantiseInput(m, kSigned, -30);
    bytes(m, "w", kSigned, {8, 6});
    m.node("product", "MatMulInteger", {"q", "w", "zero"}, "out");
    return m;
  });
}

// Sums are exact; a result between two steps may be rounded to either.
void OnnxQuantised::agreesWithTheSecondOpinion() {
  QFETCH(Build, build);
  QFETCH(double, step);
  const QTemporaryDir folder;
  const QString path = folder.filePath("model.onnx");
  writeBytes(path, build().bytes());
  const Network network = importOnnx(path.toStdString());
  const std::vector<Array> inputs = randomInputs(network, 3);
  const Array expected = runOnnxReference(path.toStdString(), inputs).at(0);
  for (const bool optimised : {false, true}) {
    const Array actual =
        interpret(optimised ? optimisedPartition(network) : partition(network, false), inputs)
            .at(0);
    QCOMPARE(actual.shape, expected.shape);
    const double others = shareOfOthers(actual, expected, step * 1.001);
    QVERIFY2(others <= (step == 0 ? 0 : 0.05), qPrintable(QString::number(others)));
  }
}

void OnnxQuantised::halvesAreRoundedToEvenAndEndsAreKept() {
  const std::vector<float> values{0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 300, -300, 126.5F, 125.5F};
  const auto count = static_cast<std::int64_t>(values.size());
  for (const bool isConstant : {false, true}) {
    Model m({count}, 13, 1);
    floats(m, "values", values);
    m.filled("scale", {}, 1);
    one(m, "zero", kSigned, 1);
    m.node("", "QuantizeLinear", {isConstant ? "values" : "x", "scale", "zero"}, "q");
    m.node("", "DequantizeLinear", {"q", "scale"}, "out");
    // Without a zero point it is 0.
    const Network network = importOnnxBytes(m.bytes(), "test");
    const std::vector<Array> inputs{{{count}, values}};
    const Array result = interpret(optimisedPartition(network), inputs).at(0);
    QCOMPARE(result.floats(), (std::vector<float>{1, 3, 3, 1, -1, 127, -128, 127, 127}));
  }
}

void OnnxQuantised::productsAreOfBytes_data() {
  QTest::addColumn<Build>("build");
  QTest::addColumn<int>("count");
  QTest::newRow("a scale a tensor") << Build([] { return quantisedNetwork(-1); }) << 3;
  QTest::newRow("a scale an output") << Build([] { return quantisedNetwork(0); }) << 3;
  QTest::newRow("signed steps") << Build([] { return quantisedNetwork(0, kSigned); }) << 3;
  QTest::newRow("operators of signed steps") << Build(signedOperators) << 2;
  QTest::newRow("weights of uint8") << Build([] {
    return matMulInteger({5, 8}, {8, 6}, 9, kByte, 117);
  }) << 1;
  QTest::newRow("a kernel of uint8, and the sums beside it")
      << Build([] { return convInteger(kByte, 5, kByte, 200, 1); }) << 2;
}

// Of an unsigned and a signed one, in int32; the maximum is of bytes too, and no weight is a float.
void OnnxQuantised::productsAreOfBytes() {
  QFETCH(Build, build);
  QFETCH(int, count);
  const Partition parts = optimisedPartition(importOnnxBytes(build().bytes(), "test"));
  int products = 0;
  for (const Node& node : parts.network.nodes) {
    const auto type = [&](std::size_t i) { return parts.network.tensor(node.inputs[i]).type; };
    if (node.kind == OpKind::Conv || node.kind == OpKind::MatMul) {
      ++products;
      QVERIFY(type(0) == kUInt8 && type(1) == kInt8);
      QVERIFY(parts.network.isConstant(node.inputs[1]));
      QVERIFY(parts.network.outputOf(node).type == kInt32);
      // One kernel makes it, whatever the steps are in the file.
      const int maker = producers(parts.network)[static_cast<std::size_t>(node.inputs[0])];
      QVERIFY(maker < 0 ||
              parts.network.nodes[static_cast<std::size_t>(maker)].kind != OpKind::Cast);
    }
    if (node.kind == OpKind::MaxPool) QVERIFY(type(0) == kUInt8);
  }
  for (const TaskGroup& group : parts.groups) // the residual's joins that of the second convolution
    QVERIFY(parts.network.nodes[static_cast<std::size_t>(group.nodes[0])].kind !=
                OpKind::DequantizeLinear ||
            group.nodes.size() > 1);
  QCOMPARE(products, count);
  int found = 0;
  for (const Task& task : parts.tasks) {
    const QString text = QString::fromStdString(print(task.dag));
    found += QRegularExpression(R"(int32\(\w+\[[^\]]*\]\)\*int32\(\w+\[)").match(text).hasMatch();
  }
  QCOMPARE(found, products);
}

// Layers that differ in scales, zero points and weights alone are tuned once.
void OnnxQuantised::scalesMakeNoTasks() {
  Model m({1, 4, 8, 8}, 13, 4);
  quantiseAndBack(m, "x", "d0", 1.0F / 128, 0);
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    weights(m, "w" + n, {4, 4, 3, 3}, -1);
    m.filled(("b" + n).c_str(), {4}, 0.25F);
    list(m.node("", "Conv", {("d" + n).c_str(), ("w" + n).c_str(), ("b" + n).c_str()},
                ("c" + n).c_str()),
         "pads", {1, 1, 1, 1});
    quantiseAndBack(m, "c" + n, i == 2 ? "out" : "d" + next, 0.02F + 0.01F * static_cast<float>(i),
                    0);
  }
  const Partition parts = optimisedPartition(importOnnxBytes(m.bytes(), "test"));
  // The last one gives floats.
  QCOMPARE(parts.tunableCount(), std::size_t(2));
  QCOMPARE(parts.tasks[0].weight + parts.tasks[1].weight, 3);
}

// Nor does the place of a residual in the file, before or behind the product, nor its zero point.
void OnnxQuantised::ordersMakeNoTasks() {
  std::set<std::string> keys;
  for (const bool isBehind : {false, true})
    for (const bool isSecond : {false, true}) {
      Model m({2, 4}, 13, 2);
      quantiseAndBack(m, "x", "a", 1.0F / 128, 128);
      if (!isBehind) quantiseAndBack(m, "x", "r", 1.0F / 100, isSecond ? 120 : 0);
      weights(m, "w", {4, 4}, -1);
      m.node("dense", "MatMul", {"a", "w"}, "d");
      quantiseAndBack(m, "d", "e", 0.1F, 3);
      if (isBehind) quantiseAndBack(m, "x", "r", 1.0F / 100, isSecond ? 120 : 0);
      m.node("", "Add", {isSecond ? "e" : "r", isSecond ? "r" : "e"}, "sum");
      quantiseAndBack(m, "sum", "out", 0.05F, 120);
      const Partition parts = optimisedPartition(importOnnxBytes(m.bytes(), "test"));
      QCOMPARE(parts.tunableCount(), std::size_t(1));
      keys.insert(parts.tasks[0].key);
    }
  QCOMPARE(keys.size(), std::size_t(1));
}

void OnnxQuantised::stepsAreNotTakenTwice() {
  Model m({2, 3});
  quantiseAndBack(m, "x", "a", 0.1F, 3);
  quantiseAndBack(m, "a", "b", 0.1F, 3);
  quantiseAndBack(m, "b", "out", 0.2F, 3);
  int quantised = 0;
  const Network network = toIntegerProducts(importOnnxBytes(m.bytes(), "test"));
  for (const Node& node : network.nodes)
    quantised += node.kind == OpKind::QuantizeLinear ? 1 : 0;
  QCOMPARE(quantised, 2); // the first and the one of another scale
}

void OnnxQuantised::constantsWrapAround() {
  Model m({3}, 14, 1);
  integers(m, "a", kByte, {3}, {200, 3, 255});
  integers(m, "b", kByte, {3}, {100, 5, 255});
  m.node("", "Add", {"a", "b"}, "sum");
  m.node("", "Sub", {"a", "b"}, "difference");
  integer(m.node("", "Cast", {"sum"}, "real"), "to", onnx::TensorProto::FLOAT);
  integer(m.node("", "Cast", {"difference"}, "other"), "to", onnx::TensorProto::FLOAT);
  m.node("", "Add", {"real", "other"}, "both");
  m.node("", "Add", {"x", "both"}, "out");
  const Network network = importOnnxBytes(m.bytes(), "test");
  const Array zeros{{3}, std::vector<float>(3, 0)};
  const Array result = interpret(partition(network), {zeros}).at(0);
  QCOMPARE(result.floats(), (std::vector<float>{44 + 100, 8 + 254, 254 + 0}));
}

void OnnxQuantised::inputsMustFitTheirType() {
  NetworkBuilder builder("test");
  const TensorId x = builder.input("x", {2}, kUInt8);
  builder.output(builder.cast(x, kFloat32));
  const Partition parts = partition(builder.finish());
  QCOMPARE(interpret(parts, {{{2}, std::vector<std::int64_t>{0, 255}}})[0].floats(),
           (std::vector<float>{0, 255}));
  try {
    interpret(parts, {{{2}, std::vector<std::int64_t>{0, 300}}});
    QFAIL("300 is no uint8");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains("'x' takes uint8, which cannot hold 300"),
             error.what());
  }
}

// Whatever is folded: 1 + 2^-10 is a float16, 1 + 2^-12 none; a bfloat16 has three digits less.
void OnnxQuantised::castsRoundToHalves() {
  const std::vector<float> values{1 + 0x1p-10F, 1 + 0x1p-12F, 1 + 0x1p-7F, 1e6F};
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool isConstant : {false, true})
    for (const int type : {onnx::TensorProto::FLOAT16, onnx::TensorProto::BFLOAT16}) {
      Model m({4}, 13, 1);
      floats(m, "values", values);
      integer(m.node("", "Cast", {isConstant ? "values" : "x"}, "half"), "to", type);
      m.node("", "Max", {"half", "half"}, "out");
      const Network network = importOnnxBytes(m.bytes(), "test");
      const std::vector<Array> inputs{{{4}, values}};
      const std::vector<float> expected =
          type == onnx::TensorProto::FLOAT16
              ? std::vector<float>{1 + 0x1p-10F, 1, 1 + 0x1p-7F, infinity}
              : std::vector<float>{1, 1, 1 + 0x1p-7F, 999424};
      for (const bool fused : {false, true})
        QCOMPARE(interpret(partition(network, fused), inputs).at(0).floats(), expected);
    }
}

/// Four products are added at once where one factor has a sign and the other has none, as signed
/// data is multiplied, too; that the
/// results are the same is what agreesWithTheSecondOpinion says.
void OnnxQuantised::channelsFillWholeSteps() {
  const auto channels = [](int type, std::int64_t count) {
    Model m({2, count, 5, 5}, 13, 4);
    quantiseInput(m, type, 3);
    bytes(m, "w", kSigned, {8, count, 3, 3});
    m.node("window", "ConvInteger", {"q", "w", "zero"}, "out");
    const Network network = optimise(importOnnxBytes(m.bytes(), "test"));
    const auto conv = std::ranges::find(network.nodes, OpKind::Conv, &Node::kind);
    return network.tensor(conv->inputs[0]).shape.back();
  };
  QCOMPARE(channels(kByte, 3), 4);
  QCOMPARE(channels(kByte, 1), 4);
  QCOMPARE(channels(kByte, 6), 8);
  QCOMPARE(channels(kByte, 8), 8);
  QCOMPARE(channels(kSigned, 3), 4);
}

NW_TEST_APPLESS(OnnxQuantised)

} // namespace nestwright::onnx_quantised_test

#include "onnx_quantised.moc"
