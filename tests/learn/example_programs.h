#pragma once
/// \file Small data sets to train on, of statements or of steps.

#include "core/model/data_set.h"
#include "core/support/random.h"

#include <fmt/format.h>

#include <vector>

namespace nestwright::test {

struct ExampleOptions {
  std::size_t programs = 200, tasks = 4;
  std::size_t columns = 22, leastRows = 3, mostRows = 12;
  bool allDifferent = false; // rows: each is drawn for its program alone
  bool shuffled = false;     // times have nothing to do with the programs
  std::uint64_t seed = 1;
};

/// Rows are drawn from a few dozen, as the steps of real programs are; a program's speed is a sum
/// over its rows.
inline DataSet examplePrograms(const ExampleOptions& options = {}) {
  constexpr std::size_t kRows = 60;
  std::vector<std::vector<float>> rows(kRows, std::vector<float>(options.columns, 0));
  std::vector<double> worth(kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    Random random = Random::stream(7, "row", r);
    for (std::size_t c = r % 3; c < options.columns; c += 3)
      rows[r][c] = static_cast<float>(random.below(8));
    rows[r][r % options.columns] += 1;
    worth[r] = random.unit() * random.unit();
  }
  DataSet set(options.columns);
  for (std::size_t i = 0; i < options.programs; ++i) {
    Random random = Random::stream(options.seed, "program", i);
    const std::size_t count =
        options.leastRows + random.below(options.mostRows - options.leastRows + 1);
    std::vector<float> values;
    double speed = 0.1;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t row = random.below(kRows);
      if (options.allDifferent)
        for (std::size_t c = 0; c < options.columns; ++c)
          rows[row][c] = static_cast<float>(random.below(8));
      values.insert(values.end(), rows[row].begin(), rows[row].end());
      speed += worth[row];
    }
    if (options.shuffled) speed = 0.1 + random.unit();
    set.add(fmt::format("task {}", i % options.tasks), fmt::format("program {}", i), "this machine",
            values, 1 / speed);
  }
  return set;
}

} // namespace nestwright::test
