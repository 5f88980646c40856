#pragma once
/// \file What a backend makes of a program: bytes that can be sent to another process of the same
/// machine kind, how to start them, and what the compiler says of them.

#include "core/target/occupancy.h"
#include "core/tensor/packed_layout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What one kernel of a GPU takes, as its compiler reports it.
struct KernelResources {
  int registers = 0; // of a thread
  // Bytes of a thread: moved out of registers and back, and memory of its own (spills included).
  std::int64_t spillStoreBytes = 0, spillLoadBytes = 0, stackBytes = 0;
  std::int64_t staticSharedBytes = 0; // of a block
  int barriers = 0;
  Occupancy occupancy; // on the GPU that it was compiled for

  bool operator==(const KernelResources&) const = default;
};

/// What one launch gets for one of its arguments: a parameter, or a place in the workspace.
struct LaunchArgument {
  int parameter = -1; // into KernelArtifact::parameterBytes; -1: the workspace
  std::int64_t workspaceOffset = 0;

  bool operator==(const LaunchArgument&) const = default;
};

/// One start of one kernel on a GPU. Launches run one after another.
struct KernelLaunch {
  std::string entry; // symbol name
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamicSharedBytes = 0; // of a block, asked for at the launch
  std::vector<LaunchArgument> arguments;
  KernelResources resources;

  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::int64_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
  bool operator==(const KernelLaunch&) const = default;
};

/// A compiled program.
struct KernelArtifact {
  std::string entry;                  // symbol name, of code that the host calls
  std::vector<KernelLaunch> launches; // of code that a GPU runs; empty otherwise
  std::vector<std::uint8_t> code;     // a relocatable object file, or a cubin
  std::string architecture;        // that it runs on: "sm_90"; empty for this machine's processor
  std::string compiler;            // "NVRTC 13.0"; empty for the one that is built in
  std::int64_t workspaceBytes = 0; // scratch memory per call, shared by all threads
  std::int64_t threadWorkspaceBytes = 0;    // further scratch memory per thread
  std::vector<std::int64_t> parameterBytes; // inputs, then outputs
  int inputCount = 0;
  /// As in LoopFunction: whoever fills the inputs packs them so; parameterBytes are the packed
  /// ones.
  std::vector<std::optional<PackedLayout>> layouts;

  /// Bytes that the threads of its kernels move out of their registers and back: a program that
  /// does is never fast.
  std::int64_t spilledBytes() const;
};

} // namespace nestwright
