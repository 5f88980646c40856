#pragma once
/// \file The optimiser: which LLVM passes run, in which order.

#include "core/backend/backend.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::llvm_backend {

/// Optimises in place. The passes are chosen for what the lowering leaves to do: straight-line code
/// of vectors inside of a few loops, up to thousands of statements long.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const CompileOptions& options);

} // namespace nestwright::llvm_backend
