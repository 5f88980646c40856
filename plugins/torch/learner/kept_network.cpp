#include "plugins/torch/learner/kept_network.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestwright::learner {

using torch::Tensor;

std::int64_t toSize(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

Tensor toTensor(std::span<const float> numbers) {
  return torch::from_blob(const_cast<float*>(numbers.data()), {toSize(numbers.size())}).clone();
}

KeptNetwork::KeptNetwork(const NetworkShape& shape, std::span<const float> numbers,
                         std::span<const float> maxima, bool learns)
    : shape(shape), weights(toTensor(numbers)), maxima(maxima.begin(), maxima.end()),
      layers(std::make_unique<Layers>(shape, weights, learns)) {}

void requireColumns(const NetworkShape& shape, const MappedTable& table) {
  if (table.columns() != shape.columns)
    throw InputError(fmt::format("rows have {}, the network reads {}",
                                 quantity(std::int64_t(table.columns()), "column"), shape.columns));
}

void readRow(const KeptNetwork& network, const float* row, float* to) {
  const std::size_t columns = network.shape.columns;
  if (network.maxima.empty())
    std::copy(row, row + columns, to);
  else
    for (std::size_t i = 0; i < columns; ++i)
      to[i] = row[i] / network.maxima[i];
}

LoneSteps loneSteps(const KeptNetwork& network, const MappedTable& table) {
  const NetworkShape& shape = network.shape;
  LoneSteps lone;
  lone.steps = std::min(table.rowCount(0), shape.length);
  const std::size_t padding = shape.length - lone.steps;
  const std::size_t rows = lone.steps + (padding > 0 ? 1 : 0);
  lone.rows = torch::zeros({toSize(rows), toSize(shape.columns)});
  for (std::size_t row = 0; row < lone.steps; ++row)
    readRow(network, table.row(row), lone.rows.data_ptr<float>() + row * shape.columns);
  lone.ids.resize(rows);
  std::iota(lone.ids.begin(), lone.ids.end(), std::int64_t{0});
  lone.counts.assign(rows, 1);
  if (padding > 0) lone.counts.back() = static_cast<float>(padding);
  return lone;
}

Tensor nodesOf(const KeptNetwork& network, const TreePrograms& trees, const TreeBatch& batch) {
  const std::size_t columns = network.shape.columns, facts = columns - kTreeLinks;
  Tensor numbers = torch::empty({toSize(batch.subtrees.size()), toSize(facts)});
  auto* to = numbers.data_ptr<float>();
  std::vector<std::int64_t> names;
  for (const std::uint32_t subtree : batch.subtrees) {
    const float* row = trees.rows[subtree];
    std::copy(row + kTreeLinks, row + columns, to);
    to += facts;
    names.push_back(static_cast<std::int64_t>(row[1]));
  }
  return treeNodes(*network.layers, numbers, std::move(names));
}

} // namespace nestwright::learner
