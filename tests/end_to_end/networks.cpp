/// Networks from file to answer: tuned a little, run end to end, compared with the naive network.

#include "tests/end_to_end/run_program.h"

#include <QTemporaryDir>
#include <QTest>

using nlohmann::json;

class Networks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tunedNetworksGiveTheRightAnswer_data() {
    QTest::addColumn<QString>("network");
    QTest::newRow("resnet18, small image") << "resnet18:batch=1,image=32";
    QTest::newRow("mobilenet_v2, small image") << "mobilenet_v2:batch=1,image=32";
    QTest::newRow("bert_tiny, short sequence") << "bert_tiny:batch=1,sequence=16";
  }
  void tunedNetworksGiveTheRightAnswer() {
    QFETCH(QString, network);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("network.nwdb"));
    const ProgramResult tuned = run({"tune", network, "--trials", "48", "--repeats", "1", "--seed",
                                     "1", "--db", path, "--json"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const json result = tuned.json();
    for (const json& task : result.at("tasks"))
      QVERIFY2(task.at("verified").get<bool>(), task.at("name").get<std::string>().c_str());
    QVERIFY(result.at("errors").get<int>() * 20 <= result.at("trials").get<int>());

    const ProgramResult executed =
        run({"run", network, "--db", path, "--check", "--repeats", "2", "--json"});
    QVERIFY2(executed.exitCode == 0, executed.errors);
    QVERIFY(executed.json().at("relative_error").get<double>() < 1e-4);
    QVERIFY(executed.json().at("latency_seconds").get<double>() > 0);
  }

  void aNetworkWithoutRecordsSaysWhatToDo() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("other.nwdb"));
    QCOMPARE(run({"tune", "matmul:m=8,n=8,k=8", "--trials", "2", "--db", path}).exitCode, 0);
    const ProgramResult result = run({"run", "resnet18:image=32", "--db", path});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("nestwright tune"), result.errors);
  }
};

QTEST_GUILESS_MAIN(Networks)
#include "networks.moc"
