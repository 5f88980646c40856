#include "plugins/llvm/math_calls.h"

#include "core/support/error.h"
#include "core/tensor/math_function.h"
#include "plugins/llvm/float_math.h"

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

/// The instruction or LLVM function that computes it, for those that have one.
llvm::Intrinsic::ID instructionFor(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::Sqrt:
    return llvm::Intrinsic::sqrt;
  case Intrinsic::Abs:
    return llvm::Intrinsic::fabs;
  case Intrinsic::Floor:
    return llvm::Intrinsic::floor;
  case Intrinsic::Ceil:
    return llvm::Intrinsic::ceil;
  case Intrinsic::Round:
    return llvm::Intrinsic::rint; // halves to even
  default:
    return llvm::Intrinsic::not_intrinsic;
  }
}

using Inline = llvm::Value* (*)(llvm::IRBuilder<>&, llvm::Value*);

Inline inlineFor(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::Exp:
    return emitExp;
  case Intrinsic::Log:
    return emitLog;
  case Intrinsic::Tanh:
    return emitTanh;
  case Intrinsic::Erf:
    return emitErf;
  case Intrinsic::Sigmoid:
    return emitSigmoid;
  default:
    return nullptr;
  }
}

/// One call into libm for each lane.
Value* emitLibm(ModuleContext& module, llvm::IRBuilder<>& builder, Intrinsic intrinsic,
                const std::vector<Value*>& arguments) {
  llvm::Type* type = arguments[0]->getType();
  llvm::Type* scalar = type->getScalarType();
  const char* base = mathFunction(intrinsic);
  NW_ASSERT(base, "{} has no function in libm", name(intrinsic));
  const std::string symbol = fmt::format("{}{}", base, scalar->isFloatTy() ? "f" : "");
  const std::vector<llvm::Type*> types(arguments.size(), scalar);
  llvm::FunctionCallee callee =
      module.module.getOrInsertFunction(symbol, llvm::FunctionType::get(scalar, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory(); // errno is nobody's concern here
  function->setWillReturn();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return builder.CreateCall(callee, arguments);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> scalars;
    for (Value* argument : arguments)
      scalars.push_back(builder.CreateExtractElement(argument, std::uint64_t{lane}));
    result = builder.CreateInsertElement(result, builder.CreateCall(callee, scalars),
                                         std::uint64_t{lane});
  }
  return result;
}

} // namespace

Value* emitMathCall(ModuleContext& module, llvm::IRBuilder<>& builder, Intrinsic function,
                    const std::vector<Value*>& arguments, std::optional<double> exponent) {
  Value* x = arguments[0];
  const bool single = x->getType()->getScalarType()->isFloatTy();
  llvm::Constant* one = llvm::ConstantFP::get(x->getType(), 1.0);
  if (const auto instruction = instructionFor(function))
    return builder.CreateUnaryIntrinsic(instruction, x);
  if (function == Intrinsic::Rsqrt)
    return builder.CreateFDiv(one, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  if (function == Intrinsic::Pow && exponent) {
    if (*exponent == 1) return x;
    if (*exponent == 2) return builder.CreateFMul(x, x);
    if (*exponent == 3) return builder.CreateFMul(builder.CreateFMul(x, x), x);
  }
  if (const Inline inlined = inlineFor(function); inlined && single && module.options.vectorise)
    return inlined(builder, x);
  if (function == Intrinsic::Sigmoid) {
    Value* power = emitLibm(module, builder, Intrinsic::Exp, {builder.CreateFNeg(x)});
    return builder.CreateFDiv(one, builder.CreateFAdd(one, power));
  }
  return emitLibm(module, builder, function, arguments);
}

} // namespace nestwright::llvm_backend
