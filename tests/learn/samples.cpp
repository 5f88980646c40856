#include "core/learn/samples.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <numeric>

namespace nestwright::samples_test {

std::vector<std::size_t> upTo(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TrainingOptions optionsOf(Architecture architecture) {
  return publishedTraining(architecture, Loss::LambdaRank);
}

/// Two programs of a task on two machines, one that failed, and a task of which nothing ran.
DataSet example() {
  DataSet set(1);
  const std::vector<float> a = {1}, b = {2}, c = {3}, d = {4};
  set.add("t", "a", "here", a, 2);
  set.add("t", "b", "here", b, 1);
  set.add("t", "b", "there", b, 3);
  set.add("t", "a", "there", a, 12);
  set.add("t", "c", "there", c, kInfinity);
  set.add("hopeless", "d", "there", d, kInfinity);
  return set;
}

class SamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void labelsAreOfEachMachine() {
    const DataSet set = example();
    const Samples samples = samplesOf(set, {upTo(set.size()), {}}, optionsOf(Architecture::MtlTlp));
    QCOMPARE(samples.machines, (std::vector<std::string>{"here", "there"}));
    // Programs of two machines are one sample; what never ran teaches nothing.
    QCOMPARE(samples.programs, (std::vector<std::size_t>{0, 1, 4}));
    const std::vector<float> expected = {0.5F, 0.25F, 1, 1, NAN, 0};
    QCOMPARE(samples.labels.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      QVERIFY(std::isnan(expected[i]) ? std::isnan(samples.labels[i])
                                      : samples.labels[i] == expected[i]);
  }

  void theFirstMachineIsTheTarget() {
    const DataSet set = example();
    TrainingOptions options = optionsOf(Architecture::MtlTlp);
    options.machines = {"there"};
    const Samples samples = samplesOf(set, {upTo(set.size()), {}}, options);
    QCOMPARE(samples.programs, (std::vector<std::size_t>{2, 3, 4}));
    QCOMPARE(samples.labels, (std::vector<float>{1, 0.25F, 0}));
  }

  void severalMachinesNeedHeads() {
    const DataSet set = example();
    QVERIFY_THROWS_EXCEPTION(InputError,
                             samplesOf(set, {upTo(set.size()), {}}, optionsOf(Architecture::Tlp)));
  }

  void swappedProgramsAreRefused() {
    DataSet set = example();
    std::swap(set.entries[0].program, set.entries[1].program);
    for (const Architecture architecture : {Architecture::Mlp, Architecture::MtlTlp})
      QVERIFY_THROWS_EXCEPTION(InputError, samplesOf(set, {upTo(2), {}}, optionsOf(architecture)));
  }

  void nothingToLearnFromIsSaid() {
    DataSet set(1);
    const std::vector<float> row = {1};
    set.add("t", "a", "here", row, kInfinity);
    set.add("t", "b", "here", row, kInfinity);
    QVERIFY_THROWS_EXCEPTION(InputError,
                             samplesOf(set, {upTo(2), {}}, optionsOf(Architecture::Mlp)));
  }

  /// Smaller budgets are part of larger ones, and helpers keep their labels.
  void targetLabelsAreMasked() {
    DataSet set(1);
    for (int i = 0; i < 100; ++i) {
      const std::vector<float> row = {static_cast<float>(i)};
      set.add("t", fmt::format("{}", i), "target", row, 1 + i);
      set.add("t", fmt::format("{}", i), "helper", row, 1 + i);
    }
    const auto known = [&](std::size_t records) {
      TrainingOptions options = optionsOf(Architecture::MtlTlp);
      options.targetRecords = records;
      const Samples samples = samplesOf(set, {upTo(set.size()), {}}, options);
      std::set<std::size_t> left;
      for (std::size_t i = 0; i < samples.train; ++i) {
        if (!std::isnan(samples.labels[2 * i])) left.insert(samples.programs[i]);
        if (std::isnan(samples.labels[2 * i + 1])) left.insert(1'000'000); // never
      }
      return left;
    };
    const auto few = known(7), more = known(30);
    QCOMPARE(few.size(), std::size_t{7});
    QCOMPARE(more.size(), std::size_t{30});
    QVERIFY(std::ranges::includes(more, few));
  }

  void theHashIsOfProgramsFeaturesAndLabels() {
    const DataSet set = example();
    const TrainingOptions options = optionsOf(Architecture::MtlTlp);
    const auto hashOf = [&](const DataSet& of, const TrainingParts& parts) {
      return samplesOf(of, parts, options).hash(of);
    };
    const std::string hash = hashOf(set, {upTo(5), {}});
    QCOMPARE(hashOf(set, {upTo(5), {}}), hash);
    QVERIFY(hashOf(set, {upTo(4), {}}) != hash);
    QVERIFY(hashOf(set, {{0, 1, 2, 3}, {4}}) != hash);
    DataSet slower = set;
    slower.outcomes[0].seconds = 4;
    QVERIFY(hashOf(slower, {upTo(5), {}}) != hash);
  }
};

NW_TEST_APPLESS(SamplesTest)

} // namespace nestwright::samples_test

#include "samples.moc"
