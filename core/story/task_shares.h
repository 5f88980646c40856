#pragma once
/// \file Whether the shares of tasks in the latency of their network can be told.

#include "core/story/session_contents.h"

namespace nestwright {

/// How many tasks have neither a best nor a naive time. While there are any, a share of what was
/// measured so far is no share of the network.
int unmeasuredTasks(const std::vector<TaskEntry>& tasks);

} // namespace nestwright
