/// What is cut out of ONNX models that cannot be imported as a whole, and the models in which
/// operators stand in its place.

#include "core/network/onnx/calling_model.h"
#include "core/network/onnx/subgraphs.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <fmt/ranges.h>

#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::onnx_subgraphs_test {

using test::says;

constexpr const char* kVendor = "com.vendor";

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) qFatal("no model");
  return model;
}

/// With the vendor's operators, which are ONNX's under another domain. What they make is declared
/// to have the shape of `x`, since ONNX does not know it.
std::string withVendor(onnx::ModelProto model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.domain() != kVendor || node.output(0) == "out") continue;
    onnx::ValueInfoProto& value = *graph.add_value_info() = graph.input(0);
    value.set_name(node.output(0));
  }
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain(kVendor);
  opset.set_version(1);
  return model.SerializeAsString();
}

/// "Relu: reason" of each.
QStringList leftIn(const OnnxSubgraphs& found) {
  QStringList lines;
  for (const NodeLeftOut& one : found.left)
    lines << QString::fromStdString(fmt::format("{} {}: {}", one.node, one.op, reasonText(one)));
  return lines;
}

/// "x, y -> z" of each.
QStringList bordersIn(const OnnxSubgraphs& found) {
  QStringList lines;
  for (const OnnxSubgraph& one : found.subgraphs)
    lines << QString::fromStdString(
        fmt::format("{} -> {}", fmt::join(one.inputs, ", "), fmt::join(one.outputs, ", ")));
  return lines;
}

QStringList nodesOf(const onnx::ModelProto& model) {
  QStringList names;
  for (const onnx::NodeProto& node : model.graph().node())
    names << QString::fromStdString(node.name().empty() ? node.op_type() : node.name());
  return names;
}

class OnnxSubgraphsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  void theLargestPiecesAreCutOut() {
    const OnnxSubgraphs found = cut(branched());
    QCOMPARE(bordersIn(found), (QStringList{"x -> a, c", "b, c -> out"}));
    QCOMPARE(leftIn(found), QStringList{"odd Relu: the operator is not supported"});
    QCOMPARE(found.subgraphs[0].nodes, std::size_t(3));
    QCOMPARE(found.subgraphs[0].macs, std::int64_t(2 * 3 * 3));
    QCOMPARE(nodesOf(parsed(found.subgraphs[1].model)), (QStringList{"second", "join"}));
  }

  /// The operators stand where their operands are there, and only what was not cut out is left.
  void operatorsStandInTheirPlace() {
    const onnx::ModelProto made = parsed(callingModel(callsOf(cut(branched()))));
    QCOMPARE(nodesOf(made), (QStringList{"op0", "odd", "op1"}));
    QCOMPARE(made.graph().initializer_size(), 0);
    QCOMPARE(made.graph().node(0).domain(), std::string("house.op0"));
    QCOMPARE(made.opset_import_size(), 4);
  }

  void oneOfThemIsEnough() {
    const std::vector<SubgraphCall> calls = callsOf(cut(branched()));
    const onnx::ModelProto made = parsed(callingModel({calls[1]}));
    QCOMPARE(nodesOf(made), (QStringList{"first", "turn", "plain", "odd", "op1"}));
    QCOMPARE(made.graph().initializer_size(), 1);
  }

  /// Constants and shapes that are known go along; for the others the tensor is given out.
  void constantsAndShapesAreTakenAlong() {
    Model m({4, 4}, 13, 2);
    m.random("w", {4, 4});
    m.integers("two", std::vector<std::int64_t>{2});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("odd", "Relu", {"a"}, "b").set_domain(kVendor);
    m.node("shape", "Shape", {"a"}, "s");
    m.node("double", "Mul", {"s", "two"}, "t");
    m.node("half", "Div", {"t", "two"}, "h");
    m.node("form", "Reshape", {"b", "h"}, "c");
    m.node("second", "MatMul", {"c", "w"}, "d");
    m.node("extents", "Relu", {"h"}, "e").set_domain(kVendor);
    integer(m.node("whole", "Cast", {"e"}, "i"), "to", onnx::TensorProto::INT64);
    m.node("asked", "Tile", {"d", "i"}, "out");
    const OnnxSubgraphs found = cut(m);
    QCOMPARE(bordersIn(found), (QStringList{"x -> a", "b -> d"}));
    QCOMPARE(leftIn(found),
             (QStringList{"odd Relu: the operator is not supported",
                          "extents Relu: the operator is not supported",
                          "whole Cast: there is little work in what could be cut out with it",
                          "asked Tile: the shape of 'out' is not known before the model runs"}));
    QCOMPARE(nodesOf(parsed(found.subgraphs[1].model)),
             (QStringList{"double", "half", "form", "second"}));
    QCOMPARE(
        nodesOf(parsed(callingModel(callsOf(found)))),
        (QStringList{"op0", "odd", "shape", "double", "half", "extents", "whole", "op1", "asked"}));
  }

  /// A node that is left asks for the shape of a tensor which nothing else outside reads.
  void whoseShapeIsAskedForIsGivenOut() {
    Model m({4, 4}, 13, 2);
    m.random("w", {4, 4});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("second", "MatMul", {"a", "w"}, "b");
    m.node("shape", "Shape", {"a"}, "s");
    m.node("join", "Fill", {"b", "s"}, "out").set_domain(kVendor);
    const OnnxSubgraphs found = cut(m);
    QCOMPARE(bordersIn(found), QStringList("x -> a, b"));
    QCOMPARE(nodesOf(parsed(callingModel(callsOf(found)))), (QStringList{"op0", "shape", "join"}));
  }

  void whatHasNoShapeIsLeft() {
    Model m({4, 4}, 13, 2);
    m.random("w", {4, 4});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("where", "NonZero", {"a"}, "b");
    m.node("turn", "Transpose", {"b"}, "c");
    integer(m.node("number", "Cast", {"c"}, "out"), "to", onnx::TensorProto::FLOAT);
    const OnnxSubgraphs found = cut(m);
    QCOMPARE(bordersIn(found), QStringList("x -> a"));
    QCOMPARE(leftIn(found).size(), 3);
    QCOMPARE(leftIn(found)[1],
             QString("turn Transpose: the shape of 'b' is not known before the model runs"));
  }

  void littleWorkIsLeft() {
    Model m({64, 64}, 13, 2);
    m.random("w", {64, 64});
    m.random("v", {64, 1});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("odd", "Relu", {"a"}, "b").set_domain(kVendor);
    m.node("turn", "Transpose", {"b"}, "c");
    m.node("odd2", "Relu", {"c"}, "d").set_domain(kVendor);
    m.node("small", "MatMul", {"d", "v"}, "out");
    const OnnxSubgraphs found = cut(m);
    QCOMPARE(bordersIn(found), (QStringList{"x -> a", "d -> out"})); // 1.5 % of the work
    QCOMPARE(leftIn(found).size(), 3);
    QVERIFY(leftIn(found)[1].startsWith("turn Transpose: there is little work"));
  }

  /// What the branches of an If take from around it is given out, and needed.
  void graphsInsideOfNodesAreSeen() {
    Model m({4, 4}, 13, 2);
    m.random("w", {4, 4});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("plain", "Relu", {"a"}, "b");
    onnx::TensorProto& yes = m.weight("yes", {});
    yes.set_data_type(onnx::TensorProto::BOOL);
    yes.add_int32_data(1);
    onnx::NodeProto& branch = m.node("either", "If", {"yes"}, "out");
    for (const char* name : {"then_branch", "else_branch"}) {
      onnx::AttributeProto& attribute = *branch.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      onnx::GraphProto& graph = *attribute.mutable_g();
      graph.set_name(name);
      onnx::NodeProto& inner = *graph.add_node();
      inner.set_op_type("Neg");
      inner.add_input("b");
      inner.add_output(std::string(name) + "_out");
      onnx::ValueInfoProto& output = *graph.add_output();
      output.set_name(std::string(name) + "_out");
      output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    }
    const OnnxSubgraphs found = cut(m);
    QCOMPARE(bordersIn(found), QStringList("x -> b"));
    QCOMPARE(nodesOf(parsed(callingModel(callsOf(found)))), (QStringList{"op0", "either"}));
  }

  /// Random models: with the subgraphs put back in the place of the operators that call them the
  /// answers are those of before.
  void answersStay() {
    Random random(20261127);
    int subgraphs = 0;
    for (int model = 0; model < 150; ++model) {
      const Model m = randomModel(random);
      const OnnxSubgraphs found = cut(m);
      subgraphs += static_cast<int>(found.subgraphs.size());
      if (found.subgraphs.empty()) continue;
      const onnx::ModelProto calling = parsed(callingModel(callsOf(found)));
      requireOrder(calling.graph());
      if (QTest::currentTestFailed()) return;
      const Array x = *uniformConstant({4, 4}, -1, 1, random.engine()()).materialise();
      const std::vector<Array> expected = answers(parsed(m.bytes()), x);
      const std::vector<Array> made = answers(expanded(calling, found), x);
      QCOMPARE(made.size(), expected.size());
      for (std::size_t i = 0; i < made.size(); ++i)
        QCOMPARE(made[i].floats(), expected[i].floats());
    }
    QVERIFY2(subgraphs > 150, qPrintable(QString::number(subgraphs)));
  }

  void dimensionsHaveTheirValues() {
    Model m({2, 3}, 13, 2);
    m.random("w", {3, 3});
    m.node("first", "MatMul", {"x", "w"}, "a");
    m.node("odd", "Relu", {"a"}, "out").set_domain(kVendor);
    onnx::ModelProto model = parsed(m.bytes());
    for (auto* value :
         {model.mutable_graph()->mutable_input(0), model.mutable_graph()->mutable_output(0)})
      value->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
          "batch");
    writeBytes(whole(), withVendor(model));
    QVERIFY(says(test::messageOf([&] { onnxSubgraphs(whole().toStdString()); }), "batch"));
    const OnnxSubgraphs found = onnxSubgraphs(whole().toStdString(), {{{"batch", 7}}, {}});
    QCOMPARE(found.subgraphs.size(), std::size_t(1));
    const auto extents = [](const onnx::ValueInfoProto& value) {
      return value.type().tensor_type().shape().dim(0).dim_value();
    };
    QCOMPARE(extents(parsed(found.subgraphs[0].model).graph().input(0)), std::int64_t(7));
    const onnx::ModelProto made = parsed(callingModel(callsOf(found)));
    QCOMPARE(extents(made.graph().input(0)), std::int64_t(7));
    QCOMPARE(extents(made.graph().output(0)), std::int64_t(7));
  }

  void whatWasChangedIsRefused() {
    Model m = branched();
    const std::vector<SubgraphCall> calls = callsOf(cut(m));
    QVERIFY(says(refusal({calls[0], calls[0]}), "both make 'a'"));
    SubgraphCall other = calls[0];
    other.op.inputs.clear();
    QVERIFY(says(refusal({other}), "has 1 input and 2 outputs, and op0 has 0 and 2"));
    QVERIFY(says(refusal({{whole().toStdString(), {}}}), "is no subgraph"));
    m.random("w", {3, 3}); // other weights than those that were cut out
    onnx::ModelProto changed = parsed(m.bytes());
    changed.mutable_graph()->mutable_initializer(0)->set_float_data(0, 42);
    writeBytes(whole(), withVendor(changed));
    QVERIFY(says(refusal({calls[0]}), "was changed since its subgraphs were cut out"));
    QFile::remove(whole());
    QVERIFY(says(refusal({calls[0]}), "does the file exist"));
  }

 private:
  static std::string refusal(const std::vector<SubgraphCall>& calls) {
    return test::messageOf([&] { callingModel(calls); });
  }

  /// x -> first -> plain (c) and x -> first -> turn (a) -> odd (b); b and c -> second -> join ->
  /// out.
  static Model branched() {
    Model m({2, 3}, 13, 2);
    m.random("w", {3, 3});
    m.node("first", "MatMul", {"x", "w"}, "p");
    m.node("turn", "Neg", {"p"}, "a");
    m.node("plain", "Relu", {"p"}, "c");
    m.node("odd", "Relu", {"a"}, "b").set_domain(kVendor);
    m.node("second", "MatMul", {"b", "w"}, "d");
    m.node("join", "Add", {"c", "d"}, "out");
    return m;
  }

  /// Nodes on tensors of 4 by 4, whose operands are any of those before; a third are the vendor's.
  static Model randomModel(Random& random) {
    Model m({4, 4}, 13, 2);
    std::vector<std::string> tensors = {"x"};
    m.random("w", {4, 4});
    const int count = 4 + static_cast<int>(random.below(16));
    for (int n = 0; n < count; ++n) {
      const std::string made = n + 1 == count ? "out" : fmt::format("t{}", n);
      const auto any = [&] { return QString::fromStdString(random.pick(tensors)); };
      const std::string name = fmt::format("n{}", n);
      const QString one = n + 1 == count ? QString::fromStdString(tensors.back()) : any();
      switch (random.below(6)) {
      case 0:
      case 1:
        m.node(name.c_str(), "Relu", {one}, made.c_str()).set_domain(kVendor);
        break;
      case 2:
        m.node(name.c_str(), "Add", {one, any()}, made.c_str());
        break;
      case 3: {
        const std::string shape = name + "_shape";
        m.node(shape.c_str(), "Shape", {any()}, shape.c_str());
        m.node(name.c_str(), "Reshape", {one, QString::fromStdString(shape)}, made.c_str());
        break;
      }
      default:
        m.node(name.c_str(), "MatMul", {one, random.below(2) ? QString("w") : any()}, made.c_str());
      }
      tensors.push_back(made);
    }
    return m;
  }

  OnnxSubgraphs cut(const Model& model) {
    writeBytes(whole(), withVendor(parsed(model.bytes())));
    return onnxSubgraphs(whole().toStdString());
  }

  /// An operator of the file's own types for each, which is written beside the model.
  std::vector<SubgraphCall> callsOf(const OnnxSubgraphs& found) {
    std::vector<SubgraphCall> calls;
    for (const OnnxSubgraph& one : found.subgraphs) {
      const std::string name = fmt::format("op{}", calls.size());
      const QString file = folder_.filePath(QString::fromStdString(name) + ".onnx");
      writeBytes(file, one.model);
      SubgraphCall call{file.toStdString(), {"house." + name, name, {}, {}}};
      call.op.inputs.assign(one.inputs.size(), {kFloat32, {4, 4}});
      call.op.outputs.assign(one.outputs.size(), {kFloat32, {4, 4}});
      calls.push_back(std::move(call));
    }
    return calls;
  }

  static void requireOrder(const onnx::GraphProto& graph) {
    std::set<std::string> there = {"x", "w"};
    for (const onnx::NodeProto& node : graph.node()) {
      for (const std::string& input : node.input())
        QVERIFY2(there.contains(input), input.c_str());
      there.insert(node.output().begin(), node.output().end());
    }
  }

  /// The nodes of the subgraphs in the place of the operators.
  static onnx::ModelProto expanded(onnx::ModelProto model, const OnnxSubgraphs& found) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(model.mutable_graph()->mutable_node());
    for (const onnx::NodeProto& node : nodes) {
      if (!node.domain().starts_with("house.")) {
        *model.mutable_graph()->add_node() = node;
        continue;
      }
      const OnnxSubgraph& own = found.subgraphs[std::stoul(node.op_type().substr(2))];
      std::set<std::string> shared(own.inputs.begin(), own.inputs.end());
      shared.insert(own.outputs.begin(), own.outputs.end());
      const auto rename = [&](std::string& name) {
        if (!shared.contains(name)) name = node.op_type() + "/" + name;
      };
      onnx::ModelProto inner = parsed(own.model);
      for (onnx::TensorProto& tensor : *inner.mutable_graph()->mutable_initializer()) {
        rename(*tensor.mutable_name());
        *model.mutable_graph()->add_initializer() = tensor;
      }
      for (onnx::NodeProto& one : *inner.mutable_graph()->mutable_node()) {
        for (auto* names : {one.mutable_input(), one.mutable_output()})
          for (std::string& name : *names)
            rename(name);
        *model.mutable_graph()->add_node() = one;
      }
    }
    return model;
  }

  /// By ONNX's definitions, with the vendor's operators as ONNX's.
  std::vector<Array> answers(onnx::ModelProto model, const Array& x) {
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
      node.clear_domain();
    while (model.opset_import_size() > 1)
      model.mutable_opset_import()->RemoveLast();
    const QString file = folder_.filePath("plain.onnx");
    writeBytes(file, model.SerializeAsString());
    return runOnnxReference(file.toStdString(), {x});
  }

  QString whole() const { return folder_.filePath("whole.onnx"); }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(OnnxSubgraphsTest)

} // namespace nestwright::onnx_subgraphs_test

#include "onnx_subgraphs.moc"
