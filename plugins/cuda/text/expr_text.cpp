#include "plugins/cuda/text/expr_text.h"

#include "core/support/error.h"
#include "plugins/cuda/text/type_text.h"

#include <limits>

namespace nestwright::cuda {
namespace {

/// A half is computed with as float, and rounded after each operation.
std::string rounded(const std::string& text, DataType type) {
  if (!type.isHalf()) return text;
  return fmt::format("nw_to_{}({})", type.code == DataType::Code::BFloat ? "bf16" : "f16", text);
}

/// What fits one of two types computes as that type does in the IR; C widens smaller ones to int.
std::string wrapped(const std::string& text, DataType type) {
  return type.isInt() && type.bits < 32 ? fmt::format("({})({})", typeText(type), text) : text;
}

bool isPowerOfTwo(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

int logarithm(std::int64_t powerOfTwo) {
  return __builtin_ctzll(static_cast<std::uint64_t>(powerOfTwo));
}

/// The name of a function of float; those of double have no f.
const char* functionName(Intrinsic intrinsic) {
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
  case Intrinsic::Pow:
    return "pow";
  case Intrinsic::Abs:
    return "fabs";
  case Intrinsic::Floor:
    return "floor";
  case Intrinsic::Ceil:
    return "ceil";
  case Intrinsic::Round:
    return "rint";
  case Intrinsic::Sin:
    return "sin";
  case Intrinsic::Cos:
    return "cos";
  case Intrinsic::Sigmoid:
    break;
  }
  NW_ASSERT(false, "{} is no single function of CUDA C", name(intrinsic));
  return "";
}

} // namespace

Expr firstLane(const Expr& index) {
  if (index->type.isScalar()) return index;
  if (index->kind != ExprKind::Ramp || !isConst((*index)[1], 1))
    throw Error("a vector access of a GPU program is one to neighbours, which this one is not");
  return (*index)[0];
}

std::string ExprText::operator()(const Expr& e) const {
  NW_ASSERT(e->type.isScalar(), "a vector stands where CUDA C has a scalar");
  return text(e, "");
}

std::string ExprText::lane(const Expr& e, const std::string& lane) const {
  return text(e, lane);
}

std::string ExprText::position(const BufferNode& buffer, const std::vector<Expr>& indices) const {
  if (indices.empty()) return "0";
  if (indices.size() == 1) return text(firstLane(indices[0]), "");
  NW_ASSERT(indices.size() == buffer.shape.size(), "{} has {} dimensions, {} indices were given",
            buffer.name, buffer.shape.size(), indices.size());
  std::string sum;
  std::int64_t stride = buffer.elements();
  const char* suffix = stride > std::numeric_limits<std::int32_t>::max() ? "ll" : "";
  for (std::size_t i = 0; i < indices.size(); ++i) {
    stride /= buffer.shape[i];
    const Expr index = firstLane(indices[i]);
    if (isConst(index, 0)) continue;
    const std::string term =
        stride == 1 ? text(index, "", Binding::Sum)
                    : fmt::format("{} * {}{}", text(index, "", Binding::Product), stride, suffix);
    sum += (sum.empty() ? "" : " + ") + term;
  }
  return sum.empty() ? "0" : sum;
}

std::string ExprText::element(const BufferNode& buffer, const std::vector<Expr>& indices) const {
  return fmt::format("{}[{}]", names_(&buffer), position(buffer, indices));
}

std::string ExprText::text(const Expr& e, const std::string& lane, Binding outer) const {
  switch (e->kind) {
  case ExprKind::IntImm:
    return intText(e->integer, e->type);
  case ExprKind::FloatImm:
    return floatText(e->real, e->type);
  case ExprKind::Var:
    return names_(e->var.get());
  case ExprKind::Not:
    return "!" + text((*e)[0], lane, Binding::Function);
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
    return fmt::format("({} + {} * {})", text((*e)[0], lane, Binding::Sum),
                       text((*e)[1], lane, Binding::Product), lane);
  case ExprKind::Broadcast:
    return text((*e)[0], lane, outer);
  default:
    return binaryText(e, lane, outer);
  }
}

std::string ExprText::wide(const Expr& e, const std::string& lane, Binding outer) const {
  if (!e->type.isHalf()) return text(e, lane, outer);
  if (e->kind == ExprKind::Broadcast) return wide((*e)[0], lane, outer);
  if (e->kind == ExprKind::FloatImm) return floatText(e->real, kFloat32);
  return fmt::format("nw_f32({})", text(e, lane));
}

std::string ExprText::infix(const BinaryOperator& binary, const Expr& e,
                            const std::string& lane) const {
  // a - (b - c) needs its parentheses, and so does a * (b * c), which rounds otherwise.
  const bool associates = e->kind == ExprKind::And || e->kind == ExprKind::Or;
  const auto right = static_cast<Binding>(static_cast<int>(binary.binding) + (associates ? 0 : 1));
  return fmt::format("{} {} {}", wide((*e)[0], lane, binary.binding), binary.symbol,
                     wide((*e)[1], lane, right));
}

std::string ExprText::binaryText(const Expr& e, const std::string& lane, Binding outer) const {
  const DataType operand = (*e)[0]->type.element();
  if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod ||
      (e->kind == ExprKind::Div && !operand.isFloat()))
    return intDivision(e, lane);
  if (e->kind == ExprKind::Min || e->kind == ExprKind::Max) {
    const char* function = e->kind == ExprKind::Min ? "nw_min" : "nw_max";
    return rounded(fmt::format("{}<{}>({}, {})", function,
                               operand.isHalf() ? "float" : typeText(operand), wide((*e)[0], lane),
                               wide((*e)[1], lane)),
                   operand);
  }
  const BinaryOperator* binary = binaryOperator(e->kind);
  NW_ASSERT(binary, "expression kind {} is no binary operator", static_cast<int>(e->kind));
  const std::string plain = infix(*binary, e, lane);
  const DataType result = e->type.element();
  if (result.isHalf()) return rounded(plain, result);
  if (result.isInt() && result.bits < 32) return wrapped(plain, result);
  return binary->binding < outer ? fmt::format("({})", plain) : plain;
}

std::string ExprText::intDivision(const Expr& e, const std::string& lane) const {
  const DataType type = e->type.element();
  const bool quotient = e->kind != ExprKind::FloorMod;
  const std::string a = text((*e)[0], lane, Binding::Function);
  const std::int64_t* divisor = asInt((*e)[1]);
  if (divisor && *divisor == 0) throw Error("the kernel divides by a literal zero");
  if (type.code == DataType::Code::UInt && divisor)
    return wrapped(fmt::format("({} {} {})", a, quotient ? "/" : "%", text((*e)[1], lane)), type);
  if (divisor && isPowerOfTwo(*divisor)) // rounds down, whatever the sign
    return wrapped(quotient ? fmt::format("({} >> {})", a, logarithm(*divisor))
                            : fmt::format("({} & {})", a, intText(*divisor - 1, type)),
                   type);
  return fmt::format("nw_{}<{}>({}, {})", quotient ? "floordiv" : "floormod", typeText(type),
                     text((*e)[0], lane), text((*e)[1], lane));
}

std::string ExprText::castText(const Expr& e, const std::string& lane) const {
  const DataType from = (*e)[0]->type.element(), to = e->type.element();
  if (from == to) return text((*e)[0], lane);
  const std::string value = wide((*e)[0], lane, Binding::Function);
  if (to.isBool()) return fmt::format("({} != 0)", value);
  if (to.isHalf()) return rounded(fmt::format("(float){}", value), to);
  if (!from.isFloat() || to.isFloat()) return fmt::format("({}){}", typeText(to), value);
  // The highest number of 64 bits is no literal of the IR.
  const bool isUnsigned64 = to.code == DataType::Code::UInt && to.bits == 64;
  const std::string highest = isUnsigned64 ? "18446744073709551615ull" : text(highestOf(to), "");
  return fmt::format("nw_round_to_zero<{}>({}, {}, {})", typeText(to), value,
                     text(lowestOf(to), ""), highest);
}

std::string ExprText::callText(const Expr& e, const std::string& lane) const {
  const DataType type = e->type.element();
  const std::string value = wide((*e)[0], lane);
  if (!type.isFloat()) {
    if (e->intrinsic != Intrinsic::Abs)
      throw Error(fmt::format("{} is a function of numbers with a fraction, not of {}",
                              name(e->intrinsic), toString(type)));
    return wrapped(fmt::format("nw_abs<{}>({})", typeText(type), value), type);
  }
  const char* suffix = type.bits == 64 ? "" : "f";
  const char* one = type.bits == 64 ? "1.0" : "1.0f";
  if (e->intrinsic == Intrinsic::Sigmoid)
    return rounded(fmt::format("({} / ({} + exp{}(-({}))))", one, one, suffix, value), type);
  std::string arguments = value;
  if (e->operands.size() > 1) arguments += ", " + wide((*e)[1], lane);
  return rounded(fmt::format("{}{}({})", functionName(e->intrinsic), suffix, arguments), type);
}

std::string ExprText::loadText(const Expr& e, const std::string& lane) const {
  if (e->type.isScalar()) return element(*e->buffer, e->operands);
  if (const auto found = loaded.find(e.get()); found != loaded.end())
    return fmt::format("{}.lane[{}]", found->second, lane);
  return fmt::format("{}[{} + {}]", names_(e->buffer.get()), position(*e->buffer, e->operands),
                     lane);
}

} // namespace nestwright::cuda
