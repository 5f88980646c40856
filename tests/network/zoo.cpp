#include "core/network/zoo/zoo.h"

#include "core/network/zoo/shared_tasks.h"
#include "core/network/zoo/zoo_sets.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QTest>

#include <set>

namespace nestwright::zoo_test {

class ZooTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsAreWithinAPercentOfThosePublished_data();
  void countsAreWithinAPercentOfThosePublished();
  void countsAreExact_data();
  void countsAreExact();
  void otherSizesCostWhatTheyShould_data();
  void otherSizesCostWhatTheyShould();
  void convolutionsAreCounted_data();
  void convolutionsAreCounted();
  void shapesFollowTheParameters();
  void weightsAreDeterministicAndScaled();
  void setsAreThoseOfTenSet();
  void tasksOfAllNetworksAreJoined();
  void unknownNamesAreRefused_data();
  void unknownNamesAreRefused();
};

// What the authors of each network publish, at the standard input; 0 where they name none. The
// other networks of the zoo have no published counts: DCGAN with 128 filters, TVM's forms of
// SqueezeNet and ResNet, and the BERT sizes of TenSet's own.
void ZooTest::countsAreWithinAPercentOfThosePublished_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<double>("gigaMacs");
  QTest::addColumn<double>("parameters");
  // TorchVision's weight metadata: num_params, and _ops in giga multiply-accumulates.
  const auto torchVision = [](const char* text, double gigaMacs, double parameters) {
    QTest::addRow("TorchVision %s", text) << text << gigaMacs << parameters;
  };
  torchVision("resnet18", 1.814, 11689512);
  torchVision("resnet34", 3.664, 21797672);
  torchVision("resnet50", 4.089, 25557032);
  torchVision("resnet101", 7.801, 44549160);
  torchVision("wide_resnet50", 11.398, 68883240);
  torchVision("resnext50", 4.23, 25028904);
  torchVision("mobilenet_v2", 0.301, 3504872);
  torchVision("mobilenet_v3", 0.217, 5483032);
  torchVision("inception_v3", 5.713, 27161264 - 3326696); // without the auxiliary head
  torchVision("densenet121", 2.834, 7978856);
  torchVision("vgg16", 15.47, 138357544);
  torchVision("squeezenet1_1", 0.349, 1235496);
  torchVision("r3d_18", 40.697, 33371472);
  // Devlin et al., BERT, 2019: 110 M; Sun et al., MobileBERT, 2020, table 4: 22.5 billion
  // operations at 128 tokens, two a multiply-accumulate.
  QTest::newRow("BERT, MobileBERT papers") << "bert_base" << 11.25 << 110e6;
  // Hugging Face's model card of bert-large-uncased: 336 M.
  QTest::newRow("Hugging Face bert_large") << "bert_large" << 0.0 << 336e6;
}

void ZooTest::countsAreWithinAPercentOfThosePublished() {
  QFETCH(QString, text);
  QFETCH(double, gigaMacs);
  QFETCH(double, parameters);
  const Network network = parseNetworkSpec(text.toStdString());
  const auto isNear = [](double actual, double expected) {
    return std::abs(actual - expected) <= 0.01 * expected;
  };
  const auto macs = static_cast<double>(multiplyAccumulates(network)) / 1e9;
  QVERIFY2(gigaMacs == 0 || isNear(macs, gigaMacs), qPrintable(QString::number(macs)));
  const auto weights = static_cast<double>(parameterCount(network));
  QVERIFY2(isNear(weights, parameters), qPrintable(QString::number(weights)));
}

// Counted layer by layer from the networks' definitions (handbook/networks.md 3), at the standard
// input.
void ZooTest::countsAreExact_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<qlonglong>("macs");
  QTest::addColumn<qlonglong>("parameters");
  std::set<std::string> counted;
  const auto row = [&](const char* text, qlonglong macs, qlonglong parameters) {
    QTest::newRow(text) << text << macs << parameters;
    counted.insert(parseSpec(text).name);
  };
  row("resnet18", 1814073344, 11689512);
  row("resnet34", 3663761408, 21797672);
  row("resnet50", 4089184256, 25557032);
  row("resnet101", 7801405440, 44549160);
  row("mobilenet_v2", 300774272, 3504872);
  row("bert_tiny", 2516844544, 35068416);
  row("resnet18:batch=4", 4 * 1814073344ll, 11689512);
  row("wide_resnet50", 11398021120, 68883240);
  row("resnext50", 4230479872, 25028904);
  row("mobilenet_v3", 216589760, 5483032);
  row("inception_v3", 5713216096, 23834568);
  row("densenet121", 2834161664, 7978856);
  row("vgg16", 15470264320, 138357544);
  row("squeezenet1_1", 349151936, 1235496);
  row("squeezenet1_1_tvm", 349537280, 1235496);
  row("r3d_18", 40696553472, 33371472);
  row("r3d_18:depth=112,width=16", 40696553472, 33371472);
  row("resnet3d_18", 40902381568, 33681707);
  row("dcgan", 410583040, 12655488);
  row("bert_base", 11174215680, 109482240);
  row("bert_medium", 19731054592, 183987200);
  row("bert_large", 39461060608, 335141888);
  row("resnet18_tvm", 1826918400, 11691947);
  row("resnet50_tvm", 3857973248, 25549483);
  for (const ZooEntry& entry : zoo())
    QVERIFY2(counted.contains(entry.name), entry.name.c_str());
}

void ZooTest::countsAreExact() {
  QFETCH(QString, text);
  const Network network = parseNetworkSpec(text.toStdString());
  QTEST(static_cast<qlonglong>(multiplyAccumulates(network)), "macs");
  QTEST(static_cast<qlonglong>(parameterCount(network)), "parameters");
}

// handbook/networks.md 3: GMACs at the other sizes that TenSet uses, to four digits after the
// point.
void ZooTest::otherSizesCostWhatTheyShould_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<double>("gigaMacs");
  const auto images = [](const char* name, double at240, double at256) {
    QTest::addRow("%s 240", name) << QString("%1:image=240").arg(name) << at240;
    QTest::addRow("%s 256", name) << QString("%1:image=256").arg(name) << at256;
  };
  images("resnet18", 2.1474, 2.3692);
  images("resnet50", 4.8057, 5.3403);
  images("wide_resnet50", 13.4011, 14.8866);
  images("resnext50", 4.9605, 5.5249);
  images("mobilenet_v2", 0.3575, 0.3925);
  images("mobilenet_v3", 0.2553, 0.2817);
  images("densenet121", 3.2379, 3.7014);
  QTest::newRow("dcgan 80") << "dcgan:image=80" << 0.6415;
  QTest::newRow("dcgan 96") << "dcgan:image=96" << 0.9238;
  const auto sequences = [](const char* name, double at64, double at256) {
    QTest::addRow("%s 64", name) << QString("%1:sequence=64").arg(name) << at64;
    QTest::addRow("%s 256", name) << QString("%1:sequence=256").arg(name) << at256;
  };
  sequences("bert_tiny", 1.2334, 5.2348);
  sequences("bert_base", 5.5119, 22.9518);
  sequences("bert_medium", 9.7654, 40.2664);
  sequences("bert_large", 19.5297, 80.5317);
  QTest::newRow("r3d_18 128") << "r3d_18:depth=128,height=128,width=16" << 53.1546;
  QTest::newRow("r3d_18 144") << "r3d_18:depth=144,height=144,width=16" << 67.2738;
}

void ZooTest::otherSizesCostWhatTheyShould() {
  QFETCH(QString, text);
  QFETCH(double, gigaMacs);
  const auto macs = static_cast<double>(multiplyAccumulates(parseNetworkSpec(text.toStdString())));
  QCOMPARE(qRound64(macs / 1e5), qRound64(gigaMacs * 1e4));
}

// handbook/networks.md 3: operators and distinct shapes, whatever is fused around them.
void ZooTest::convolutionsAreCounted_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("convolutions");
  QTest::addColumn<int>("distinct");
  QTest::addColumn<int>("denseLayers");
  const auto row = [](const char* text, int convolutions, int distinct, int denseLayers) {
    QTest::newRow(text) << text << convolutions << distinct << denseLayers;
  };
  row("resnet18", 20, 11, 1);
  row("resnet34", 36, 11, 1);
  row("resnet50", 53, 23, 1);
  row("resnet101", 104, 23, 1);
  row("wide_resnet50", 53, 24, 1);
  row("resnext50", 53, 24, 1);
  row("mobilenet_v2", 52, 30, 1);
  row("mobilenet_v3", 62, 44, 2);
  row("inception_v3", 94, 43, 1);
  row("densenet121", 120, 66, 1);
  row("vgg16", 13, 9, 3);
  row("r3d_18", 20, 11, 1);
  row("resnet3d_18", 21, 12, 1);
  row("squeezenet1_1", 26, 18, 0);
  row("resnet18_tvm", 21, 12, 1); // handbook/networks.md 7
}

void ZooTest::convolutionsAreCounted() {
  QFETCH(QString, text);
  const Network network = parseNetworkSpec(text.toStdString());
  int convolutions = 0, denseLayers = 0;
  std::set<std::string> distinct;
  for (const Node& node : network.nodes) {
    denseLayers += node.kind == OpKind::MatMul ? 1 : 0;
    if (node.kind != OpKind::Conv) continue;
    ++convolutions;
    const Window& window = node.as<ConvAttributes>().window;
    distinct.insert(fmt::format("{} {} {} {}", fmt::join(network.tensor(node.inputs[0]).shape, "x"),
                                fmt::join(network.tensor(node.inputs[1]).shape, "x"),
                                fmt::join(window.strides, "x"), fmt::join(window.padsBefore, "x")));
  }
  QTEST(convolutions, "convolutions");
  QTEST(static_cast<int>(distinct.size()), "distinct");
  QTEST(denseLayers, "denseLayers");
}

void ZooTest::shapesFollowTheParameters() {
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

// handbook/networks.md 1.
void ZooTest::setsAreThoseOfTenSet() {
  const auto specs = [](const char* name) {
    std::set<std::string> result;
    for (const NetworkConfiguration& network : findNetworkSet(name)->networks)
      result.insert(network.spec);
    return result;
  };
  const std::set<std::string> all = specs("zoo"), held = specs("zoo_test");
  QCOMPARE(all.size(), std::size_t(120));
  QCOMPARE(specs("zoo_batch1").size(), std::size_t(40));
  QCOMPARE(held.size(), std::size_t(5));
  QCOMPARE(specs("zoo_train").size(), std::size_t(115));
  QVERIFY(std::includes(all.begin(), all.end(), held.begin(), held.end()));
  for (const std::string& spec : all)
    QCOMPARE(specText(parseNetworkSpec(spec)), spec);
  std::map<std::string, int> counts;
  for (const NetworkConfiguration& network : findNetworkSet("zoo")->networks)
    ++counts[network.tensetName];
  QCOMPARE(counts.size(), std::size_t(14));
  for (const auto& [name, count] : counts)
    QCOMPARE(count, name == "inception_v3" ? 3 : 9);
  QVERIFY(!findNetworkSet("zoo_1"));
}

void ZooTest::tasksOfAllNetworksAreJoined() {
  const std::vector<std::string> specs = {"resnet18:image=64", "resnet18:batch=2,image=64",
                                          "resnet50:image=64"};
  const std::vector<SharedTask> shared = sharedTasks(specs, 2);
  std::vector<int> weights(specs.size(), 0);
  int inAll = 0;
  for (const SharedTask& entry : shared) {
    int sum = 0;
    for (const SharedTask::Use& use : entry.uses) {
      weights[static_cast<std::size_t>(use.network)] += use.weight;
      sum += use.weight;
    }
    QCOMPARE(entry.task.weight, sum);
    inAll += entry.uses.size() == specs.size() ? 1 : 0;
  }
  for (std::size_t n = 0; n < specs.size(); ++n)
    QCOMPARE(weights[n],
             static_cast<int>(optimisedPartition(parseNetworkSpec(specs[n])).groups.size()));
  QCOMPARE(inAll, 0); // the batch is in every task
  // The stem, the pooling and the input's transpose are common to the first and the last.
  QVERIFY(std::count_if(shared.begin(), shared.end(),
                        [](const SharedTask& entry) { return entry.uses.size() == 2; }) >= 3);
  const std::vector<SharedTask> again = sharedTasks(specs, 1);
  QVERIFY(std::equal(shared.begin(), shared.end(), again.begin(), again.end(),
                     [](const SharedTask& a, const SharedTask& b) {
                       return a.task.key == b.task.key && a.task.weight == b.task.weight;
                     }));
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
  QTest::newRow("step") << "dcgan:image=72"
                        << "multiple of 16";
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

NW_TEST_APPLESS(ZooTest)

} // namespace nestwright::zoo_test

#include "zoo.moc"
