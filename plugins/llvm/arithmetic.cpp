#include "plugins/llvm/arithmetic.h"

#include "core/support/error.h"
#include "plugins/llvm/half_numbers.h"
#include "plugins/llvm/math_calls.h"

#include <cmath>
#include <utility>

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

bool isSigned(DataType type) {
  return type.code == DataType::Code::Int;
}

} // namespace

Value* Arithmetic::widened(Value* value, DataType type) {
  return llvm_backend::widened(builder_, module_.options, value, type);
}

Value* Arithmetic::narrowed(Value* value, DataType type) {
  return llvm_backend::narrowed(builder_, module_.options, value, type);
}

Value* Arithmetic::ofFloats(ExprKind kind, DataType type, Value* a, Value* b, Rounding rounding) {
  a = widened(a, type);
  b = widened(b, type);
  const llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
  llvm::FastMathFlags flags = builder_.getFastMathFlags();
  // Each operation on halves rounds, also where a processor has a fused one of them.
  if (type.isHalf()) flags.setAllowContract(false);
  flags.setAllowReassoc(rounding == Rounding::AnyOrder);
  flags.setAllowReciprocal(rounding == Rounding::ByReciprocal);
  builder_.setFastMathFlags(flags);
  switch (kind) {
  case ExprKind::Add:
    return narrowed(builder_.CreateFAdd(a, b), type);
  case ExprKind::Sub:
    return narrowed(builder_.CreateFSub(a, b), type);
  case ExprKind::Mul:
    return narrowed(builder_.CreateFMul(a, b), type);
  case ExprKind::Div:
    return narrowed(builder_.CreateFDiv(a, b), type);
  default:
    throw Error("floor division and modulo are defined for integers only");
  }
}

Value* Arithmetic::ofIntegers(ExprKind kind, DataType type, Value* a, Value* b) {
  // Indices never overflow; narrow data types wrap around.
  const bool index = type.bits == 64 && isSigned(type);
  switch (kind) {
  case ExprKind::Add:
    return builder_.CreateAdd(a, b, "", false, index);
  case ExprKind::Sub:
    return builder_.CreateSub(a, b, "", false, index);
  default:
    NW_ASSERT(kind == ExprKind::Mul, "no sum, difference or product");
    return builder_.CreateMul(a, b, "", false, index);
  }
}

/// The hardware stops the program for a division by zero, and for the one quotient that does not
/// fit: lowest / -1. Both divide by one instead; what is divided by zero gives zero.
Value* Arithmetic::divide(ExprKind kind, DataType type, Value* a, Value* b, const Division& known) {
  if (known.divisor && *known.divisor == 0) throw Error("the kernel divides by a literal zero");
  if (known.divisor && *known.divisor != -1) return divideDown(kind, type, a, b, known);
  llvm::Type* of = b->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(of);
  Value* byZero = builder_.CreateICmpEQ(b, zero);
  Value* faults = byZero;
  if (isSigned(type)) {
    const llvm::APInt lowest = llvm::APInt::getSignedMinValue(of->getScalarSizeInBits());
    Value* overflows =
        builder_.CreateAnd(builder_.CreateICmpEQ(a, llvm::ConstantInt::get(of, lowest)),
                           builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(of)));
    faults = builder_.CreateOr(byZero, overflows);
  }
  Value* safe = builder_.CreateSelect(faults, llvm::ConstantInt::get(of, 1), b);
  return builder_.CreateSelect(byZero, zero, divideDown(kind, type, a, safe, known));
}

Value* Arithmetic::divideDown(ExprKind kind, DataType type, Value* a, Value* b,
                              const Division& known) {
  const bool wantsQuotient = kind == ExprKind::FloorDiv;
  const bool positive = known.divisor && *known.divisor > 0;
  if (!isSigned(type) || (positive && known.nonNegative))
    return wantsQuotient ? builder_.CreateUDiv(a, b) : builder_.CreateURem(a, b);
  if (positive && (*known.divisor & (*known.divisor - 1)) == 0) { // shift and mask do round down
    const int shift = __builtin_ctzll(static_cast<std::uint64_t>(*known.divisor));
    llvm::Type* of = a->getType();
    if (!wantsQuotient)
      return builder_.CreateAnd(
          a, llvm::ConstantInt::get(of, static_cast<std::uint64_t>(*known.divisor - 1)));
    return builder_.CreateAShr(a, llvm::ConstantInt::get(of, static_cast<std::uint64_t>(shift)));
  }
  Value* zero = llvm::Constant::getNullValue(a->getType());
  Value* remainder = builder_.CreateSRem(a, b);
  // C rounds towards zero: one too much when the remainder and the divisor differ in sign.
  Value* differ = builder_.CreateICmpSLT(builder_.CreateXor(remainder, b), zero);
  Value* wrong = builder_.CreateAnd(differ, builder_.CreateICmpNE(remainder, zero));
  if (!wantsQuotient)
    return builder_.CreateSelect(wrong, builder_.CreateAdd(remainder, b), remainder);
  Value* one = llvm::ConstantInt::get(a->getType(), 1);
  Value* quotient = builder_.CreateSDiv(a, b);
  return builder_.CreateSelect(wrong, builder_.CreateSub(quotient, one), quotient);
}

Value* Arithmetic::compare(ExprKind kind, DataType type, Value* a, Value* b) {
  using P = llvm::CmpInst::Predicate;
  if (type.isFloat()) {
    a = widened(a, type);
    b = widened(b, type);
    switch (kind) {
    case ExprKind::Eq:
      return builder_.CreateFCmpOEQ(a, b);
    case ExprKind::Ne:
      return builder_.CreateFCmpUNE(a, b);
    case ExprKind::Lt:
      return builder_.CreateFCmpOLT(a, b);
    case ExprKind::Le:
      return builder_.CreateFCmpOLE(a, b);
    case ExprKind::Gt:
      return builder_.CreateFCmpOGT(a, b);
    default:
      return builder_.CreateFCmpOGE(a, b);
    }
  }
  const bool s = isSigned(type);
  switch (kind) {
  case ExprKind::Eq:
    return builder_.CreateICmpEQ(a, b);
  case ExprKind::Ne:
    return builder_.CreateICmpNE(a, b);
  case ExprKind::Lt:
    return builder_.CreateICmp(s ? P::ICMP_SLT : P::ICMP_ULT, a, b);
  case ExprKind::Le:
    return builder_.CreateICmp(s ? P::ICMP_SLE : P::ICMP_ULE, a, b);
  case ExprKind::Gt:
    return builder_.CreateICmp(s ? P::ICMP_SGT : P::ICMP_UGT, a, b);
  default:
    return builder_.CreateICmp(s ? P::ICMP_SGE : P::ICMP_UGE, a, b);
  }
}

Value* Arithmetic::convert(Value* value, DataType from, DataType to) {
  if (from.element() == to.element()) return value;
  value = widened(value, from);
  if (to.isHalf()) return narrowed(convertWide(value, from, kFloat32.withLanes(to.lanes)), to);
  return convertWide(value, from, to);
}

/// Between types that a processor computes with; `from` tells what an integer means.
Value* Arithmetic::convertWide(Value* value, DataType from, DataType to) {
  llvm::Type* type = valueType(module_.llvm(), to);
  llvm::Constant* zero = llvm::Constant::getNullValue(value->getType());
  if (to.isBool())
    return from.isFloat() ? builder_.CreateFCmpUNE(value, zero)
                          : builder_.CreateICmpNE(value, zero);
  if (from.isFloat() && to.isFloat()) return builder_.CreateFPCast(value, type);
  if (from.isFloat()) return saturated(value, to);
  if (to.isFloat())
    return isSigned(from) ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type);
  return isSigned(from) ? builder_.CreateSExtOrTrunc(value, type)
                        : builder_.CreateZExtOrTrunc(value, type);
}

/// A floating-point number as an integer that is as near as it can be; not a number becomes 0. (A
/// conversion that does not fit would otherwise be undefined.)
Value* Arithmetic::saturated(Value* value, DataType to) {
  llvm::Type* type = valueType(module_.llvm(), to);
  if (to.bits >= 32)
    return builder_.CreateIntrinsic(isSigned(to) ? llvm::Intrinsic::fptosi_sat
                                                 : llvm::Intrinsic::fptoui_sat,
                                    {type, value->getType()}, {value});
  // Of narrower ones LLVM would convert the lanes of a vector one by one.
  const double most = std::exp2(isSigned(to) ? to.bits - 1 : to.bits) - 1;
  const double least = isSigned(to) ? -most - 1 : 0;
  const auto number = [&](double x) { return llvm::ConstantFP::get(value->getType(), x); };
  Value* bounded = builder_.CreateSelect(builder_.CreateFCmpOGT(value, number(least)), value,
                                         number(least)); // where it is no number, too
  bounded =
      builder_.CreateSelect(builder_.CreateFCmpOLT(bounded, number(most)), bounded, number(most));
  llvm::Type* wide = valueType(module_.llvm(), kInt32.withLanes(to.lanes));
  Value* integer = builder_.CreateFPToSI(bounded, wide);
  if (least < 0)
    integer = builder_.CreateSelect(builder_.CreateFCmpUNO(value, value),
                                    llvm::Constant::getNullValue(wide), integer);
  return builder_.CreateTrunc(integer, type);
}

Value* Arithmetic::call(Intrinsic function, DataType type, std::vector<Value*> arguments,
                        std::optional<double> exponent) {
  if (!type.isFloat()) {
    if (function != Intrinsic::Abs)
      throw Error(fmt::format("{} is defined for floating-point values, not for {}", name(function),
                              toString(type)));
    if (type.code == DataType::Code::UInt) return arguments[0];
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, arguments[0], builder_.getFalse());
  }
  // Half precision has no functions of its own.
  for (Value*& argument : arguments)
    argument = widened(argument, type);
  return narrowed(emitMathCall(module_, builder_, function, arguments, exponent), type);
}

} // namespace nestwright::llvm_backend
