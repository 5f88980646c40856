/// \file Intrinsic functions: inline polynomials, single instructions, or calls into libm.

#include "core/support/error.h"
#include "core/tensor/math_function.h"
#include "plugins/llvm/float_math.h"
#include "plugins/llvm/region_codegen.h"

namespace nestwright::llvm_backend {
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

} // namespace

llvm::Value* RegionCodegen::emitCall(const Expr& e) {
  const int lanes = e->type.lanes;
  std::vector<Value*> arguments;
  for (const Expr& operand : e->operands)
    arguments.push_back(emitScalarOrSplat(operand, lanes));
  if (!e->type.isFloat()) {
    if (e->intrinsic != Intrinsic::Abs)
      throw Error(fmt::format("{} is defined for floating-point values, not for {}",
                              name(e->intrinsic), toString(e->type)));
    if (e->type.code == DataType::Code::UInt) return arguments[0];
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, arguments[0], builder_.getFalse());
  }
  // Half precision has no functions of its own.
  for (Value*& argument : arguments)
    argument = widened(argument, e->type);
  return narrowed(emitFunction(e, arguments), e->type);
}

llvm::Value* RegionCodegen::emitFunction(const Expr& e, const std::vector<Value*>& arguments) {
  Value* x = arguments[0];
  const bool single = x->getType()->getScalarType()->isFloatTy();
  llvm::Constant* one = llvm::ConstantFP::get(x->getType(), 1.0);
  if (const auto instruction = instructionFor(e->intrinsic))
    return builder_.CreateUnaryIntrinsic(instruction, x);
  if (e->intrinsic == Intrinsic::Rsqrt)
    return builder_.CreateFDiv(one, builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  if (e->intrinsic == Intrinsic::Pow && (*e)[1]->kind == ExprKind::FloatImm) {
    const double exponent = (*e)[1]->real;
    if (exponent == 1) return x;
    if (exponent == 2) return builder_.CreateFMul(x, x);
    if (exponent == 3) return builder_.CreateFMul(builder_.CreateFMul(x, x), x);
  }
  if (const Inline inlined = inlineFor(e->intrinsic);
      inlined && single && module_.options.vectorise)
    return inlined(builder_, x);
  if (e->intrinsic == Intrinsic::Sigmoid) {
    Value* power = emitLibm(Intrinsic::Exp, {builder_.CreateFNeg(x)});
    return builder_.CreateFDiv(one, builder_.CreateFAdd(one, power));
  }
  return emitLibm(e->intrinsic, arguments);
}

/// One call into libm for each lane.
llvm::Value* RegionCodegen::emitLibm(Intrinsic intrinsic, const std::vector<Value*>& arguments) {
  llvm::Type* type = arguments[0]->getType();
  llvm::Type* scalar = type->getScalarType();
  const char* base = mathFunction(intrinsic);
  NW_ASSERT(base, "{} has no function in libm", name(intrinsic));
  const std::string symbol = fmt::format("{}{}", base, scalar->isFloatTy() ? "f" : "");
  const std::vector<llvm::Type*> types(arguments.size(), scalar);
  llvm::FunctionCallee callee =
      module_.module.getOrInsertFunction(symbol, llvm::FunctionType::get(scalar, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory(); // errno is nobody's concern here
  function->setWillReturn();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return builder_.CreateCall(callee, arguments);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> scalars;
    for (Value* argument : arguments)
      scalars.push_back(builder_.CreateExtractElement(argument, std::uint64_t{lane}));
    result = builder_.CreateInsertElement(result, builder_.CreateCall(callee, scalars),
                                          std::uint64_t{lane});
  }
  return result;
}

} // namespace nestwright::llvm_backend
