#pragma once
/// \file Expressions as CUDA C.

#include "core/lower/loop_ir.h"
#include "core/tensor/operators.h"
#include "plugins/cuda/text/names.h"

#include <map>
#include <string>

namespace nestwright::cuda {

class ExprText {
 public:
  explicit ExprText(Names& names) : names_(names) {}

  /// A scalar. Throws Error for what CUDA C cannot say.
  std::string operator()(const Expr& e) const;
  /// One lane of a vector, and a scalar as it is. Vector loads are taken from where `loaded` says.
  std::string lane(const Expr& e, const std::string& lane) const;

  /// The row-major position that scalar indices lead to: the first lane's of a vector.
  std::string position(const BufferNode& buffer, const std::vector<Expr>& indices) const;
  /// "As[i*64 + k]".
  std::string element(const BufferNode& buffer, const std::vector<Expr>& indices) const;

  /// Vector loads that a statement has made, by node: the variable that holds their lanes.
  std::map<const ExprNode*, std::string> loaded;

 private:
  /// All are written by the same functions: a scalar is the lane of a vector of one. In parentheses
  /// where an operator binds less tightly than `outer`.
  std::string text(const Expr& e, const std::string& lane, Binding outer = Binding::Or) const;
  std::string binaryText(const Expr& e, const std::string& lane, Binding outer) const;
  std::string infix(const BinaryOperator& binary, const Expr& e, const std::string& lane) const;
  std::string intDivision(const Expr& e, const std::string& lane) const;
  std::string castText(const Expr& e, const std::string& lane) const;
  std::string callText(const Expr& e, const std::string& lane) const;
  std::string loadText(const Expr& e, const std::string& lane) const;
  /// Of a float as the function that computes it takes it.
  std::string wide(const Expr& e, const std::string& lane, Binding outer = Binding::Or) const;

  Names& names_;
};

/// What is left of an index when its vector is taken away: the base of a Ramp of stride 1. Throws
/// Error for another vector.
Expr firstLane(const Expr& index);

} // namespace nestwright::cuda
