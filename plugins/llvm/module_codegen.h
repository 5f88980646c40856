#pragma once
/// \file Loop IR to an unoptimised LLVM module.

#include "core/backend/backend.h"
#include "core/lower/cpu/storage_plan.h"
#include "core/lower/loop_ir.h"
#include "core/target/lowering.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace nestwright::llvm_backend {

struct CodegenOptions {
  std::string cpu, features;
  std::string triple, dataLayout;
  int vectorBits = 512;
  /// False for the naive program: mathematical functions are calls into libm, nothing else.
  bool vectorise = true;
  Lowering lowering = Lowering::Full; // see CompileOptions::lowering
  bool marks = false;                 // see CompileOptions::marks
  KernelSymbols symbols = {};
};

/// Name of the one exported function, `void (void** buffers, void* workspace, int32_t threads)`.
/// The workspace holds the shared part, then one slice per thread.
std::string entryName(const LoopFunction& function, const KernelSymbols& symbols = {});

/// Throws Error when the function is no valid loop IR; the text says where.
std::unique_ptr<llvm::Module> generateModule(const LoopFunction& function, const StoragePlan& plan,
                                             const CodegenOptions& options,
                                             llvm::LLVMContext& context);

} // namespace nestwright::llvm_backend
