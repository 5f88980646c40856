#include "core/story/data_story.h"

#include "core/dataset/choice_file.h"
#include "core/story/model_ranking.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <numeric>

namespace nestwright::data_story_test {

using test::product;
using test::RecordedFile;

/// Four products of 64 programs each, on one target; the last one is too small to learn from.
DataChoice fourProducts(const samples::Folder& folder) {
  {
    RecordedFile file(folder.file("a.nwdb"));
    const RowId target = file.target("zen");
    for (const int size : {128, 256, 512, 1024}) {
      const ComputeDag dag = product(size);
      file.addMany(file.task(dag, target), dag, size == 1024 ? 20 : 64);
    }
  }
  DataChoice choice;
  choice.files = {folder.file("a.nwdb")};
  return choice;
}

class DataStoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyProgramIsInOnePart() {
    const samples::Folder folder;
    DataChoice choice = fourProducts(folder);
    choice.split = SplitKind::WithinTasks;
    choice.testShare = 0.25;
    const DataStory story = readDataStory(choice);
    QCOMPARE(story.unreadable, std::string());
    QCOMPARE(story.problem, std::string());
    QCOMPARE(story.tasks.size(), std::size_t{4});
    std::size_t programs = 0, failed = 0, test = 0;
    for (const DataShare& share : story.tasks) {
      programs += share.programs(), failed += share.failed, test += share.test;
      if (share.programs() == 20) QCOMPARE(share.leftOut, std::size_t{15}); // but for the test's
    }
    QCOMPARE(programs, std::size_t{3 * 64 + 20});
    QCOMPARE(failed, std::size_t{3 * 6 + 2});
    QCOMPARE(test, std::size_t{3 * 16 + 5});
    QCOMPARE(story.tooFew, std::size_t{1});
    // The one network has all of them.
    QCOMPARE(story.networks.size(), std::size_t{1});
    QCOMPARE(story.networks.front().programs(), programs);
    QCOMPARE(story.networks.front().tasks, std::size_t{4});
    QCOMPARE(story.knownTargets, (std::vector<KnownTarget>{{"zen", "llvm -mcpu=zen"}}));
  }

  void whyItCannotBeUsedIsTold() {
    const samples::Folder folder;
    DataChoice choice = fourProducts(folder);
    choice.leastPrograms = 1000;
    DataStory story = readDataStory(choice);
    QVERIFY2(story.problem.find("nothing is left to learn from") != std::string::npos,
             story.problem.c_str());
    QCOMPARE(story.tasks.size(), std::size_t{4}); // what there is, is shown nevertheless
    choice.filter = "no such field:1";
    story = readDataStory(choice);
    QVERIFY(!story.unreadable.empty());
    choice = {};
    choice.files = {folder.file("none.nwdb")};
    QVERIFY(readDataStory(choice).unreadable.find("there is no file") != std::string::npos);
  }

  void severalTargetsAreOfferedEvenWhereTheyAreRefused() {
    const samples::Folder folder;
    {
      RecordedFile file(folder.file("two.nwdb"));
      const ComputeDag dag = product(128);
      for (const char* key : {"zen", "atom"})
        file.addMany(file.task(dag, file.target(key)), dag, 64);
    }
    DataChoice choice;
    choice.files = {folder.file("two.nwdb")};
    DataStory story = readDataStory(choice);
    QVERIFY(!story.unreadable.empty());
    QCOMPARE(story.knownTargets.size(), std::size_t{2});
    choice.acrossTargets = true;
    story = readDataStory(choice);
    QCOMPARE(story.unreadable, std::string());
    QCOMPARE(story.tasks.size(), std::size_t{2}); // one on each
    QVERIFY(story.tasks[0].target != story.tasks[1].target);
  }

  void readingEndsWhenItIsToldTo() {
    const samples::Folder folder;
    struct Enough {};
    int looks = 0;
    QVERIFY_EXCEPTION_THROWN(readDataStory(fourProducts(folder),
                                           [&looks] {
                                             if (++looks == 4) throw Enough();
                                           }),
                             Enough);
  }

  void theCommandSaysTheChoice() {
    DataChoice choice;
    choice.files = {"/a/b.nwdb", "/a/it's here.nwdb"};
    choice.filter = "latency<1ms";
    choice.split = SplitKind::ByNetwork;
    choice.holdOut = {"zoo_test", "resnet18:batch=1,image=224"};
    choice.keepFailures = false;
    choice.drawnTasks = 100;
    QCOMPARE(datasetCommand(choice),
             std::string("nestwright dataset --db /a/b.nwdb '/a/it'\\''s here.nwdb' --filter "
                         "'latency<1ms' --failures drop --draw-tasks 100 --hold-out zoo_test "
                         "resnet18:batch=1,image=224"));
    choice = {};
    choice.split = SplitKind::ByTarget;
    choice.acrossTargets = true;
    choice.testTarget = "zen";
    QCOMPARE(
        datasetCommand(choice),
        std::string("nestwright dataset --across-targets --split by-target --test-target zen"));
  }

  void aFileKeepsTheChoice() {
    const samples::Folder folder;
    DataChoice choice = fourProducts(folder);
    choice.seed = 7;
    writeChoice(choice, folder.file("set.json"));
    QVERIFY(readChoice(folder.file("set.json")) == choice);
    QVERIFY_EXCEPTION_THROWN(readChoice(folder.file("none.json")), InputError);
    QVERIFY_EXCEPTION_THROWN(readChoice(folder.file("a.nwdb")), InputError);
  }

  void judgingNeedsNoModel() {
    const samples::Folder folder;
    JudgeWish wish;
    wish.choice = fourProducts(folder);
    wish.models = {folder.file("none.nwm")};
    wish.bootstrap.resamples = 50;
    QVERIFY_EXCEPTION_THROWN(judgeModels(wish), InputError);
    wish.passOver = true;
    const Judgement judgement = judgeModels(wish);
    QCOMPARE(judgement.refused.size(), std::size_t{1});
    QCOMPARE(judgement.evaluation.models.size(), std::size_t{2}); // random and oracle
    QCOMPARE(judgement.evaluation.tasks.size(), std::size_t{4});
    const BoundedFigures ab = differenceOf(judgement.evaluation, 0, 1),
                         ba = differenceOf(judgement.evaluation, 1, 0);
    int figures = 0;
    for (std::size_t i = 0; i < ab.size(); ++i)
      if (!std::isnan(ab[i].value)) {
        ++figures;
        QCOMPARE(ba[i].value, -ab[i].value);
        QCOMPARE(ba[i].bounds.low, -ab[i].bounds.high);
      }
    QVERIFY(figures > 0);
  }

  void anOrderIsByTheModel() {
    const samples::Folder folder;
    JudgeWish wish;
    wish.choice = fourProducts(folder);
    wish.bootstrap.resamples = 0;
    const Judgement judgement = judgeModels(wish);
    for (std::size_t task = 0; task < judgement.evaluation.tasks.size(); ++task) {
      // The oracle's order is the measured one; failed programs are the last.
      std::size_t failed = 0;
      const std::vector<JudgedProgram> oracle = judgedPrograms(judgement, task, 1);
      for (const JudgedProgram& program : oracle) {
        QCOMPARE(program.predicted, program.measured);
        if (program.failed()) ++failed;
        QVERIFY(failed == 0 || program.failed());
      }
      QCOMPARE(failed, judgement.evaluation.models[1].tasks[task].failed);
      QCOMPARE(topScore(judgement.evaluation, 1, task, 0), 1.0);
      // Another order of the same programs.
      std::vector<JudgedProgram> random = judgedPrograms(judgement, task, 0);
      QCOMPARE(random.size(), oracle.size());
      QVERIFY(random != oracle);
      std::ranges::sort(random, {}, &JudgedProgram::measured);
      for (std::size_t i = 0; i < random.size(); ++i)
        QCOMPARE(random[i].program, oracle[i].program);
    }
  }
};

NW_TEST_GUILESS(DataStoryTest)

} // namespace nestwright::data_story_test

#include "data_story.moc"
