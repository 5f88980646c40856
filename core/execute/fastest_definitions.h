#pragma once
/// \file Which definition of each operator a network runs with, by the records of a file.

#include "core/execute/network_runner.h"
#include "core/network/partition/partition.h"

#include <span>
#include <vector>

namespace nestwright {

/// Of each task that has alternatives the one with the fastest program for all of these targets (by
/// the sum of their latencies), -1 for the definition: also where none has a program for each
/// target. Where a combination was kept and is asked for, the definitions that it was kept with.
/// With `tf32` programs that round to TF32 count, too.
std::vector<int> fastestDefinitions(const Partition& partition, const RecordStore& store,
                                    std::span<const TargetFacts> targets,
                                    ProgramSource source = ProgramSource::Kept, bool tf32 = false);

/// The network cut into tasks, each by the definition that fastestDefinitions() gives among those
/// that may be chosen.
Partition fastestPartition(const Network& network, Alternatives which, const RecordStore& store,
                           std::span<const TargetFacts> targets,
                           ProgramSource source = ProgramSource::Kept, bool tf32 = false);

} // namespace nestwright
