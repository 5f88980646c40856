#include "core/model/thinning.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <set>

namespace nestwright::model_thinning_test {

using Indices = std::vector<std::size_t>;

std::size_t rowsOf(const DataSet& set, const Indices& programs) {
  std::size_t rows = 0;
  for (const std::size_t program : programs)
    rows += set.features.rowCount(program);
  return rows;
}

std::set<std::size_t> tasksOf(const DataSet& set, const Indices& programs) {
  std::set<std::size_t> tasks;
  for (const std::size_t program : programs)
    tasks.insert(set.outcomes[program].task);
  return tasks;
}

class ModelThinning : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void smallSetsStayWhole() {
    const DataSet set = test::synthetic({.programs = 300, .tasks = 7, .failures = 0.2});
    const Indices kept = thin(set, {.maxRows = set.features.rows(), .newest = 10});
    std::size_t working = 0;
    for (const Outcome& outcome : set.outcomes)
      working += !outcome.failed();
    QCOMPARE(kept.size(), working);
  }

  void thinningKeepsWhatMatters() {
    const DataSet set = test::synthetic({.programs = 3000, .tasks = 3, .failures = 0.1});
    const ThinOptions options{.maxRows = 1200, .newest = 40};
    const Indices kept = thin(set, options);
    QVERIFY(rowsOf(set, kept) <= options.maxRows);
    QVERIFY(rowsOf(set, kept) > options.maxRows * 9 / 10);
    QVERIFY(std::ranges::is_sorted(kept));
    const auto isKept = [&](std::size_t i) { return std::ranges::binary_search(kept, i); };
    std::size_t newest = 0;
    for (std::size_t i = set.size(); i-- > 0 && newest < options.newest;) {
      if (set.outcomes[i].failed()) continue;
      QVERIFY(isKept(i));
      ++newest;
    }
    const std::vector<double> best = bestSeconds(set);
    std::vector<std::size_t> perTask(3, 0);
    double slowest = 0, slowestKept = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Outcome& outcome = set.outcomes[i];
      if (outcome.failed()) {
        QVERIFY(!isKept(i));
        continue;
      }
      if (outcome.seconds == best[outcome.task]) QVERIFY(isKept(i));
      const double ratio = outcome.seconds / best[outcome.task];
      slowest = std::max(slowest, ratio);
      if (isKept(i)) slowestKept = std::max(slowestKept, ratio);
      perTask[outcome.task] += isKept(i);
    }
    for (const std::size_t count : perTask)
      QVERIFY(count > 100 && count < 180); // of about 400 in all
    QVERIFY(slowestKept > slowest / 2);    // the slow ones are represented
  }

  void tasksShareTheRoom() {
    DataSet set(1);
    const float row[] = {1};
    for (int i = 0; i < 1000; ++i)
      set.add(i % 100 == 0 ? "rare" : "common", fmt::format("{}", i), "m", row, 1.0 + i);
    const Indices kept = thin(set, {.maxRows = 100, .newest = 0});
    QCOMPARE(kept.size(), std::size_t{100});
    QCOMPARE(tasksOf(set, kept).size(), std::size_t{2});
    const auto rare = std::ranges::count_if(kept, [](std::size_t i) { return i % 100 == 0; });
    QCOMPARE(rare, 10); // all of them
  }
};

NW_TEST_APPLESS(ModelThinning)

} // namespace nestwright::model_thinning_test

#include "model_thinning.moc"
