#pragma once
/// \file The sums over records that are kept up to date as they come in, made anew.

#include <string>

namespace nestwright {

/// Counts the file's records again into `tally` and `task_summary`, and chooses the bests anew, all
/// in one transaction; reads every record. Throws InputError when a record cannot be read, and
/// changes nothing then.
void rebuildSums(const std::string& path);

} // namespace nestwright
