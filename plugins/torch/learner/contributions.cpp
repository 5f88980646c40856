#include "plugins/torch/learner/contributions.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestwright::learner {

using torch::Tensor;

namespace {

/// Gradient times input of a tree, row after row: of a node's facts, and, where its name stands, of
/// the vector that its name has.
std::vector<float> contributionsOfTree(const KeptNetwork& kept, const MappedTable& table) {
  const TreePrograms trees = treePrograms(table, kept.shape, 0, 1, false);
  const TreeBatch batch = treeBatch(trees, {0});
  const Tensor nodes = nodesOf(kept, trees, batch).detach().requires_grad_(true);
  const Tensor output = scoreTrees(*kept.layers, nodes, batch);
  const Tensor gradient = torch::autograd::grad({output[0][0]}, {nodes})[0];
  const Tensor product = (gradient * nodes).detach().contiguous();
  const std::size_t rows = table.rowCount(0), columns = kept.shape.columns;
  const std::size_t facts = columns - kTreeLinks;
  std::vector<float> result(rows * columns, 0);
  const float* from = product.data_ptr<float>();
  for (const std::uint32_t subtree : batch.subtrees) {
    if (rows == 0) break;
    float* row = result.data() + (rows - 1 - subtree) * columns; // the last row is subtree 0
    std::copy(from, from + facts, row + kTreeLinks);
    row[1] = std::accumulate(from + facts, from + product.size(1), 0.0F);
    from += product.size(1);
  }
  return result;
}

} // namespace

std::vector<float> contributions(const KeptNetwork& kept, const MappedTable& table,
                                 std::size_t head) {
  const NetworkShape& shape = kept.shape;
  if (shape.ofTrees()) return contributionsOfTree(kept, table);
  const std::size_t all = table.rowCount(0);
  const std::size_t rows = shape.ofSteps() ? std::min(all, shape.length) : all;
  const std::size_t padding = shape.ofSteps() ? shape.length - rows : 0;
  Tensor input = torch::zeros({toSize(rows + (padding > 0 ? 1 : 0)), toSize(shape.columns)});
  for (std::size_t row = 0; row < rows; ++row)
    readRow(kept, table.row(row), input.data_ptr<float>() + row * shape.columns);
  input.requires_grad_(true);
  const Layers& layers = *kept.layers;
  Tensor output;
  if (shape.ofSteps()) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(input.size(0)));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    std::vector<float> counts(ids.size(), 1);
    if (padding > 0) counts.back() = static_cast<float>(padding);
    const std::size_t longest = ids.size();
    output = scoreSteps(layers, encodeSteps(layers, input), std::move(ids), counts, longest, true);
  } else {
    output = decodeStatements(layers, joinStatements(layers, encodeStatements(layers, input),
                                                     {0, toSize(rows)}, shape.length));
  }
  const Tensor gradient = torch::autograd::grad({output[0][toSize(head)]}, {input})[0];
  const Tensor product = (gradient * input).detach().contiguous();
  std::vector<float> result(all * shape.columns, 0);
  std::copy_n(product.data_ptr<float>(), rows * shape.columns, result.begin());
  return result;
}

} // namespace nestwright::learner
