#pragma once
/// \file Evaluating one expression over a run of values of its innermost loop, so that the
/// interpretation of a node is paid once per run. Private to this room.

#include "core/tensor/compute_dag.h"

#include <map>
#include <memory>
#include <vector>

namespace nestwright {

// The arithmetic of expressions, on doubles.
double applyBinary(ExprKind kind, double a, double b);
double applyIntrinsic(Intrinsic intrinsic, double a, double b);
double applyCast(DataType from, DataType to, double a);
double combined(Reducer reducer, double a, double b);
/// The value as an element of `type` holds it.
double stored(double value, DataType type);
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

  /// The value of a literal.
  static double literal(const Expr& e);

  struct Node;

 private:
  std::unique_ptr<Node> root_;
  std::vector<std::int64_t> position_; // of all loops, the innermost last
};

} // namespace nestwright
