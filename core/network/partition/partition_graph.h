#pragma once
/// \file A partition as a graph of operators with its groups, to look at and for other programs.

#include "core/network/partition/partition.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright {

/// Text for Graphviz's dot: a cluster a group, titled with its task's index and description (dashed
/// where it is not worth a search); constants are left out.
std::string partitionDot(const Partition& partition);

/// {"network", "inputs", "outputs", "nodes": [{"name", "operator", "shape", "type", "group",
/// "inputs"}], "groups": [{"task", "name", "description", "tunable", "nodes"}]}. Nodes refer to
/// nodes and groups by index; one that no node makes is the name of a network input, and a
/// reshape that only renames memory has group null.
nlohmann::json partitionJson(const Partition& partition);

} // namespace nestwright
