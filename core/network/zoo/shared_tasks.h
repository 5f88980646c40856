#pragma once
/// \file The distinct tasks of many networks together.

#include "core/network/partition/partition.h"

#include <string>
#include <vector>

namespace nestwright {

/// A task with the networks that it appears in.
struct SharedTask {
  struct Use {
    int network = -1; // index into what was asked for
    int weight = 0;   // groups of that network that do this work
  };
  Task task; // its weight is the sum over all uses
  std::vector<Use> uses;
};

/// Partitions all networks for a CPU, on `threads` threads (0: all cores), and joins the tasks with
/// equal keys. Tunable tasks first, each part in the order of first use. Throws InputError as
/// parseNetworkSpec does.
std::vector<SharedTask> sharedTasks(const std::vector<std::string>& specs, unsigned threads = 0);

} // namespace nestwright
