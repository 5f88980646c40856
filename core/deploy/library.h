#pragma once
/// \file A library as values: compiled kernels, where its tensors lie, and what its interface calls
/// them.

#include "core/deploy/cpu_features.h"
#include "core/deploy/deploy_watch.h"
#include "core/deploy/deployment.h"
#include "core/network/execution/execution_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// An input or output of the interface.
struct LibraryTensor {
  std::string name;     // of the parameter
  std::string original; // of the network's tensor
  Shape shape;
  DataType type = kFloat32;
  int buffer = -1; // of the plan
  /// Of an operator's input that the caller packs before: how. Its shape is that of the array as
  /// given.
  std::optional<PackedLayout> layout = {};

  std::int64_t givenBytes() const { return elementCount(shape) * type.elementBytes(); }
  /// As the kernel reads it.
  std::int64_t elements() const { return layout ? layout->packedElements() : elementCount(shape); }
  std::int64_t bytes() const { return elements() * type.elementBytes(); }
};

struct LibraryKernel {
  std::string symbol;               // of its entry, as LLVM's plugin has it
  std::vector<std::uint8_t> object; // relocatable
};

struct Library {
  Deployment deployment;
  std::vector<CpuFeature> features; // that its code needs
  std::vector<LibraryTensor> inputs, outputs;
  ExecutionPlan plan;
  std::vector<LibraryKernel> kernels; // by task
  std::int64_t workspaceBytes = 0, threadWorkspaceBytes = 0;

  const std::string& name() const { return deployment.options.name; }
  bool isNetwork() const { return deployment.isNetwork; }
  Threading threading() const { return deployment.options.threading; }
  bool hasWeights() const { return isNetwork() && plan.constantBytes > 0; }
};

/// Compiles the kernels for the deployment's target with the code generation that measures them;
/// only the names of their symbols differ. Throws as compileKernels() does, and InputError for a
/// processor that no library is written for.
Library compileLibrary(Deployment deployment, const NetworkPlace& place,
                       const DeployWatch& watch = {});

} // namespace nestwright
