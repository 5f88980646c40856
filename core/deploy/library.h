#pragma once
/// \file A library as values: compiled kernels, where its tensors lie, and what its interface calls
/// them.

#include "core/backend/kernel_artifact.h"
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
  /// Of an operator's input, by variant: how the caller packs it before. Empty where no variant
  /// wants it packed. The shape is that of the array as given.
  std::vector<std::optional<PackedLayout>> layouts = {};

  bool isPacked() const { return !layouts.empty(); }
  std::int64_t givenBytes() const { return elementCount(shape) * type.elementBytes(); }
  /// As the kernels read it, of the variant that reads the most.
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * type.elementBytes(); }
};

struct LibraryKernel {
  std::string symbol; // of its entry, as LLVM's plugin has it; of a GPU's code as data
  std::vector<std::uint8_t> object;        // relocatable, or a cubin
  std::vector<KernelLaunch> launches = {}; // of a GPU's
};

/// The code for one kind of processor.
struct LibraryVariant {
  std::vector<CpuFeature> features; // that it needs
  ExecutionPlan plan;
  std::vector<LibraryKernel> kernels; // by task
  std::int64_t workspaceBytes = 0, threadWorkspaceBytes = 0;
};

struct Library {
  Deployment deployment;
  std::vector<LibraryTensor> inputs, outputs; // the same for all variants
  std::vector<LibraryVariant> variants;       // as the deployment's: the first that fits runs

  const std::string& name() const { return deployment.options.name; }
  bool isNetwork() const { return deployment.isNetwork; }
  bool isGpu() const { return deployment.isGpu(); }
  /// Whether its functions are NAME_open, NAME_run and NAME_close: of networks, and on a GPU, where
  /// the code has to be loaded first. Otherwise it is the one function NAME.
  bool hasInstances() const { return isNetwork() || isGpu(); }
  Threading threading() const { return deployment.options.threading; }
  bool hasWeights() const; // some variant has constants
  int cores() const { return deployment.variants.front().target.cores; } // that it was tuned for
  // Enough for any variant:
  std::int64_t workspaceBytes() const;
  std::int64_t threadWorkspaceBytes() const;
  std::int64_t arenaBytes() const;
};

/// Compiles the kernels of each variant for its target with the code generation that measures them;
/// only the names of their symbols differ. Throws as compileKernels() does, and InputError for a
/// processor that no library is written for.
Library compileLibrary(Deployment deployment, const NetworkPlace& place,
                       const DeployWatch& watch = {});

} // namespace nestwright
