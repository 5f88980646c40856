#include "core/plugin/plugin.h"

#include "plugins/llvm/llvm_backend.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "llvm";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "Compiles programs for this machine's CPU with LLVM 19.";
  description.makeBackend = []() -> std::unique_ptr<nestwright::Backend> {
    return std::make_unique<nestwright::llvm_backend::LlvmBackend>();
  };
  return description;
}
