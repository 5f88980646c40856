#include "plugins/cuda/compile/kernel_resources.h"

#include "core/support/error.h"
#include "plugins/cuda/compile/compile_log.h"
#include "plugins/cuda/compile/cubin_info.h"

namespace nestwright::cuda {

std::map<std::string, KernelResources> kernelResources(const Compiled& compiled) {
  std::map<std::string, KernelResources> kernels = resourcesInLog(compiled.log);
  const bool logged = !kernels.empty();
  for (const auto& [entry, found] : kernelsInCubin(compiled.cubin)) {
    // The log speaks of kernels only, a cubin also of functions that they call.
    if (logged ? !kernels.contains(entry) : entry.starts_with('$')) continue;
    KernelResources& kernel = kernels[entry];
    if (logged && kernel.registers != found.registers)
      throw Error(fmt::format("the kernel {} has {} registers by the compiler's log and {} by its "
                              "cubin: this version of NVRTC writes one of them in another way",
                              entry, kernel.registers, found.registers));
    kernel.registers = found.registers;
    if (logged) continue;
    kernel.stackBytes = found.stackBytes;
    kernel.staticSharedBytes = found.staticSharedBytes;
  }
  if (kernels.empty())
    throw Error("neither NVRTC's log nor the cubin says what the kernels take: this version of "
                "NVRTC writes both in another way");
  return kernels;
}

} // namespace nestwright::cuda
