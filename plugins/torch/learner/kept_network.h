#pragma once
/// \file A network that the learner keeps, with what it reads of tables.

#include "core/learn/learner_protocol.h"
#include "plugins/torch/learner/networks.h"
#include "plugins/torch/learner/tree_programs.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nestwright::learner {

std::int64_t toSize(std::size_t size);
torch::Tensor toTensor(std::span<const float> numbers);

struct KeptNetwork {
  NetworkShape shape;
  torch::Tensor weights;
  std::vector<float> maxima; // columns are divided by them; empty where they are not
  std::unique_ptr<Layers> layers;

  KeptNetwork(const NetworkShape& shape, std::span<const float> numbers,
              std::span<const float> maxima, bool learns);
};

/// Throws InputError where the rows have other columns than the network reads.
void requireColumns(const NetworkShape& shape, const MappedTable& table);

/// One row as the network reads it.
void readRow(const KeptNetwork& network, const float* row, float* to);

/// The only program of a table, as a network of steps reads it: step by step, none merged, and
/// behind them one row for all of the padding, where there is any.
struct LoneSteps {
  torch::Tensor rows;
  std::vector<std::int64_t> ids; // of the rows, as scoreSteps() takes them
  std::vector<float> counts;     // of the padding how many steps it stands for, else 1
  std::size_t steps = 0;         // rows that are no padding
};
LoneSteps loneSteps(const KeptNetwork& network, const MappedTable& table);

/// The nodes of a batch of trees, as the network reads them.
torch::Tensor nodesOf(const KeptNetwork& network, const TreePrograms& trees,
                      const TreeBatch& batch);

} // namespace nestwright::learner
