/// A session read in one go from a file, and as JSON.

#include "core/story/read_story.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/story/story_json.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

namespace nestwright::read_story_test {

using nlohmann::json;

class ReadStoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void historyIsTheFiles();
  void improvementsComeWithoutTrials();
  void predictionsAreCompared();
  void whatIsNotKnownIsNull();
  void bandsAreWhatEachTaskWasGiven();

 private:
  QTemporaryDir folder_;
  std::optional<RecordStore> store_;
  SessionContents contents_; // of the last session, which knows the bests of all
};

void ReadStoryTest::initTestCase() {
  const QString sample = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(NESTWRIGHT_SAMPLE, sample));
  QVERIFY(QFile::setPermissions(sample, QFile::ReadOwner | QFile::WriteOwner));
  store_ = RecordStore::open(sample.toStdString(), OpenMode::ReadOnly);
  contents_ = readContents(*store_, store_->sessions().all().back().id);
}

void ReadStoryTest::historyIsTheFiles() {
  const TuningHistory history = readHistory(*store_, contents_);
  const RowId session = contents_.session.id;
  QCOMPARE(history.lastTrial(), store_->trials().last(session).first);
  QCOMPARE(history.tasks().size(), contents_.tasks.size());
  for (const TaskEntry& task : contents_.tasks) {
    const TaskHistory* of = history.find(task.row.id);
    QVERIFY(of);
    QCOMPARE(of->best(), task.summary.bestSeconds);
    if (!of->bests.empty()) QCOMPARE(of->bests.back().record, task.summary.bestRecord);
  }
  QVERIFY(!history.total().empty());
  const json all = toJson(history);
  QCOMPARE(all.at("tasks").size(), contents_.tasks.size());
  QCOMPARE(all.at("total").back().at("seconds").get<double>(), history.total().back().seconds);
}

void ReadStoryTest::improvementsComeWithoutTrials() {
  const TuningHistory all = readHistory(*store_, contents_);
  const TuningHistory bare = readHistory(*store_, contents_, KeepTrials::No);
  QVERIFY(all.trialCount() > 0);
  QCOMPARE(bare.trialCount(), std::size_t(0));
  QCOMPARE(bare.lastTrial(), all.lastTrial());
  QCOMPARE(toJson(bare).at("total"), toJson(all).at("total"));
}

void ReadStoryTest::predictionsAreCompared() {
  const RowId learned = store_->sessions().all().front().id; // with a cost model
  const TuningHistory history = readHistory(*store_, readContents(*store_, learned));
  const Predictions all = readPredictions(*store_, learned, history, 1'000'000);
  QVERIFY(!all.empty());
  for (const PredictedProgram& program : all.programs())
    QVERIFY(program.failed() ? program.share == 0 : program.share > 0);
  // Fewer trials: the newest ones, in the order of records.
  const Predictions newest = readPredictions(*store_, learned, history, 40);
  QVERIFY(newest.programs().size() <= 40);
  QCOMPARE(newest.programs().back().record, all.programs().back().record);
  QCOMPARE(newest.programs().back().share, all.programs().back().share);
}

void ReadStoryTest::whatIsNotKnownIsNull() {
  PredictedProgram failed;
  failed.record = 3, failed.predicted = 0.5, failed.seconds = kUnknown;
  const json told = toJson(failed);
  QVERIFY(told.at("seconds").is_null() && told.at("measured_share").is_null());
  QCOMPARE(told.at("record").get<RowId>(), RowId(3));
  Ancestor bred;
  bred.seconds = kUnknown;
  QVERIFY(toJson(bred).at("record").is_null() && toJson(bred).at("seconds").is_null() &&
          toJson(bred).at("predicted_score").is_null());
  TaskRow row;
  row.id = 1, row.weight = 1;
  TuningHistory empty;
  empty.reset({row}, {});
  QVERIFY(toJson(empty).at("naive_total").is_null());
  QVERIFY(toJson(empty).at("tasks").front().at("naive_seconds").is_null());
}

void ReadStoryTest::bandsAreWhatEachTaskWasGiven() {
  const Allocation given{{0, 1, 2}, {{0, -1, 2, 3, {0, 1, 3}}, {7, 0, 1, 4, {0, 3, 7}}}, 7};
  const json told = toJson(given);
  QVERIFY(told.at("bands").front().at("task").is_null());
  QCOMPARE(told.at("bands").back().at("task").get<RowId>(), RowId(7));
  QCOMPARE(told.at("bands").back().at("given").get<std::vector<double>>(),
           (std::vector<double>{0, 2, 4}));
}

NW_TEST_APPLESS(ReadStoryTest)

} // namespace nestwright::read_story_test

#include "read_story.moc"
