#pragma once
/// \file Scores of programs by a network that is kept. They depend neither on which programs are
/// asked for together nor on the number of threads: parts and chunks have fixed sizes.

#include "plugins/torch/learner/kept_network.h"

#include <vector>

namespace nestwright::learner {

/// Programs of a part, which one thread scores. The last bits of a sum depend on it.
constexpr std::size_t kScorePrograms = 1024;

/// Of programs [begin, end) of the table, `heads` each. `trees` are those of each part, where they
/// are known already. Throws InputError as requireColumns() does.
std::vector<float> scoresOf(const KeptNetwork& network, const MappedTable& table, std::size_t begin,
                            std::size_t end, int threads,
                            const std::vector<TreePrograms>& trees = {});

} // namespace nestwright::learner
