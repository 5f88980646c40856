#pragma once
/// \file What the log says of a start: who measures and who proposes, where that is not ours.

#include "core/measure/worker_launch.h"
#include "core/search/exec/policy_launch.h"

#include <string>

namespace nestwright {

/// Behind how much is to be done: times by another command are not those of this machine's own
/// workers, and what the person's program proposes only that one can.
std::string howMeasured(const std::string& howMuch, const WorkerLaunch& launch,
                        const PolicyLaunch& policy);

} // namespace nestwright
