#include "core/tensor/expr.h"

#include "core/support/error.h"
#include "core/support/floor_divide.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"
#include "core/tensor/operators.h"
#include "core/tensor/scalar_arithmetic.h"

#include <fmt/ranges.h>

#include <cfloat>
#include <limits>

namespace nestwright {

const char* name(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::Exp:
    return "exp";
  case Intrinsic::Log:
    return "log";
  case Intrinsic::Sqrt:
    return "sqrt";
  case Intrinsic::Rsqrt:
    return "rsqrt";
  case Intrinsic::Tanh:
    return "tanh";
  case Intrinsic::Erf:
    return "erf";
  case Intrinsic::Sigmoid:
    return "sigmoid";
  case Intrinsic::Pow:
    return "pow";
  case Intrinsic::Abs:
    return "abs";
  case Intrinsic::Floor:
    return "floor";
  case Intrinsic::Ceil:
    return "ceil";
  case Intrinsic::Round:
    return "round";
  case Intrinsic::Sin:
    return "sin";
  case Intrinsic::Cos:
    return "cos";
  case Intrinsic::Fmod:
    return "fmod";
  }
  return "?";
}

std::size_t argumentCount(Intrinsic intrinsic) {
  return intrinsic == Intrinsic::Pow || intrinsic == Intrinsic::Fmod ? 2 : 1;
}

Var makeVar(std::string name, DataType type) {
  return std::make_shared<const VarNode>(VarNode{std::move(name), type});
}

std::int64_t BufferNode::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape)
    product *= extent;
  return product;
}

std::int64_t BufferNode::bytes() const {
  return elements() * type.elementBytes();
}

Buffer makeBuffer(std::string name, std::vector<std::int64_t> shape, DataType type) {
  for (const std::int64_t extent : shape)
    if (extent < 1)
      throw InputError(fmt::format("tensor '{}' has a dimension of extent {}; extents are at least "
                                   "1",
                                   name, extent));
  std::int64_t bytes = type.elementBytes();
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw InputError(fmt::format("tensor '{}' of {} elements is larger than any memory", name,
                                   fmt::join(shape, " x ")));
  return std::make_shared<const BufferNode>(BufferNode{std::move(name), type, std::move(shape)});
}

Expr::Expr(int value) : Expr(static_cast<std::int64_t>(value)) {}

Expr::Expr(std::int64_t value) : Expr(intImm(value)) {}

Expr::Expr(const Var& var) {
  ExprNode node{ExprKind::Var, var->type, {}};
  node.var = var;
  node_ = std::make_shared<const ExprNode>(std::move(node));
}

namespace {

Expr make(ExprNode node) {
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

} // namespace

Expr intImm(std::int64_t value, DataType type) {
  ExprNode node{ExprKind::IntImm, type, {}};
  node.integer = value;
  return make(std::move(node));
}

Expr floatImm(double value, DataType type) {
  ExprNode node{ExprKind::FloatImm, type, {}};
  node.real = roundedTo(value, type);
  return make(std::move(node));
}

Expr boolImm(bool value) {
  return intImm(value ? 1 : 0, kBool);
}

Expr zeroOf(DataType type) {
  return type.isFloat() ? floatImm(0, type.element()) : intImm(0, type.element());
}

Expr oneOf(DataType type) {
  return type.isFloat() ? floatImm(1, type.element()) : intImm(1, type.element());
}

namespace {

double highestReal(DataType type) {
  constexpr double kFloat16Max = 65504;
  if (type.code == DataType::Code::BFloat) return 3.3895313892515355e38;
  return type.bits == 64 ? DBL_MAX : type.bits == 32 ? FLT_MAX : kFloat16Max;
}

} // namespace

Expr lowestOf(DataType type) {
  const DataType element = type.element();
  if (element.isFloat()) return floatImm(-highestReal(element), element);
  if (element.code != DataType::Code::Int) return intImm(0, element);
  return intImm(std::numeric_limits<std::int64_t>::min() >> (64 - element.bits), element);
}

Expr highestOf(DataType type) {
  const DataType element = type.element();
  if (element.isFloat()) return floatImm(highestReal(element), element);
  constexpr std::int64_t kAllOnes = std::numeric_limits<std::int64_t>::max();
  if (element.isBool()) return boolImm(true);
  // A uint64 literal is kept in an int64, so its highest value is that of int64.
  const int valueBits = element.code == DataType::Code::Int ? element.bits - 1 : element.bits;
  return intImm(valueBits >= 63 ? kAllOnes : (std::int64_t{1} << valueBits) - 1, element);
}

Expr cast(DataType type, Expr value) {
  if (value->type == type) return value;
  if (value->type.isScalar() && type.isScalar()) {
    if (value->kind == ExprKind::IntImm && type.isFloat())
      return floatImm(static_cast<double>(value->integer), type);
    if (value->kind == ExprKind::IntImm && type.isInt()) return intImm(value->integer, type);
    if (value->kind == ExprKind::FloatImm && type.isFloat()) return floatImm(value->real, type);
  }
  return make({ExprKind::Cast, type, {std::move(value)}});
}

Expr select(Expr condition, Expr then, Expr otherwise);

namespace {

bool isLiteral(const Expr& e) {
  return e->kind == ExprKind::IntImm || e->kind == ExprKind::FloatImm;
}

/// Lets the literal `a` take the type of `b` where that loses nothing of what was meant.
void adapt(Expr& a, const Expr& b) {
  if (!isLiteral(a)) return;
  const DataType element = b->type.element();
  const bool toFloat = element.isFloat() && !a->type.isBool();
  const bool toInt = element.isInt() && a->kind == ExprKind::IntImm && a->type == kInt64;
  if (!toFloat && !toInt) return;
  a = cast(element, std::move(a));
  if (!b->type.isScalar()) a = broadcast(std::move(a), b->type.lanes);
}

void unify(Expr& a, Expr& b, std::string_view what) {
  if (a->type == b->type) return;
  // A float literal beside an integer literal must not be cut to an integer.
  if (isLiteral(a) &&
      !(isLiteral(b) && a->kind == ExprKind::FloatImm && b->kind == ExprKind::IntImm))
    adapt(a, b);
  if (a->type != b->type) adapt(b, a);
  if (a->type != b->type)
    throw InputError(fmt::format("the operands of {} have the types {} and {}; convert one, as in "
                                 "{}(...)",
                                 what, toString(a->type), toString(b->type),
                                 toString(a->type.element())));
}

std::string_view symbol(ExprKind kind) {
  const BinaryOperator* known = binaryOperator(kind);
  NW_ASSERT(known, "expression kind {} is no binary operator", static_cast<int>(kind));
  return known->symbol;
}

bool isComparison(ExprKind kind) {
  return kind >= ExprKind::Eq && kind <= ExprKind::Ge;
}

/// The literal, or null when the value needs more than 64 bits.
Expr sumLiteral(std::int64_t a, std::int64_t b, DataType type) {
  std::int64_t value = 0;
  return __builtin_add_overflow(a, b, &value) ? Expr() : intImm(value, type);
}
Expr differenceLiteral(std::int64_t a, std::int64_t b, DataType type) {
  std::int64_t value = 0;
  return __builtin_sub_overflow(a, b, &value) ? Expr() : intImm(value, type);
}
Expr productLiteral(std::int64_t a, std::int64_t b, DataType type) {
  std::int64_t value = 0;
  return __builtin_mul_overflow(a, b, &value) ? Expr() : intImm(value, type);
}
Expr quotientLiteral(std::int64_t a, std::int64_t b, DataType type) {
  if (b == -1) return differenceLiteral(0, a, type);
  return b == 0 ? Expr() : intImm(floorDivide(a, b), type);
}
Expr remainderLiteral(std::int64_t a, std::int64_t b, DataType type) {
  if (b == -1) return intImm(0, type);
  return b == 0 ? Expr() : intImm(a - floorDivide(a, b) * b, type);
}

/// Null where the result is no literal.
Expr foldIntegers(ExprKind kind, std::int64_t a, std::int64_t b, DataType type) {
  switch (kind) {
  case ExprKind::Add:
    return sumLiteral(a, b, type);
  case ExprKind::Sub:
    return differenceLiteral(a, b, type);
  case ExprKind::Mul:
    return productLiteral(a, b, type);
  case ExprKind::FloorDiv:
    return quotientLiteral(a, b, type);
  case ExprKind::FloorMod:
    return remainderLiteral(a, b, type);
  case ExprKind::Min:
    return intImm(std::min(a, b), type);
  case ExprKind::Max:
    return intImm(std::max(a, b), type);
  case ExprKind::And:
    return boolImm(a != 0 && b != 0);
  case ExprKind::Or:
    return boolImm(a != 0 || b != 0);
  default:
    return isComparison(kind) ? boolImm(applyBinary(kind, a, b) != 0) : Expr();
  }
}

Expr foldReals(ExprKind kind, double a, double b, DataType type) {
  switch (kind) {
  case ExprKind::Add:
    return floatImm(a + b, type);
  case ExprKind::Sub:
    return floatImm(a - b, type);
  case ExprKind::Mul:
    return floatImm(a * b, type);
  case ExprKind::Div:
    return floatImm(a / b, type);
  case ExprKind::Min:
    return floatImm(std::min(a, b), type);
  case ExprKind::Max:
    return floatImm(std::max(a, b), type);
  default:
    return isComparison(kind) ? boolImm(applyBinary(kind, a, b) != 0) : Expr();
  }
}

void checkOperandType(ExprKind kind, DataType type) {
  const bool logic = kind == ExprKind::And || kind == ExprKind::Or;
  if (logic != type.isBool() && !(type.isBool() && isComparison(kind)))
    throw InputError(fmt::format("{} works on {}, not on {}", symbol(kind),
                                 logic ? "conditions" : "numbers", toString(type)));
  if (kind == ExprKind::Div && !type.isFloat())
    throw InputError(
        fmt::format("/ divides floating-point values, not {}; use floordiv(a, b)", toString(type)));
  if ((kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod) && !type.isInt())
    throw InputError(
        fmt::format("{} divides integers, not {}; use /", symbol(kind), toString(type)));
}

} // namespace

Expr binary(ExprKind kind, Expr a, Expr b) {
  NW_ASSERT(isBinary(kind), "expression kind {} has not two operands", static_cast<int>(kind));
  unify(a, b, symbol(kind));
  const DataType type = a->type;
  checkOperandType(kind, type);
  if (isLiteral(a) && isLiteral(b)) {
    Expr folded = a->kind == ExprKind::IntImm ? foldIntegers(kind, a->integer, b->integer, type)
                                              : foldReals(kind, a->real, b->real, type);
    if (folded) return folded;
  }
  const bool truth = isComparison(kind) || kind == ExprKind::And || kind == ExprKind::Or;
  return make({kind, truth ? kBool.withLanes(type.lanes) : type, {std::move(a), std::move(b)}});
}

Expr floorDiv(Expr a, Expr b) {
  return binary(ExprKind::FloorDiv, std::move(a), std::move(b));
}
Expr floorMod(Expr a, Expr b) {
  return binary(ExprKind::FloorMod, std::move(a), std::move(b));
}
Expr min(Expr a, Expr b) {
  return binary(ExprKind::Min, std::move(a), std::move(b));
}
Expr max(Expr a, Expr b) {
  return binary(ExprKind::Max, std::move(a), std::move(b));
}

namespace {

Expr choice(ExprKind kind, Expr condition, Expr then, Expr otherwise) {
  const char* what = kind == ExprKind::Select ? "select" : "if_then_else";
  if (!condition->type.isBool())
    throw InputError(fmt::format("the first argument of {} is a condition, not {}", what,
                                 toString(condition->type)));
  unify(then, otherwise, what);
  const DataType type = then->type;
  return make({kind, type, {std::move(condition), std::move(then), std::move(otherwise)}});
}

} // namespace

Expr select(Expr condition, Expr then, Expr otherwise) {
  return choice(ExprKind::Select, std::move(condition), std::move(then), std::move(otherwise));
}

Expr ifThenElse(Expr condition, Expr then, Expr otherwise) {
  return choice(ExprKind::IfThenElse, std::move(condition), std::move(then), std::move(otherwise));
}

Expr call(Intrinsic intrinsic, std::vector<Expr> arguments) {
  const std::size_t expected = argumentCount(intrinsic);
  if (arguments.size() != expected)
    throw InputError(fmt::format("{} takes {}, not {}", name(intrinsic),
                                 quantity(std::int64_t(expected), "argument"), arguments.size()));
  for (Expr& argument : arguments)
    if (isLiteral(argument) && argument->type.isInt() && intrinsic != Intrinsic::Abs)
      argument = cast(kFloat32, std::move(argument));
  if (expected == 2) unify(arguments[0], arguments[1], name(intrinsic));
  const DataType type = arguments[0]->type;
  if (!type.isFloat() && !(intrinsic == Intrinsic::Abs && type.isInt()))
    throw InputError(fmt::format("{} works on floating-point values, not on {}", name(intrinsic),
                                 toString(type)));
  ExprNode node{ExprKind::Call, type, std::move(arguments)};
  node.intrinsic = intrinsic;
  return make(std::move(node));
}

Expr load(Buffer buffer, std::vector<Expr> indices) {
  if (indices.size() != buffer->shape.size())
    throw InputError(fmt::format("tensor '{}' has {}, but is read with {} ind{}", buffer->name,
                                 quantity(std::ssize(buffer->shape), "dimension"), indices.size(),
                                 indices.size() == 1 ? "ex" : "ices"));
  DataType type = buffer->type;
  for (const Expr& index : indices) {
    if (!index->type.isInt())
      throw InputError(fmt::format("tensor '{}' is indexed by {}; an index is an integer",
                                   buffer->name, toString(index->type)));
    if (!index->type.isScalar()) type = type.withLanes(index->type.lanes);
  }
  ExprNode node{ExprKind::Load, type, std::move(indices)};
  node.buffer = std::move(buffer);
  return make(std::move(node));
}

Expr ramp(Expr base, Expr stride, int lanes) {
  unify(base, stride, "ramp");
  const DataType type = base->type.withLanes(lanes);
  return make({ExprKind::Ramp, type, {std::move(base), std::move(stride)}});
}

Expr broadcast(Expr value, int lanes) {
  const DataType type = value->type.withLanes(lanes);
  return make({ExprKind::Broadcast, type, {std::move(value)}});
}

Expr operator+(Expr a, Expr b) {
  return binary(ExprKind::Add, std::move(a), std::move(b));
}
Expr operator-(Expr a, Expr b) {
  return binary(ExprKind::Sub, std::move(a), std::move(b));
}
Expr operator*(Expr a, Expr b) {
  return binary(ExprKind::Mul, std::move(a), std::move(b));
}
Expr operator/(Expr a, Expr b) {
  return binary(ExprKind::Div, std::move(a), std::move(b));
}
Expr operator-(Expr a) {
  Expr zero = zeroOf(a->type);
  if (!a->type.isScalar()) zero = broadcast(std::move(zero), a->type.lanes);
  return binary(ExprKind::Sub, std::move(zero), std::move(a));
}
Expr operator<(Expr a, Expr b) {
  return binary(ExprKind::Lt, std::move(a), std::move(b));
}
Expr operator<=(Expr a, Expr b) {
  return binary(ExprKind::Le, std::move(a), std::move(b));
}
Expr operator>(Expr a, Expr b) {
  return binary(ExprKind::Gt, std::move(a), std::move(b));
}
Expr operator>=(Expr a, Expr b) {
  return binary(ExprKind::Ge, std::move(a), std::move(b));
}
Expr operator&&(Expr a, Expr b) {
  return binary(ExprKind::And, std::move(a), std::move(b));
}
Expr operator||(Expr a, Expr b) {
  return binary(ExprKind::Or, std::move(a), std::move(b));
}
Expr equal(Expr a, Expr b) {
  return binary(ExprKind::Eq, std::move(a), std::move(b));
}
Expr notEqual(Expr a, Expr b) {
  return binary(ExprKind::Ne, std::move(a), std::move(b));
}

Expr windowIndex(const Expr& position, std::int64_t stride, const Expr& offset,
                 std::int64_t dilation) {
  const Expr base = stride == 1 ? position : position * Expr(stride);
  return base + (dilation == 1 ? offset : offset * Expr(dilation));
}

Expr logicalNot(Expr a) {
  if (!a->type.isBool())
    throw InputError(fmt::format("! negates conditions, not {}", toString(a->type)));
  if (a->kind == ExprKind::IntImm) return boolImm(a->integer == 0);
  const DataType type = a->type;
  return make({ExprKind::Not, type, {std::move(a)}});
}

} // namespace nestwright
