#include "core/emit/c_expr.h"

#include "core/support/error.h"
#include "core/tensor/math_function.h"

#include <limits>

namespace nestwright {
namespace {

bool isPowerOfTwo(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

int logarithm(std::int64_t powerOfTwo) {
  return __builtin_ctzll(static_cast<std::uint64_t>(powerOfTwo));
}

/// What is left of an index when its vector is taken away: the base of a Ramp of stride 1. Throws
/// Error for another vector.
Expr firstLane(const Expr& index) {
  if (index->type.isScalar()) return index;
  if (index->kind != ExprKind::Ramp || !isConst((*index)[1], 1))
    throw Error("a vector access of a GPU program is one to neighbours, which this one is not");
  return (*index)[0];
}

} // namespace

bool areNeighbours(const std::vector<Expr>& indices) {
  if (indices.empty()) return false;
  for (std::size_t i = 0; i + 1 < indices.size(); ++i)
    if (!indices[i]->type.isScalar()) return false;
  return indices.back()->kind == ExprKind::Ramp && isConst((*indices.back())[1], 1);
}

std::string CExpr::operator()(const Expr& e, Binding outer) const {
  NW_ASSERT(e->type.isScalar(), "a vector stands where C has a scalar");
  return text(e, "", outer);
}

std::string CExpr::lane(const Expr& e, const std::string& lane) const {
  return text(e, lane);
}

std::string CExpr::position(const BufferNode& buffer, const std::vector<Expr>& indices) const {
  std::vector<Expr> first;
  for (const Expr& index : indices)
    first.push_back(firstLane(index));
  return sumOf(buffer, first, "");
}

std::string CExpr::sumOf(const BufferNode& buffer, const std::vector<Expr>& indices,
                         const std::string& lane) const {
  if (indices.empty()) return "0";
  if (indices.size() == 1) return text(indices[0], lane);
  NW_ASSERT(indices.size() == buffer.shape.size(), "{} has {} dimensions, {} indices were given",
            buffer.name, buffer.shape.size(), indices.size());
  std::string sum;
  std::int64_t stride = buffer.elements();
  const DataType wide = stride > std::numeric_limits<std::int32_t>::max() ? kInt64 : kInt32;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    stride /= buffer.shape[i];
    const Expr& index = indices[i];
    if (isConst(index, 0)) continue;
    const std::string term = stride == 1
                                 ? text(index, lane, Binding::Sum)
                                 : fmt::format("{} * {}", text(index, lane, Binding::Product),
                                               dialect_.integer(stride, wide));
    sum += (sum.empty() ? "" : " + ") + term;
  }
  return sum.empty() ? "0" : sum;
}

std::string CExpr::element(const BufferNode& buffer, const std::vector<Expr>& indices) const {
  return fmt::format("{}[{}]", names_(&buffer), position(buffer, indices));
}

std::string CExpr::laneElement(const BufferNode& buffer, const std::vector<Expr>& indices,
                               const std::string& lane) const {
  if (areNeighbours(indices))
    return fmt::format("{}[{} + {}]", names_(&buffer), position(buffer, indices), lane);
  return fmt::format("{}[{}]", names_(&buffer), sumOf(buffer, indices, lane));
}

std::string CExpr::text(const Expr& e, const std::string& lane, Binding outer) const {
  switch (e->kind) {
  case ExprKind::IntImm:
    return dialect_.integer(e->integer, e->type);
  case ExprKind::FloatImm:
    return dialect_.real(e->real, e->type);
  case ExprKind::Var:
    return names_(e->var.get());
  case ExprKind::Not: {
    const std::string inverse = "!" + text((*e)[0], lane, Binding::Function);
    return outer > Binding::And ? fmt::format("({})", inverse) : inverse;
  }
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return fmt::format("({} ? {} : {})", text((*e)[0], lane), text((*e)[1], lane),
                       text((*e)[2], lane));
  case ExprKind::Cast:
    return castText(e, lane);
  case ExprKind::Call:
    return callText(e, lane);
  case ExprKind::Load:
    return loadText(e, lane);
  case ExprKind::Ramp:
    return rampText(e, lane, outer);
  case ExprKind::Broadcast:
    return text((*e)[0], lane, outer);
  default:
    return binaryText(e, lane, outer);
  }
}

std::string CExpr::rampText(const Expr& e, const std::string& lane, Binding outer) const {
  const std::string base = text((*e)[0], lane, Binding::Sum);
  const std::string sum =
      isConst((*e)[1], 1)
          ? fmt::format("{} + {}", base, lane)
          : fmt::format("{} + {} * {}", base, text((*e)[1], lane, Binding::Product), lane);
  return outer > Binding::Sum ? fmt::format("({})", sum) : sum;
}

std::string CExpr::wide(const Expr& e, const std::string& lane, Binding outer) const {
  if (!e->type.isHalf()) return text(e, lane, outer);
  if (e->kind == ExprKind::Broadcast) return wide((*e)[0], lane, outer);
  if (e->kind == ExprKind::FloatImm) return dialect_.real(e->real, kFloat32);
  return dialect_.widened(text(e, lane), e->type.element());
}

/// A half is computed with as float, and rounded after each operation.
static std::string rounded(CDialect& dialect, const std::string& text, DataType type) {
  return type.isHalf() ? dialect.narrowed(text, type) : text;
}

/// What fits one of two types computes as that type does in the IR; C widens smaller ones to int.
static std::string wrapped(const CDialect& dialect, const std::string& text, DataType type) {
  return type.isInt() && type.bits < 32 ? fmt::format("({})({})", dialect.type(type), text) : text;
}

std::string CExpr::infix(const BinaryOperator& binary, const Expr& e,
                         const std::string& lane) const {
  // a - (b - c) needs its parentheses, and so does a * (b * c), which rounds otherwise.
  const bool associates = e->kind == ExprKind::And || e->kind == ExprKind::Or;
  // Compilers want a || (b && c) so.
  const auto left = e->kind == ExprKind::Or ? Binding::Equality : binary.binding;
  const auto right = associates ? left : static_cast<Binding>(static_cast<int>(left) + 1);
  const auto operand = [&](const Expr& one, Binding around) {
    return wide(one, lane, one->kind == e->kind && associates ? Binding::Or : around);
  };
  return fmt::format("{} {} {}", operand((*e)[0], left), binary.symbol, operand((*e)[1], right));
}

std::string CExpr::binaryText(const Expr& e, const std::string& lane, Binding outer) const {
  const DataType operand = (*e)[0]->type.element();
  if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod ||
      (e->kind == ExprKind::Div && !operand.isFloat()))
    return intDivision(e, lane);
  if (e->kind == ExprKind::Min || e->kind == ExprKind::Max)
    return rounded(dialect_,
                   dialect_.helper(e->kind == ExprKind::Min ? "min" : "max",
                                   operand.isHalf() ? kFloat32 : operand,
                                   {wide((*e)[0], lane), wide((*e)[1], lane)}),
                   operand);
  const BinaryOperator* binary = binaryOperator(e->kind);
  NW_ASSERT(binary, "expression kind {} is no binary operator", static_cast<int>(e->kind));
  const std::string plain = infix(*binary, e, lane);
  const DataType result = e->type.element();
  if (result.isHalf()) return dialect_.narrowed(plain, result);
  if (result.isInt() && result.bits < 32) return wrapped(dialect_, plain, result);
  return binary->binding < outer ? fmt::format("({})", plain) : plain;
}

std::string CExpr::intDivision(const Expr& e, const std::string& lane) const {
  const DataType type = e->type.element();
  const bool quotient = e->kind != ExprKind::FloorMod;
  const std::string a = text((*e)[0], lane, Binding::Function);
  const std::int64_t* divisor = asInt((*e)[1]);
  if (divisor && *divisor == 0) throw Error("the kernel divides by a literal zero");
  if (dialect_.dividesAsWritten(e))
    return wrapped(dialect_,
                   fmt::format("({} {} {})", a, quotient ? "/" : "%", text((*e)[1], lane)), type);
  if (divisor && isPowerOfTwo(*divisor)) // rounds down, whatever the sign
    return wrapped(dialect_,
                   quotient ? fmt::format("({} >> {})", a, logarithm(*divisor))
                            : fmt::format("({} & {})", a, dialect_.integer(*divisor - 1, type)),
                   type);
  return dialect_.helper(quotient ? "floordiv" : "floormod", type,
                         {text((*e)[0], lane), text((*e)[1], lane)});
}

std::string CExpr::castText(const Expr& e, const std::string& lane) const {
  const DataType from = (*e)[0]->type.element(), to = e->type.element();
  if (from == to) return text((*e)[0], lane);
  const std::string value = wide((*e)[0], lane, Binding::Function);
  if (to.isBool()) return fmt::format("({} != 0)", value);
  if (to.isHalf()) return dialect_.narrowed(fmt::format("(float){}", value), to);
  if (!from.isFloat() || to.isFloat()) return fmt::format("({}){}", dialect_.type(to), value);
  return dialect_.roundedToZero(value, from, to);
}

std::string CExpr::callText(const Expr& e, const std::string& lane) const {
  const DataType type = e->type.element();
  const std::string value = wide((*e)[0], lane);
  if (!type.isFloat()) {
    if (e->intrinsic != Intrinsic::Abs)
      throw Error(fmt::format("{} is a function of numbers with a fraction, not of {}",
                              name(e->intrinsic), toString(type)));
    return wrapped(dialect_, dialect_.helper("abs", type, {value}), type);
  }
  const DataType computed = type.isHalf() ? kFloat32 : type;
  if (e->intrinsic == Intrinsic::Sigmoid) {
    const std::string one = dialect_.real(1, computed);
    const std::string power = dialect_.function("exp", computed, {fmt::format("-({})", value)});
    return rounded(dialect_, fmt::format("({} / ({} + {}))", one, one, power), type);
  }
  if (e->intrinsic == Intrinsic::Rsqrt)
    return rounded(dialect_, dialect_.reciprocalRoot(value, computed), type);
  std::vector<std::string> arguments = {value};
  if (e->operands.size() > 1) arguments.push_back(wide((*e)[1], lane));
  const char* function = mathFunction(e->intrinsic);
  NW_ASSERT(function, "{} is no single function of C", name(e->intrinsic));
  return rounded(dialect_, dialect_.function(function, computed, arguments), type);
}

std::string CExpr::loadText(const Expr& e, const std::string& lane) const {
  if (e->type.isScalar()) return element(*e->buffer, e->operands);
  if (const auto found = loaded.find(e.get()); found != loaded.end())
    return fmt::format("{}.lane[{}]", found->second, lane);
  return laneElement(*e->buffer, e->operands, lane);
}

} // namespace nestwright
