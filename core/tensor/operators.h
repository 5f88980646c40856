#pragma once
/// \file How binary operators are written: the one table for everything that prints or reads them.

#include "core/tensor/expr.h"

#include <string_view>

namespace nestwright {

/// How tightly an operator binds, loosest first. A function's arguments need no parentheses.
enum class Binding : std::uint8_t { Or, And, Equality, Order, Sum, Product, Function };

struct BinaryOperator {
  std::string_view symbol; // between its operands, or the name of a function
  ExprKind kind;
  Binding binding;
};

inline constexpr BinaryOperator kBinaryOperators[] = {
    {"||", ExprKind::Or, Binding::Or},
    {"&&", ExprKind::And, Binding::And},
    {"==", ExprKind::Eq, Binding::Equality},
    {"!=", ExprKind::Ne, Binding::Equality},
    {"<=", ExprKind::Le, Binding::Order},
    {">=", ExprKind::Ge, Binding::Order},
    {"<", ExprKind::Lt, Binding::Order},
    {">", ExprKind::Gt, Binding::Order},
    {"+", ExprKind::Add, Binding::Sum},
    {"-", ExprKind::Sub, Binding::Sum},
    {"*", ExprKind::Mul, Binding::Product},
    {"/", ExprKind::Div, Binding::Product},
    {"floordiv", ExprKind::FloorDiv, Binding::Function},
    {"floormod", ExprKind::FloorMod, Binding::Function},
    {"min", ExprKind::Min, Binding::Function},
    {"max", ExprKind::Max, Binding::Function},
};

/// Null when the kind is no binary operator.
constexpr const BinaryOperator* binaryOperator(ExprKind kind) {
  for (const BinaryOperator& candidate : kBinaryOperators)
    if (candidate.kind == kind) return &candidate;
  return nullptr;
}

/// What stands on each side of the symbol: products are written without blanks.
constexpr const char* blankAround(Binding binding) {
  return binding == Binding::Product ? "" : " ";
}

} // namespace nestwright
