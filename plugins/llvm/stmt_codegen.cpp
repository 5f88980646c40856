/// \file Statements: loops, conditions, allocations, stores.

#include "core/support/error.h"
#include "plugins/llvm/region_codegen.h"
#include "plugins/llvm/unrolled_loops.h"

#include <algorithm>

namespace nestwright::llvm_backend {

RegionCodegen::RegionCodegen(ModuleContext& module, llvm::Function* function)
    : module_(module), function_(function), code_(module, function), builder_(code_.builder()) {
  if (!module_.lines) return;
  marks_ = module_.lines->addScope(*function);
  builder_.SetCurrentDebugLocation(DebugLines::nowhere(marks_));
}

void RegionCodegen::locate(const StmtNode& s) {
  if (marks_) builder_.SetCurrentDebugLocation(module_.lines->location(s, marks_));
}

void RegionCodegen::bindVar(const Var& var, Value* value, bool nonNegative) {
  code_.scopes().bind(var, value, nonNegative);
}

void RegionCodegen::enableParallel(Value* threads, Value* threadWorkspace) {
  threads_ = threads;
  threadWorkspace_ = threadWorkspace;
}

void RegionCodegen::emitReturn() {
  builder_.CreateRetVoid();
}

void RegionCodegen::emit(const Stmt& s) {
  locate(*s);
  switch (s->kind) {
  case StmtKind::For:
    return emitFor(*s);
  case StmtKind::Store:
    return emitStore(*s);
  case StmtKind::Sequence:
    for (const Stmt& child : s->body)
      emit(child);
    return;
  case StmtKind::Allocate:
    return emitAllocate(*s);
  case StmtKind::If:
    return emitIf(*s);
  case StmtKind::Prefetch:
    return emitPrefetch(*s);
  case StmtKind::Launch:
  case StmtKind::Barrier:
  case StmtKind::ReduceThreads:
  case StmtKind::Shuffle:
  case StmtKind::CopyAsync:
  case StmtKind::Commit:
  case StmtKind::Wait:
  case StmtKind::LoadFragment:
  case StmtKind::Mma:
    NW_ASSERT(false, "a statement of a GPU program in one for a CPU");
  }
}

void RegionCodegen::emitFor(const StmtNode& s) {
  NW_ASSERT(!isThreadLoop(s.forKind), "loop {} runs on threads of a GPU", s.var->name);
  if (s.extent <= 0) return;
  if (s.forKind == ForKind::Parallel && threads_ && s.extent > 1) return emitParallel(s);
  if (s.forKind == ForKind::Unrolled &&
      (emitTransposed(code_, s) || emitDotProduct(code_, s) || emitDotCopy(code_, s)))
    return;
  Value* begin = builder_.CreateSExtOrTrunc(code_.emit(s.min), builder_.getInt64Ty());
  if (s.extent == 1 || s.forKind == ForKind::Unrolled) return emitUnrolled(s, begin);
  emitLoop(s, begin, builder_.CreateNSWAdd(begin, builder_.getInt64(s.extent)));
}

void RegionCodegen::emitUnrolled(const StmtNode& s, Value* begin) {
  LoopScopes& scopes = code_.scopes();
  const bool nonNegative = scopes.isNonNegative(s.min);
  for (std::int64_t i = 0; i < s.extent; ++i) {
    Value* value = builder_.CreateNSWAdd(begin, builder_.getInt64(i));
    // Literals never take part in remembered sums; for anything else, what was remembered about the
    // last iteration must not survive.
    const bool literal = llvm::isa<llvm::ConstantInt>(value);
    if (!literal) scopes.open();
    bindVar(s.var, value, nonNegative);
    emit(s.body[0]);
    if (!literal) scopes.close();
  }
  scopes.unbind(s.var);
}

void RegionCodegen::emitLoop(const StmtNode& s, Value* begin, Value* end) {
  locate(s);
  const bool nonNegative = code_.scopes().isNonNegative(s.min);
  auto* before = builder_.GetInsertBlock();
  auto* head = newBlock(builder_, s.var->name.c_str());
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  auto* counter = builder_.CreatePHI(begin->getType(), 2, s.var->name);
  counter->addIncoming(begin, before);
  code_.scopes().open();
  bindVar(s.var, counter, nonNegative);
  emit(s.body[0]);
  code_.scopes().close();
  locate(s);
  code_.scopes().unbind(s.var);
  auto* after = newBlock(builder_, "after");
  Value* next = builder_.CreateAdd(counter, builder_.getInt64(1), "", nonNegative, true);
  counter->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), head, after);
  builder_.SetInsertPoint(after);
}

void RegionCodegen::emitRange(const StmtNode& loop, Value* begin, Value* end) {
  auto* some = newBlock(builder_, "some");
  auto* done = newBlock(builder_, "done");
  builder_.CreateCondBr(builder_.CreateICmpSLT(begin, end), some, done);
  builder_.SetInsertPoint(some);
  emitLoop(loop, begin, end);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

void RegionCodegen::emitIf(const StmtNode& s) {
  Value* condition = code_.emit(s.condition);
  if (condition->getType()->isVectorTy()) {
    const MemoryAccess::Masked only(code_.memory(), condition);
    return emit(s.body[0]);
  }
  auto* then = newBlock(builder_, "then");
  auto* after = newBlock(builder_, "after");
  builder_.CreateCondBr(condition, then, after);
  builder_.SetInsertPoint(then);
  code_.scopes().open();
  emit(s.body[0]);
  code_.scopes().close();
  locate(s);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void RegionCodegen::emitAllocate(const StmtNode& s) {
  // An allocation in an unrolled loop comes by several times; its addresses are remembered, so it
  // keeps its one place.
  if (module_.isOnStack(s.buffer) && !code_.addresses().isBound(s.buffer)) {
    auto* type = llvm::ArrayType::get(memoryType(module_.llvm(), s.buffer->type.element()),
                                      static_cast<std::uint64_t>(s.buffer->elements()));
    auto& entry = function_->getEntryBlock();
    auto* slot = new llvm::AllocaInst(type, 0, nullptr, llvm::Align(64), s.buffer->name,
                                      entry.getFirstInsertionPt());
    code_.addresses().bind(s.buffer, slot);
  }
  emit(s.body[0]);
}

void RegionCodegen::emitPrefetch(const StmtNode& s) {
  constexpr int kIntoAllCaches = 3, kData = 1;
  const int forWriting = s.prefetchFor == PrefetchFor::Writing;
  Value* index = code_.emit(s.indices[0]);
  // Not in bounds: it may be behind the end.
  Value* pointer = builder_.CreateGEP(memoryType(module_.llvm(), s.buffer->type.element()),
                                      code_.addresses().pointerTo(s.buffer), index);
  builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                           {pointer, builder_.getInt32(forWriting),
                            builder_.getInt32(kIntoAllCaches), builder_.getInt32(kData)});
}

/// What ends a formula may be rounded otherwise where much is won, so that LLVM can vectorise a
/// sum, and need not divide a whole row by the one number that the kernel computed for it (whose
/// reciprocal is infinite where it is denormal). Inside of formulas it would cost accuracy and
/// register pressure.
Rounding RegionCodegen::roundingOf(const StmtNode& s, int lanes, bool onStack) const {
  const Expr& value = s.value;
  if (!module_.options.vectorise || module_.isPlain() || !value->type.isFloat())
    return Rounding::AsWritten;
  // Accumulators in registers are already arranged as they should be.
  const bool arranged = onStack && module_.plan.at(s.buffer).scope != MemoryScope::Global;
  if (lanes == 1 && !arranged && value->kind == ExprKind::Add &&
      (*value)[0]->kind == ExprKind::Load && (*value)[0]->buffer == s.buffer)
    return Rounding::AnyOrder;
  const bool divides = value->kind == ExprKind::Div && (*value)[1]->kind == ExprKind::Broadcast;
  if (!divides || lanes == 1 || value->type.lanes != lanes) return Rounding::AsWritten;
  // What is given is exact, a literal or a parameter: steps of a quantisation must not come out as
  // others.
  const Expr& divisor = (*(*value)[1])[0];
  using Kind = BufferPlace::Kind;
  if (divisor->kind != ExprKind::Load) return Rounding::AsWritten;
  const Kind place = module_.plan.at(divisor->buffer).kind;
  return place == Kind::Parameter || place == Kind::Constant ? Rounding::AsWritten
                                                             : Rounding::ByReciprocal;
}

void RegionCodegen::emitStore(const StmtNode& s) {
  const int lanes = std::max<int>(lanesOf(s.indices), s.value->type.lanes);
  const auto form = code_.addresses().linearIndex(s.buffer, s.indices);
  const Expr& value = s.value;
  const bool onStack = module_.isOnStack(s.buffer);
  const Rounding rounding = roundingOf(s, lanes, onStack);
  Value* stored =
      rounding == Rounding::AsWritten ? code_.emit(value, lanes) : code_.emit(value, rounding);
  if (s.buffer->type.isBool())
    stored = builder_.CreateZExt(stored, memoryType(module_.llvm(), kBool.withLanes(lanes)));
  if (form && (lanes == 1 || form->laneStride == 1))
    return code_.memory().store(stored, code_.addresses().at(s.buffer, *form), onStack);
  code_.memory().scatter(stored, code_.addresses().ofLanes(s.buffer, s.indices, lanes),
                         s.buffer->type.element(), onStack);
}

} // namespace nestwright::llvm_backend
