#pragma once
/// \file Expressions as C writes them.

#include "core/emit/c_dialect.h"
#include "core/emit/c_names.h"
#include "core/lower/loop_ir.h"
#include "core/tensor/operators.h"

#include <map>
#include <string>

namespace nestwright {

class CExpr {
 public:
  CExpr(CNames& names, CDialect& dialect) : names_(names), dialect_(dialect) {}

  /// A scalar. Throws Error for what the language cannot say.
  std::string operator()(const Expr& e, Binding outer = Binding::Or) const;
  /// One lane of a vector, and a scalar as it is. Vector loads are taken from where `loaded` says.
  std::string lane(const Expr& e, const std::string& lane) const;

  /// The row-major position that scalar indices lead to: the first lane's of a vector.
  std::string position(const BufferNode& buffer, const std::vector<Expr>& indices) const;
  /// "As[i * 64 + k]".
  std::string element(const BufferNode& buffer, const std::vector<Expr>& indices) const;
  /// What one lane touches, whatever vector the indices are.
  std::string laneElement(const BufferNode& buffer, const std::vector<Expr>& indices,
                          const std::string& lane) const;

  /// Vector loads that a statement has made, by node: the variable that holds their lanes.
  std::map<const ExprNode*, std::string> loaded;

 private:
  /// All are written by the same functions: a scalar is the lane of a vector of one. In parentheses
  /// where an operator binds less tightly than `outer`.
  std::string text(const Expr& e, const std::string& lane, Binding outer = Binding::Or) const;
  std::string binaryText(const Expr& e, const std::string& lane, Binding outer) const;
  std::string infix(const BinaryOperator& binary, const Expr& e, const std::string& lane) const;
  std::string intDivision(const Expr& e, const std::string& lane) const;
  std::string rampText(const Expr& e, const std::string& lane, Binding outer) const;
  std::string castText(const Expr& e, const std::string& lane) const;
  std::string callText(const Expr& e, const std::string& lane) const;
  std::string loadText(const Expr& e, const std::string& lane) const;
  std::string sumOf(const BufferNode& buffer, const std::vector<Expr>& indices,
                    const std::string& lane) const;
  /// Of a float as the function that computes it takes it.
  std::string wide(const Expr& e, const std::string& lane, Binding outer = Binding::Or) const;

  CNames& names_;
  CDialect& dialect_;
};

/// Whether the lanes touch neighbours: the last index is a Ramp of stride 1, the others are
/// scalars.
bool areNeighbours(const std::vector<Expr>& indices);

} // namespace nestwright
