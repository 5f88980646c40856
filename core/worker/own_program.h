#pragma once
/// \file Finding the other programs of ours.

#include <optional>
#include <string>

namespace nestwright {

/// Where a program of ours is: beside the running one or, for programs of the build, in its folder
/// `bin`. Nothing when it is in neither.
std::optional<std::string> ownProgram(const std::string& name);

} // namespace nestwright
