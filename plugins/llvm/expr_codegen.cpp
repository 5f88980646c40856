#include "plugins/llvm/expr_codegen.h"

#include "core/support/error.h"
#include "core/tensor/half.h"

#include <algorithm>

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

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

/// The entry block of a function, followed by one that code goes to.
llvm::BasicBlock* entryOf(llvm::IRBuilder<>& builder, llvm::Function* function) {
  auto* entry = llvm::BasicBlock::Create(builder.getContext(), "entry", function);
  auto* body = llvm::BasicBlock::Create(builder.getContext(), "body", function);
  llvm::IRBuilder<>(entry).CreateBr(body);
  builder.SetInsertPoint(body);
  return entry;
}

} // namespace

ExprCodegen::ExprCodegen(ModuleContext& module, llvm::Function* function)
    : module_(module), builder_(module.llvm()), scopes_(builder_, entryOf(builder_, function)),
      addresses_(module, builder_, scopes_, [this](const Expr& e) { return emit(e); }),
      memory_(module, builder_), arithmetic_(module, builder_) {
  llvm::FastMathFlags flags;
  // contract: multiplications and additions may fuse, the point of the whole exercise.
  // nsz: the sign of a zero is nobody's result, and 0 + x becomes x at the start of a sum.
  // Not nnan, ninf: infinities and NaNs of the input must show in the output.
  flags.setAllowContract(true);
  flags.setNoSignedZeros(true);
  builder_.setFastMathFlags(flags);
}

Value* ExprCodegen::emit(const Expr& e) {
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
    return builder_.CreateSExtOrTrunc(scopes_.bindingOf(e->var.get()).value,
                                      valueType(module_.llvm(), e->type));
  case ExprKind::Not:
    return builder_.CreateNot(emit((*e)[0]));
  case ExprKind::Select:
    return builder_.CreateSelect(emit((*e)[0], (*e)[0]->type.lanes), emit((*e)[1], lanes),
                                 emit((*e)[2], lanes));
  case ExprKind::IfThenElse:
    return emitIfThenElse(e);
  case ExprKind::Cast:
    return arithmetic_.convert(emit((*e)[0], lanes), (*e)[0]->type, e->type);
  case ExprKind::Call:
    return emitCall(e);
  case ExprKind::Load:
    return emitLoad(e);
  case ExprKind::Ramp: {
    Value* steps = builder_.CreateStepVector(valueType(module_.llvm(), e->type));
    Value* stride = builder_.CreateMul(steps, emit((*e)[1], lanes));
    return builder_.CreateAdd(emit((*e)[0], lanes), stride);
  }
  case ExprKind::Broadcast:
    return emit((*e)[0], lanes);
  default:
    return emitBinary(e, Rounding::AsWritten);
  }
}

Value* ExprCodegen::emitBinary(const Expr& e, Rounding rounding) {
  const int lanes = std::max({e->type.lanes, (*e)[0]->type.lanes, (*e)[1]->type.lanes});
  Value* a = emit((*e)[0], lanes);
  Value* b = emit((*e)[1], lanes);
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
    return arithmetic_.compare(e->kind, operand, a, b);
  case ExprKind::Min:
    return builder_.CreateSelect(arithmetic_.compare(ExprKind::Lt, operand, b, a), b, a);
  case ExprKind::Max:
    return builder_.CreateSelect(arithmetic_.compare(ExprKind::Lt, operand, a, b), b, a);
  default:
    break;
  }
  if (operand.isFloat()) return arithmetic_.ofFloats(e->kind, operand, a, b, rounding);
  switch (e->kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
    return arithmetic_.ofIntegers(e->kind, e->type, a, b);
  default:
    return arithmetic_.divide(e->kind, e->type, a, b,
                              {scopes_.constantOf((*e)[1]), scopes_.isNonNegative((*e)[0])});
  }
}

Value* ExprCodegen::emitLoad(const Expr& e) {
  const Buffer& buffer = e->buffer;
  const int lanes = e->type.lanes;
  const bool onStack = module_.isOnStack(buffer);
  const DataType element = buffer->type.element();
  const auto form = addresses_.linearIndex(buffer, e->operands);
  Value* value = nullptr;
  if (form && (form->laneStride == 0 || lanes == 1))
    value = memory_.load(addresses_.at(buffer, *form), element, element, onStack);
  else if (form && form->laneStride == 1)
    value = memory_.load(addresses_.at(buffer, *form), element.withLanes(lanes), element, onStack);
  else
    value = memory_.gather(addresses_.ofLanes(buffer, e->operands, lanes), element, lanes, onStack);
  if (element.isBool())
    value = builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  return splat(builder_, value, lanes);
}

Value* ExprCodegen::emitCall(const Expr& e) {
  std::vector<Value*> arguments;
  for (const Expr& operand : e->operands)
    arguments.push_back(emit(operand, e->type.lanes));
  std::optional<double> exponent;
  if (e->intrinsic == Intrinsic::Pow) {
    const Expr& power = (*e)[1]->kind == ExprKind::Broadcast ? (*(*e)[1])[0] : (*e)[1];
    if (power->kind == ExprKind::FloatImm) exponent = power->real;
  }
  return arithmetic_.call(e->intrinsic, e->type, std::move(arguments), exponent);
}

Value* ExprCodegen::emitIfThenElse(const Expr& e) {
  const int lanes = e->type.lanes;
  Value* condition = emit((*e)[0]);
  if (isHarmless((*e)[1]) && isHarmless((*e)[2]))
    return builder_.CreateSelect(condition, emit((*e)[1], lanes), emit((*e)[2], lanes));
  if (condition->getType()->isVectorTy()) {
    // Both sides run; loads touch only the lanes that are theirs.
    const auto masked = [&](Value* side, const Expr& value) {
      const MemoryAccess::Masked only(memory_, side);
      return emit(value, lanes);
    };
    Value* then = masked(condition, (*e)[1]);
    Value* otherwise = masked(builder_.CreateNot(condition), (*e)[2]);
    return builder_.CreateSelect(condition, then, otherwise);
  }
  auto* thenBlock = newBlock(builder_, "if");
  auto* elseBlock = newBlock(builder_, "else");
  auto* after = newBlock(builder_, "endif");
  builder_.CreateCondBr(condition, thenBlock, elseBlock);
  builder_.SetInsertPoint(thenBlock);
  Value* then = emit((*e)[1], lanes);
  auto* thenEnd = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(elseBlock);
  Value* otherwise = emit((*e)[2], lanes);
  auto* elseEnd = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  auto* value = builder_.CreatePHI(then->getType(), 2);
  value->addIncoming(then, thenEnd);
  value->addIncoming(otherwise, elseEnd);
  return value;
}

} // namespace nestwright::llvm_backend
