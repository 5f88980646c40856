/// What can be tuned of ONNX models that cannot be imported as a whole, from the command line to a
/// model that calls libraries for it.

#include "tests/deploy/python_with.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::deployed_subgraphs_test {

using namespace deploy_test;

/// Two products with a determinant between them, which is not supported.
const QString kPartly = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/broken/partly_supported.onnx");

const QString kNothing = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/broken/unknown_operator.onnx");

const QByteArray kOnnxRuntime = kOnnxSession + R"PY(
one, other = "both/part_1/libpart_1_onnxruntime.so", "both/part_2/libpart_2_onnxruntime.so"
x = np.random.default_rng(1).standard_normal((1, 4, 4)).astype(np.float32)
expected = session("part.onnx").run(None, {"x": x})
for ours in (session("both/model.onnx", one, other), session("both/part_1/model.onnx", one),
             session("both/part_2/model.onnx", other)):
    for want, have in zip(expected, ours.run(None, {"x": x})):
        assert want.shape == have.shape and np.allclose(want, have, rtol=1e-4, atol=1e-4), (want, have)
)PY";

class DeployedSubgraphs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    QVERIFY(QFile::copy(kPartly, file("part.onnx")));
    ProgramResult result = run({"tune", file("part.onnx"), "--db", file("x.nwdb")});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("nestwright subgraphs"), result.errors);
    result = run({"subgraphs", file("part.onnx"), "-o", file("parts"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const nlohmann::json found = result.json();
    QCOMPARE(found.at("subgraphs").size(), std::size_t(2));
    QCOMPARE(found.at("subgraphs").at(1).at("file"), file("parts/part_2.onnx").toStdString());
    QCOMPARE(found.at("left").at(0).at("operator"), "Det");
    QCOMPARE(found.at("left").at(0).at("reason"), "the operator is not supported");
  }

  void severalShareAModel() {
    const ProgramResult result =
        run({"deploy", file("parts/part_1.onnx"), file("parts/part_2.onnx"), "--allow-naive",
             "--onnxruntime", "-o", file("both"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    QCOMPARE(result.json().at("model"), file("both/model.onnx").toStdString());
    QCOMPARE(operators("both/model.onnx"), (QStringList{"part_1", "Det", "part_2"}));
    QCOMPARE(operators("both/part_1/model.onnx"), (QStringList{"part_1", "Det", "Mul", "MatMul"}));
    QCOMPARE(operators("both/part_2/model.onnx"), (QStringList{"MatMul", "Relu", "Det", "part_2"}));
  }

  void onnxRuntimeCallsThem() {
    const QStringList modules = {"onnxruntime", "numpy"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    const ProgramResult ran = runIn(folder_.path(), python, {"-c", kOnnxRuntime});
    QVERIFY2(ran.exitCode == 0, ran.errors);
  }

  /// Each has its own model.onnx.
  void filesOfTwoModelsShareNone() {
    QVERIFY(QFile::copy(file("part.onnx"), file("copy.onnx")));
    ProgramResult result = run({"subgraphs", file("copy.onnx"), "-o", file("copies")});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY2(result.output.contains("tune them: nestwright tune"), result.output);
    result = run({"deploy", file("parts/part_1.onnx"), file("copies/copy_2.onnx"), "--allow-naive",
                  "--onnxruntime", "-o", file("apart"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(result.json().at("model").is_null());
    QVERIFY(!QFile::exists(file("apart/model.onnx")));
    QCOMPARE(operators("apart/copy_2/model.onnx"),
             (QStringList{"MatMul", "Relu", "Det", "copy_2"}));
  }

  /// A model that is not as it was cut is refused, before anything is compiled.
  void changedModelsAreRefused() {
    QVERIFY(QFile::copy(file("part.onnx"), file("later.onnx")));
    ProgramResult result = run({"subgraphs", file("later.onnx"), "-o", file("later")});
    QVERIFY2(result.exitCode == 0, result.errors);
    onnx::ModelProto model = read("later.onnx");
    model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->at(0) ^= 1;
    writeBytes(file("later.onnx"), model.SerializeAsString());
    qputenv("CC", "/bin/false");
    result = run({"deploy", file("later/later_1.onnx"), "--allow-naive", "--onnxruntime", "-o",
                  file("late")});
    qunsetenv("CC");
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("was changed since its subgraphs were cut out"), result.errors);
    QVERIFY(!QFile::exists(file("late")));
  }

  void whatCannotBeCutIsSaid() {
    refuses({"subgraphs", file("nowhere.onnx")}, 1, "does the file exist");
    refuses({"subgraphs", file("part.onnx"), "-o", file("parts")}, 1, "is there already");
    refuses({"subgraphs", file("part.onnx:batch=2")}, 1, "has no dimension 'batch'");
    refuses({"subgraphs", kNothing, "-o", file("none")}, 1, "nothing in");
    QVERIFY(!QFile::exists(file("none")));
    const ProgramResult said = run({"subgraphs", kNothing});
    QCOMPARE(said.exitCode, 0);
    QVERIFY2(said.output.contains("Nothing in it is worth cutting out"), said.output);
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  onnx::ModelProto read(const QString& name) const {
    QFile model(file(name));
    onnx::ModelProto proto;
    if (!model.open(QFile::ReadOnly) || !proto.ParseFromString(model.readAll().toStdString()))
      qWarning("%s is no model", qPrintable(name));
    return proto;
  }

  QStringList operators(const QString& name) const {
    QStringList operators;
    const onnx::ModelProto model = read(name);
    for (const onnx::NodeProto& node : model.graph().node())
      operators << QString::fromStdString(node.op_type());
    return operators;
  }

  static void refuses(const QStringList& arguments, int exitCode, const char* text) {
    const ProgramResult result = run(arguments);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.errors.contains(text), result.errors);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(DeployedSubgraphs)

} // namespace nestwright::deployed_subgraphs_test

#include "deployed_subgraphs.moc"
