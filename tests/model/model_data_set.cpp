#include "core/model/data_set.h"
#include "core/support/error.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>

namespace nestwright::model_data_set_test {

constexpr double kFailed = std::numeric_limits<double>::infinity();

DataSet sample() {
  return test::synthetic({.programs = 50, .tasks = 3, .failures = 0.1});
}

/// The same list, each element one place on.
template <class T>
void rotate(std::vector<T>& list) {
  std::rotate(list.begin(), list.begin() + 1, list.end());
}

class ModelDataSet : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void labels() {
    DataSet set(2);
    const float rows[] = {1, 2, 3, 4};
    set.add("a", "p0", "m", rows, 2e-3);
    set.add("a", "p1", "m", rows, 1e-3);
    set.add("b", "p2", "m", rows, kFailed);
    set.add("a", "p3", "m", rows, kFailed);
    set.add("c", "p4", "m", rows, 7.0);
    QCOMPARE(set.tasks, (std::vector<std::string>{"a", "b", "c"}));
    QCOMPARE(normalisedThroughput(set), (std::vector<float>{0.5F, 1, 0, 0, 1}));
    QVERIFY(findFaults(set).sound());
    const std::size_t chosen[] = {4, 0};
    const DataSet part = select(set, chosen);
    QCOMPARE(normalisedThroughput(part), (std::vector<float>{1, 1}));
    QCOMPARE(part.features.program(1)[3], 4.0F);
    QVERIFY(findFaults(part).sound());
  }

  void refusesRaggedRows() {
    DataSet set(3);
    const float values[] = {1, 2, 3, 4};
    QVERIFY_THROWS_EXCEPTION(InputError, set.add("a", "p", "m", values, 1));
  }

  void blankPrograms() {
    FeatureTable table(2);
    table.add(std::vector<float>{0, 0, 0, 0});
    table.add({});
    table.add(std::vector<float>{0, 0, 1, 0});
    QVERIFY(table.blank(0));
    QVERIFY(table.blank(1));
    QVERIFY(!table.blank(2));
  }

  void shuffledResults() {
    DataSet set = sample();
    rotate(set.outcomes);
    const DataSetFaults faults = findFaults(set);
    QCOMPARE(faults.foreignProgram, std::size_t{50});
    QVERIFY_THROWS_EXCEPTION(InputError, requireSound(set));
  }

  void twoResultsExchanged() {
    DataSet set = sample();
    std::swap(set.outcomes[3], set.outcomes[17]);
    const DataSetFaults faults = findFaults(set);
    QCOMPARE(faults.foreignProgram, std::size_t{2});
    QVERIFY2(faults.text().starts_with("of 50 programs 2 with the features of another program"),
             faults.text().c_str());
    QVERIFY2(faults.text().find("program 3 (program 17)") != std::string::npos,
             faults.text().c_str());
  }

  /// The names agree with each other, but not with the rows.
  void shuffledIds() {
    DataSet set = sample();
    for (auto i : {5, 9}) {
      std::swap(set.entries[i].program, set.entries[i + 1].program);
      std::swap(set.entries[i].content, set.entries[i + 1].content);
      std::swap(set.outcomes[i].program, set.outcomes[i + 1].program);
    }
    QCOMPARE(findFaults(set).foreignProgram, std::size_t{0});
    QCOMPARE(findFaults(set).changedRows, std::size_t{4});
  }

  void contradiction() {
    DataSet set = sample();
    const std::vector<float> other(test::kColumns, 1);
    set.add("task 0", "program 0", "this machine", other, 1);
    QCOMPARE(findFaults(set).contradictory, std::size_t{1});
    set = sample();
    const auto rows = set.features.program(0);
    set.add("task 0", "program 0", "this machine", std::vector<float>(rows.begin(), rows.end()), 1);
    QVERIFY(findFaults(set).sound()); // measured again
  }

  void mixedTasksAndMachines() {
    DataSet set = sample();
    set.entries[4].task = 0;
    QCOMPARE(findFaults(set).foreignTask, std::size_t{1});
    set = sample();
    set.outcomes[4].task = set.entries[4].task = 99;
    QCOMPARE(findFaults(set).foreignTask, std::size_t{1});
    set = sample();
    const std::vector<float> row(test::kColumns, 1);
    set.add("task 0", "program 77", "another machine", row, 1);
    set.add("task 0", "program 78", "another machine", row, 1);
    QCOMPARE(findFaults(set).foreignMachine, std::size_t{2});
  }

  void badNumbers() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    DataSet set = sample();
    std::vector<float> row(test::kColumns, 1);
    row[7] = nan;
    set.add("task 0", "x", "this machine", row, 1);
    row[7] = std::numeric_limits<float>::infinity();
    set.add("task 0", "y", "this machine", row, 1);
    row[7] = 1;
    set.add("task 0", "z", "this machine", row, 0);
    set.add("task 0", "u", "this machine", row, -1);
    set.add("task 0", "v", "this machine", row, static_cast<double>(nan));
    const DataSetFaults faults = findFaults(set);
    QCOMPARE(faults.notFinite, std::size_t{2});
    QCOMPARE(faults.badSeconds, std::size_t{3});
  }

  void listsOfDifferentLength() {
    DataSet set = sample();
    set.entries.pop_back();
    QVERIFY(findFaults(set).lengthsDiffer);
    QVERIFY_THROWS_EXCEPTION(InputError, requireSound(set));
  }

  void otherWidth() {
    requireSound(sample(), test::kColumns);
    QVERIFY_THROWS_EXCEPTION(InputError, requireSound(sample(), 10));
  }
};

NW_TEST_APPLESS(ModelDataSet)

} // namespace nestwright::model_data_set_test

#include "model_data_set.moc"
