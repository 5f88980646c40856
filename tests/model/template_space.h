#pragma once
/// \file A made-up space of a template's configurations, whose speed is known.

#include "core/model/data_set.h"
#include "core/support/error.h"
#include "core/support/random.h"

#include <QString>

#include <cmath>
#include <limits>
#include <numeric>

namespace nestwright::test {

inline constexpr std::size_t kTemplateColumns = 24;
inline constexpr double kFailed = std::numeric_limits<double>::infinity();

/// A configuration: a few logarithms of sizes, one that tells it apart, the rest zeros.
inline std::vector<float> configuration(std::uint64_t seed, std::size_t i) {
  Random random = Random::stream(seed, "configuration", i);
  std::vector<float> row(kTemplateColumns, 0);
  for (std::size_t column = 0; column < 6; ++column)
    row[column] = static_cast<float>(random.below(8));
  row[6] = static_cast<float>(random.unit());
  return row;
}

/// Fast where two sizes are in the middle and a third is large.
inline double throughput(const std::vector<float>& row) {
  const auto near = [&](std::size_t column, double best) {
    return std::exp(-std::abs(static_cast<double>(row[column]) - best) / 3);
  };
  return near(0, 4) * near(1, 3) * (1 + static_cast<double>(row[2])) +
         1e-3 * static_cast<double>(row[6]);
}

struct TemplateSpaceOptions {
  std::size_t programs = 300;
  double failures = 0;
  std::uint64_t seed = 1;
  std::string task = "dense";
};

inline DataSet space(const TemplateSpaceOptions& options) {
  DataSet set(kTemplateColumns);
  for (std::size_t i = 0; i < options.programs; ++i) {
    const std::vector<float> row = configuration(options.seed, i);
    Random random = Random::stream(options.seed, "failure", i);
    const bool failed = random.unit() < options.failures;
    set.add(options.task, fmt::format("{} {}", options.seed, i), "this machine", row,
            failed ? kFailed : 1e-3 / throughput(row));
  }
  return set;
}

inline std::vector<double> labelsOf(const DataSet& set) {
  const std::vector<float> labels = normalisedThroughput(set);
  return {labels.begin(), labels.end()};
}

inline std::vector<std::size_t> firstOf(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

template <class Action>
QString textOf(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

} // namespace nestwright::test
