/// \file Expressions.

#include "core/support/error.h"
#include "core/tensor/half.h"
#include "plugins/llvm/region_codegen.h"

namespace nestwright::llvm_backend {
namespace {

bool isSigned(DataType type) {
  return type.code == DataType::Code::Int;
}

/// True when evaluating the expression needlessly does no harm and costs little.
bool isHarmless(const Expr& e) {
  bool harmless = true;
  visit(e, [&](const Expr& node) {
    const bool division = node->kind == ExprKind::FloorDiv || node->kind == ExprKind::FloorMod ||
                          (node->kind == ExprKind::Div && !node->type.isFloat());
    if (division && !asInt((*node)[1])) harmless = false;
    if (node->kind == ExprKind::Load || node->kind == ExprKind::Call) harmless = false;
    return harmless;
  });
  return harmless;
}

} // namespace

llvm::Type* memoryType(llvm::LLVMContext& context, DataType type) {
  return type.isBool() ? valueType(context, {DataType::Code::UInt, 8, type.lanes})
                       : valueType(context, type);
}

llvm::Type* valueType(llvm::LLVMContext& context, DataType type) {
  if (!type.isScalar())
    return llvm::FixedVectorType::get(valueType(context, type.element()), type.lanes);
  if (type.isBool()) return llvm::Type::getInt1Ty(context);
  if (type.isInt()) return llvm::Type::getIntNTy(context, type.bits);
  if (type.isHalf()) return llvm::Type::getInt16Ty(context);
  if (type.code == DataType::Code::Float && type.bits == 32) return llvm::Type::getFloatTy(context);
  if (type.code == DataType::Code::Float && type.bits == 64)
    return llvm::Type::getDoubleTy(context);
  throw Error(fmt::format("the LLVM backend has no type {}", toString(type)));
}

llvm::Value* RegionCodegen::splat(Value* value, int lanes) {
  if (lanes == 1 || value->getType()->isVectorTy()) return value;
  return builder_.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

llvm::Value* RegionCodegen::emitScalarOrSplat(const Expr& e, int lanes) {
  return splat(emit(e), lanes);
}

llvm::Value* RegionCodegen::emit(const Expr& e) {
  const bool associative = std::exchange(associative_, false);
  const int lanes = e->type.lanes;
  switch (e->kind) {
  case ExprKind::IntImm:
    return llvm::ConstantInt::get(valueType(module_.llvm(), e->type),
                                  static_cast<std::uint64_t>(e->integer), true);
  case ExprKind::FloatImm:
    if (e->type.isHalf())
      return llvm::ConstantInt::get(valueType(module_.llvm(), e->type), halfBits(e->real, e->type));
    return llvm::ConstantFP::get(valueType(module_.llvm(), e->type), e->real);
  case ExprKind::Var:
    return builder_.CreateSExtOrTrunc(bindingOf(e->var.get()).value,
                                      valueType(module_.llvm(), e->type));
  case ExprKind::Not:
    return builder_.CreateNot(emit((*e)[0]));
  case ExprKind::Select:
    return builder_.CreateSelect(emitScalarOrSplat((*e)[0], (*e)[0]->type.lanes),
                                 emitScalarOrSplat((*e)[1], lanes),
                                 emitScalarOrSplat((*e)[2], lanes));
  case ExprKind::IfThenElse:
    return emitIfThenElse(e);
  case ExprKind::Cast:
    return emitCast(e);
  case ExprKind::Call:
    return emitCall(e);
  case ExprKind::Load:
    return emitLoad(e);
  case ExprKind::Ramp: {
    Value* steps = builder_.CreateStepVector(valueType(module_.llvm(), e->type));
    Value* stride = builder_.CreateMul(steps, emitScalarOrSplat((*e)[1], lanes));
    return builder_.CreateAdd(emitScalarOrSplat((*e)[0], lanes), stride);
  }
  case ExprKind::Broadcast:
    return emitScalarOrSplat((*e)[0], lanes);
  default:
    associative_ = associative;
    return emitBinary(e);
  }
}

llvm::Value* RegionCodegen::emitBinary(const Expr& e) {
  const bool associative = std::exchange(associative_, false);
  const int lanes = std::max({e->type.lanes, (*e)[0]->type.lanes, (*e)[1]->type.lanes});
  Value* a = emitScalarOrSplat((*e)[0], lanes);
  Value* b = emitScalarOrSplat((*e)[1], lanes);
  const DataType operand = (*e)[0]->type;
  switch (e->kind) {
  case ExprKind::And:
    return builder_.CreateAnd(a, b);
  case ExprKind::Or:
    return builder_.CreateOr(a, b);
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Lt:
  case ExprKind::Le:
  case ExprKind::Gt:
  case ExprKind::Ge:
    return emitCompare(e->kind, operand, a, b);
  case ExprKind::Min:
    return builder_.CreateSelect(emitCompare(ExprKind::Lt, operand, b, a), b, a);
  case ExprKind::Max:
    return builder_.CreateSelect(emitCompare(ExprKind::Lt, operand, a, b), b, a);
  default:
    break;
  }
  if (!operand.isFloat()) return emitIntBinary(e, a, b);
  a = widened(a, operand);
  b = widened(b, operand);
  const llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
  llvm::FastMathFlags flags = builder_.getFastMathFlags();
  flags.setAllowReassoc(associative);
  builder_.setFastMathFlags(flags);
  return narrowed(emitFloatBinary(e->kind, a, b), e->type);
}

llvm::Value* RegionCodegen::emitFloatBinary(ExprKind kind, Value* a, Value* b) {
  switch (kind) {
  case ExprKind::Add:
    return builder_.CreateFAdd(a, b);
  case ExprKind::Sub:
    return builder_.CreateFSub(a, b);
  case ExprKind::Mul:
    return builder_.CreateFMul(a, b);
  case ExprKind::Div:
    return builder_.CreateFDiv(a, b);
  default:
    throw Error("floor division and modulo are defined for integers only");
  }
}

llvm::Value* RegionCodegen::emitIntBinary(const Expr& e, Value* a, Value* b) {
  // Indices never overflow; narrow data types wrap around.
  const bool index = e->type.bits == 64 && isSigned(e->type);
  switch (e->kind) {
  case ExprKind::Add:
    return builder_.CreateAdd(a, b, "", false, index);
  case ExprKind::Sub:
    return builder_.CreateSub(a, b, "", false, index);
  case ExprKind::Mul:
    return builder_.CreateMul(a, b, "", false, index);
  default:
    return emitSafeDivision(e, a, b);
  }
}

/// The hardware stops the program for a division by zero, and for the one quotient that does not
/// fit: lowest / -1. Both divide by one instead; what is divided by zero gives zero.
llvm::Value* RegionCodegen::emitSafeDivision(const Expr& e, Value* a, Value* b) {
  const auto divisor = constantOf((*e)[1]);
  if (divisor && *divisor == 0) throw Error("the kernel divides by a literal zero");
  if (divisor && *divisor != -1) return emitFloorDivision(e, a, b);
  llvm::Type* type = b->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  Value* byZero = builder_.CreateICmpEQ(b, zero);
  Value* faults = byZero;
  if (isSigned(e->type)) {
    const llvm::APInt lowest = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
    Value* overflows =
        builder_.CreateAnd(builder_.CreateICmpEQ(a, llvm::ConstantInt::get(type, lowest)),
                           builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)));
    faults = builder_.CreateOr(byZero, overflows);
  }
  Value* safe = builder_.CreateSelect(faults, llvm::ConstantInt::get(type, 1), b);
  return builder_.CreateSelect(byZero, zero, emitFloorDivision(e, a, safe));
}

llvm::Value* RegionCodegen::emitFloorDivision(const Expr& e, Value* a, Value* b) {
  const bool wantsQuotient = e->kind == ExprKind::FloorDiv;
  const auto divisor = constantOf((*e)[1]);
  const bool positive = divisor && *divisor > 0;
  if (!isSigned(e->type) || (positive && isNonNegative((*e)[0])))
    return wantsQuotient ? builder_.CreateUDiv(a, b) : builder_.CreateURem(a, b);
  if (positive && (*divisor & (*divisor - 1)) == 0) { // arithmetic shift and mask do round down
    const int shift = __builtin_ctzll(static_cast<std::uint64_t>(*divisor));
    llvm::Type* type = a->getType();
    if (!wantsQuotient)
      return builder_.CreateAnd(
          a, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(*divisor - 1)));
    return builder_.CreateAShr(a, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(shift)));
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

llvm::Value* RegionCodegen::emitCompare(ExprKind kind, DataType type, Value* a, Value* b) {
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

llvm::Value* RegionCodegen::emitCast(const Expr& e) {
  const DataType from = (*e)[0]->type, to = e->type;
  if (from.element() == to.element()) return emitScalarOrSplat((*e)[0], to.lanes);
  Value* value = widened(emitScalarOrSplat((*e)[0], to.lanes), from);
  if (to.isHalf()) return narrowed(emitConversion(value, from, kFloat32.withLanes(to.lanes)), to);
  return emitConversion(value, from, to);
}

/// Between types that a processor computes with; `from` tells what an integer means.
llvm::Value* RegionCodegen::emitConversion(Value* value, DataType from, DataType to) {
  llvm::Type* type = valueType(module_.llvm(), to);
  llvm::Constant* zero = llvm::Constant::getNullValue(value->getType());
  if (to.isBool())
    return from.isFloat() ? builder_.CreateFCmpUNE(value, zero)
                          : builder_.CreateICmpNE(value, zero);
  if (from.isFloat() && to.isFloat()) return builder_.CreateFPCast(value, type);
  // Saturating: a conversion that does not fit would otherwise be undefined.
  if (from.isFloat())
    return builder_.CreateIntrinsic(isSigned(to) ? llvm::Intrinsic::fptosi_sat
                                                 : llvm::Intrinsic::fptoui_sat,
                                    {type, value->getType()}, {value});
  if (to.isFloat())
    return isSigned(from) ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type);
  return isSigned(from) ? builder_.CreateSExtOrTrunc(value, type)
                        : builder_.CreateZExtOrTrunc(value, type);
}

llvm::Value* RegionCodegen::emitIfThenElse(const Expr& e) {
  const int lanes = e->type.lanes;
  Value* condition = emit((*e)[0]);
  if (isHarmless((*e)[1]) && isHarmless((*e)[2]))
    return builder_.CreateSelect(condition, emitScalarOrSplat((*e)[1], lanes),
                                 emitScalarOrSplat((*e)[2], lanes));
  if (condition->getType()->isVectorTy()) {
    // Both sides run; loads touch only the lanes that are theirs.
    Value* outer = mask_;
    mask_ = outer ? builder_.CreateAnd(outer, condition) : condition;
    Value* then = emitScalarOrSplat((*e)[1], lanes);
    Value* inverse = builder_.CreateNot(condition);
    mask_ = outer ? builder_.CreateAnd(outer, inverse) : inverse;
    Value* otherwise = emitScalarOrSplat((*e)[2], lanes);
    mask_ = outer;
    return builder_.CreateSelect(condition, then, otherwise);
  }
  auto* thenBlock = block("if");
  auto* elseBlock = block("else");
  auto* after = block("endif");
  builder_.CreateCondBr(condition, thenBlock, elseBlock);
  builder_.SetInsertPoint(thenBlock);
  Value* then = emitScalarOrSplat((*e)[1], lanes);
  auto* thenEnd = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(elseBlock);
  Value* otherwise = emitScalarOrSplat((*e)[2], lanes);
  auto* elseEnd = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  auto* value = builder_.CreatePHI(then->getType(), 2);
  value->addIncoming(then, thenEnd);
  value->addIncoming(otherwise, elseEnd);
  return value;
}

} // namespace nestwright::llvm_backend
