#include "core/tensor/scalar_arithmetic.h"

#include "core/support/error.h"
#include "core/support/floor_divide.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

double divideDown(double a, double b) {
  return std::floor(a / b);
}

std::int64_t divideDown(std::int64_t a, std::int64_t b) {
  return floorDivide(a, b);
}

template <class Number>
Number binary(ExprKind kind, Number a, Number b) {
  switch (kind) {
  case ExprKind::Add:
    return a + b;
  case ExprKind::Sub:
    return a - b;
  case ExprKind::Mul:
    return a * b;
  case ExprKind::Div:
    NW_ASSERT(std::is_floating_point_v<Number>, "integers are divided down");
    return a / b;
  case ExprKind::FloorDiv:
    return b == 0 ? 0 : divideDown(a, b);
  case ExprKind::FloorMod:
    return b == 0 ? 0 : a - divideDown(a, b) * b;
  case ExprKind::Min:
    return std::min(a, b);
  case ExprKind::Max:
    return std::max(a, b);
  case ExprKind::Eq:
    return a == b;
  case ExprKind::Ne:
    return a != b;
  case ExprKind::Lt:
    return a < b;
  case ExprKind::Le:
    return a <= b;
  case ExprKind::Gt:
    return a > b;
  case ExprKind::Ge:
    return a >= b;
  case ExprKind::And:
    return a != 0 && b != 0;
  case ExprKind::Or:
    return a != 0 || b != 0;
  default:
    NW_ASSERT(false, "not a binary kind");
    return 0;
  }
}

double wrappedReal(double value, DataType type) {
  return static_cast<double>(wrapped(static_cast<std::int64_t>(value), type));
}

} // namespace

bool wraps(DataType type) {
  return type.isInt() && type.bits < 64;
}

std::int64_t wrapped(std::int64_t value, DataType type) {
  if (!wraps(type)) return value;
  const int unused = 64 - type.bits;
  const std::uint64_t high = static_cast<std::uint64_t>(value) << unused;
  return type.code == DataType::Code::Int ? static_cast<std::int64_t>(high) >> unused
                                          : static_cast<std::int64_t>(high >> unused);
}

double applyBinary(ExprKind kind, double a, double b) {
  return binary(kind, a, b);
}

double applyBinary(ExprKind kind, DataType type, double a, double b) {
  if (!wraps(type)) return binary(kind, a, b);
  // A product of two int32 has more digits than a double.
  return static_cast<double>(
      wrapped(binary(kind, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)), type));
}

std::int64_t applyBinary(ExprKind kind, std::int64_t a, std::int64_t b) {
  return binary(kind, a, b);
}

double applyIntrinsic(Intrinsic intrinsic, double a, double b) {
  switch (intrinsic) {
  case Intrinsic::Exp:
    return std::exp(a);
  case Intrinsic::Log:
    return std::log(a);
  case Intrinsic::Sqrt:
    return std::sqrt(a);
  case Intrinsic::Rsqrt:
    return 1 / std::sqrt(a);
  case Intrinsic::Tanh:
    return std::tanh(a);
  case Intrinsic::Erf:
    return std::erf(a);
  case Intrinsic::Sigmoid:
    return 1 / (1 + std::exp(-a));
  case Intrinsic::Pow:
    return std::pow(a, b);
  case Intrinsic::Abs:
    return std::abs(a);
  case Intrinsic::Floor:
    return std::floor(a);
  case Intrinsic::Ceil:
    return std::ceil(a);
  case Intrinsic::Round:
    return std::nearbyint(a);
  case Intrinsic::Sin:
    return std::sin(a);
  case Intrinsic::Cos:
    return std::cos(a);
  case Intrinsic::Fmod:
    return std::fmod(a, b);
  }
  return 0;
}

double applyCast(DataType from, DataType to, double a) {
  if (to.isBool()) return a != 0;
  if (to.isInt() && from.isFloat()) return std::trunc(a);
  if (to.isInt()) return wraps(to) ? wrappedReal(a, to) : a;
  return roundedTo(a, to);
}

double combined(Reducer reducer, double a, double b) {
  switch (reducer) {
  case Reducer::Sum:
    return a + b;
  case Reducer::Product:
    return a * b;
  case Reducer::Min:
    return std::min(a, b);
  case Reducer::Max:
    return std::max(a, b);
  }
  return a;
}

double accumulated(Reducer reducer, double a, double b, DataType type) {
  if (wraps(type) && reducer == Reducer::Product) return applyBinary(ExprKind::Mul, type, a, b);
  const double value = combined(reducer, a, b);
  return type.isHalf() ? roundedTo(value, type) : wraps(type) ? wrappedReal(value, type) : value;
}

double stored(double value, DataType type) {
  return type.isFloat() ? roundedTo(value, type) : value;
}

double literal(const Expr& e) {
  return e->kind == ExprKind::FloatImm ? e->real : static_cast<double>(e->integer);
}

} // namespace nestwright
