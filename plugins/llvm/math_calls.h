#pragma once
/// \file Mathematical functions of float32 and float64: inline polynomials, single instructions, or
/// calls into libm.

#include "plugins/llvm/module_context.h"

#include <optional>
#include <vector>

namespace nestwright::llvm_backend {

/// The function in each lane; `exponent` is that of a power where it is a literal.
llvm::Value* emitMathCall(ModuleContext& module, llvm::IRBuilder<>& builder, Intrinsic function,
                          const std::vector<llvm::Value*>& arguments,
                          std::optional<double> exponent);

} // namespace nestwright::llvm_backend
