#pragma once
/// \file What a task's one reduction computes, as its expression alone shows it: a product of
/// matrices or a convolution (handbook/cost-models.md 3.3).

#include "core/tensor/compute_dag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

enum class OperatorKind : std::uint8_t { Dense, BatchMatmul, Conv2d, DepthwiseConv2d, Conv3d };

/// Which dimensions of a tensor, or which axes of the reduction, have which part in the operator.
struct DimensionRoles {
  std::vector<int> batch;
  std::vector<int>
      spatial;           // rows of a product; of weights and of the reduction those of the window
  int in = -1;           // input channels; what a product sums over
  int out = -1;          // output channels; columns of a product
  std::vector<int> unit; // of one element, that have no part
};

/// Where a convolution's window goes, along each spatial axis; empty for a product.
struct WindowSteps {
  std::vector<std::int64_t> strides, dilations, padsBefore, padsAfter;
};

struct TaskOperator {
  OperatorKind kind = OperatorKind::Dense;
  // Places in the DAG:
  int op = 0;                // the reduction
  int result = 0;            // what nobody reads: the reduction, or what is fused behind it
  int data = 0, weights = 0; // what it multiplies
  int input = 0;             // the data before padding; the data where there is none
  DimensionRoles resultRoles, dataRoles, weightRoles, summedRoles;
  WindowSteps window;
};

struct RecognisedTask {
  std::optional<TaskOperator> found;
  std::string why; // why none was found: a clause, "it has no reduction"
};

/// The operator of a task whose other operators are elementwise ones.
RecognisedTask recognise(const ComputeDag& task);

/// The elements along a dimension of the operator's tensor.
std::int64_t extentOf(const ComputeDag& task, int op, int dimension);

} // namespace nestwright
