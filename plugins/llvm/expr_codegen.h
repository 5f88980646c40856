#pragma once
/// \file Expressions, and what all code of one region needs for them: its scopes, its addresses,
/// its memory.

#include "plugins/llvm/addresses.h"
#include "plugins/llvm/arithmetic.h"
#include "plugins/llvm/loop_scopes.h"
#include "plugins/llvm/memory_access.h"

namespace nestwright::llvm_backend {

class ExprCodegen {
 public:
  /// Writes the body of the function, which has none yet.
  ExprCodegen(ModuleContext& module, llvm::Function* function);
  ExprCodegen(const ExprCodegen&) = delete; // its parts know one another
  ExprCodegen& operator=(const ExprCodegen&) = delete;

  llvm::Value* emit(const Expr& e);
  /// In each of so many lanes.
  llvm::Value* emit(const Expr& e, int lanes) { return splat(builder_, emit(e), lanes); }
  /// A sum, difference, product or quotient.
  llvm::Value* emit(const Expr& e, Rounding rounding) { return emitBinary(e, rounding); }

  ModuleContext& module() { return module_; }
  llvm::IRBuilder<>& builder() { return builder_; }
  LoopScopes& scopes() { return scopes_; }
  Addresses& addresses() { return addresses_; }
  MemoryAccess& memory() { return memory_; }

 private:
  llvm::Value* emitBinary(const Expr& e, Rounding rounding);
  llvm::Value* emitLoad(const Expr& e);
  llvm::Value* emitCall(const Expr& e);
  llvm::Value* emitIfThenElse(const Expr& e);

  ModuleContext& module_;
  llvm::IRBuilder<> builder_;
  LoopScopes scopes_;
  Addresses addresses_;
  MemoryAccess memory_;
  Arithmetic arithmetic_;
};

} // namespace nestwright::llvm_backend
