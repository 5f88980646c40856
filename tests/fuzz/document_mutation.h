#pragma once
/// \file Changing what stands in a record file with SQLite, as somebody may who means ill, or as
/// another program would.

#include "core/support/random.h"

#include <filesystem>
#include <string>

namespace nestwright::fuzz {

/// Changes one to three things of the file: a cell, a row, the schema, or what the file says of
/// itself. Texts in it name the folder `marker` where they look like commands.
void alterDocument(const std::filesystem::path& file, const std::string& marker, Random& random);

/// Gives the settings and the state of the file's sessions other values, and lets each session be
/// resumed: programs, plug-ins and files that they name would make a file in `marker`.
void alterSettings(const std::filesystem::path& file, const std::string& marker, Random& random);

/// Changes the file's cost models; the hash that they carry fits again, mostly.
void alterModels(const std::filesystem::path& file, const std::string& marker, Random& random);

} // namespace nestwright::fuzz
