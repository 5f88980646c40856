#pragma once
/// \file An example of a user-defined task scheduler, which decides which task gets the next round.
/// A plugin brings it as it brings a policy, and it is chosen by the plugin's name:
///
///     nestwright tune resnet18 --scheduler example_policy

#include "core/session/schedule/task_scheduler.h"

namespace nestwright::example_policy {

/// The task with the largest share of the total latency for each round that it had: what takes long
/// is looked at most, and what does not get faster by it yields to the others.
std::unique_ptr<TaskScheduler> makeLargestShare(const SchedulerOptions& options);

} // namespace nestwright::example_policy
