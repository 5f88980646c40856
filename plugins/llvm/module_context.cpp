#include "plugins/llvm/module_context.h"

#include "core/support/error.h"

namespace nestwright::llvm_backend {

llvm::Type* memoryType(llvm::LLVMContext& context, DataType type) {
  return type.isBool() ? valueType(context, {DataType::Code::UInt, 8, type.lanes})
                       : valueType(context, type);
}

llvm::Type* valueType(llvm::LLVMContext& context, DataType type) {
  if (!type.isScalar())
    return llvm::FixedVectorType::get(valueType(context, type.element()), type.lanes);
  if (type.isBool()) return llvm::Type::getInt1Ty(context);
  if (type.isInt()) return llvm::Type::getIntNTy(context, type.bits);
  if (type.isHalf()) return llvm::Type::getInt16Ty(context);
  if (type.code == DataType::Code::Float && type.bits == 32) return llvm::Type::getFloatTy(context);
  if (type.code == DataType::Code::Float && type.bits == 64)
    return llvm::Type::getDoubleTy(context);
  throw Error(fmt::format("the LLVM backend has no type {}", toString(type)));
}

llvm::Function* makeFunction(ModuleContext& module, llvm::FunctionType* type,
                             const std::string& name, bool exported) {
  auto* function = llvm::Function::Create(
      type, exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
      name, module.module);
  const CodegenOptions& options = module.options;
  function->addFnAttr("target-cpu", options.cpu);
  function->addFnAttr("target-features", options.features);
  // LLVM avoids the widest registers on most Intel CPUs unless it is told twice
  // (handbook/stack.md 7).
  function->addFnAttr("prefer-vector-width", std::to_string(options.vectorBits));
  function->addFnAttr("min-legal-vector-width", std::to_string(options.vectorBits));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // A region has two callers, and a copy in each would double the time to compile it.
  function->addFnAttr(llvm::Attribute::NoInline);
  return function;
}

llvm::Value* splat(llvm::IRBuilder<>& builder, llvm::Value* value, int lanes) {
  if (lanes == 1 || value->getType()->isVectorTy()) return value;
  return builder.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

llvm::BasicBlock* newBlock(llvm::IRBuilder<>& builder, const char* name) {
  return llvm::BasicBlock::Create(builder.getContext(), name,
                                  builder.GetInsertBlock()->getParent());
}

} // namespace nestwright::llvm_backend
