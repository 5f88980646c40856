#include "core/dataset/data_parts.h"

#include "core/dataset/data_survey.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <set>

namespace nestwright::data_parts_test {

using Indices = std::vector<std::size_t>;

/// Tasks with so many programs each, on each of the machines; every fifth program fails, and all of
/// the task `broken`.
RecordedData made(const std::vector<int>& programs, int machines = 1, int broken = -1) {
  RecordedData data;
  data.set = DataSet(1);
  for (int m = 0; m < machines; ++m)
    data.targets.push_back({fmt::format("machine {}", m), "", {}, 0});
  for (std::size_t task = 0; task < programs.size(); ++task) {
    data.tasks.push_back({fmt::format("key {}", task), fmt::format("task {}", task),
                          fmt::format("definition {}", task), 1e9});
    for (int m = 0; m < machines; ++m)
      for (int n = 0; n < programs[task]; ++n) {
        const float row[] = {static_cast<float>(n)};
        const bool fails = n % 5 == 4 || static_cast<int>(task) == broken;
        data.set.add(data.tasks[task].key, fmt::format("program {} of {}", n, task),
                     data.targets[static_cast<std::size_t>(m)].id, row,
                     fails ? std::numeric_limits<double>::infinity() : 1e-3 * (n + 1));
      }
  }
  return data;
}

DataChoice choice() {
  DataChoice choice;
  choice.files = {"a.nwdb"};
  choice.leastPrograms = 10;
  return choice;
}

std::set<std::string> tasksOf(const RecordedData& data, const Indices& part) {
  std::set<std::string> tasks;
  for (const std::size_t i : part)
    tasks.insert(data.set.tasks[data.set.outcomes[i].task]);
  return tasks;
}

bool contains(const Indices& larger, const Indices& smaller) {
  return std::ranges::includes(larger, smaller);
}

std::string problemOf(const RecordedData& data, const DataParts& parts, const DataChoice& choice) {
  try {
    requireUsable(data, parts, choice);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

class DataPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Two tasks of one definition under two names: the network has one of the names, and both leave
  /// the training part.
  void networksAreHeldOutByDefinition() {
    RecordedData data = made({20, 20, 20, 20});
    data.tasks[2].definition = data.tasks[1].definition;
    DataChoice by = choice();
    by.split = SplitKind::ByNetwork;
    by.holdOut = {"net"};
    const DataParts parts = partsOf(data, by, {{"net", {{"definition 1", 3}, {"elsewhere", 1}}}});
    QCOMPARE(tasksOf(data, parts.test), (std::set<std::string>{"key 1", "key 2"}));
    QCOMPARE(parts.test.size(), std::size_t{40});
    QCOMPARE(tasksOf(data, parts.train), (std::set<std::string>{"key 0", "key 3"}));
    QVERIFY(parts.leaks.trainTest == SharedBetween());
    QVERIFY(problemOf(data, parts, by).empty());
    const DataSurvey survey =
        surveyOf(data, parts, {{"net", {{"definition 1", 3}, {"elsewhere", 1}}}});
    QCOMPARE(survey.heldOut[0].tasks, std::size_t{2});
    QCOMPARE(survey.heldOut[0].tasksFound, std::size_t{1});
    QCOMPARE(survey.heldOut[0].programs, std::size_t{40});
    // What two names hide from a split by name is what the check finds.
    DataParts leaking = parts;
    leaking.train = {40};
    leaking.test = {20};
    leaking.leaks = checkLeaks(data, leaking);
    QCOMPARE(leaking.leaks.trainTest.tasks, std::size_t{1});
    QVERIFY(QString::fromStdString(problemOf(data, leaking, by)).contains("1 task and 0 programs"));
  }

  /// Two tasks of one definition have the same programs under other names: each is on one side, and
  /// one that is not is found.
  void oneProgramOfSeveralNamesStaysTogether() {
    RecordedData data = made({20, 20});
    data.tasks[1].definition = data.tasks[0].definition;
    for (std::size_t i = 0; i < 20; ++i)
      data.renamed[20 + i] = data.set.outcomes[i].program;
    DataChoice within = choice();
    within.split = SplitKind::WithinTasks;
    within.testShare = 0.3;
    within.validationShare = 0.3;
    const DataParts parts = partsOf(data, within, {});
    for (const Indices* part : {&parts.train, &parts.validation, &parts.test}) {
      QVERIFY(!part->empty());
      for (const std::size_t i : *part)
        QVERIFY(std::ranges::binary_search(*part, (i + 20) % 40));
    }
    for (const SharedBetween& both :
         {parts.leaks.trainTest, parts.leaks.trainValidation, parts.leaks.validationTest})
      QCOMPARE(both.programs, std::size_t{0});
    DataParts leaking = parts;
    leaking.train = {0};
    leaking.test = {20};
    QCOMPARE(checkLeaks(data, leaking).trainTest.programs, std::size_t{1});
  }

  void tasksThatTeachNothingDoNotTrain() {
    const RecordedData data = made({20, 9, 20, 30}, 1, 2);
    const DataParts parts = partsOf(data, choice(), {});
    QCOMPARE(tasksOf(data, parts.train), (std::set<std::string>{"key 0", "key 3"}));
    QCOMPARE(parts.tooFew, std::size_t{1});
    QCOMPARE(parts.allFailed, std::size_t{1});
    QCOMPARE(surveyOf(data, parts, {}).allFailed, std::size_t{1});
    DataChoice strict = choice();
    strict.leastPrograms = 100;
    const DataParts none = partsOf(data, strict, {});
    QVERIFY(QString::fromStdString(problemOf(data, none, strict)).contains("--least-programs"));
  }

  void splitsWithinTasksAndByTask() {
    const RecordedData data = made(std::vector<int>(20, 20));
    DataChoice by = choice();
    by.split = SplitKind::WithinTasks;
    by.testShare = 0.25;
    const DataParts within = partsOf(data, by, {});
    QCOMPARE(within.test.size(), std::size_t{100});
    QCOMPARE(tasksOf(data, within.test).size(), std::size_t{20});
    QCOMPARE(within.train.size() + within.validation.size(), std::size_t{300});
    QCOMPARE(within.leaks.trainTest.programs, std::size_t{0});
    QCOMPARE(within.leaks.trainTest.tasks, std::size_t{20}); // which such a split means
    QVERIFY(problemOf(data, within, by).empty());

    by.split = SplitKind::ByTask;
    const DataParts byTask = partsOf(data, by, {});
    QCOMPARE(byTask.test.size(), std::size_t{100});
    QCOMPARE(tasksOf(data, byTask.test).size(), std::size_t{5});
    QVERIFY(byTask.leaks.trainTest == SharedBetween());
    by.seed = 1;
    QVERIFY(partsOf(data, by, {}).test != byTask.test);
  }

  void targetsAreHeldOutWhole() {
    const RecordedData data = made({20, 20}, 2);
    DataChoice by = choice();
    by.acrossTargets = true;
    by.split = SplitKind::ByTarget;
    by.testTarget = "machine 1";
    const DataParts parts = partsOf(data, by, {});
    for (const std::size_t i : parts.test)
      QCOMPARE(data.set.outcomes[i].machine, std::size_t{1});
    QCOMPARE(parts.test.size(), std::size_t{40});
    QVERIFY(parts.leaks.trainTest == SharedBetween()); // other times of the same programs
    const HeldOutNetwork found =
        surveyOf(data, parts, {{"net", {{"definition 0", 1}, {"definition 1", 1}}}}).heldOut[0];
    QCOMPARE(found.tasksFound, std::size_t{2}); // on two targets each
  }

  void validationIsOfProgramsOrOfTasks() {
    const RecordedData data = made(std::vector<int>(10, 20));
    const DataParts programs = partsOf(data, choice(), {});
    QCOMPARE(programs.validation.size(), std::size_t{20});
    QCOMPARE(tasksOf(data, programs.validation).size(), std::size_t{10});
    DataChoice whole = choice();
    whole.validateWholeTasks = true;
    const DataParts tasks = partsOf(data, whole, {});
    QCOMPARE(tasks.validation.size(), std::size_t{20});
    QCOMPARE(tasksOf(data, tasks.validation).size(), std::size_t{1});
    QVERIFY(problemOf(data, tasks, whole).empty());
    DataChoice none = choice();
    none.validationShare = 0;
    QVERIFY(partsOf(data, none, {}).validation.empty());
  }

  /// A smaller choice is part of a larger one, in tasks as in programs, also when the data grow.
  void drawsAreNested() {
    const RecordedData data = made(std::vector<int>(30, 20));
    DataChoice some = choice();
    some.validationShare = 0;
    Indices before;
    for (const auto& [tasks, programs] :
         std::vector<std::pair<std::size_t, std::size_t>>{{3, 4}, {3, 11}, {12, 11}, {30, 20}}) {
      some.drawnTasks = tasks;
      some.drawnPrograms = programs;
      const DataParts parts = partsOf(data, some, {});
      QCOMPARE(parts.train.size(), tasks * programs);
      QCOMPARE(tasksOf(data, parts.train).size(), tasks);
      QCOMPARE(parts.notDrawn, 30 - tasks);
      QVERIFY(contains(parts.train, before));
      before = parts.train;
    }
    // By what programs and tasks are called, not by where they stand.
    some.drawnTasks = 12;
    some.drawnPrograms = 11;
    std::vector<int> more(30, 20);
    more.push_back(20);
    const RecordedData grown = made(more);
    const Indices few = partsOf(data, some, {}).train, again = partsOf(grown, some, {}).train;
    std::size_t same = 0;
    for (const std::size_t i : again)
      same += std::ranges::binary_search(few, i); // the new task stands behind all others
    QVERIFY(same >= 11 * 11);
  }

  void choicesComeBackFromJson() {
    DataChoice all = choice();
    all.filter = "latency<1ms";
    all.target = "zen";
    all.acrossTargets = true;
    all.networks = {"resnet18"};
    all.tasks = {"task"};
    all.label = LabelTime::Mean;
    all.keepFailures = false;
    all.features = "paper,lowered";
    all.drawnTasks = 3;
    all.drawnPrograms = 4;
    all.validationShare = 0.2;
    all.validateWholeTasks = true;
    all.split = SplitKind::ByNetwork;
    all.testShare = 0.3;
    all.holdOut = {"zoo_test"};
    all.testTarget = "lake";
    all.seed = 5;
    const nlohmann::json json = nlohmann::json::parse(toJson(all).dump());
    QVERIFY(dataChoiceFromJson(json) == all);
    const auto problem = [](const nlohmann::json& json) -> QString {
      try {
        dataChoiceFromJson(json);
        return {};
      } catch (const InputError& error) {
        return error.what();
      }
    };
    nlohmann::json other = json;
    other["version"] = 2;
    QVERIFY(problem(other).contains("version 2") && problem(other).contains("version 1"));
    other = json;
    other.erase("seed");
    QVERIFY(problem(other).contains("seed"));
    other = json;
    other["split"] = "by-magic";
    QVERIFY(problem(other).contains("by-network"));
    QVERIFY(!problem(nlohmann::json::array()).isEmpty());
    other = json;
    other["hold_out"] = nlohmann::json::array();
    QVERIFY(problem(other).contains("--hold-out"));
  }
};

NW_TEST_APPLESS(DataPartsTest)

} // namespace nestwright::data_parts_test

#include "data_parts.moc"
