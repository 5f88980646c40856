/// `nestwright measure` as people call it: programs of a tuning measured again with the other
/// lowering, compared with their old times, and never mixed with them.

#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::measure_again_test {

using nlohmann::json;

class MeasureAgain : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const ProgramResult tuned = run({"tune", "matmul:m=48,n=48,k=48", "--rules", "paper",
                                     "--trials", "8", "--threads", "1", "--db", path_});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  void timesOfTheOtherLoweringAreCompared() {
    const json first = measured({"--lowering", "plain", "--compare"});
    QCOMPARE(first.at("records"), 8);
    QCOMPARE(first.at("measured"), 8);
    QCOMPARE(first.at("errors"), 0);
    QCOMPARE(first.at("status"), "finished");
    QCOMPARE(first.at("tasks").size(), std::size_t(1));
    const json& task = first.at("tasks").at(0);
    QCOMPARE(task.at("programs"), 8);
    QVERIFY(task.at("ratio_of_medians").get<double>() > 0);
    QVERIFY(std::abs(task.at("kendall_tau").get<double>()) <= 1);
    QCOMPARE(task.at("worst").size(), std::size_t(3));

    // The same wish is the same session, which has ended.
    const json again = measured({"--lowering", "plain"});
    QCOMPARE(again.at("session"), first.at("session"));
    QCOMPARE(again.at("measured"), 8);
    // Another lowering is another target, whose bests are its own.
    const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.targets().all().size(), std::size_t(2));
    QCOMPARE(store.tasks().all().size(), std::size_t(2));
    for (const TaskSummary& task : store.tasks().summaries())
      QCOMPARE(task.trials, std::int64_t(8));
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  void someAreDrawn() {
    const json some = measured({"--limit", "3", "--seed", "5"});
    QCOMPARE(some.at("records"), 3);
    QCOMPARE(some.at("measured"), 3);
  }

  void whatDoesNotGoTogetherIsSaid() {
    const ProgramResult gpu =
        run({"measure", "--db", path_, "--target", "cuda:sm_90", "--lowering", "plain"});
    QCOMPARE(gpu.exitCode, 2);
    QVERIFY2(gpu.errors.contains("the programs of cuda:sm_90 have one lowering"), gpu.errors);
    const ProgramResult none = run({"measure", "--db", path_, "--filter", "task:conv2d"});
    QCOMPARE(none.exitCode, 1);
    QVERIFY2(none.errors.contains("no record matches"), none.errors);
  }

 private:
  json measured(QStringList options) const {
    const ProgramResult result =
        run(QStringList{"measure", "--db", path_, "--threads", "1", "--json"} + options);
    if (result.exitCode != 0) qFatal("%s", result.errors.constData());
    return json::parse(result.output.toStdString());
  }

  QTemporaryDir folder_;
  const QString path_ = folder_.filePath(QStringLiteral("tuned.nwdb"));
};

NW_TEST_GUILESS(MeasureAgain)

} // namespace nestwright::measure_again_test

#include "measure_again.moc"
