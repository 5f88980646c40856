#pragma once
/// \file What is in a folder.

#include <filesystem>
#include <vector>

namespace nestwright {

/// Paths of all that is in the folder itself, by name, so that no answer depends on the file
/// system; none where it cannot be read.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

} // namespace nestwright
