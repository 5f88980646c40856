#pragma once
/// \file Programs whose speed is known: a sum over rows of a function of a few of their features.

#include "core/model/data_set.h"
#include "core/support/random.h"

#include <cmath>

namespace nestwright::test {

constexpr std::size_t kColumns = 164;

/// A row as real ones are: many zeros and flags, the rest logarithms of small powers of two.
inline std::vector<float> randomRow(Random& random) {
  std::vector<float> row(kColumns, 0);
  for (std::size_t column = 0; column < kColumns; ++column) {
    if (column % 3 == 0)
      row[column] = static_cast<float>(random.below(2));
    else if (column % 3 == 1)
      row[column] = static_cast<float>(random.below(24)) + static_cast<float>(random.unit());
  }
  return row;
}

/// What one row adds to a program's throughput: a step, a bend and an interaction.
inline double truth(std::span<const float> row) {
  const double vectorised = row[0] > 0.5F ? 1.0 : 0.3;
  const double reuse = std::min(1.0, static_cast<double>(row[1]) / 12);
  const double lines = row[4] > 16 ? 0.4 : 1.0;
  return vectorised * (0.2 + reuse) * lines;
}

struct SyntheticOptions {
  std::size_t programs = 1000, leastRows = 1, mostRows = 5, tasks = 1;
  double failures = 0; // share of the programs
  std::uint64_t seed = 1;
};

/// Task t's programs are measured in units of (t + 1) ms.
inline DataSet synthetic(const SyntheticOptions& options) {
  DataSet set(kColumns);
  for (std::size_t i = 0; i < options.programs; ++i) {
    Random random = Random::stream(options.seed, "synthetic", i);
    std::vector<float> rows;
    double throughput = 0;
    const std::size_t count =
        options.leastRows + random.below(options.mostRows - options.leastRows + 1);
    for (std::size_t r = 0; r < count; ++r) {
      const std::vector<float> row = randomRow(random);
      throughput += truth(row);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    const std::size_t task = i % options.tasks;
    const bool failed = random.unit() < options.failures;
    set.add(fmt::format("task {}", task), fmt::format("program {}", i), "this machine", rows,
            failed ? std::numeric_limits<double>::infinity()
                   : 1e-3 * static_cast<double>(task + 1) / throughput);
  }
  return set;
}

} // namespace nestwright::test
