#include "core/network/onnx/onnx_import.h"

#include "core/network/execution/executor.h"
#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

namespace nestwright::onnx_import_test {

const std::string kFolder = NESTWRIGHT_TEST_DATA "/onnx/";

template <class T>
std::vector<T> readRaw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Array readArray(const std::string& path, const Tensor& tensor) {
  if (tensor.type.isFloat()) return {tensor.shape, readRaw<float>(path)};
  return {tensor.shape, readRaw<std::int64_t>(path)};
}

class OnnxImportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void givesWhatTheExporterComputed_data();
  void givesWhatTheExporterComputed();
  void exportedNetworksAreLean_data();
  void exportedNetworksAreLean();
  void symbolicDimensionsNeedValues();
  void halfPrecisionIsComputedInFloat();
  void badFilesAreRefused_data();
  void badFilesAreRefused();
  void noPrefixOfAFileCrashes();
};

void OnnxImportTest::givesWhatTheExporterComputed_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<bool>("optimised");
  for (const char* file : {"movement", "elementwise", "normalisation", "torch_resnet",
                           "torch_resnet_norms", "torch_mobilenet", "torch_encoder",
                           "torch_encoder_sequence_first", "torch_attention:batch=2,sequence=5"})
    for (const bool optimised : {false, true})
      QTest::addRow("%s%s", file, optimised ? " optimised" : "") << file << optimised;
}

void OnnxImportTest::givesWhatTheExporterComputed() {
  QFETCH(QString, file);
  QFETCH(bool, optimised);
  Spec spec = parseSpec(file.toStdString());
  const Network network = importOnnx(kFolder + spec.name + ".onnx", {spec.parameters, {}});
  const Partition parts = optimised ? optimisedPartition(network) : partition(network, false);
  const Array input =
      readArray(kFolder + spec.name + ".x.bin", network.tensor(network.inputs.at(0)));
  const Array expected =
      readArray(kFolder + spec.name + ".out.bin", network.tensor(network.outputs.at(0)));
  const std::vector<Array> outputs = interpret(parts, {input});
  QCOMPARE(outputs.size(), std::size_t(1));
  QCOMPARE(outputs[0].floats().size(), expected.floats().size());
  const double error = relativeError(outputs[0], expected);
  QVERIFY2(error < 1e-5, qPrintable(QString::number(error)));
}

void OnnxImportTest::exportedNetworksAreLean_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<int>("tunable");
  QTest::addColumn<int>("others"); // groups that only move or map elements
  // 6 convolutions with 5 distinct forms, 2 poolings, 1 dense; the image's transpose
  QTest::newRow("resnet") << "torch_resnet" << 9 << 1;
  QTest::newRow("resnet with norms") << "torch_resnet_norms" << 9 << 1;
  // embedding and the first token
  QTest::newRow("attention") << "torch_attention:batch=2,sequence=5" << 9 << 2;
}

void OnnxImportTest::exportedNetworksAreLean() {
  QFETCH(QString, file);
  Spec spec = parseSpec(file.toStdString());
  const Partition parts =
      optimisedPartition(importOnnx(kFolder + spec.name + ".onnx", {spec.parameters, {}}));
  QTEST(static_cast<int>(parts.tunableCount()), "tunable");
  int others = 0;
  for (const TaskGroup& group : parts.groups)
    others += parts.tasks[static_cast<std::size_t>(group.task)].tunable ? 0 : 1;
  QTEST(others, "others");
}

void OnnxImportTest::symbolicDimensionsNeedValues() {
  const std::string path = kFolder + "broken/symbolic.onnx";
  const Network network = parseNetworkSpec(path + ":batch=3,length=2");
  QCOMPARE(network.name, std::string("symbolic"));
  QCOMPARE(network.tensor(network.inputs[0]).shape, (Shape{3, 2, 4}));
  QCOMPARE(network.tensor(network.outputs[0]).shape, (Shape{3, 2, 4}));
  // The text finds the file again from another folder, also when it is called like a zoo network.
  QCOMPARE(specText(network), path + ":batch=3,length=2");
  QTemporaryDir folder;
  const QString copy = folder.filePath("resnet18.onnx");
  QVERIFY(QFile::copy(QString::fromStdString(path), copy));
  const Network disguised = parseNetworkSpec(copy.toStdString() + ":batch=1,length=2");
  QCOMPARE(specText(disguised), copy.toStdString() + ":batch=1,length=2");
  QCOMPARE(parseNetworkSpec(specText(disguised)).inputs.size(), std::size_t(1));
  QVERIFY_EXCEPTION_THROWN(parseNetworkSpec(path + ":batch=3"), InputError);
  QVERIFY_EXCEPTION_THROWN(parseNetworkSpec(path + ":batch=3,length=0"), InputError);
  QVERIFY_EXCEPTION_THROWN(parseNetworkSpec(path + ":batch=3,length=2,width=1"), InputError);
  const Network unnamed = parseNetworkSpec(kFolder + "broken/unnamed.onnx:x_0=5");
  QCOMPARE(unnamed.tensor(unnamed.inputs[0]).shape, (Shape{5, 4}));
}

void OnnxImportTest::halfPrecisionIsComputedInFloat() {
  const Network network = importOnnx(kFolder + "half.onnx");
  for (const Tensor& tensor : network.tensors)
    QVERIFY(tensor.type == kFloat32);
}

void OnnxImportTest::badFilesAreRefused_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QStringList>("mentions");
  const auto row = [](const char* file, const QStringList& mentions) {
    QTest::newRow(file) << file << mentions;
  };
  row("unknown_operator", {"det_out", "Det", "not supported"});
  row("symbolic", {"batch", "length", "symbolic.onnx:batch=1"});
  row("unnamed", {"x_0"});
  row("missing_tensor", {"nothing"});
  row("bad_attribute", {"speed"});
  row("dynamic_shape", {"reshape_out", "Reshape", "constant"});
  row("training_mode", {"batchnormalization_out", "evaluation mode"});
  row("kernel_mismatch", {"conv_out", "[2, 3, 3, 3]"});
  row("huge_kernel", {"maxpool_out", "9, 9"});
  row("index_out_of_range", {"gather_out", "index 7"});
  row("wrong_declaration", {"'out'", "declaration"});
  row("newer_opset", {"opset 40", "opset_version=28"});
  row("cut", {"cut"});
  row("text", {"no ONNX model"});
  row("absent", {"absent.onnx", "exist"});
}

void OnnxImportTest::badFilesAreRefused() {
  QFETCH(QString, file);
  QFETCH(QStringList, mentions);
  try {
    importOnnx(kFolder + "broken/" + file.toStdString() + ".onnx");
    QFAIL("accepted");
  } catch (const InputError& error) {
    for (const QString& text : mentions)
      QVERIFY2(QString(error.what()).contains(text), error.what());
  }
}

void OnnxImportTest::noPrefixOfAFileCrashes() {
  const auto bytes = readRaw<char>(kFolder + "movement.onnx");
  QVERIFY(bytes.size() > 1000);
  QTemporaryDir folder;
  const std::string path = folder.filePath("cut.onnx").toStdString();
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(length));
    QVERIFY_EXCEPTION_THROWN(importOnnx(path), InputError);
  }
}

NW_TEST_APPLESS(OnnxImportTest)

} // namespace nestwright::onnx_import_test

#include "onnx_import.moc"
