#pragma once
/// \file The code generator for this machine's processor.

#include "core/backend/backend.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::llvm_backend {

/// A processor, as LLVM names it.
struct Cpu {
  std::string name, features;
};
/// The one that we run on.
const Cpu& hostCpu();
/// The one that has this instruction set and no more; the host for Native. Throws SystemError where
/// the host is of another family.
Cpu cpuFor(InstructionSet set);

/// A new one for each compilation: target machines are not thread-safe.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const CompileOptions& options);

/// Machine code as a relocatable object file, or as assembly text.
std::vector<std::uint8_t> emitObject(llvm::Module& module, llvm::TargetMachine& machine);
std::string emitAssembly(llvm::Module& module, llvm::TargetMachine& machine);

} // namespace nestwright::llvm_backend
