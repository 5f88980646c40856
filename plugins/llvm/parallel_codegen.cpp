/// \file Parallel loops: the body becomes a region of its own, run by libgomp's threads on
/// contiguous chunks, or called directly when there is one thread.

#include "core/support/error.h"
#include "plugins/llvm/region_codegen.h"

#include <set>

namespace nestwright::llvm_backend {
namespace {

/// The buffers and variables that a statement takes from outside, in order of their first use, so
/// that the same program always gives the same code.
struct Captures {
  std::vector<Buffer> buffers, allocated;
  std::vector<Var> vars;
  std::set<const void*> seen, bound;

  void expr(const Expr& e) {
    if (!e) return;
    nestwright::visit(e, [&](const Expr& node) {
      if (node->kind == ExprKind::Var && !bound.contains(node->var.get()) &&
          seen.insert(node->var.get()).second)
        vars.push_back(node->var);
      if (node->kind == ExprKind::Load) buffer(node->buffer);
      return true;
    });
  }

  void buffer(const Buffer& b) {
    if (!bound.contains(b.get()) && seen.insert(b.get()).second) buffers.push_back(b);
  }

  void stmt(const Stmt& s) {
    expr(s->min);
    expr(s->condition);
    if (s->kind == StmtKind::For) bound.insert(s->var.get());
    if (s->kind == StmtKind::Allocate) {
      bound.insert(s->buffer.get());
      allocated.push_back(s->buffer);
    }
    if (s->kind == StmtKind::Store || s->kind == StmtKind::Prefetch) buffer(s->buffer);
    for (const Expr& index : s->indices)
      expr(index);
    expr(s->value);
    for (const Stmt& child : s->body)
      stmt(child);
  }
};

struct Runtime {
  llvm::FunctionCallee parallel, threadNumber, threadCount;
};

/// libgomp's functions, or those that stand in for them.
Runtime declareRuntime(const ModuleContext& of) {
  llvm::Module& module = of.module;
  auto& context = module.getContext();
  const std::string& prefix = of.options.symbols.runtime;
  const auto named = [&](const char* ours, const char* libgomp) {
    return prefix.empty() ? std::string(libgomp) : prefix + ours;
  };
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* integer = llvm::Type::getInt32Ty(context);
  auto* nothing = llvm::Type::getVoidTy(context);
  return {module.getOrInsertFunction(named("parallel", "GOMP_parallel"), nothing, pointer, pointer,
                                     integer, integer),
          module.getOrInsertFunction(named("thread_number", "omp_get_thread_num"), integer),
          module.getOrInsertFunction(named("thread_count", "omp_get_num_threads"), integer)};
}

} // namespace

/// What a region needs to run: the same for a direct call and for the threads' common context.
struct RegionCodegen::Region {
  llvm::Function* function = nullptr;
  std::vector<Value*> captured;            // leading arguments, as values of the caller
  std::vector<std::int64_t> threadOffsets; // workspace buffers: offsets in the thread's slice
};

RegionCodegen::Region RegionCodegen::makeRegion(const StmtNode& s) {
  Captures captures;
  captures.bound.insert(s.var.get());
  captures.stmt(s.body[0]);
  Region region;
  std::vector<llvm::Type*> types;
  std::vector<Buffer> parameters;
  for (const Buffer& buffer : captures.buffers)
    if (!module_.constants.contains(buffer.get())) {
      parameters.push_back(buffer);
      region.captured.push_back(code_.addresses().pointerTo(buffer));
    }
  for (const Var& var : captures.vars)
    region.captured.push_back(code_.scopes().bindingOf(var.get()).value);
  for (const Value* value : region.captured)
    types.push_back(value->getType());
  const std::size_t varsAt = parameters.size();
  for (const Buffer& buffer : captures.allocated) {
    const BufferPlace& place = module_.plan.at(buffer);
    if (place.kind == BufferPlace::Kind::Shared)
      throw Error(fmt::format("buffer {} is shared by all threads but allocated inside of the "
                              "parallel loop {}",
                              buffer->name, s.var->name));
    if (place.kind != BufferPlace::Kind::PerThread) continue;
    parameters.push_back(buffer);
    region.threadOffsets.push_back(place.position);
    types.push_back(builder_.getPtrTy());
  }
  types.insert(types.end(), 2, builder_.getInt64Ty());
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
  region.function = makeFunction(
      module_, type, fmt::format("{}.region{}", module_.kernelName, module_.regionCount++), false);
  RegionCodegen inner(module_, region.function);
  const auto argument = [&](std::size_t i) {
    return region.function->getArg(static_cast<unsigned>(i));
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::size_t at = i < varsAt ? i : i + captures.vars.size();
    inner.bindBufferArgument(parameters[i], argument(at));
  }
  for (std::size_t i = 0; i < captures.vars.size(); ++i)
    inner.bindVar(captures.vars[i], argument(varsAt + i),
                  code_.scopes().bindingOf(captures.vars[i].get()).nonNegative);
  inner.emitRange(s, argument(types.size() - 2), argument(types.size() - 1));
  inner.emitReturn();
  return region;
}

void RegionCodegen::bindBufferArgument(const Buffer& buffer, llvm::Argument* argument) {
  argument->setName(buffer->name);
  argument->addAttr(llvm::Attribute::NoAlias);
  argument->addAttr(llvm::Attribute::NoCapture);
  argument->addAttr(llvm::Attribute::NonNull);
  argument->addAttr(llvm::Attribute::getWithAlignment(module_.llvm(), llvm::Align(64)));
  code_.addresses().bind(buffer, argument);
}

/// The function that each thread runs: unpacks the context, takes its chunk.
llvm::Function* RegionCodegen::makeThreadFunction(const Region& region,
                                                  llvm::StructType* contextType) {
  const Runtime runtime = declareRuntime(module_);
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
  auto* function = makeFunction(module_, type,
                                fmt::format("{}.thread", region.function->getName().str()), false);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.llvm(), "entry", function));
  Value* context = function->getArg(0);
  const auto field = [&](unsigned i) {
    return b.CreateLoad(contextType->getElementType(i), b.CreateStructGEP(contextType, context, i));
  };
  std::vector<Value*> arguments;
  const auto captured = static_cast<unsigned>(region.captured.size());
  for (unsigned i = 0; i < captured; ++i)
    arguments.push_back(field(i));
  Value* begin = field(captured);
  Value* extent = field(captured + 1);
  Value* workspace = field(captured + 2);
  Value* thread = b.CreateZExt(b.CreateCall(runtime.threadNumber), b.getInt64Ty());
  Value* threads = b.CreateZExt(b.CreateCall(runtime.threadCount), b.getInt64Ty());
  Value* slice = b.CreateGEP(
      b.getInt8Ty(), workspace,
      b.CreateMul(thread, b.getInt64(static_cast<std::uint64_t>(module_.plan.threadBytes))));
  for (const std::int64_t offset : region.threadOffsets)
    arguments.push_back(
        b.CreateGEP(b.getInt8Ty(), slice, b.getInt64(static_cast<std::uint64_t>(offset))));
  const auto bound = [&](Value* position) {
    return b.CreateAdd(begin, b.CreateUDiv(b.CreateMul(extent, position), threads));
  };
  arguments.push_back(bound(thread));
  arguments.push_back(bound(b.CreateAdd(thread, b.getInt64(1))));
  b.CreateCall(region.function, arguments);
  b.CreateRetVoid();
  return function;
}

void RegionCodegen::emitParallel(const StmtNode& s) {
  Value* begin = builder_.CreateSExtOrTrunc(code_.emit(s.min), builder_.getInt64Ty());
  const Region region = makeRegion(s);
  std::vector<llvm::Type*> fields;
  for (const Value* value : region.captured)
    fields.push_back(value->getType());
  fields.insert(fields.end(), {builder_.getInt64Ty(), builder_.getInt64Ty(), builder_.getPtrTy()});
  auto* contextType = llvm::StructType::get(module_.llvm(), fields);
  llvm::Function* threadFunction = makeThreadFunction(region, contextType);
  auto* context = new llvm::AllocaInst(contextType, 0, "context",
                                       function_->getEntryBlock().getFirstInsertionPt());

  auto* alone = newBlock(builder_, "alone");
  auto* together = newBlock(builder_, "together");
  auto* after = newBlock(builder_, "joined");
  Value* extent = builder_.getInt64(static_cast<std::uint64_t>(s.extent));
  builder_.CreateCondBr(builder_.CreateICmpSLE(threads_, builder_.getInt32(1)), alone, together);

  builder_.SetInsertPoint(alone);
  std::vector<Value*> arguments = region.captured;
  for (const std::int64_t offset : region.threadOffsets)
    arguments.push_back(builder_.CreateGEP(builder_.getInt8Ty(), threadWorkspace_,
                                           builder_.getInt64(static_cast<std::uint64_t>(offset))));
  arguments.push_back(begin);
  arguments.push_back(builder_.CreateAdd(begin, extent));
  builder_.CreateCall(region.function, arguments);
  builder_.CreateBr(after);

  builder_.SetInsertPoint(together);
  std::vector<Value*> values = region.captured;
  values.insert(values.end(), {begin, extent, threadWorkspace_});
  for (unsigned i = 0; i < values.size(); ++i)
    builder_.CreateStore(values[i], builder_.CreateStructGEP(contextType, context, i));
  const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(s.extent, INT32_MAX));
  Value* threads =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, threads_, builder_.getInt32(most));
  builder_.CreateCall(declareRuntime(module_).parallel,
                      {threadFunction, context, threads, builder_.getInt32(0)});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

} // namespace nestwright::llvm_backend
