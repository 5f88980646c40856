#include "plugins/llvm/module_codegen.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"
#include "plugins/llvm/region_codegen.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace nestwright::llvm_backend {
namespace {

template <class T>
llvm::Constant* tableOf(llvm::LLVMContext& context, const std::vector<double>& values) {
  const std::vector<T> elements(values.begin(), values.end());
  return llvm::ConstantDataArray::get(context, elements);
}

/// The table in its packed form, which takes no object per element: tables may hold millions.
llvm::Constant* constantTable(llvm::LLVMContext& context, DataType type,
                              const std::vector<double>& values) {
  if (type == kFloat32) return tableOf<float>(context, values);
  if (type == kFloat64) return tableOf<double>(context, values);
  if (type.isHalf()) {
    std::vector<std::uint16_t> bits;
    for (const double value : values)
      bits.push_back(halfBits(value, type));
    return llvm::ConstantDataArray::get(context, bits);
  }
  if (type.isBool() || (type.isInt() && type.bits == 8)) {
    std::vector<std::uint8_t> bytes;
    for (const double value : values)
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int64_t>(value)));
    return llvm::ConstantDataArray::get(context, bytes);
  }
  if (type == kInt32) return tableOf<std::int32_t>(context, values);
  if (type == kInt64) return tableOf<std::int64_t>(context, values);
  throw Error(fmt::format("the LLVM backend has no constant tables of {}", toString(type)));
}

void emitConstants(ModuleContext& module, const LoopFunction& function) {
  for (const auto& [buffer, values] : function.constants) {
    if (static_cast<std::int64_t>(values.size()) != buffer->elements())
      throw Error(fmt::format("constant {} has {} but {}", buffer->name,
                              quantity(buffer->elements(), "element"),
                              quantity(std::ssize(values), "value")));
    llvm::Constant* elements = constantTable(module.llvm(), buffer->type.element(), values);
    auto* table =
        new llvm::GlobalVariable(module.module, elements->getType(), true,
                                 llvm::GlobalValue::InternalLinkage, elements, buffer->name);
    table->setAlignment(llvm::Align(64));
    module.constants[buffer.get()] = table;
  }
}

/// Buffers that the serial part sees: parameters, then allocations outside of parallel loops.
void collectSerial(const Stmt& s, std::vector<Buffer>& buffers, const StoragePlan& plan) {
  if (s->kind == StmtKind::For && s->forKind == ForKind::Parallel && s->extent > 1) return;
  if (s->kind == StmtKind::Allocate && plan.at(s->buffer).kind != BufferPlace::Kind::Stack)
    buffers.push_back(s->buffer);
  for (const Stmt& child : s->body)
    collectSerial(child, buffers, plan);
}

/// The serial part: (buffers..., workspace of the threads, threads).
llvm::Function* emitSerial(ModuleContext& module, const LoopFunction& function,
                           const std::vector<Buffer>& buffers) {
  auto* pointer = llvm::PointerType::getUnqual(module.llvm());
  std::vector<llvm::Type*> types(buffers.size() + 1, pointer);
  types.push_back(llvm::Type::getInt32Ty(module.llvm()));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.llvm()), types, false);
  auto* serial = makeFunction(module, type, fmt::format("{}.serial", module.kernelName), false);
  RegionCodegen region(module, serial);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    region.bindBufferArgument(buffers[i], serial->getArg(static_cast<unsigned>(i)));
  const auto count = static_cast<unsigned>(buffers.size());
  region.enableParallel(serial->getArg(count + 1), serial->getArg(count));
  if (function.body) region.emit(function.body);
  region.emitReturn();
  return serial;
}

void emitEntry(ModuleContext& module, const LoopFunction& function) {
  std::vector<Buffer> buffers = function.parameters;
  if (function.body) collectSerial(function.body, buffers, module.plan);
  llvm::Function* serial = emitSerial(module, function, buffers);
  auto* pointer = llvm::PointerType::getUnqual(module.llvm());
  auto* integer = llvm::Type::getInt32Ty(module.llvm());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.llvm()),
                                       {pointer, pointer, integer}, false);
  auto* entry = makeFunction(module, type, module.kernelName, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.llvm(), "entry", entry));
  llvm::Value* workspace = entry->getArg(1);
  const auto at = [&](std::int64_t offset) {
    return b.CreateGEP(b.getInt8Ty(), workspace, b.getInt64(static_cast<std::uint64_t>(offset)));
  };
  std::vector<llvm::Value*> arguments;
  for (const Buffer& buffer : buffers) {
    const BufferPlace& place = module.plan.at(buffer);
    if (place.kind == BufferPlace::Kind::Parameter)
      arguments.push_back(
          b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, entry->getArg(0),
                                                     static_cast<std::uint64_t>(place.position))));
    else if (place.kind == BufferPlace::Kind::Shared)
      arguments.push_back(at(place.position));
    else
      arguments.push_back(at(module.plan.sharedBytes + place.position));
  }
  arguments.push_back(at(module.plan.sharedBytes));
  arguments.push_back(entry->getArg(2));
  b.CreateCall(serial, arguments);
  b.CreateRetVoid();
}

} // namespace

std::string entryName(const LoopFunction& function, const KernelSymbols& symbols) {
  if (!symbols.entry.empty()) return symbols.entry;
  std::string name = "nw_";
  for (const char c : function.name)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

std::unique_ptr<llvm::Module> generateModule(const LoopFunction& function, const StoragePlan& plan,
                                             const CodegenOptions& options,
                                             llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>(function.name, context);
  module->setTargetTriple(options.triple);
  module->setDataLayout(options.dataLayout);
  ModuleContext shared{*module, plan, options, entryName(function, options.symbols), {}};
  std::optional<DebugLines> lines;
  if (options.marks) shared.lines = &lines.emplace(*module, function);
  emitConstants(shared, function);
  emitEntry(shared, function);
  if (lines) lines->finish();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    throw Error(
        fmt::format("kernel {}: the loop IR gives invalid LLVM IR: {}", function.name, problem));
  return module;
}

} // namespace nestwright::llvm_backend
