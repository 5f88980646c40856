#pragma once
/// \file One launch as one kernel.

#include "core/emit/c_names.h"
#include "core/lower/loop_ir.h"
#include "plugins/cuda/text/shared_memory.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright::cuda {

struct KernelText {
  std::string source;
  std::vector<Buffer> arguments; // of the kernel, in order
  std::int64_t dynamicSharedBytes = 0;
};

/// What all kernels of a function share.
struct KernelContext {
  const LoopFunction& function;
  std::vector<Buffer> global; // that may be arguments: parameters, then the workspace's buffers
  std::unordered_map<const StmtNode*, int> lines; // to mark, counted from 1; empty: no marks
};

/// A name for a constant, which stands outside of the kernels, where CUDA's functions are.
inline const std::string& tableName(CNames& names, const Buffer& constant) {
  return names.named(constant.get(), "table_" + constant->name);
}

/// `entry` names the kernel.
KernelText kernelText(const Stmt& launch, const std::string& entry, const KernelContext& context);

} // namespace nestwright::cuda
