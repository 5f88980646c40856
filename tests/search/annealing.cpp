/// Annealing and what plans are picked by, on made-up energies and beside tests/data/search-oracle.

#include "core/search/annealing.h"

#include "core/search/config_search_state.h"
#include "core/search/diversity.h"
#include "core/search/expected_improvement.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/template/annotate_knob.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

namespace nestwright::annealing_test {

using nlohmann::json;

const json& oracle() {
  static const json read = [] {
    QFile file(QStringLiteral(NESTWRIGHT_TEST_DATA "/search-oracle.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("tests/data/search-oracle.json cannot be read");
    return json::parse(file.readAll().toStdString());
  }();
  return read;
}

/// So many knobs with so many values each.
ConfigSpace grid(int knobs, std::int64_t values) {
  std::vector<OptionEntity> entities;
  for (std::int64_t i = 0; i < values; ++i)
    entities.push_back({i});
  std::vector<Knob> list;
  for (int i = 0; i < knobs; ++i)
    list.push_back(options("knob" + std::to_string(i), entities));
  return ConfigSpace(list);
}

/// Minus the distance to the configuration whose knobs all have the value 7: nothing above 0.
double closeness(const ConfigSpace& space, std::int64_t config) {
  double sum = 0;
  for (const std::size_t digit : space.digits(config))
    sum -= std::abs(static_cast<double>(digit) - 7) / 8;
  return sum;
}

ConfigEnergy closenessIn(const ConfigSpace& space) {
  return [&space](std::span<const std::int64_t> configs) {
    std::vector<double> energies;
    for (const std::int64_t config : configs)
      energies.push_back(closeness(space, config));
    return energies;
  };
}

const AnnealingDraws kDraws{3, "task", 0};

class TestAnnealing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// 16^5 configurations, of which some thousands are looked at.
  void findsTheBest() {
    const ConfigSpace space = grid(5, 16);
    std::set<std::int64_t> asked;
    const ConfigEnergy energy = [&](std::span<const std::int64_t> configs) {
      for (const std::int64_t config : configs)
        if (!asked.insert(config).second) qFatal("asked for a configuration twice");
      return closenessIn(space)(configs);
    };
    const Annealed found = anneal(space, energy, {}, 32, {}, {}, kDraws);
    QCOMPARE(found.best.size(), 32u);
    QCOMPARE(space.digits(found.best[0].config), std::vector<std::size_t>(5, 7));
    QCOMPARE(found.best[0].energy, 0.0);
    // Scores below 0 count as others do.
    QVERIFY(found.best[31].energy < 0);
    for (std::size_t i = 1; i < found.best.size(); ++i)
      QVERIFY(found.best[i - 1].energy >= found.best[i].energy);
    QVERIFY(asked.size() < 70000);
    QCOMPARE(found.positions.size(), 128u);
  }

  void isAPureFunction() {
    const ConfigSpace space = grid(4, 16);
    const auto run = [&](std::uint64_t index) {
      return anneal(space, closenessIn(space), {}, 16, {}, {}, {3, "task", index});
    };
    const Annealed one = run(0), same = run(0), other = run(1);
    QCOMPARE(one.best, same.best);
    QCOMPARE(one.positions, same.positions);
    QCOMPARE(one.moments, same.moments);
    QVERIFY(one.positions != other.positions);
  }

  void goesOnFromWhereItStood() {
    const ConfigSpace space = grid(5, 16);
    AnnealingOptions options;
    options.steps = 0;
    const std::vector<std::int64_t> start = {5, 17, 4000};
    QCOMPARE(anneal(space, closenessIn(space), start, 2, {}, options, kDraws).positions, start);
    // What was measured is not planned again, though the chains may stand there.
    const Annealed best = anneal(space, closenessIn(space), start, 2, {17}, options, kDraws);
    for (const ValuedConfig& one : best.best)
      QVERIFY(one.config != 17);
  }

  /// At the end of 500 steps hardly a move for the worse is accepted, at their begin most are.
  void coolsDown() {
    const ConfigSpace space = grid(5, 16);
    AnnealingOptions options;
    options.patience = options.steps;
    const Annealed found = anneal(space, closenessIn(space), {}, 4, {}, options, kDraws);
    QCOMPARE(found.steps, 500);
    QCOMPARE(found.moments.size(), kAnnealingMoments);
    const AnnealingMoment &first = found.moments.front(), &last = found.moments.back();
    QCOMPARE(first.step, 0);
    QCOMPARE(last.step, 499);
    QCOMPARE(first.temperature, 1.0);
    QVERIFY(last.temperature < 0.01);
    QVERIFY(first.accepted > 0.5 && last.accepted < 0.3);
    QVERIFY(last.middle > first.middle);
    for (const AnnealingMoment& moment : found.moments)
      QVERIFY(moment.low <= moment.middle && moment.middle <= moment.high);
    QCOMPARE(last.threshold, found.best.back().energy);
  }

  void endsWhenNothingChanges() {
    const ConfigSpace space = grid(3, 8);
    const ConfigEnergy flat = [](std::span<const std::int64_t> configs) {
      return std::vector<double>(configs.size(), 1.0);
    };
    const Annealed found = anneal(space, flat, {}, 8, {}, {}, kDraws);
    QCOMPARE(found.steps, 50);
  }

  void copesWithSmallSpaces() {
    const ConfigSpace one = grid(1, 1), few = grid(1, 5);
    const Annealed single = anneal(one, closenessIn(one), {}, 64, {}, {}, kDraws);
    QCOMPARE(single.best.size(), 1u);
    QCOMPARE(single.positions, std::vector<std::int64_t>{0});
    const Annealed all = anneal(few, closenessIn(few), {}, 64, {2}, {}, kDraws);
    QCOMPARE(all.positions.size(), 5u);
    QCOMPARE(all.best.size(), 4u);
    QVERIFY(anneal(few, closenessIn(few), {}, 64, {0, 1, 2, 3, 4}, {}, kDraws).best.empty());
  }

  /// A cost model may know nothing of a configuration.
  void passesOverWhatIsNotWanted() {
    const ConfigSpace space = grid(2, 16);
    const ConfigEnergy some = [](std::span<const std::int64_t> configs) {
      std::vector<double> energies;
      for (const std::int64_t config : configs)
        energies.push_back(config % 2 == 0   ? -kInfinity
                           : config % 3 == 0 ? std::nan("")
                                             : static_cast<double>(config));
      return energies;
    };
    const Annealed found = anneal(space, some, {}, 300, {}, {}, kDraws);
    QVERIFY(found.best.size() > 50);
    for (const ValuedConfig& one : found.best)
      QVERIFY(one.config % 2 == 1 && one.config % 3 != 0);
  }

  void stops() {
    const ConfigSpace space = grid(5, 16);
    std::atomic<bool> stop = false;
    int calls = 0;
    const ConfigEnergy energy = [&](std::span<const std::int64_t> configs) {
      stop = ++calls == 3;
      return closenessIn(space)(configs);
    };
    QVERIFY(anneal(space, energy, {}, 8, {}, {}, kDraws, &stop).stopped);
    QCOMPARE(calls, 3);
  }

  void picksAsTheOracle() {
    const json& diversity = oracle().at("diversity");
    const auto digits = diversity.at("knobs").get<std::vector<std::vector<std::size_t>>>();
    const auto scores = diversity.at("scores").get<std::vector<double>>();
    const auto expect = [&](const char* key) {
      return diversity.at(key).get<std::vector<std::size_t>>();
    };
    QCOMPARE(pickDiverse(digits, scores, 6, 1), expect("picked_6_by_score_and_coverage_weight_1"));
    QCOMPARE(pickDiverse(digits, scores, 6, 0.1), expect("weight_0.1"));
    QCOMPARE(pickDiverse(digits, std::vector<double>(scores.size(), 0.0), 6, 1),
             expect("as_the_code_does_scores_times_0"));
    QCOMPARE(pickDiverse(digits, scores, 100, 1).size(), digits.size());
  }

  void expectsWhatTheOracleDoes() {
    for (const json& row : oracle().at("expected_improvement")) {
      const double improvement =
          expectedImprovement(row[0].get<double>(), row[1].get<double>(), row[2].get<double>());
      QVERIFY(std::abs(improvement - row[3].get<double>()) < 1e-6);
    }
  }

  void statesSurviveJson() {
    ConfigSearchState state;
    state.passedOver = {3};
    state.plan = {{5, PickReason::Diversity}, {6, PickReason::EpsilonGreedy}};
    state.chains = {1, 2};
    state.population = {7};
    state.parents = {8, 9};
    state.elites = {8};
    QCOMPARE(configSearchStateFromText(toText(state), 10), state);
    QCOMPARE(configSearchStateFromText("", 10), ConfigSearchState());
    QVERIFY_THROWS_EXCEPTION(InputError, configSearchStateFromText(toText(state), 9));
    QVERIFY_THROWS_EXCEPTION(InputError, configSearchStateFromText("{}", 10));
    QVERIFY_THROWS_EXCEPTION(InputError, configSearchStateFromText("{", 10));
  }
};

NW_TEST_APPLESS(TestAnnealing)

} // namespace nestwright::annealing_test

#include "annealing.moc"
