#pragma once
/// \file Numbers of 16 bits. LLVM sees their bits as integers: what it makes of its own types for
/// them is a call into a library that not every machine has (handbook/stack.md 7).

#include "plugins/llvm/module_context.h"

namespace nestwright::llvm_backend {

/// A value of this type as what it is computed with: float32 for a half type, else itself.
llvm::Value* widened(llvm::IRBuilder<>& builder, const CodegenOptions& options, llvm::Value* value,
                     DataType type);
/// What was computed, as a value of this type: of 16 bits for a half type, else itself.
llvm::Value* narrowed(llvm::IRBuilder<>& builder, const CodegenOptions& options, llvm::Value* value,
                      DataType type);

} // namespace nestwright::llvm_backend
