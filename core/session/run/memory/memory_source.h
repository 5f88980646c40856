#pragma once
/// \file Where programs that a session remembers come from: which task and which target they were
/// measured on, the nearest first.

#include "core/target/target.h"
#include "core/tensor/compute_dag.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nestwright {

enum class MemorySource : std::uint8_t {
  SameTask,    // the same task on the same target
  SameMachine, // the same task on the machine, with other numbers of threads or another lowering
  SameKind,    // a task of the same kind (kindHash), with other extents, on the same target
  OtherTarget  // the same task on another target
};
inline constexpr std::array kMemorySources = {MemorySource::SameTask, MemorySource::SameMachine,
                                              MemorySource::SameKind, MemorySource::OtherTarget};

/// "same task", "same machine", "same kind", "other target".
const char* name(MemorySource source);
/// Throws InputError for any other text.
MemorySource memorySourceFromName(std::string_view text);
/// What it is, as the end of a sentence: "the same task on this target".
const char* meaning(MemorySource source);

/// Whether records of it may teach a cost model of the target: all but those of other targets.
bool teaches(MemorySource source);

/// How a target's times relate to another's: whether it is the same, or another way to use the same
/// machine.
enum class TargetKinship : std::uint8_t { Same, SameMachine, Other };
TargetKinship kinshipOf(const TargetFacts& remembered, const TargetFacts& wanted);

/// How far apart two tasks of one kind are: the sum over all their loops of the magnitude of the
/// logarithm to base 2 of the ratio of the extents; 0 for equal ones.
double extentDistance(const ComputeDag& a, const ComputeDag& b);

} // namespace nestwright
