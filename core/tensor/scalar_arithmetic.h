#pragma once
/// \file The arithmetic of expressions on single values: what an operator gives, whoever evaluates.

#include "core/tensor/compute_dag.h"

#include <cstdint>

namespace nestwright {

/// Whether the type's arithmetic wraps around inside the 64 bits that indices have: integers that
/// are narrower than those.
bool wraps(DataType type);
/// The lowest bits of the number, as the type means them; itself where the type wraps nothing.
std::int64_t wrapped(std::int64_t value, DataType type);
/// What a binary kind gives of two values; comparisons and logic give 0 or 1. Quotients are rounded
/// down where the kind says so, and are 0 where the divisor is. Of doubles, integers up to 2^53 are
/// exact, which covers every index.
double applyBinary(ExprKind kind, double a, double b);
/// The same where the values are of this type, which a comparison's are not: integers wrap around
/// as `wrapped` says. Floats of 16 bits are for the caller to round.
double applyBinary(ExprKind kind, DataType type, double a, double b);
/// Of integers; `Div` is none of theirs.
std::int64_t applyBinary(ExprKind kind, std::int64_t a, std::int64_t b);
/// `b` counts for functions of two arguments alone.
double applyIntrinsic(Intrinsic intrinsic, double a, double b);
/// The value of `from` as one of `to`: truncated, rounded or, of an integer, wrapped around to the
/// bits that the type has.
double applyCast(DataType from, DataType to, double a);
/// What a reduction makes of its result so far and the next value.
double combined(Reducer reducer, double a, double b);
/// The same in an accumulator of this type: a float of 16 bits rounds each time (half.h), an
/// integer that is narrower than an index wraps around.
double accumulated(Reducer reducer, double a, double b, DataType type);
/// The value as an element of `type` holds it.
double stored(double value, DataType type);
/// The value of a literal.
double literal(const Expr& e);

} // namespace nestwright
