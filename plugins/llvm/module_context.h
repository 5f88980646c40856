#pragma once
/// \file What the code of a module shares, and the types that its values have.

#include "plugins/llvm/debug_lines.h"
#include "plugins/llvm/module_codegen.h"

#include <llvm/IR/IRBuilder.h>

#include <string>
#include <unordered_map>

namespace nestwright::llvm_backend {

/// What all regions of a module share.
struct ModuleContext {
  llvm::Module& module;
  const StoragePlan& plan;
  const CodegenOptions& options;
  std::string kernelName;
  std::unordered_map<const BufferNode*, llvm::Constant*> constants;
  int regionCount = 0;
  DebugLines* lines = nullptr; // where code is to be marked with what it came from

  llvm::LLVMContext& llvm() const { return module.getContext(); }
  bool isPlain() const { return nestwright::isPlain(options.lowering); }
  bool isOnStack(const Buffer& buffer) const {
    return plan.at(buffer).kind == BufferPlace::Kind::Stack;
  }
};

/// The element type in registers (bool: i1) and in memory (bool: i8). float16 and bfloat16 are i16
/// in both (half_numbers.h). Throws Error for a type that there is none for.
llvm::Type* valueType(llvm::LLVMContext& context, DataType type);
llvm::Type* memoryType(llvm::LLVMContext& context, DataType type);
/// A function with the attributes that every function of the module carries.
llvm::Function* makeFunction(ModuleContext& module, llvm::FunctionType* type,
                             const std::string& name, bool exported);
/// A scalar in each lane; a vector as it is.
llvm::Value* splat(llvm::IRBuilder<>& builder, llvm::Value* value, int lanes);
/// A block of the function that is being written, which nothing leads to yet.
llvm::BasicBlock* newBlock(llvm::IRBuilder<>& builder, const char* name);

} // namespace nestwright::llvm_backend
