/// Networks from file to answer: tuned a little, run end to end, compared with the naive network.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/target/target_json.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::networks_test {

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
    const ProgramResult tuned = run({"tune", network, "--trials", "32", "--repeats", "1", "--seed",
                                     "1", "--db", path, "--json"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const json result = tuned.json();
    for (const json& task : result.at("tasks"))
      QVERIFY2(task.at("verified").get<bool>(), task.at("name").get<std::string>().c_str());
    QVERIFY(result.at("errors").get<int>() * 20 <= result.at("trials").get<int>());

    const QString saved = folder.filePath(QStringLiteral("outputs"));
    const ProgramResult executed =
        run({"run", network, "--db", path, "--check", "--repeats", "2", "--save", saved, "--json"});
    QVERIFY2(executed.exitCode == 0, executed.errors);
    QVERIFY(executed.json().at("relative_error").get<double>() < 1e-4);
    QVERIFY(executed.json().at("latency_seconds").get<double>() > 0);
    QVERIFY(executed.json().at("explained_share").get<double>() > 0);
    QVERIFY(executed.json().at("peak_arena_bytes").get<double>() > 0);

    // What was saved is what the next run gives on the same random inputs.
    const ProgramResult again = run({"run", network, "--db", path, "--repeats", "1", "--expect",
                                     saved + "/output_0.pb", "--tolerance", "1e-5", "--json"});
    QVERIFY2(again.exitCode == 0, again.errors);
  }

  /// By its own naive programs; the file knows the network by its name with the parameter.
  void productsOfBFloat16GiveTheRightAnswer() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("network.nwdb"));
    const QString network = QStringLiteral("resnet18:batch=1,image=32");
    const ProgramResult tuned = run({"tune", network, "--precision", "bf16", "--trials", "24",
                                     "--repeats", "1", "--seed", "1", "--db", path, "--json"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    QCOMPARE(tuned.json().at("errors").get<int>(), 0);
    const ProgramResult executed = run({"run", network, "--precision", "bf16", "--db", path,
                                        "--check", "--repeats", "2", "--json"});
    QVERIFY2(executed.exitCode == 0, executed.errors);
    QVERIFY(executed.json().at("relative_error").get<double>() < 1e-2);
    const auto deviation = executed.json().at("precision_error").get<double>();
    QVERIFY(deviation > 1e-5 && deviation < 2e-2);
    const ProgramResult dag = run({"tune", "my.dag", "--precision", "bf16"});
    QCOMPARE(dag.exitCode, 2);
    QVERIFY2(dag.errors.contains("says the types of its tensors itself"), dag.errors);
  }

  void anOnnxFileIsCheckedNodeByNode() {
    const QString model = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");
    const ProgramResult checked = run({"run", model, "--naive", "--check=onnx", "--json"});
    QVERIFY2(checked.exitCode == 0, checked.errors);
    QCOMPARE(checked.json().at("checked_against").get<std::string>(), std::string("onnx"));
    const double error = checked.json().at("relative_error").get<double>();
    QVERIFY(error > 0 && error < 1e-5); // two programs never round alike
    const ProgramResult naive = run({"run", model, "--naive", "--check", "--json"});
    QCOMPARE(naive.json().at("checked_against").get<std::string>(), std::string("naive"));
    const ProgramResult zoo = run({"run", "resnet18:image=32", "--naive", "--check=onnx"});
    QCOMPARE(zoo.exitCode, 2);
    QVERIFY2(zoo.errors.contains("an ONNX file"), zoo.errors);
    QCOMPARE(run({"run", model, "--naive", "--check=else"}).exitCode, 2);
  }

  void networksAndTheirTasksAreListed() {
    const json listed = run({"networks", "--json"}).json();
    QVERIFY(listed.at("networks").size() >= 17);
    for (const json& set : listed.at("sets"))
      QCOMPARE(set.at("networks").size(), std::size_t(set.at("name") == "zoo"          ? 120
                                                      : set.at("name") == "zoo_batch1" ? 40
                                                      : set.at("name") == "zoo_test"   ? 5
                                                                                       : 115));
    const json tasks = run({"tasks", "zoo_test", "--json"}).json();
    QCOMPARE(tasks.at("networks").size(), std::size_t(5));
    for (const json& task : tasks.at("tasks")) {
      int weight = 0;
      for (const json& use : task.at("networks"))
        weight += use.at("weight").get<int>();
      QCOMPARE(task.at("weight").get<int>(), weight);
    }
    const json listing = run({"tasks", "mobilenet_v3:image=64", "--json"}).json();
    QCOMPARE(listing.at("others").size(), std::size_t(7)); // a transpose, and scaling by channel
    const ProgramResult text = run({"tasks", "mobilenet_v3:image=64", "--all"});
    QVERIFY2(text.output.contains("Transpose 1x3x64x64"), text.output);
    const ProgramResult graph = run({"tasks", "resnet18", "--graph"});
    QVERIFY2(graph.output.startsWith("digraph"), graph.errors);
    QVERIFY(run({"tasks", "resnet18", "--graph", "--json"}).json().at("groups").size() > 20);
    QCOMPARE(run({"tasks", "zoo_4"}).exitCode, 1);
  }

  void brokenModelsLeaveNothingBehind_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("mentions"); // of the message, beside the file's name
    const auto row = [](const char* file, const QStringList& mentions) {
      QTest::newRow(file) << file << mentions;
    };
    row("unknown_operator", {"node 'det_out' (Det)", "not supported"});
    row("kernel_mismatch", {"node 'conv_out' (Conv)", "[2, 3, 3, 3]"});
    row("dynamic_shape", {"node 'reshape_out' (Reshape)", "constant"});
    row("symbolic", {"batch, length", "symbolic.onnx:batch=1,length=1"});
    row("cut", {"cut off"});
    row("text", {"no ONNX model"});
    row("absent", {"does the file exist?"});
  }
  void brokenModelsLeaveNothingBehind() {
    QFETCH(QString, file);
    QFETCH(QStringList, mentions);
    const QString model = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/broken/%1.onnx").arg(file);
    const QTemporaryDir folder;
    const QString database = folder.filePath(QStringLiteral("new.nwdb"));
    for (const QStringList& arguments :
         {QStringList{"tasks", model}, QStringList{"run", model, "--naive"},
          QStringList{"tune", model, "--trials", "2", "--db", database}}) {
      const ProgramResult result = run(arguments);
      QCOMPARE(result.exitCode, 1);
      QVERIFY2(result.output.isEmpty(), result.output);
      for (const QString& text : mentions + QStringList{file + ".onnx"})
        QVERIFY2(result.errors.contains(text.toUtf8()), result.errors);
    }
    QCOMPARE(QDir(folder.path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries), QStringList());
  }

  /// One task has a record of this machine, one only another machine's, the others none (C36).
  void eachTaskSaysWhereItWasTuned() {
    const QString network = QStringLiteral("resnet18:batch=1,image=32");
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("mixed.nwdb"));
    const json tasks = run({"tasks", network, "--json"}).json().at("tasks");
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      const TargetFacts facts = hostTarget();
      const RowId here = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
      const RowId there = store.targets().add({0, "llvm-64c-there", "llvm", "{}"});
      SessionRow session;
      session.config = "{}";
      Record record;
      record.session = store.sessions().add(session);
      record.result.seconds = {1e-3};
      record.verified = true;
      for (const auto& [index, target] : {std::pair{0, here}, {1, there}}) {
        TaskRow task;
        task.target = target;
        task.key = tasks.at(index).at("key");
        task.dag = tasks.at(index).at("dag");
        task.name = tasks.at(index).at("name");
        record.task = store.tasks().add(task);
        record.program = task.name;
        ++record.trial;
        store.records().add(record); // without steps: the loops as they are
      }
    }
    const ProgramResult ran =
        run({"run", network, "--db", path, "--repeats", "1", "--profile", "--json"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    const json report = ran.json();
    int tuned = 0, elsewhere = 0;
    double all = 0, untuned = 0;
    for (const json& task : report.at("tasks")) {
      const bool here = task.at("origin") == "tuned";
      QCOMPARE(here, task.at("name") == tasks.at(0).at("name"));
      QCOMPARE(task.at("tuned_elsewhere").get<bool>(), task.at("name") == tasks.at(1).at("name"));
      tuned += here;
      elsewhere += task.at("tuned_elsewhere").get<bool>();
      all += task.at("seconds").get<double>();
      if (!here) untuned += task.at("seconds").get<double>();
    }
    QCOMPARE(tuned, 1);
    QCOMPARE(elsewhere, 1);
    QCOMPARE(report.at("untuned_share").get<double>(), untuned / all);
    const ProgramResult told = run({"run", network, "--db", path, "--repeats", "1", "--profile"});
    QVERIFY2(told.output.contains("fallback, tuned on another machine"), told.output);
    QVERIFY2(told.output.contains("% of the time not tuned"), told.output);
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

NW_TEST_GUILESS(Networks)

} // namespace nestwright::networks_test

#include "networks.moc"
