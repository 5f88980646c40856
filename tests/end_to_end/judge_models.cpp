/// `nestwright dataset` and `evaluate` as people call them, on the records of a tuning that learned
/// a cost model.

#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::judge_models_test {

using nlohmann::json;

class JudgeModels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The sample's file is not written to.
  void initTestCase() { QVERIFY(QFile::copy(NESTWRIGHT_SAMPLE, file_)); }

  void aChoiceIsDescribedAndKept() {
    const QString set = folder_.filePath("set.json");
    const ProgramResult described = run({"dataset", "--db", file_, "--least-programs", "20",
                                         "--split", "by-task", "--seed", "3", "-o", set, "--json"});
    QVERIFY2(described.exitCode == 0, described.errors);
    const json first = described.json();
    QCOMPARE(first.at("tasks"), 18);
    QVERIFY(first.at("problem").is_null());
    QCOMPARE(first.at("leaks").at("train_test").at("tasks"), 0);
    QVERIFY(first.at("parts").at("test").at("programs") > 0);
    QCOMPARE(first.at("targets").size(), std::size_t(1));
    const json again = run({"dataset", "--data", set, "--json"}).json();
    QCOMPARE(again.at("parts"), first.at("parts"));
    const ProgramResult text = run({"dataset", "--data", set, "--least-programs", "1000"});
    QVERIFY2(text.exitCode == 0, text.errors);
    QVERIFY(text.output.contains("not to be trained on"));
  }

  /// A file's choice of networks gives way to another split, and not to one given beside it.
  void aChoiceOfNetworksGivesWay() {
    const QString set = folder_.filePath("held.json");
    QVERIFY(run({"dataset", "--db", file_, "--hold-out", "resnet18", "-o", set}).exitCode == 0);
    const ProgramResult split =
        run({"dataset", "--data", set, "--split", "by-task", "--least-programs", "20", "--json"});
    QVERIFY2(split.exitCode == 0, split.errors);
    QVERIFY(split.json().at("parts").at("train").at("programs") > 0);
    QCOMPARE(
        run({"dataset", "--data", set, "--hold-out", "resnet18", "--split", "by-task"}).exitCode,
        2);
  }

  void everyTaskOfAHeldOutNetworkLeaves() {
    const json held = run({"dataset", "--db", file_, "--hold-out", "resnet18", "--json"}).json();
    QCOMPARE(held.at("parts").at("train").at("programs"), 0);
    QCOMPARE(held.at("held_out").at(0).at("tasks_found"), 18);
    QVERIFY(held.at("problem").is_string());
    const json other =
        run({"dataset", "--db", file_, "--hold-out", "bert_tiny:batch=1,sequence=128", "--json"})
            .json();
    QCOMPARE(other.at("held_out").at(0).at("tasks_found"), 0);
  }

  void mistakesAreToldWithWhatToDo() {
    const ProgramResult none = run({"dataset"});
    QCOMPARE(none.exitCode, 2);
    QVERIFY2(none.errors.contains("--db"), none.errors);
    const ProgramResult missing = run({"dataset", "--db", "missing.nwdb"});
    QCOMPARE(missing.exitCode, 1);
    const ProgramResult filter = run({"dataset", "--db", file_, "--filter", "latency<<1"});
    QCOMPARE(filter.exitCode, 2);
    const ProgramResult model = run({"evaluate", "--db", file_, "--models", file_ + "#99"});
    QCOMPARE(model.exitCode, 1);
    QVERIFY2(model.errors.contains("session 99"), model.errors);
    const QString noModel = folder_.filePath("no.model");
    QFile file(noModel);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no model\n") > 0);
    file.close();
    const ProgramResult bytes = run({"evaluate", "--db", file_, "--models", noModel});
    QCOMPARE(bytes.exitCode, 1);
    QVERIFY2(bytes.errors.contains("no.model is no cost model"), bytes.errors);
  }

  void yardsticksNeedNoModel() {
    const json evaluation =
        run({"evaluate", "--db", file_, "--k", "1,5", "--bootstrap", "200", "--json"}).json();
    QCOMPARE(evaluation.at("models").size(), std::size_t(2));
    QCOMPARE(evaluation.at("models").at(1).at("name"), "oracle");
    for (const json& figure : evaluation.at("models").at(1).at("figures"))
      if (figure.at("figure") == "top_k_ratio_of_sums") QCOMPARE(figure.at("value"), 1.0);
    QCOMPARE(evaluation.at("networks").at(0).at("tasks"), 18);
    QCOMPARE(evaluation.at("ks"), json({1, 5}));
  }

  /// A session's model, judged by the records that it learned from: which is said.
  void whoSawTheTasksIsTold() {
    const json evaluation = run({"evaluate", "--db", file_, "--models", file_, "--networks",
                                 "resnet18", "--bootstrap", "200", "--json"})
                                .json();
    const json& model = evaluation.at("models").at(0);
    QCOMPARE(model.at("tasks_learned_from").get<std::size_t>(), evaluation.at("tasks").size());
    for (const json& figure : model.at("figures"))
      if (figure.at("figure") == "pairwise_accuracy") {
        QVERIFY(figure.at("value") > 0.7);
        QVERIFY(figure.at("low") <= figure.at("value") && figure.at("value") <= figure.at("high"));
      }
    QCOMPARE(evaluation.at("differences").size(), std::size_t(3));
    const ProgramResult text =
        run({"evaluate", "--db", file_, "--models", file_, "--bootstrap", "0", "--per-task"});
    QVERIFY2(text.exitCode == 0, text.errors);
    QVERIFY2(text.output.contains("its figures say nothing of new ones"), text.output);
  }

 private:
  QTemporaryDir folder_;
  const QString file_ = folder_.filePath("sample.nwdb");
};

NW_TEST_GUILESS(JudgeModels)

} // namespace nestwright::judge_models_test

#include "judge_models.moc"
