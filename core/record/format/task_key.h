#pragma once
/// \file What of a workload key the file finds tasks by.

#include <string>
#include <string_view>

namespace nestwright {

/// The part of a workload key that is a hash of the task's text; of a key without one, its own
/// hash.
std::string taskKeyHash(std::string_view key);

} // namespace nestwright
