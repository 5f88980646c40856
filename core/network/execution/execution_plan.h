#pragma once
/// \file Where the tensors of a partitioned network lie in memory while it runs.

#include "core/network/partition/partition.h"
#include "core/tensor/packed_layout.h"

#include <optional>

namespace nestwright {

/// One buffer of a running network.
struct PlannedBuffer {
  enum class Place : std::uint8_t {
    Input,    // at `offset` of the memory that nothing shares: filled before a run
    Constant, // likewise: filled once
    Arena,    // at `offset` of the arena, which buffers share when they are not needed together
  };
  Place place = Place::Arena;
  TensorId tensor = -1;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;                 // multiple of the plan's alignment
  std::optional<PackedLayout> layout = {}; // of a constant that a kernel wants packed
};

/// How the kernel of a task wants its inputs packed; empty when it takes them all as they are.
using InputLayouts = std::vector<std::optional<PackedLayout>>;

/// That of the host's kernels; bufferAlignment() tells each device's.
inline constexpr std::int64_t kBufferAlignment = 64;

struct ExecutionPlan {
  struct Step {
    int group = -1, task = -1;
    std::vector<int> buffers; // the DAG's inputs, then its output
  };
  std::vector<PlannedBuffer> buffers;
  std::vector<Step> steps;
  std::vector<int> inputs, outputs; // buffer of each of the network's inputs and outputs
  std::int64_t arenaBytes = 0;
  std::int64_t ownBytes = 0;      // of inputs and constants, with what lies between them
  std::int64_t constantBytes = 0; // of the constants alone
};

/// Buffers whose lives overlap never share memory; the network's outputs keep theirs to the end of
/// a run. Placement is greedy by size, which stays near the optimum for networks (Pisarchyk and
/// Lee 2020). `layouts` has one entry a task, or none at all; a constant has a buffer for each
/// layout in which a kernel reads it. Every buffer begins at a multiple of `alignment`, a power of
/// two. Throws InputError when something else than a constant is to be packed.
ExecutionPlan planExecution(const Partition& partition,
                            const std::vector<InputLayouts>& layouts = {},
                            std::int64_t alignment = kBufferAlignment);

} // namespace nestwright
