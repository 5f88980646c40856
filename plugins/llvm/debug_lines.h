#pragma once
/// \file Marks on generated code that name the line of the printed loop IR it came from. They are
/// LLVM's debug locations, which do not change the code.

#include "core/lower/ir_lines.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

namespace nestwright::llvm_backend {

class DebugLines {
 public:
  /// `function` is one whose statements are their own (withOwnStatements).
  DebugLines(llvm::Module& module, const LoopFunction& function);

  /// The scope of a function's code; every function with marked code has one.
  llvm::DISubprogram* addScope(llvm::Function& function);
  llvm::DILocation* location(const StmtNode& s, llvm::DISubprogram* scope) const;
  /// Code of no statement.
  static llvm::DILocation* nowhere(llvm::DISubprogram* scope);
  /// To be called when all code is there.
  void finish() { builder_.finalize(); }

 private:
  llvm::DIBuilder builder_;
  llvm::DIFile* file_;
  std::unordered_map<const StmtNode*, unsigned> lines_; // counted from 1
};

} // namespace nestwright::llvm_backend
