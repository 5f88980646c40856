#pragma once
/// \file Evaluating one expression over a run of values of its innermost loop, so that the
/// interpretation of a node is paid once per run. Private to this room.

#include "core/tensor/compute_dag.h"

#include <map>
#include <memory>
#include <vector>

namespace nestwright {

/// Throws InputError: a load reads outside of the tensor.
[[noreturn]] void failOutside(const BufferNode& buffer, std::size_t dimension, std::int64_t index);

/// Iterations of the innermost loop that are evaluated at once.
inline constexpr int kChunk = 256;

class VectorProgram {
 public:
  /// `data` has the elements of every buffer that `body` reads; they must outlive the program.
  VectorProgram(const Expr& body, const std::vector<Axis>& outer, const Axis& inner,
                const std::map<const BufferNode*, const double*>& data);
  ~VectorProgram();

  /// Values of the body at the position of the outer loops and `count` <= kChunk iterations of the
  /// innermost one from `start`; valid until the next call. Throws InputError when a load that no
  /// branch guards lies outside its tensor.
  const double* run(const std::vector<std::int64_t>& outer, std::int64_t start, int count);

  struct Node;

 private:
  std::unique_ptr<Node> root_;
  std::vector<std::int64_t> position_; // of all loops, the innermost last
};

} // namespace nestwright
