#pragma once
/// \file The networks' arithmetic, with libtorch. This header and the two files that include it are
/// the only ones that know the library: each takes half a minute to compile.

#include "core/learn/network.h"
#include "plugins/torch/learner/tree_programs.h"

// First: what torch.h reads before it has vectors of its class, which Clang wants to know by then.
#include <ATen/core/ivalue.h>

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace nestwright::learner {

/// Parameters as tensors, in the order of parametersOf().
class Layers {
 public:
  /// Views of `weights`, a flat tensor that they share: what changes it changes them.
  Layers(const NetworkShape& shape, const torch::Tensor& weights, bool learns);

  const NetworkShape& shape() const { return shape_; }
  const std::vector<torch::Tensor>& all() const { return tensors_; }
  /// The one of this name.
  const torch::Tensor& of(const std::string& name) const;
  /// x times the transposed matrix of this name. To score, the rows of x go where BLAS works on
  /// them in lanes of one instruction, so that they are treated alike; to learn, where it is
  /// quickest.
  torch::Tensor product(const torch::Tensor& x, const std::string& weight) const;
  torch::Tensor linear(const torch::Tensor& x, const std::string& weight,
                       const std::string& bias) const;
  /// x through the linear layer of this name.
  torch::Tensor linear(const std::string& name, const torch::Tensor& x) const;
  /// x through the chain of this name, with a ReLU between its layers and, if asked for, behind.
  torch::Tensor chain(const std::string& name, std::size_t layers, torch::Tensor x,
                      bool reluBehind) const;
  /// x + ReLU(layer(x))
  torch::Tensor residual(const std::string& name, const torch::Tensor& x) const;

 private:
  NetworkShape shape_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> tensors_;
};

/// Rows of x by index; zeros for index -1. Its gradient adds each row's up, in order, where the
/// library's would start a loop of calls.
torch::Tensor gatherRows(const torch::Tensor& x, std::vector<std::int64_t> indices);
/// Of each segment of x's rows, [first[s], first[s + 1]), the sum, in order.
torch::Tensor sumSegments(const torch::Tensor& x, std::vector<std::int64_t> first);

/// Statements [n, columns] to [n, hidden], one by one.
torch::Tensor encodeStatements(const Layers& layers, const torch::Tensor& rows);
/// Encoded statements of programs to one vector each: [programs, hidden]. The MLP adds them up; the
/// LSTM runs over them and over zeros up to `length`.
torch::Tensor joinStatements(const Layers& layers, const torch::Tensor& encoded,
                             const std::vector<std::int64_t>& first, std::size_t length);
/// Joined statements to outputs: [programs, 1].
torch::Tensor decodeStatements(const Layers& layers, const torch::Tensor& joined);

/// Different steps [d, columns] to [d, width] and what attention asks, finds and takes of them:
/// [d, 3 * width].
struct EncodedSteps {
  torch::Tensor values, projected;
};
EncodedSteps encodeSteps(const Layers& layers, const torch::Tensor& steps);
/// How places look at one another: [programs, attention heads, longest, longest]; each row adds up
/// to 1. `ids` and `counts` are as for scoreSteps(); a place that counts several times gets the
/// shares of all of them.
torch::Tensor attentionBetween(const Layers& layers, const EncodedSteps& encoded,
                               const std::vector<std::int64_t>& ids,
                               const std::vector<float>& counts, std::size_t longest);
/// Programs of encoded steps to outputs, [programs, heads]. `ids` and `counts` are [programs,
/// longest], row after row: which step, and how often; a place that is not used counts 0 times.
/// With `everyPlace`, unused places are computed, too, so that a program's output takes the same
/// course whatever else is there; else they are left out.
torch::Tensor scoreSteps(const Layers& layers, const EncodedSteps& encoded,
                         std::vector<std::int64_t> ids, const std::vector<float>& counts,
                         std::size_t longest, bool everyPlace);

/// What the network reads of nodes, [n, facts + embedding]: their facts [n, facts], and a vector
/// for the name of each.
torch::Tensor treeNodes(const Layers& layers, const torch::Tensor& facts,
                        std::vector<std::int64_t> names);
/// Trees of such nodes, those of batch.subtrees, to outputs: [programs, 1].
torch::Tensor scoreTrees(const Layers& layers, const torch::Tensor& nodes, const TreeBatch& batch);

} // namespace nestwright::learner
