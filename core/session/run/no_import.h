#pragma once
/// \file Nothing is timed beside an import.

#include <string>

namespace nestwright {

/// Throws FileTrouble that names who imports records into the file, if anybody does.
void requireNoImport(const std::string& databasePath);

} // namespace nestwright
