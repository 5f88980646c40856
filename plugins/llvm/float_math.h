#pragma once
/// \file Mathematical functions of float32 scalars and vectors as inline code: polynomials that
/// vectorise, where libm has calls only. Relative error below 1e-6 (tanh, erf: also near zero);
/// NaN gives NaN, infinities give the limits.

#include <llvm/IR/IRBuilder.h>

namespace nestwright::llvm_backend {

llvm::Value* emitExp(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emitLog(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emitTanh(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emitErf(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emitSigmoid(llvm::IRBuilder<>& b, llvm::Value* x);

} // namespace nestwright::llvm_backend
