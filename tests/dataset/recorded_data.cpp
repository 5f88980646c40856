#include "core/dataset/recorded_data.h"

#include "core/dataset/network_tasks.h"
#include "core/feature/program_features.h"
#include "core/model/metrics.h"
#include "core/network/partition/partition.h"
#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"
#include "core/worker/quiet.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <chrono>
#include <future>

namespace nestwright::recorded_data_test {

using test::product;
using test::RecordedFile;
using test::tiled;

/// What is wrong with it; empty when nothing is.
template <class F>
std::string problemOf(const F& f) {
  try {
    f();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

DataChoice choiceOf(std::vector<std::string> files) {
  DataChoice choice;
  choice.files = std::move(files);
  return choice;
}

RecordedData dataOf(const DataChoice& choice, const ReadOptions& options = {}) {
  return readData(openFiles(choice), choice, options);
}

class RecordedDataTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readingForATrainingWaitsWhileKernelsAreTimed() {
    const samples::Folder folder;
    const ComputeDag dag = product(128);
    {
      RecordedFile a(folder.file("a.nwdb"));
      a.addMany(a.task(dag, a.target("zen")), dag, 8);
    }
    const auto reading = [&](bool standsBack) {
      return std::async(std::launch::async, [&folder, standsBack] {
        ReadOptions options;
        options.standsBack = standsBack;
        return dataOf(choiceOf({folder.file("a.nwdb")}), options).set.size();
      });
    };
    QuietHold timed = holdForTiming();
    std::future<std::size_t> waits = reading(true);
    QCOMPARE(reading(false).get(), std::size_t{8}); // whoever looks at data waits for nobody
    QVERIFY(waits.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout);
    timed = QuietHold();
    QCOMPARE(waits.get(), std::size_t{8});
  }

  /// Two files, the second with a program of the first again and a task of its own. In whichever
  /// order they are named, the set is the same.
  void filesComeTogetherByTaskAndProgram() {
    const samples::Folder folder;
    const ComputeDag small = product(128), large = product(512);
    {
      RecordedFile a(folder.file("a.nwdb")), b(folder.file("b.nwdb"));
      const RowId task = a.task(small, a.target("zen"));
      a.add(task, small, tiled(128, 1), {1e-3, 2e-3, 6e-3});
      a.add(task, small, tiled(128, 2), {});
      const RowId same = b.task(small, b.target("zen")), other = b.task(large, b.target("zen"));
      b.add(same, small, tiled(128, 1), {4e-3});
      b.add(same, small, tiled(128, 2), {5e-3}); // it failed before, and runs now
      b.add(other, large, tiled(512, 3), {});
    }
    const RecordedData data = dataOf(choiceOf({folder.file("a.nwdb"), folder.file("b.nwdb")}));
    QCOMPARE(data.set.size(), std::size_t{3});
    QCOMPARE(data.tasks.size(), std::size_t{2});
    QCOMPARE(data.intake.records, std::int64_t{5});
    QCOMPARE(data.intake.repeated, std::int64_t{2});
    const auto secondsOf = [&](const ComputeDag& dag, const Steps& steps) {
      for (const Outcome& outcome : data.set.outcomes)
        if (outcome.program == programId(dag, steps)) return outcome.seconds;
      return 0.0;
    };
    QCOMPARE(secondsOf(small, tiled(128, 1)), 3e-3); // between 2 ms and 4 ms
    QCOMPARE(secondsOf(small, tiled(128, 2)), 5e-3);
    QVERIFY(std::isinf(secondsOf(large, tiled(512, 3))));
    QVERIFY(findFaults(data.set).sound());
    QVERIFY(data.set.features.rowCount(0) > 0);

    const RecordedData turned = dataOf(choiceOf({folder.file("b.nwdb"), folder.file("a.nwdb")}));
    QVERIFY(turned.set.tasks == data.set.tasks);
    QVERIFY(dataOf(choiceOf({folder.file("a.nwdb"), folder.file("a.nwdb")})).set.size() == 2);
    QVERIFY(QString::fromStdString(problemOf([&] {
              dataOf(choiceOf({"missing.nwdb"}));
            })).contains("missing.nwdb"));
  }

  /// Two tasks compute the same under other names: so do their programs, whichever they are.
  void programsOfSeveralNamesAreKnownAsOne() {
    const samples::Folder folder;
    const ComputeDag named = product(128), renamed = product(128, "XYZ");
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId on = file.target("zen");
      file.addMany(file.task(named, on), named, 5);
      file.addMany(file.task(renamed, on), renamed, 5);
    }
    const RecordedData data = dataOf(choiceOf({folder.file("a.nwdb")}));
    QCOMPARE(data.set.size(), std::size_t{10});
    for (std::size_t i = 0; i < 5; ++i) {
      QVERIFY(data.set.outcomes[i].program != data.set.outcomes[i + 5].program);
      QCOMPARE(identityOf(data, i), identityOf(data, i + 5));
    }
  }

  /// Steps that the published vocabulary lacks get room where a model is to learn from them, and
  /// are counted where it reads what it learned without them.
  void rowsOfStepsGetRoomForWords() {
    const samples::Folder folder;
    const ComputeDag dag = product(128);
    Steps aligned = tiled(128, 1);
    aligned.emplace_back(StorageAlignStep{2, 0, 32, 0});
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId task = file.task(dag, file.target("zen"));
      file.add(task, dag, tiled(128, 1), {1e-3});
      file.add(task, dag, aligned, {2e-3});
    }
    DataChoice choice = choiceOf({folder.file("a.nwdb")});
    choice.features = "steps";
    const RecordedData read = dataOf(choice);
    QCOMPARE(read.set.features.columns(), std::size_t{22});
    QCOMPARE(read.features, std::string("steps"));
    QCOMPARE(read.primitives.unknown.at("SA"), std::size_t{1});
    const RecordedData learned = dataOf(choice, {.learnSteps = true});
    QCOMPARE(learned.set.features.columns(), std::size_t{23});
    QVERIFY(learned.primitives.unknown.empty());
    QCOMPARE(learned.intake.records, read.intake.records);
    choice.features = learned.features;
    QVERIFY(
        std::ranges::equal(dataOf(choice).set.features.values(), learned.set.features.values()));
    choice.features = "steps,fit";
    const RecordedData fitted = dataOf(choice, {.learnSteps = true});
    QVERIFY(featureChoice(fitted.features, {}).steps->shape().steps == 3);
  }

  /// 1 ms, 2 ms and 6 ms: 2 ms as the product shows it, 3 ms as the papers have it.
  void labelsAreOfTheChosenTime() {
    const samples::Folder folder;
    const ComputeDag dag = product(128);
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId task = file.task(dag, file.target("zen"));
      file.add(task, dag, tiled(128, 1), {1e-3, 2e-3, 6e-3});
      file.add(task, dag, tiled(128, 2), {1e-3});
      file.add(task, dag, tiled(128, 3), {});
    }
    DataChoice choice = choiceOf({folder.file("a.nwdb")});
    QCOMPARE(normalisedThroughput(dataOf(choice).set), (std::vector<float>{0.5F, 1, 0}));
    choice.label = LabelTime::Mean;
    QCOMPARE(normalisedThroughput(dataOf(choice).set),
             (std::vector<float>{static_cast<float>(1.0 / 3), 1, 0}));
    choice.keepFailures = false;
    const RecordedData dropped = dataOf(choice);
    QCOMPARE(dropped.set.size(), std::size_t{2});
    QCOMPARE(dropped.intake.failuresDropped, std::int64_t{1});
  }

  void mixedTargetsAreRefusedWithTheirCounts() {
    const samples::Folder folder;
    const ComputeDag dag = product(128);
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId zen = file.task(dag, file.target("zen")),
                  lake = file.task(dag, file.target("lake"));
      file.add(zen, dag, tiled(128, 1), {1e-3});
      file.add(zen, dag, tiled(128, 2), {2e-3});
      file.add(lake, dag, tiled(128, 1), {8e-3});
    }
    DataChoice choice = choiceOf({folder.file("a.nwdb")});
    const QString problem = QString::fromStdString(problemOf([&] { dataOf(choice); }));
    QVERIFY2(problem.contains("2 of zen") && problem.contains("1 of lake") &&
                 problem.contains("--across-targets"),
             qPrintable(problem));
    choice.target = "ZEN";
    QCOMPARE(dataOf(choice).set.size(), std::size_t{2});
    choice.target = "arm";
    QVERIFY(!problemOf([&] { dataOf(choice); }).empty());
    choice.target.clear();
    choice.acrossTargets = true;
    const RecordedData both = dataOf(choice);
    QCOMPARE(both.set.machines, (std::vector<std::string>{"lake", "zen"}));
    // Each target has a best of its own.
    QCOMPARE(normalisedThroughput(both.set), (std::vector<float>{1, 1, 0.5F}));
    QCOMPARE(findFaults(both.set).foreignMachine, std::size_t{2}); // no model learns from it as one
  }

  void recordsAreChosenByFilterTaskAndNetwork() {
    const samples::Folder folder;
    const ComputeDag small = product(128), large = product(512);
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId target = file.target("zen");
      file.addMany(file.task(small, target), small, 20);
      file.addMany(file.task(large, target), large, 30);
    }
    DataChoice choice = choiceOf({folder.file("a.nwdb")});
    QCOMPARE(dataOf(choice).set.size(), std::size_t{50});
    choice.filter = "latency<5.5ms";
    QCOMPARE(dataOf(choice).set.size(), std::size_t{10});
    choice.filter.clear();
    choice.tasks = {"task 1"};
    QCOMPARE(dataOf(choice).set.size(), std::size_t{30});
    choice.tasks = {workloadKey(small)};
    QCOMPARE(dataOf(choice).set.size(), std::size_t{20});
    choice.tasks.clear();
    choice.networks = {"net"};
    QCOMPARE(dataOf(choice).set.size(), std::size_t{50});
    choice.networks = {"bert_tiny:batch=1,sequence=128"};
    QVERIFY(!problemOf([&] { dataOf(choice); }).empty());
    choice.networks = {"no such network"};
    QVERIFY(!problemOf([&] { dataOf(choice); }).empty());
  }

  /// One thread and two, with features and without: the same programs.
  void threadsChangeNothing() {
    const samples::Folder folder;
    const ComputeDag dag = product(512);
    {
      RecordedFile file(folder.file("a.nwdb"));
      file.addMany(file.task(dag, file.target("zen")), dag, 60);
    }
    const DataChoice choice = choiceOf({folder.file("a.nwdb")});
    const RecordedData one = dataOf(choice, {.threads = 1}), two = dataOf(choice, {.threads = 2});
    const RecordedData none = dataOf(choice, {.features = false});
    QVERIFY(std::ranges::equal(one.set.features.values(), two.set.features.values()));
    QCOMPARE(none.set.features.rows(), std::size_t{0});
    QCOMPARE(none.set.size(), one.set.size());
    for (std::size_t i = 0; i < one.set.size(); ++i)
      QVERIFY(none.set.outcomes[i].program == one.set.outcomes[i].program);
  }

  /// Names of tensors and axes, and attributes, do not matter; what is computed does.
  void definitionsAreFreeOfNames() {
    const std::string hash = definitionHash(product(512));
    QCOMPARE(definitionHash(product(512, "XYZ")), hash);
    QVERIFY(definitionHash(product(256)) != hash);
    const auto of = [](const char* text) { return definitionHash(parseDag(text)); };
    const char* kAxes = "A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
                        "C(y, x) += (A[y, rc]*B[rc, x])\n";
    QCOMPARE(of(kAxes), hash);
    QVERIFY(of("A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
               "C(i, j) += (A[i, k]*B[j, k])\n") != hash);
    // Functions are no names.
    QVERIFY(of("a = PLACEHOLDER [8]\nb(i) = exp(a[i])\n") !=
            of("a = PLACEHOLDER [8]\nb(i) = tanh(a[i])\n"));
    QCOMPARE(of("exp = PLACEHOLDER [8]\nb(i) = exp(exp[i])\n"),
             of("a = PLACEHOLDER [8]\nb(i) = exp(a[i])\n"));
  }

  void networksAreOfTheZooOrOfTheFiles() {
    const samples::Folder folder;
    const ComputeDag dag = product(128, "XYZ");
    std::vector<RecordStore> files;
    {
      RecordedFile file(folder.file("a.nwdb"));
      file.task(dag, file.target("zen"), 7);
    }
    files.push_back(RecordStore::open(folder.file("a.nwdb"), OpenMode::ReadOnly));
    const std::vector<NetworkTasks> own = networkTasks({"net"}, files);
    QCOMPARE(own.size(), std::size_t{1});
    QCOMPARE(own[0].weights.at(definitionHash(product(128))), 7.0);
    QVERIFY(networksOf(files)[0].weights == own[0].weights);

    const std::string spec = "bert_tiny:batch=1,sequence=128";
    const std::vector<NetworkTasks> zoo = networkTasks({spec, spec}, files);
    QCOMPARE(zoo.size(), std::size_t{1});
    const Partition parts = optimisedPartition(parseNetworkSpec(spec));
    QCOMPARE(zoo[0].weights.size(), parts.tunableCount());
    QCOMPARE(zoo[0].weights.at(definitionHash(parts.tasks[0].dag)),
             static_cast<double>(parts.tasks[0].weight));
  }
};

NW_TEST_APPLESS(RecordedDataTest)

} // namespace nestwright::recorded_data_test

#include "recorded_data.moc"
