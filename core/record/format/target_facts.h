#pragma once
/// \file What the rows of targets say. It is text that may be damaged or altered.

#include "core/record/rows/target_row.h"
#include "core/target/target.h"

#include <optional>
#include <string>

namespace nestwright {

/// What the target is. Throws InputError, also for one that a log named and nobody described.
TargetFacts factsOf(const TargetRow& target);

/// What a target is, but nothing for a target whose facts nobody told or that cannot be read.
std::optional<TargetFacts> factsIfKnown(const TargetRow& target);

/// Whether the target is one that public logs named: they tell a few of its facts, and the others
/// are guesses.
bool isOfLog(const TargetRow& target);

/// Without the mark of a recorded machine: its answers are times of the machine itself.
TargetFacts machineOf(TargetFacts facts);

/// TargetFacts::id() of the machine whose times the target's records have: that of a recorded one
/// is the machine itself; the row's key where nobody told what it is.
std::string machineIdOf(const TargetRow& target);

} // namespace nestwright
