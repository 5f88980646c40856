#pragma once
/// \file A compute DAG whose tensors lie otherwise in memory: the same mathematics, over the parts
/// that dimensions are cut into (handbook/cost-models.md 3.3).

#include "core/tensor/compute_dag.h"
#include "core/tensor/packed_layout.h"

#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// Puts together the layout of one tensor, outermost part first. Sizes divide what they cut.
class LayoutMaker {
 public:
  explicit LayoutMaker(const std::vector<std::int64_t>& shape);

  /// The whole dimension, which is called so in the DAG.
  LayoutMaker& whole(int dimension, const std::string& name);
  /// All of the dimension in steps of `block`, called name_chunk; and what lies in a block,
  /// name_block.
  LayoutMaker& chunk(int dimension, std::int64_t block, const std::string& name);
  LayoutMaker& block(int dimension, std::int64_t block);

  PackedLayout layout() const { return layout_; }

 private:
  void add(int dimension, std::int64_t extent, std::int64_t size);
  PackedLayout layout_;
};

/// How each tensor of a DAG lies.
struct DagLayouts {
  std::vector<PackedLayout> of; // by the operator's place
  std::string problem;          // a clause; empty where every tensor has one layout
};

/// The layouts that those of an operator's result and operands ask for: what is computed from its
/// result element for element lies as it does, and what these and the operands' own producers read
/// lies along its reader.
DagLayouts layoutsAround(const ComputeDag& dag, int op, const std::map<int, PackedLayout>& given);

/// The DAG with these layouts; `reduceNames` are those of the operator's reduction axes.
ComputeDag relaid(const ComputeDag& dag, const std::vector<PackedLayout>& layouts, int op,
                  const std::vector<std::string>& reduceNames);

} // namespace nestwright
