#pragma once
/// \file An example of a user-defined search policy.
///
/// A plugin with a policy of its own is this much: a folder in plugins/ (or a shared object
/// nestwright_NAME.so built against core's headers, in a folder of $NESTWRIGHT_PLUGIN_PATH) that
/// exports `nestwright_plugin` (plugin.cpp) and one class (hill_climbing.cpp). It is chosen by its
/// name, on the command line and in the window:
///
///     nestwright tune matmul:m=512,n=512,k=512 --policy example_policy
///
/// A policy is asked for the programs of each round. It gets the task, its sketches, the fastest
/// programs so far and the index of the first random draw that is still unused, and gives programs
/// that were not measured before. It must decide by these alone: a session that is interrupted and
/// resumed asks again, and has to get the same answer.

#include "core/search/search_policy.h"

namespace nestwright::example_policy {

/// Hill climbing: half of a round are neighbours of the fastest programs (one tile size changed),
/// the others are drawn at random, so that no local optimum is the end.
std::unique_ptr<SearchPolicy> makeHillClimbing(const PolicyOptions& options);

} // namespace nestwright::example_policy
