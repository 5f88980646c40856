#pragma once
/// \file MANIFEST.json: what is inside of a library's folder, with checksums of all that is there.

#include "core/deploy/library.h"
#include "core/deploy/weights.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nestwright {

inline constexpr const char* kManifestFile = "MANIFEST.json";

/// What the library is. `compiler` is what the C compiler says of itself.
nlohmann::json manifestOf(const Library& library, const std::string& compiler,
                          const WeightsSums& sums);

/// Writes it into the folder, after all others, with the size and checksum of each file there and
/// one of itself, and gives what was written. Throws SystemError.
nlohmann::json writeManifest(nlohmann::json manifest, const std::string& folder);

/// The folder's manifest. Throws InputError that says what is wrong unless it is, to the byte, what
/// writeManifest() wrote.
nlohmann::json readManifest(const std::string& folder);

/// A list of it. Throws json::exception where it is none: loops over other values find nothing.
const nlohmann::json::array_t& listOf(const nlohmann::json& object, const char* key);

/// Throws InputError that names a file in the folder that is not the one that the manifest is of.
/// Gives those that are not there. Files that the manifest does not name are nobody's business.
std::vector<std::string> checkFiles(const nlohmann::json& manifest, const std::string& folder);

/// Whether the folder has a manifest of deploy's, whole or not.
bool hasManifest(const std::string& folder);

} // namespace nestwright
