#pragma once
/// \file A fused group as a compute DAG, in a canonical form: the names of tensors come from their
/// role, dimensions that always go together are merged, and constants of one element are written
/// into the expressions. Equal work gives equal DAGs, wherever the network comes from.

#include "core/network/graph/winograd.h"
#include "core/network/partition/fusion.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

/// How the anchor of a group is computed where it is not by its definition.
struct GroupForm {
  WinogradTile tile = WinogradTile::Two;
  TensorId kernel = -1;   // the transformed one, a constant of the network
  std::string definition; // workloadHash of the DAG with the definition
};

struct LoweredGroup {
  ComputeDag dag;
  std::vector<TensorId> inputs; // the storage tensor that each of dag.inputs() is, in its order
};

/// `storage` is what storageTensors gives for the network. With a form the anchor is a convolution
/// that has it.
LoweredGroup lowerGroup(const Network& network, const std::vector<TensorId>& storage,
                        const FusedGroup& group, const std::optional<GroupForm>& form = {});

} // namespace nestwright
