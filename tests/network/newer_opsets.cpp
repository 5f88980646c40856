/// \file Models of opsets that libonnx does not know: what they mean in the words of opset 17, and
/// what these cannot say.

#include "core/network/execution/executor.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/onnx/subgraphs.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/network/partition/partition.h"
#include "core/support/error.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace nestwright::newer_opsets_test {

constexpr int kOpset = 24;
using Build = std::function<Model()>;

/// Of the data [2, 3] with this node alone.
Model single(const char* op, const std::function<void(Model&, onnx::NodeProto&)>& complete = {},
             std::size_t outputRank = 2) {
  Model m({2, 3}, kOpset, outputRank);
  onnx::NodeProto& node = m.node("node", op, {"x"}, "out");
  if (complete) complete(m, node);
  return m;
}

void real(onnx::NodeProto& node, const char* name, float value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

void list(onnx::NodeProto& node, const char* name, const Shape& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Assign(values.begin(), values.end());
}

/// An operand `name` of these integers.
void operand(Model& m, onnx::NodeProto& node, const char* name, const Shape& values) {
  m.integers(name, values);
  node.add_input(name);
}

const std::vector<float> kData{-3, -0.5F, 0, 0.25F, 1, 4};

class NewerOpsets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void meanTheSame_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<std::vector<float>>("expected");
    const auto row = [](const char* name, const std::vector<float>& expected, const Build& build) {
      QTest::newRow(name) << build << expected;
    };
    const auto each = [](const std::function<double(double)>& f) {
      std::vector<float> values;
      for (const float x : kData)
        values.push_back(static_cast<float>(f(x)));
      return values;
    };
    row("axes as an operand", {0.25F, 1, 4}, [] {
      return single(
          "ReduceMax",
          [](Model& m, onnx::NodeProto& node) {
            operand(m, node, "axes", {0});
            integer(node, "keepdims", 0);
          },
          1);
    });
    row("axes of a Constant", {-3.5F / 3, 5.25F / 3}, [] {
      Model m({2, 3}, kOpset, 2);
      list(m.node("", "Constant", {}, "axes"), "value_ints", {-1});
      m.node("node", "ReduceMean", {"x", "axes"}, "out");
      return m;
    });
    row("all axes", {-3}, [] { return single("ReduceMin"); });
    row("no axes", kData, [] {
      return single("ReduceMean", [](Model&, onnx::NodeProto& node) {
        integer(node, "noop_with_empty_axes", 1);
      });
    });
    row("parts of unequal size", {0, 4}, [] {
      Model m({2, 3}, kOpset, 2);
      onnx::NodeProto& node = m.node("node", "Split", {"x"}, "first");
      node.add_output("out");
      integer(node, "axis", -1);
      integer(node, "num_outputs", 2);
      return m;
    });
    row("parts of unequal size of what the file says no shape of", {0, 4}, [] {
      Model m({2, 3}, kOpset, 2);
      m.node("relu", "Relu", {"x"}, "above");
      onnx::NodeProto& node = m.node("node", "Split", {"above"}, "first");
      node.add_output("out");
      integer(node, "axis", -1);
      integer(node, "num_outputs", 2);
      return m;
    });
    row("a part without elements", kData, [] {
      Model m({2, 3}, kOpset, 2);
      m.integers("zero", {0});
      m.integers("axis", {1});
      m.node("slice", "Slice", {"x", "zero", "zero", "axis"}, "none");
      integer(m.node("node", "Concat", {"x", "none"}, "out"), "axis", 1);
      return m;
    });
    row("the rest of a division of floats",
        each([](double x) { return std::fmod(static_cast<float>(x), 0.1F); }), [] {
          return single("Mod", [](Model& m, onnx::NodeProto& node) {
            m.filled("divisor", {1}, 0.1F);
            node.add_input("divisor");
            integer(node, "fmod", 1);
          });
        });
    // 5001^2 has more digits than a float.
    row("powers of integers", {9, 0, 0, 0, 1, 16}, [] {
      Model m({2, 3}, kOpset, 2);
      for (const auto& [name, value] :
           std::map<const char*, std::int64_t>{{"factor", 5001}, {"two", 2}, {"thousand", 1000}})
        m.integers(name, {value});
      integer(m.node("whole", "Cast", {"x"}, "a"), "to", onnx::TensorProto::INT64);
      m.node("larger", "Mul", {"a", "factor"}, "b");
      m.node("node", "Pow", {"b", "two"}, "c");
      m.node("digits", "Mod", {"c", "thousand"}, "d");
      integer(m.node("real", "Cast", {"d"}, "out"), "to", onnx::TensorProto::FLOAT);
      return m;
    });
    row("parts of equal size", {0.25F, 1, 4}, [] {
      Model m({2, 3}, kOpset, 2);
      onnx::NodeProto& node = m.node("node", "Split", {"x"}, "first");
      node.add_output("out");
      integer(node, "num_outputs", 2);
      return m;
    });
    row("padding of one axis", {7, -3, -0.5F, 0, 7, 7, 7, 0.25F, 1, 4, 7, 7}, [] {
      return single("Pad", [](Model& m, onnx::NodeProto& node) {
        operand(m, node, "pads", {1, 2});
        m.filled("value", {}, 7);
        node.add_input("value");
        operand(m, node, "axes", {-1});
      });
    });
    row("Gelu", each([](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); }),
        [] { return single("Gelu"); });
    row("Gelu by tanh", each([](double x) {
          return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        }),
        [] {
          return single("Gelu",
                        [](Model&, onnx::NodeProto& node) { text(node, "approximate", "tanh"); });
        });
    row("Mish", each([](double x) { return x * std::tanh(std::log1p(std::exp(x))); }),
        [] { return single("Mish"); });
    row("Swish", each([](double x) { return x / (1 + std::exp(-1.5 * x)); }), [] {
      return single("Swish", [](Model&, onnx::NodeProto& node) { real(node, "alpha", 1.5F); });
    });
    const auto norm = [](double a, double b, double c) {
      return std::sqrt((a * a + b * b + c * c) / 3 + 0.25);
    };
    const double first = norm(-3, -0.5, 0), second = norm(0.25, 1, 4);
    row("RMSNormalization",
        {float(-3 / first), float(-1 / first), 0, float(0.25 / second), float(2 / second),
         float(12 / second)},
        [] {
          return single("RMSNormalization", [](Model& m, onnx::NodeProto& node) {
            onnx::TensorProto& scale = m.weight("scale", {3});
            for (const float value : {1.0F, 2.0F, 3.0F})
              scale.add_float_data(value);
            node.add_input("scale");
            real(node, "epsilon", 0.25F);
          });
        });
    row("usual attributes", kData, [] {
      return single("Cast", [](Model&, onnx::NodeProto& node) {
        integer(node, "to", onnx::TensorProto::FLOAT);
        integer(node, "saturate", 0);
      });
    });
  }

  void meanTheSame() {
    QFETCH(Build, build);
    QFETCH(std::vector<float>, expected);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("model.onnx").toStdString();
    writeBytes(QString::fromStdString(path), build().bytes());
    const std::vector<Array> inputs{{{2, 3}, kData}};
    const Array found = interpret(optimisedPartition(importOnnx(path)), inputs).at(0);
    for (const Array& result : {found, runOnnxReference(path, inputs).at(0)}) {
      QCOMPARE(result.floats().size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(std::abs(result.floats()[i] - expected[i]) < 1e-5,
                 qPrintable(QString("%1: %2").arg(i).arg(result.floats()[i])));
    }
  }

  void whatCannotBeSaidIsRefused_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("axes that are computed") << Build([] {
      Model m({2, 3}, kOpset, 2);
      m.integers("ones", {1});
      m.node("", "Neg", {"ones"}, "axes");
      m.node("node", "ReduceMax", {"x", "axes"}, "out");
      return m;
    }) << "node 'node' (ReduceMax): 'axes' would have to be in the file, and is computed";
    QTest::newRow("a norm over no axes") << Build([] {
      return single("ReduceL2", [](Model&, onnx::NodeProto& node) {
        integer(node, "noop_with_empty_axes", 1);
      });
    }) << "a reduction over no axes is not supported";
    QTest::newRow("steps in blocks") << Build([] {
      return single("QuantizeLinear", [](Model& m, onnx::NodeProto& node) {
        m.filled("scale", {2, 1});
        node.add_input("scale");
        integer(node, "block_size", 3);
      });
    }) << "its attribute 'block_size' is not supported";
    QTest::newRow("an axis that is not there") << Build([] {
      return single("Pad", [](Model& m, onnx::NodeProto& node) {
        operand(m, node, "pads", {1, 2});
        node.add_input("");
        operand(m, node, "axes", {2});
      });
    }) << "there is no axis 2";
    QTest::newRow("an operator that is not known")
        << Build([] { return single("TensorScatter"); })
        << "node 'node' (TensorScatter): the operator is not supported";
  }

  void whatCannotBeSaidIsRefused() {
    QFETCH(Build, build);
    QFETCH(QString, sentence);
    try {
      importOnnxBytes(build().bytes(), "test");
      QFAIL("was imported");
    } catch (const InputError& error) {
      QVERIFY2(QString(error.what()).contains(sentence), error.what());
    }
  }

  /// What is around them can be tuned all the same.
  void subgraphsLeaveThem() {
    Model m({2, 3}, kOpset, 2);
    m.random("w", {3, 4});
    m.node("first", "MatMul", {"x", "w"}, "a");
    integer(m.node("norm", "ReduceL2", {"a"}, "b"), "noop_with_empty_axes", 1);
    m.node("later", "TensorScatter", {"b"}, "out");
    const QTemporaryDir folder;
    const QString path = folder.filePath("model.onnx");
    writeBytes(path, m.bytes());
    const OnnxSubgraphs found = onnxSubgraphs(path.toStdString(), {});
    QCOMPARE(found.subgraphs.size(), std::size_t(1));
    QCOMPARE(found.left.size(), std::size_t(2));
  }

  /// An opset that nobody knows yet may mean anything.
  void laterOnesAreRefused() {
    Model m({2, 3}, 29, 2);
    m.node("node", "Relu", {"x"}, "out");
    QVERIFY_THROWS_EXCEPTION(InputError, importOnnxBytes(m.bytes(), "test"));
  }
};

NW_TEST_APPLESS(NewerOpsets)

} // namespace nestwright::newer_opsets_test

#include "newer_opsets.moc"
