#pragma once
/// \file What each number that a network read added to a score: gradient times input.

#include "plugins/torch/learner/kept_network.h"

#include <vector>

namespace nestwright::learner {

/// Of the only program of the table, row after row, for one of the network's outputs.
std::vector<float> contributions(const KeptNetwork& network, const MappedTable& table,
                                 std::size_t head);

} // namespace nestwright::learner
