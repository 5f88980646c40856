#include "plugins/llvm/code_generator.h"

#include "core/support/error.h"
#include "core/target/instruction_set.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace nestwright::llvm_backend {
namespace {

/// Settings of the code generator that have no other interface. Its schedulers and loop strength
/// reduction take time that grows with the square of a block's length, and kernels have blocks of
/// thousands of instructions; an out-of-order processor reorders them by itself, and the lowering's
/// own order needs fewer registers, and addresses are already sums with shared parts.
void setOptions() {
  const char* const options[] = {"nestwright", "-disable-post-ra", "-enable-misched=false",
                                 "-disable-lsr"};
  llvm::cl::ParseCommandLineOptions(std::size(options), options, "", &llvm::errs());
}

/// LLVM's last resort is to end the process; an error says more and costs one kernel.
[[noreturn]] void failed(void*, const char* reason, bool) {
  throw Error(fmt::format("LLVM cannot compile the kernel: {}", reason));
}

void generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::raw_pwrite_stream& out,
              llvm::CodeGenFileType kind) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
    throw SystemError("LLVM cannot generate code for this processor");
  passes.run(module);
}

} // namespace

const Cpu& hostCpu() {
  static const Cpu cpu = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    setOptions();
    llvm::install_fatal_error_handler(failed);
    Cpu host;
    host.name = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures())
      host.features += fmt::format("{}{}{}", host.features.empty() ? "" : ",",
                                   feature.getValue() ? "+" : "-", feature.getKey().str());
    return host;
  }();
  return cpu;
}

Cpu cpuFor(InstructionSet set) {
  if (set == InstructionSet::Native) return hostCpu();
  hostCpu(); // LLVM is made ready there
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
    throw SystemError(fmt::format("{} is an instruction set of x86, and this machine's processor "
                                  "is of another family; choose native",
                                  name(set)));
  Cpu cpu{processorOf(set), {}};
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::X86::getFeaturesForCPU(cpu.name, features);
  for (const llvm::StringRef feature : features)
    cpu.features += fmt::format("{}+{}", cpu.features.empty() ? "" : ",", feature.str());
  return cpu;
}

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const CompileOptions& options) {
  const Cpu cpu = cpuFor(options.instructionSet);
  const std::string triple = llvm::sys::getProcessTriple();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    throw SystemError(fmt::format("LLVM has no code generator for {}: {}", triple, problem));
  const auto level =
      options.vectorise ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::Less;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu.name, cpu.features, llvm::TargetOptions(),
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
}

std::vector<std::uint8_t> emitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  generate(module, machine, stream, llvm::CodeGenFileType::ObjectFile);
  return {bytes.begin(), bytes.end()};
}

std::string emitAssembly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  generate(module, machine, stream, llvm::CodeGenFileType::AssemblyFile);
  return {bytes.begin(), bytes.end()};
}

} // namespace nestwright::llvm_backend
