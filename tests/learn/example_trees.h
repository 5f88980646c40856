#pragma once
/// \file Small loop nests as trees, with times, to train on.

#include "core/feature/tree_features.h"
#include "core/model/data_set.h"
#include "core/support/random.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace nestwright::test {

/// A node under construction; its facts are the first ones, the others 0.
inline void addNode(std::vector<float>& rows, int parent, int name,
                    std::initializer_list<float> facts = {}) {
  const std::size_t at = rows.size();
  rows.resize(at + TreeColumns::kCount, 0);
  rows[at + TreeColumns::kParent] = static_cast<float>(parent);
  rows[at + TreeColumns::kName] = static_cast<float>(name);
  std::copy(facts.begin(), facts.end(),
            rows.begin() + static_cast<std::ptrdiff_t>(at + TreeColumns::kFacts));
}

/// Configurations of `tasks` tasks: two stages of three loops each, whose lengths and marks are
/// drawn, and accesses, which all have. How fast one is depends on its lengths, or, `shuffled`, on
/// nothing.
inline DataSet exampleTrees(std::size_t programs, std::size_t tasks, bool shuffled,
                            std::uint64_t seed = 1) {
  constexpr int kRoot = 0, kLoop = 1, kVariable = 2, kBuffer = 8;
  DataSet set(TreeColumns::kCount);
  for (std::size_t i = 0; i < programs; ++i) {
    Random random = Random::stream(seed, "tree", i);
    std::vector<float> rows;
    addNode(rows, -1, kRoot);
    double speed = 1;
    for (int stage = 0; stage < 2; ++stage) {
      int around = 0;
      for (int depth = 0; depth < 3; ++depth) {
        const auto length = static_cast<float>(1 + random.below(40));
        const bool marked = random.below(3) == 0;
        const int loop = static_cast<int>(rows.size() / TreeColumns::kCount);
        addNode(rows, around, kLoop,
                {std::log2(length + 1), marked ? 1.0F : 0.0F, marked ? 0.0F : 1.0F});
        addNode(rows, loop, kVariable + 3 * stage + depth);
        around = loop;
        speed *= 1 + (depth == 2 ? 1 : 0.3) * std::cos(static_cast<double>(length) / 9) / 2;
        if (marked && depth == 0) speed *= 1.5;
      }
      for (int access = 0; access < 2; ++access) {
        const int node = static_cast<int>(rows.size() / TreeColumns::kCount);
        addNode(rows, around, kBuffer + stage + access);
        addNode(rows, node, kVariable + 3 * stage);
        addNode(rows, node, kVariable + 3 * stage + 1 + access);
      }
    }
    if (shuffled) speed = 0.1 + random.unit();
    set.add(fmt::format("task {}", i % tasks), fmt::format("config {}", i), "this machine", rows,
            1 / speed);
  }
  return set;
}

} // namespace nestwright::test
