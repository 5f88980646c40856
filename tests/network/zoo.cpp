#include "core/network/zoo.h"

#include "core/support/error.h"

#include <QTest>

using namespace nestwright;

class ZooTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsMatchTheLiterature_data();
  void countsMatchTheLiterature();
  void shapesFollowTheParameters();
  void weightsAreDeterministicAndScaled();
  void unknownNamesAreRefused_data();
  void unknownNamesAreRefused();
};

// networks.md 3: at the standard input, and MACs at other sizes in GMACs with four digits.
void ZooTest::countsMatchTheLiterature_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<qlonglong>("macs");
  QTest::addColumn<qlonglong>("parameters");
  const auto row = [](const char* text, qlonglong macs, qlonglong parameters) {
    QTest::newRow(text) << text << macs << parameters;
  };
  row("resnet18", 1814073344, 11689512);
  row("resnet50", 4089184256, 25557032);
  row("mobilenet_v2", 300774272, 3504872);
  row("bert_tiny", 2516844544, 35068416);
  row("resnet18:batch=4", 4 * 1814073344ll, 11689512);
}

void ZooTest::countsMatchTheLiterature() {
  QFETCH(QString, text);
  const Network network = parseNetworkSpec(text.toStdString());
  QTEST(static_cast<qlonglong>(multiplyAccumulates(network)), "macs");
  QTEST(static_cast<qlonglong>(parameterCount(network)), "parameters");
}

void ZooTest::shapesFollowTheParameters() {
  const auto gigaMacs = [](const char* text) {
    return qRound64(static_cast<double>(multiplyAccumulates(parseNetworkSpec(text))) / 1e5);
  };
  QCOMPARE(gigaMacs("resnet50:image=240"), 48057);
  QCOMPARE(gigaMacs("resnet50:image=256"), 53403);
  QCOMPARE(gigaMacs("mobilenet_v2:image=240"), 3575);
  QCOMPARE(gigaMacs("bert_tiny:sequence=64"), 12334);
  const Network network = parseNetworkSpec("bert_tiny:batch=2,sequence=16");
  QCOMPARE(network.tensor(network.inputs[0]).shape, (Shape{2, 16}));
  QCOMPARE(network.tensor(network.outputs[0]).shape, (Shape{2, 16, 512}));
  QCOMPARE(network.tensor(network.outputs[1]).shape, (Shape{2, 512}));
  QCOMPARE(specText(network), std::string("bert_tiny:batch=2,sequence=16"));
  for (const ZooEntry& entry : zoo())
    QCOMPARE(parseNetworkSpec(entry.name).name, entry.name);
}

void ZooTest::weightsAreDeterministicAndScaled() {
  const auto weights = [] {
    const Network network = parseNetworkSpec("resnet18");
    for (const Tensor& tensor : network.tensors)
      if (tensor.name == "layer1.0.conv1.weight") return tensor.constant.materialise();
    return ArrayPtr();
  };
  const ArrayPtr first = weights(), second = weights();
  QVERIFY(first && second);
  QCOMPARE(first->shape, (Shape{64, 64, 3, 3}));
  QVERIFY(first->floats() == second->floats());
  double squares = 0;
  for (const float x : first->floats())
    squares += double(x) * x;
  const double variance = squares / static_cast<double>(first->floats().size());
  QVERIFY2(std::abs(variance * 576 / 2 - 1) < 0.05, "He: variance 2 / fan-in");
}

void ZooTest::unknownNamesAreRefused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("mentions");
  QTest::newRow("name") << "resnet19"
                        << "mobilenet_v2";
  QTest::newRow("parameter") << "resnet18:sequence=3"
                             << "batch, image";
  QTest::newRow("range") << "bert_tiny:sequence=513"
                         << "512";
  QTest::newRow("no file") << "/nowhere/model.onnx"
                           << "/nowhere/model.onnx";
}

void ZooTest::unknownNamesAreRefused() {
  QFETCH(QString, text);
  QFETCH(QString, mentions);
  try {
    parseNetworkSpec(text.toStdString());
    QFAIL("accepted");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains(mentions), error.what());
  }
}

QTEST_APPLESS_MAIN(ZooTest)
#include "zoo.moc"
