#pragma once
/// \file Code of one region: the kernel's serial part, or the body of a parallel loop. A region is
/// one LLVM function whose buffers are `noalias` pointer parameters, because LLVM trusts parameters
/// more than any metadata.

#include "plugins/llvm/expr_codegen.h"

namespace nestwright::llvm_backend {

class RegionCodegen {
 public:
  RegionCodegen(ModuleContext& module, llvm::Function* function);

  /// A pointer that nothing else points into.
  void bindBufferArgument(const Buffer& buffer, llvm::Argument* argument);
  /// As LoopScopes::bind().
  void bindVar(const Var& var, llvm::Value* value, bool nonNegative);
  /// Where parallel loops take their threads and the workspace of each from; without these every
  /// loop is serial.
  void enableParallel(llvm::Value* threads, llvm::Value* threadWorkspace);

  void emit(const Stmt& s);
  /// The loop `for (var = begin; var < end; ++var)`, which may run zero times.
  void emitRange(const StmtNode& loop, llvm::Value* begin, llvm::Value* end);
  void emitReturn();

 private:
  using Value = llvm::Value;

  // stmt_codegen.cpp
  /// The code that follows comes from this statement.
  void locate(const StmtNode& s);
  void emitFor(const StmtNode& s);
  void emitUnrolled(const StmtNode& s, Value* begin);
  void emitLoop(const StmtNode& s, Value* begin, Value* end);
  void emitIf(const StmtNode& s);
  void emitAllocate(const StmtNode& s);
  void emitStore(const StmtNode& s);
  Rounding roundingOf(const StmtNode& store, int lanes, bool onStack) const;
  void emitPrefetch(const StmtNode& s);

  // parallel_codegen.cpp
  struct Region;
  void emitParallel(const StmtNode& s);
  Region makeRegion(const StmtNode& s);
  llvm::Function* makeThreadFunction(const Region& region, llvm::StructType* contextType);

  ModuleContext& module_;
  llvm::Function* function_;
  ExprCodegen code_;
  llvm::IRBuilder<>& builder_;
  llvm::DISubprogram* marks_ = nullptr; // the scope of what code comes from
  Value* threads_ = nullptr;
  Value* threadWorkspace_ = nullptr;
};

} // namespace nestwright::llvm_backend
