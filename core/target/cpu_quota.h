#pragma once
/// \file How much processor time a control group of Linux leaves to us.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Processors that the time of a group's cpu.max keeps busy, rounded up: 2 for "150000 100000", the
/// microseconds of each period. Nothing for "max 100000", and for what is no such text.
std::optional<int> coresOfQuota(std::string_view cpuMax);

/// The folders of a process's group and of those around it, which all limit it, below
/// /sys/fs/cgroup, by its /proc/self/cgroup: of version 2, or the controller "cpu" of version 1.
std::vector<std::string> quotaFolders(std::string_view groups);

/// The least of this process's groups, with either version's files; nothing where none has a limit.
std::optional<int> quotaHere();

} // namespace nestwright
