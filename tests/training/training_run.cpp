#include "core/training/training_run.h"

#include "core/feature/program_features.h"
#include "core/training/training_files.h"
#include "tests/dataset/recorded.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace nestwright::training_run_test {

namespace fs = std::filesystem;
using test::product;
using test::RecordedFile;

/// The course of a run that is over.
TrainingCourse courseOf(const TrainingRun& run) {
  TrainingCourse course;
  for (int wait = 0; wait < 6000; ++wait) {
    run.bringUpToDate(course);
    if (course.state != TrainingState::Running) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return course;
}

class TrainingRunTest : public QObject {
  Q_OBJECT

  const samples::Folder folder_;

  ModelWish wishOfModel(const std::string& model) const {
    ModelWish wish;
    wish.model = model;
    wish.loss = usualLoss(model);
    wish.data.files = {folder_.file("a.nwdb")};
    wish.data.split = SplitKind::ByTask;
    return wish;
  }
  std::string file(const char* name) const { return folder_.file(name); }

 private Q_SLOTS:
  void initTestCase() {
    RecordedFile a(file("a.nwdb"));
    const RowId on = a.target("zen");
    for (const int size : {128, 256, 512}) {
      const ComputeDag dag = product(size);
      a.addMany(a.task(dag, on), dag, 64);
    }
    RecordedFile both(file("both.nwdb"));
    for (const char* target : {"zen", "lake"}) {
      const RowId there = both.target(target);
      for (const int size : {128, 256, 512}) {
        const ComputeDag dag = product(size);
        both.addMany(both.task(dag, there), dag, 64);
      }
    }
  }

#ifdef HAS_COST_MODEL
  void whatComesOutIsFoundAgain() {
    ModelWish wish = wishOfModel("xgboost");
    wish.options = {{"maxTrees", 9}};
    const TrainingRun run(wish, file("trees.nwm"));
    const TrainingCourse course = courseOf(run);
    QVERIFY2(course.state == TrainingState::Finished, course.problem.c_str());
    QCOMPARE(course.curve.size(), std::size_t{9});
    QVERIFY(course.data && course.data->train.tasks == 2);
    QVERIFY(course.model && course.model->test && !course.kept);
    const PastTraining past = pastTraining(file("trees.nwm"));
    QVERIFY(past.course.state == TrainingState::Finished);
    QCOMPARE(past.course.curve.size(), std::size_t{9});
    QVERIFY(past.wish == wish); // all of it can be read off the model
    // It is not written over.
    const TrainingRun again(wish, file("trees.nwm"));
    const TrainingCourse refused = courseOf(again);
    QVERIFY(refused.state == TrainingState::Failed);
    QVERIFY(refused.problem.find("is there already") != std::string::npos);
  }
#endif

  /// What masks labels, what it went on from, and how many steps it sees is read off a model, too.
  void whatAnMtlTrainingWasIsFoundAgain() {
    NW_NEED_LEARNER();
    ModelWish wish = wishOfModel("mtl-tlp");
    wish.data.files = {file("both.nwdb")};
    wish.data.target = "zen";
    wish.data.features = "steps,fit";
    wish.helpers = {"lake"};
    wish.targetRecords = 20;
    wish.options = {{"epochs", 2}, {"patience", 0}};
    const TrainingCourse course = courseOf(TrainingRun(wish, file("heads.nwm")));
    QVERIFY2(course.state == TrainingState::Finished, course.problem.c_str());
    QVERIFY(pastTraining(file("heads.nwm")).wish == wish);
    wish.startFrom = file("heads.nwm");
    wish.fineTune = true;
    wish.options = {{"epochs", 1}, {"patience", 0}};
    const TrainingCourse tuned = courseOf(TrainingRun(wish, file("tuned.nwm")));
    QVERIFY2(tuned.state == TrainingState::Finished, tuned.problem.c_str());
    QVERIFY(fs::remove(file("heads.nwm"))); // its name stays
    QVERIFY(pastTraining(file("tuned.nwm")).wish == wish);
  }

  /// They name the features as they became.
  void filesOfEarlierVersionsAreUnderstood() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const auto wishedOf = [&](const PrimitiveShape& shape) {
      ModelFile old{"tlp", stepFeaturesText({vocabulary, shape}), "zen", {}, {}, {}, {}};
      old.choice.features = old.features;
      return nestwright::wishOf(old).data.features;
    };
    QCOMPARE(wishedOf(publishedShape(vocabulary, false)), std::string());
    QCOMPARE(wishedOf({31, 40}), std::string("steps,fit"));
  }

  void aStoppedNetworkIsGoneOnWith() {
    NW_NEED_LEARNER();
    ModelWish wish = wishOfModel("mlp");
    wish.options = {{"epochs", 400}, {"batch", 32}, {"patience", 0}};
    TrainingCourse course;
    {
      TrainingRun run(wish, file("mlp.nwm"));
      while (course.curve.size() < 2 && course.state != TrainingState::Failed) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        run.bringUpToDate(course);
      }
      QVERIFY(course.progress.programsPerSecond > 0);
      QCOMPARE(course.progress.epochs, 400);
      run.stop();
      course = courseOf(run);
    }
    QVERIFY2(course.state == TrainingState::Stopped && course.kept, course.problem.c_str());
    PastTraining past = pastTraining(file("mlp.nwm"));
    QVERIFY(past.course.state == TrainingState::Stopped && past.course.kept);
    QCOMPARE(past.course.curve.size(), course.curve.size());
    QVERIFY(past.wish.resume);
    {
      // What another process is at has its curve, and nobody else goes on with it.
      const std::unique_ptr<OwnLock> lock = lockTraining(file("mlp.nwm"));
      const TrainingCourse elsewhere = pastTraining(file("mlp.nwm")).course;
      QVERIFY(elsewhere.state == TrainingState::Elsewhere && !elsewhere.kept);
      QCOMPARE(elsewhere.curve.size(), course.curve.size());
    }
    past.wish.options["epochs"] = static_cast<int>(course.curve.size()) + 2;
    QVERIFY(!isModelThere(file("mlp.nwm")));
    {
      const TrainingRun run(past.wish, file("mlp.nwm"));
      const TrainingCourse end = courseOf(run);
      QVERIFY2(end.state == TrainingState::Finished, end.problem.c_str());
      QCOMPARE(end.curve.size(), course.curve.size() + 2);
    }
    QVERIFY(isModelThere(file("mlp.nwm")));
    QVERIFY(!fs::exists(checkpointOf(file("mlp.nwm"))) && !fs::exists(wishFileOf(file("mlp.nwm"))));
  }

  void oneOfAnotherProcessIsTrainedElsewhere() {
    writeWish(file("busy.nwm"), wishOfModel("mlp"));
    {
      const std::unique_ptr<OwnLock> lock = lockTraining(file("busy.nwm"));
      const TrainingCourse course = pastTraining(file("busy.nwm")).course;
      QVERIFY(course.state == TrainingState::Elsewhere);
      QVERIFY(course.trainer.starts_with("process "));
    }
    const TrainingCourse course = pastTraining(file("busy.nwm")).course;
    QVERIFY(course.state == TrainingState::Stopped && course.trainer.empty());
    removeTraining(file("busy.nwm"));
  }

  void anotherTrainingIsNotReplaced() {
    NW_NEED_LEARNER();
    std::ofstream(checkpointOf(file("kept.nwm"))) << "of another";
    writeWish(file("kept.nwm"), wishOfModel("tlp"));
    const TrainingRun run(wishOfModel("mlp"), file("kept.nwm"));
    const TrainingCourse course = courseOf(run);
    QVERIFY(course.state == TrainingState::Failed);
    QVERIFY(course.problem.find("interrupted") != std::string::npos);
    QCOMPARE(readWish(file("kept.nwm")).model, std::string("tlp"));
  }

  void modelsOfAFolderAreListed() {
    const samples::Folder folder;
    const auto make = [&](const char* name, int age) {
      const std::string path = folder.file(name);
      std::ofstream(path) << "x";
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(age));
      return path;
    };
    const std::string old = make("old.nwm", 3), fresh = make("fresh.nwm", 1);
    make("half.nwm.training", 2);
    make("other.nwdb", 0);
    make("fresh.nwm.model-77", 0);
    QCOMPARE(modelsIn(folder.file("")),
             (std::vector<std::string>{fresh, folder.file("half.nwm"), old}));
    QVERIFY(modelsIn(folder.file("none")).empty());
    const PastTraining unread = pastTraining(old);
    QVERIFY(unread.course.state == TrainingState::Failed && !unread.course.problem.empty());
  }
};

NW_TEST_APPLESS(TrainingRunTest)

} // namespace nestwright::training_run_test

#include "training_run.moc"
