/// ONNX files rewritten so that one operator of a library does all the work.

#include "core/network/onnx/custom_op_model.h"

#include "core/support/error.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::custom_op_model_test {

/// "x FLOAT [2,3]" for each.
template <class Values>
QStringList described(const Values& values) {
  QStringList lines;
  for (const onnx::ValueInfoProto& value : values) {
    QStringList extents;
    const auto& type = value.type().tensor_type();
    for (const auto& extent : type.shape().dim())
      extents << (extent.has_dim_value() ? QString::number(extent.dim_value()) : QString("open"));
    const auto name = onnx::TensorProto::DataType_Name(
        static_cast<onnx::TensorProto::DataType>(type.elem_type()));
    lines << QStringLiteral("%1 %2 [%3]")
                 .arg(QString::fromStdString(value.name()), QString::fromStdString(name),
                      extents.join(','));
  }
  return lines;
}

/// "domain.Op(inputs) -> outputs" for each.
QStringList nodesOf(const onnx::ModelProto& model) {
  QStringList lines;
  const auto names = [](const auto& all) {
    QStringList list;
    for (const std::string& name : all)
      list << QString::fromStdString(name);
    return list.join(' ');
  };
  for (const onnx::NodeProto& node : model.graph().node())
    lines << QStringLiteral("%1.%2(%3) -> %4")
                 .arg(QString::fromStdString(node.domain()), QString::fromStdString(node.op_type()),
                      names(node.input()), names(node.output()));
  return lines;
}

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) qFatal("no model");
  return model;
}

class CustomOpModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  /// What has a value in the file is no input; open dimensions become the operator's.
  void theInterfaceStays() {
    Model model;
    model.filled("w", {2, 3});
    model.node("sum", "Add", {"x", "w"}, "out");
    onnx::ModelProto old = parsed(model.bytes());
    *old.mutable_graph()->add_input() = old.graph().input(0);
    old.mutable_graph()->mutable_input(1)->set_name("w");
    old.set_model_version(7);
    onnx::StringStringEntryProto& entry = *old.add_metadata_props();
    entry.set_key("author");
    entry.set_value("me");
    writeBytes(path(), old.SerializeAsString());
    const onnx::ModelProto made = parsed(customOpModel(
        path().toStdString(), {"house", "net", {{kFloat32, {2, 3}}}, {{kFloat32, {2, 3}}}}));
    QCOMPARE(described(made.graph().input()), QStringList("x FLOAT [2,3]"));
    QCOMPARE(described(made.graph().output()), QStringList("out FLOAT [2,3]"));
    QCOMPARE(nodesOf(made), QStringList("house.net(x) -> out"));
    QCOMPARE(made.graph().initializer_size(), 0);
    QCOMPARE(made.model_version(), 7);
    QCOMPARE(made.metadata_props(0).value(), std::string("me"));
    QCOMPARE(made.opset_import_size(), 2);
    QCOMPARE(made.opset_import(1).domain(), std::string("house"));
    QCOMPARE(made.opset_import(1).version(), 1);
  }

  void otherTypesAreCast() {
    const onnx::ModelProto made =
        parsed(customOpModel(NESTWRIGHT_TEST_DATA "/onnx/half.onnx",
                             {"house", "net", {{kFloat32, {1, 4}}}, {{kFloat32, {1, 4}}}}));
    QCOMPARE(described(made.graph().input()), QStringList("x FLOAT16 [1,4]"));
    QCOMPARE(described(made.graph().output()), QStringList("out FLOAT16 [1,4]"));
    QCOMPARE(nodesOf(made),
             (QStringList{".Cast(x) -> x/net_cast", "house.net(x/net_cast) -> out/net_cast",
                          ".Cast(out/net_cast) -> out"}));
    QCOMPARE(made.graph().node(0).attribute(0).i(), onnx::TensorProto::FLOAT);
    QCOMPARE(made.graph().node(2).attribute(0).i(), onnx::TensorProto::FLOAT16);
  }

  void anotherFileIsNoticed() {
    QVERIFY_THROWS_EXCEPTION(InputError, customOpModel(NESTWRIGHT_TEST_DATA "/onnx/half.onnx",
                                                       {"house", "net", {}, {{kFloat32, {1, 4}}}}));
    QVERIFY_THROWS_EXCEPTION(InputError, customOpModel("/nowhere.onnx", {}));
  }

 private:
  QString path() const { return folder_.filePath("model.onnx"); }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(CustomOpModel)

} // namespace nestwright::custom_op_model_test

#include "custom_op_model.moc"
