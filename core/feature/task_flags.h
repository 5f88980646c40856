#pragma once
/// \file What kind of work a task is, as ten numbers that stand beside the features of each of its
/// statements: TenSet's embedding of tasks (handbook/cost-models.md 6.2).

#include "core/tensor/compute_dag.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// In the order of the embedding.
enum class TaskFlag : std::uint8_t {
  Max,         // a maximum of elements, or over them
  Min,         // a minimum
  Add,         // a sum of two elements; a reduction is none
  Convolution, // windows that slide over one operand of a sum of products
  Winograd,    // a product between two transforms by constants
  Depthwise,   // a convolution that sums over no channel
  Dense,       // a product of two matrices
  Softmax,     // a sum of exponentials of how far elements are below the largest
  BatchMatmul  // products of many pairs of matrices
};
inline constexpr std::size_t kTaskFlags = 9;
/// The public embedding has a tenth number, which is always 0.
inline constexpr std::size_t kTaskFlagColumns = 10;
/// "max", "batch matmul"
const char* name(TaskFlag flag);

/// 1 for each flag that holds, else 0. Decided by what the operators compute, whatever they are
/// called.
std::array<float, kTaskFlagColumns> taskFlags(const ComputeDag& task);

/// "task: max", ..., and the one that is always 0.
std::vector<std::string> taskFlagNames();
/// "1 where the task has a maximum of elements, or over them", ...
std::vector<std::string> taskFlagMeanings();

/// The rows, of so many columns each, with these numbers behind each row.
std::vector<float> withColumns(std::span<const float> rows, std::size_t columns,
                               std::span<const float> more);

} // namespace nestwright
