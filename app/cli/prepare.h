#pragma once
/// \file What verbs do before they write to a record file.

#include "core/record/file/open_mode.h"

#include <string>

namespace nestwright::cli {

/// Moves a log out of the way that was written on another file, as opening in this mode would, and
/// tells of it on standard error.
void prepareForWriting(const std::string& database, OpenMode mode = OpenMode::ReadWrite);

} // namespace nestwright::cli
