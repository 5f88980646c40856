#include "plugins/llvm/optimiser.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

namespace nestwright::llvm_backend {
namespace {

/// Loads that may be moved out of one loop. More than the registers can hold would be stored to the
/// stack outside and loaded from there inside, which is slower than loading them where they are.
constexpr int kMaxHoistedLoads = 24;

/// Addresses that the loop stores to.
llvm::SmallPtrSet<const llvm::Value*, 32> storedPointers(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const llvm::Value*, 32> pointers;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block)
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        pointers.insert(store->getPointerOperand());
  return pointers;
}

bool wouldHoistTooMuch(const llvm::Loop& loop) {
  const auto stored = storedPointers(loop);
  llvm::SmallPtrSet<const llvm::Value*, 32> loaded;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || stored.contains(load->getPointerOperand())) continue;
      const llvm::Value* pointer = load->getPointerOperand()->stripInBoundsConstantOffsets();
      if (loop.isLoopInvariant(pointer)) loaded.insert(load->getPointerOperand());
    }
  return loaded.size() > kMaxHoistedLoads;
}

/// Loop-invariant code motion, except where it would overrun the registers.
struct BoundedLicm : llvm::PassInfoMixin<BoundedLicm> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& manager,
                              llvm::LoopStandardAnalysisResults& results,
                              llvm::LPMUpdater& updater) {
    if (wouldHoistTooMuch(loop)) return llvm::PreservedAnalyses::all();
    return llvm::LICMPass(llvm::LICMOptions()).run(loop, manager, results, updater);
  }
};

/// Instructions of a loop's body, or of a block, beyond which LLVM's own vectorisers and unroller
/// are not asked: their time grows with the square of it, and the schedule has unrolled already.
constexpr std::size_t kMaxOpenLoop = 150, kMaxOpenBlock = 500;

std::size_t instructionCount(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    count += block->size();
  return count;
}

/// Marks the loops that the loop vectoriser and the unroller shall leave alone.
struct CloseLargeLoops : llvm::PassInfoMixin<CloseLargeLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                              llvm::LoopStandardAnalysisResults&, llvm::LPMUpdater&) {
    if (instructionCount(loop) > kMaxOpenLoop) {
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.width", 1);
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.interleave.count", 1);
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable");
    }
    return llvm::PreservedAnalyses::all();
  }
};

/// Vectorises straight-line scalar code, where that is short enough.
struct BoundedSlp : llvm::PassInfoMixin<BoundedSlp> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
    for (const llvm::BasicBlock& block : function)
      if (block.size() > kMaxOpenBlock) return llvm::PreservedAnalyses::all();
    return llvm::SLPVectorizerPass().run(function, manager);
  }
};

llvm::FunctionToLoopPassAdaptor boundedLicm() {
  return llvm::createFunctionToLoopPassAdaptor(BoundedLicm(), /*UseMemorySSA=*/true);
}

/// Brings the generated code into LLVM's canonical form and removes what is redundant.
void addSimplification(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(boundedLicm());
  llvm::LoopPassManager loops;
  // Guards of padding mostly do not depend on the innermost loop.
  loops.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(CloseLargeLoops());
  loops.addPass(llvm::LoopFullUnrollPass(/*OptLevel=*/3));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Partial redundancy elimination would carry loads from one iteration to the next in registers
  // that there are not.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false).setLoadPRE(false)));
  passes.addPass(llvm::DSEPass());
  passes.addPass(boundedLicm());
}

/// Vectorises the loops that the schedule left plain.
void addVectorisation(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(CloseLargeLoops()));
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(BoundedSlp());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/3)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
}

llvm::ModulePassManager ownPipeline() {
  llvm::FunctionPassManager functions;
  addSimplification(functions);
  addVectorisation(functions);
  llvm::ModulePassManager modules;
  modules.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  return modules;
}

} // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const CompileOptions& options) {
  const bool naive = !options.vectorise || options.optimisationLevel < 2;
  // What a schedule leaves undone is LLVM's to do, by the passes that it has for everybody.
  const bool usual = !naive && isPlain(options.lowering);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = usual;
  tuning.LoopUnrolling = usual;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  const auto pipeline = [&] {
    if (usual) return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
    if (!naive) return ownPipeline();
    return options.optimisationLevel == 0
               ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
               : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1);
  };
  pipeline().run(module, modules);
}

} // namespace nestwright::llvm_backend
