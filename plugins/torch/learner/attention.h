#pragma once
/// \file How the steps of a program look at one another in a network of steps.

#include "plugins/torch/learner/kept_network.h"

#include <vector>

namespace nestwright::learner {

/// Of the only program of the table: Attention::shares (core/model/attention.h).
std::vector<float> attentionOf(const KeptNetwork& network, const MappedTable& table);

} // namespace nestwright::learner
