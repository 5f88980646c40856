#pragma once
/// \file The CPU backend: loop IR to machine code of this processor through LLVM 19.

#include "core/backend/backend.h"

namespace nestwright::llvm_backend {

/// Stateless; all of its functions may be called from several threads at once.
class LlvmBackend final : public Backend {
 public:
  std::string name() const override { return "llvm"; }
  TargetFacts target(int threads, const std::string& device) const override;
  KernelArtifact compile(const LoopFunction& function,
                         const CompileOptions& options) const override;
  std::vector<CodeText> texts() const override;
  /// LLVM IR is that after optimisation.
  std::string text(const LoopFunction& function, CodeForm form,
                   const CompileOptions& options) const override;
  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override;
  std::unique_ptr<Kernel> load(const KernelArtifact& artifact) const override;
};

} // namespace nestwright::llvm_backend
