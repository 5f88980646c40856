#pragma once
/// \file Parts of a data set to learn from and to be judged on, by simple rules.

#include "core/model/data_set.h"
#include "core/support/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwright::test {

struct HeldOut {
  std::vector<std::size_t> train, test; // indices into the set, ascending
};

/// Each program is held out with the probability `share`.
inline HeldOut somePrograms(const DataSet& set, double share, std::uint64_t seed) {
  HeldOut parts;
  for (std::size_t i = 0; i < set.size(); ++i)
    (Random::stream(seed, "held out", i).unit() < share ? parts.test : parts.train).push_back(i);
  return parts;
}

/// Every second task is held out, whole.
inline HeldOut everySecondTask(const DataSet& set) {
  HeldOut parts;
  for (std::size_t i = 0; i < set.size(); ++i)
    (set.outcomes[i].task % 2 == 1 ? parts.test : parts.train).push_back(i);
  return parts;
}

} // namespace nestwright::test
