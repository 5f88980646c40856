#pragma once
/// \file What people should know of products for which a processor has no instruction, before they
/// wait for programs that cannot be as fast as they think.

#include "core/network/partition/partition.h"
#include "core/session/run/subject.h"
#include "core/target/target.h"

#include <string>
#include <vector>

namespace nestwright {

/// Of tasks with products of bfloat16 or of 8 bits that programs for the target compute without an
/// instruction for them (handbook/ansor.md 11.9): what they do instead. Empty where there is
/// nothing to say.
std::string missingInstruction(const std::vector<Subject>& subjects, const TargetFacts& target);
/// The same of the tasks of a network, or of an operator alone.
std::string missingInstruction(const Partition& partition, const TargetFacts& target);

} // namespace nestwright
