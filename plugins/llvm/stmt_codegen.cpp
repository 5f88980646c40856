/// \file Statements: loops, conditions, allocations.

#include "core/support/error.h"
#include "plugins/llvm/region_codegen.h"

namespace nestwright::llvm_backend {

RegionCodegen::RegionCodegen(ModuleContext& module, llvm::Function* function)
    : module_(module), function_(function), builder_(module.llvm()) {
  llvm::FastMathFlags flags;
  // contract: multiplications and additions may fuse, the point of the whole exercise.
  // nsz: the sign of a zero is nobody's result, and 0 + x becomes x at the start of a sum.
  // Not nnan, ninf: infinities and NaNs of the input must show in the output.
  flags.setAllowContract(true);
  flags.setNoSignedZeros(true);
  builder_.setFastMathFlags(flags);
  auto* entry = llvm::BasicBlock::Create(module.llvm(), "entry", function);
  auto* body = llvm::BasicBlock::Create(module.llvm(), "body", function);
  llvm::BranchInst::Create(body, entry);
  scopes_.push_back({entry, {}});
  builder_.SetInsertPoint(body);
  if (!module_.lines) return;
  scope_ = module_.lines->addScope(*function);
  builder_.SetCurrentDebugLocation(DebugLines::nowhere(scope_));
}

void RegionCodegen::locate(const StmtNode& s) {
  if (scope_) builder_.SetCurrentDebugLocation(module_.lines->location(s, scope_));
}

void RegionCodegen::bindVar(const Var& var, Value* value, bool nonNegative) {
  vars_[var.get()] = {value, static_cast<int>(scopes_.size()) - 1, nonNegative};
}

const RegionCodegen::Binding& RegionCodegen::bindingOf(const VarNode* var) const {
  const auto found = vars_.find(var);
  if (found == vars_.end())
    throw Error(fmt::format("the kernel uses variable {} outside of its loop", var->name));
  return found->second;
}

void RegionCodegen::enableParallel(Value* threads, Value* threadWorkspace) {
  threads_ = threads;
  threadWorkspace_ = threadWorkspace;
}

llvm::BasicBlock* RegionCodegen::block(const char* name) {
  return llvm::BasicBlock::Create(module_.llvm(), name, function_);
}

void RegionCodegen::openScope() {
  auto* preamble = block("preamble");
  auto* body = block("body");
  builder_.CreateBr(preamble);
  // What is put before it later belongs to the statement that opens the scope.
  llvm::BranchInst::Create(body, preamble)->setDebugLoc(builder_.getCurrentDebugLocation());
  scopes_.push_back({preamble, {}});
  builder_.SetInsertPoint(body);
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
  if (s.forKind == ForKind::Unrolled && (emitTransposed(s) || emitDotProduct(s) || emitDotCopy(s)))
    return;
  Value* begin = builder_.CreateSExtOrTrunc(emit(s.min), builder_.getInt64Ty());
  if (s.extent > 1 && s.forKind != ForKind::Unrolled) {
    Value* end = builder_.CreateNSWAdd(begin, builder_.getInt64(s.extent));
    return emitLoop(s, begin, end);
  }
  const bool nonNegative = isNonNegative(s.min);
  for (std::int64_t i = 0; i < s.extent; ++i) {
    Value* value = builder_.CreateNSWAdd(begin, builder_.getInt64(i));
    // Literals never take part in remembered sums; for anything else, what was remembered about the
    // last iteration must not survive.
    const bool literal = llvm::isa<llvm::ConstantInt>(value);
    if (!literal) openScope();
    bindVar(s.var, value, nonNegative);
    emit(s.body[0]);
    if (!literal) closeScope();
  }
  vars_.erase(s.var.get());
}

void RegionCodegen::emitLoop(const StmtNode& s, Value* begin, Value* end) {
  locate(s);
  const bool nonNegative = isNonNegative(s.min);
  auto* before = builder_.GetInsertBlock();
  auto* head = block(s.var->name.c_str());
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  auto* counter = builder_.CreatePHI(begin->getType(), 2, s.var->name);
  counter->addIncoming(begin, before);
  openScope();
  bindVar(s.var, counter, nonNegative);
  emit(s.body[0]);
  closeScope();
  locate(s);
  vars_.erase(s.var.get());
  auto* after = block("after");
  Value* next = builder_.CreateAdd(counter, builder_.getInt64(1), "", nonNegative, true);
  counter->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), head, after);
  builder_.SetInsertPoint(after);
}

void RegionCodegen::emitRange(const StmtNode& loop, Value* begin, Value* end) {
  auto* some = block("some");
  auto* done = block("done");
  builder_.CreateCondBr(builder_.CreateICmpSLT(begin, end), some, done);
  builder_.SetInsertPoint(some);
  emitLoop(loop, begin, end);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

void RegionCodegen::emitIf(const StmtNode& s) {
  Value* condition = emit(s.condition);
  if (condition->getType()->isVectorTy()) {
    Value* outer = mask_;
    mask_ = outer ? builder_.CreateAnd(outer, condition) : condition;
    emit(s.body[0]);
    mask_ = outer;
    return;
  }
  auto* then = block("then");
  auto* after = block("after");
  builder_.CreateCondBr(condition, then, after);
  builder_.SetInsertPoint(then);
  openScope();
  emit(s.body[0]);
  closeScope();
  locate(s);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void RegionCodegen::emitAllocate(const StmtNode& s) {
  // An allocation in an unrolled loop comes by several times; its addresses are remembered, so it
  // keeps its one place.
  if (module_.plan.at(s.buffer).kind == BufferPlace::Kind::Stack &&
      !pointers_.contains(s.buffer.get())) {
    auto* type = llvm::ArrayType::get(memoryType(module_.llvm(), s.buffer->type.element()),
                                      static_cast<std::uint64_t>(s.buffer->elements()));
    auto& entry = function_->getEntryBlock();
    auto* slot = new llvm::AllocaInst(type, 0, nullptr, llvm::Align(64), s.buffer->name,
                                      entry.getFirstInsertionPt());
    bindBuffer(s.buffer, slot);
  }
  emit(s.body[0]);
}

} // namespace nestwright::llvm_backend
