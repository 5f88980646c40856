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

/// Gradient times the rows that the output was computed of.
std::vector<float> gradientTimesInput(const Tensor& output, const Tensor& input) {
  const Tensor product =
      (torch::autograd::grad({output}, {input})[0] * input).detach().contiguous();
  return {product.data_ptr<float>(), product.data_ptr<float>() + product.numel()};
}

std::vector<float> contributionsOfSteps(const KeptNetwork& kept, const MappedTable& table,
                                        std::size_t head) {
  const LoneSteps lone = loneSteps(kept, table);
  const Tensor input = lone.rows.requires_grad_(true);
  const Layers& layers = *kept.layers;
  const Tensor output =
      scoreSteps(layers, encodeSteps(layers, input), lone.ids, lone.counts, lone.ids.size(), true);
  std::vector<float> result = gradientTimesInput(output[0][toSize(head)], input);
  result.resize(table.rowCount(0) * kept.shape.columns, 0); // no padding; 0 of what is cut off
  return result;
}

std::vector<float> contributionsOfStatements(const KeptNetwork& kept, const MappedTable& table,
                                             std::size_t head) {
  const std::size_t rows = table.rowCount(0), columns = kept.shape.columns;
  Tensor input = torch::zeros({toSize(rows), toSize(columns)});
  for (std::size_t row = 0; row < rows; ++row)
    readRow(kept, table.row(row), input.data_ptr<float>() + row * columns);
  input.requires_grad_(true);
  const Layers& layers = *kept.layers;
  const Tensor output =
      decodeStatements(layers, joinStatements(layers, encodeStatements(layers, input),
                                              {0, toSize(rows)}, kept.shape.length));
  return gradientTimesInput(output[0][toSize(head)], input);
}

} // namespace

std::vector<float> contributions(const KeptNetwork& kept, const MappedTable& table,
                                 std::size_t head) {
  if (kept.shape.ofTrees()) return contributionsOfTree(kept, table);
  return kept.shape.ofSteps() ? contributionsOfSteps(kept, table, head)
                              : contributionsOfStatements(kept, table, head);
}

} // namespace nestwright::learner
