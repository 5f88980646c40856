#include "plugins/llvm/llvm_backend.h"

#include "core/backend/host_device.h"
#include "core/lower/ir_lines.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"
#include "plugins/llvm/code_generator.h"
#include "plugins/llvm/jit.h"
#include "plugins/llvm/module_codegen.h"
#include "plugins/llvm/optimiser.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace nestwright::llvm_backend {
namespace {

/// One compilation: its own LLVM context, so that compilations do not meet.
class Compilation {
 public:
  Compilation(const LoopFunction& function, const CompileOptions& options)
      : name_(function.name), plan_(planStorage(function)), machine_(makeTargetMachine(options)) {
    context_.setDiagnosticHandlerCallBack(collect, &problems_);
    CodegenOptions codegen;
    const Cpu cpu = cpuFor(options.instructionSet);
    codegen.cpu = cpu.name;
    codegen.features = cpu.features;
    codegen.triple = machine_->getTargetTriple().str();
    codegen.dataLayout = machine_->createDataLayout().getStringRepresentation();
    static const int hostBytes = hostTarget().vectorBytes;
    const int bytes = vectorBytesOf(options.instructionSet);
    codegen.vectorBits = 8 * (bytes > 0 ? bytes : hostBytes);
    codegen.vectorise = options.vectorise;
    codegen.lowering = options.lowering;
    codegen.marks = options.marks;
    codegen.symbols = options.symbols;
    module_ = generateModule(function, plan_, codegen, context_);
    optimise(*module_, *machine_, options);
    check();
  }

  const StoragePlan& plan() const { return plan_; }

  std::vector<std::uint8_t> object() {
    auto bytes = emitObject(*module_, *machine_);
    check();
    return bytes;
  }

  std::string assembly() {
    std::string text = emitAssembly(*module_, *machine_);
    check();
    return text;
  }

  std::string ir() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module_->print(stream, nullptr);
    return text;
  }

 private:
  static void collect(const llvm::DiagnosticInfo* info, void* problems) {
    if (info->getSeverity() != llvm::DS_Error) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    *static_cast<std::string*>(problems) += fmt::format("{}\n", text);
  }

  void check() const {
    if (!problems_.empty())
      throw Error(fmt::format("kernel {}: LLVM cannot compile it: {}", name_, problems_));
  }

  std::string name_;
  StoragePlan plan_;
  llvm::LLVMContext context_;
  std::string problems_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace

TargetFacts LlvmBackend::target(int threads, const std::string&) const {
  TargetFacts facts = hostTarget(threads);
  facts.backend = name();
  facts.cpuName = hostCpu().name;
  return facts;
}

KernelArtifact LlvmBackend::compile(const LoopFunction& function,
                                    const CompileOptions& options) const {
  Compilation compilation(function, options);
  KernelArtifact artifact;
  artifact.entry = entryName(function, options.symbols);
  artifact.code = compilation.object();
  seal(artifact.code);
  artifact.workspaceBytes = compilation.plan().sharedBytes;
  artifact.threadWorkspaceBytes = compilation.plan().threadBytes;
  for (const Buffer& parameter : function.parameters)
    artifact.parameterBytes.push_back(parameter->bytes());
  artifact.inputCount = function.inputCount;
  artifact.layouts = function.layouts;
  return artifact;
}

std::vector<CodeText> LlvmBackend::texts() const {
  return {{CodeForm::LlvmIr, "LLVM IR", ""}, {CodeForm::Assembly, "Assembly", ""}};
}

std::string LlvmBackend::text(const LoopFunction& function, CodeForm form,
                              const CompileOptions& options) const {
  if (form != CodeForm::LlvmIr && form != CodeForm::Assembly)
    throw UsageError("LLVM's code is shown as LLVM IR or as assembly");
  Compilation compilation(options.marks ? withOwnStatements(function) : function, options);
  return form == CodeForm::LlvmIr ? compilation.ir() : compilation.assembly();
}

std::unique_ptr<Device> LlvmBackend::openDevice(const DeviceOptions& options) const {
  return makeHostDevice(*this, options);
}

std::unique_ptr<Kernel> LlvmBackend::load(const KernelArtifact& artifact) const {
  return loadKernel(artifact);
}

} // namespace nestwright::llvm_backend
