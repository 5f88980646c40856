#pragma once
/// \file What a compute DAG from outside must keep to before anything is made of it: it reads its
/// tensors inside their bounds, and is of a size that memory and time allow.

#include "core/tensor/compute_dag.h"

namespace nestwright {

/// Elements of one tensor; a machine with four terabytes holds so many.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
/// Iterations of one operator's loops; at 10^12 a second they take a quarter of an hour.
inline constexpr std::int64_t kMostIterations = std::int64_t{1} << 50;
inline constexpr std::size_t kMostDimensions = 64;
inline constexpr std::size_t kMostOperators = 10'000;
inline constexpr std::size_t kLongestName = 1'000;

/// Checks one operator: every element that it may read lies inside of the tensor, whatever the
/// inputs hold; no arithmetic on its axes leaves its type; and it keeps to the limits above. The
/// condition of an if_then_else guards what is read in its branches; that of a select does not,
/// because both its sides are evaluated. What cannot be decided counts as outside. Throws
/// InputError with operator, tensor, axis and range.
void checkBounds(const OpNode& op);

/// Checks all operators, and how many there are. Every DAG that a file or another process gives
/// goes through here; `parseDag` does it by itself.
void checkBounds(const ComputeDag& dag);

/// Throws InputError when the DAG's tensors, all of which a program without inlining keeps, need
/// more than `bytes` of memory; names the largest.
void requireMemory(const ComputeDag& dag, std::int64_t bytes);

} // namespace nestwright
