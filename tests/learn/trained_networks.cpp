#include "core/learn/trained_network.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/version.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <limits>

namespace nestwright::trained_networks_test {

TrainedNetwork example(Architecture architecture = Architecture::Mlp) {
  TrainedNetwork trained;
  NetworkShape shape = publishedShape(architecture, 6);
  shape.hidden = 4;
  trained.network = freshNetwork(shape, 7);
  trained.options = publishedTraining(architecture, Loss::LambdaRank);
  trained.curve = {{1, 2.5, 2.25, 0.5, 0.75, 1.5}};
  trained.kept = 1;
  trained.programs = 100;
  trained.tasks = {"a task", "another"};
  trained.machines = {"this machine"};
  trained.dataHash = "0123";
  return trained;
}

class TrainedNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void savedFormKeepsEverything() {
    TrainedNetwork trained = example();
    trained.network.maxima = {1, 2, 3, 4, 5, 6};
    const std::string bytes = toBytes(trained);
    const TrainedNetwork read = trainedNetworkFromBytes(bytes, Architecture::Mlp);
    QVERIFY(read.network.shape == trained.network.shape);
    QCOMPARE(read.network.weights, trained.network.weights);
    QCOMPARE(read.network.maxima, trained.network.maxima);
    QCOMPARE(read.curve.size(), std::size_t{1});
    QCOMPARE(read.curve[0].top5, 0.75);
    QCOMPARE(read.tasks, trained.tasks);
    QCOMPARE(toBytes(read), bytes);
  }

  void damageIsNoticedEverywhere() {
    const std::string bytes = toBytes(example(Architecture::Lstm));
    for (std::size_t place = 0; place < bytes.size(); place += 97) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ 1);
      QVERIFY_THROWS_EXCEPTION(InputError, trainedNetworkFromBytes(damaged, Architecture::Lstm));
      QVERIFY_THROWS_EXCEPTION(InputError,
                               trainedNetworkFromBytes(bytes.substr(0, place), Architecture::Lstm));
    }
    QVERIFY_THROWS_EXCEPTION(InputError, trainedNetworkFromBytes(bytes, Architecture::Mlp));
  }

  void aNewerFormNamesBothVersions() {
    ModelForm form = networkForm();
    form.format = 2;
    form.libraryVersion = "9.9.9";
    const std::string bytes = sealModel(form, "mlp", {}, "");
    const QString text = QString::fromStdString(
        test::messageOf([&] { trainedNetworkFromBytes(bytes, Architecture::Mlp); }));
    QVERIFY2(text.contains("9.9.9") && text.contains(version()), qPrintable(text));
  }

  /// A right hash makes no right network: files come from other people.
  void lyingHeadersAreRefused_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("columns") << "/shape/columns" << QByteArray("4611686018427387904");
    QTest::newRow("hidden") << "/shape/hidden" << QByteArray("0");
    QTest::newRow("another kind") << "/shape/architecture" << QByteArray("\"tlp\"");
    QTest::newRow("heads") << "/shape/heads" << QByteArray("3");
    QTest::newRow("layers") << "/shape/encoder" << QByteArray("[]");
    QTest::newRow("options") << "/options/epochs" << QByteArray("-1");
    QTest::newRow("a loss") << "/options/step/loss" << QByteArray("\"best\"");
    QTest::newRow("tasks") << "/tasks" << QByteArray("7");
    QTest::newRow("normalised") << "/normalised" << QByteArray("true");
  }
  void lyingHeadersAreRefused() {
    QFETCH(QString, path);
    QFETCH(QByteArray, value);
    const TrainedNetwork trained = example();
    nlohmann::json header = headerOf(trained);
    header[nlohmann::json::json_pointer(path.toStdString())] =
        nlohmann::json::parse(value.toStdString());
    const std::string bytes =
        sealModel(networkForm(), "mlp", header, bytesOf(trained.network.weights));
    QVERIFY_THROWS_EXCEPTION(InputError, trainedNetworkFromBytes(bytes, Architecture::Mlp));
  }

  void numbersAreFinite() {
    TrainedNetwork trained = example();
    trained.network.weights[3] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY_THROWS_EXCEPTION(InputError,
                             trainedNetworkFromBytes(toBytes(trained), Architecture::Mlp));
  }

  void freshNetworksDependOnTheSeedAlone() {
    const NetworkShape shape = publishedShape(Architecture::MtlTlp, 22);
    QCOMPARE(freshNetwork(shape, 1).weights, freshNetwork(shape, 1).weights);
    QVERIFY(freshNetwork(shape, 1).weights != freshNetwork(shape, 2).weights);
    QCOMPARE(freshNetwork(shape, 1).weights.size(), parameterCount(shape));
  }
};

NW_TEST_APPLESS(TrainedNetworks)

} // namespace nestwright::trained_networks_test

#include "trained_networks.moc"
