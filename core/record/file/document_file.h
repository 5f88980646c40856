#pragma once
/// \file The `.nwdb` file as a document: what is kept in it beside the records, and copies of the
/// whole. Each call opens the file by itself, as RecordStore::open does, with its errors; views
/// call them on a thread of their own.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// What was kept under this key, if anything. Never writes to the file.
std::optional<std::string> kept(const std::string& path, std::string_view key);
/// Everything that was kept under keys with this beginning, by the rest of the key.
std::map<std::string, std::string> keptUnder(const std::string& path, std::string_view beginning);
/// Keeps a value under a key, replacing what was there; an empty value removes it. Keys begin with
/// whose they are: "window/state", "graph/...", "filters/...",
/// "note/...".
void keep(const std::string& path, std::string_view key, std::string_view value);

/// Writes all that is in the file at this moment to another one, while others go on writing here. A
/// file that is there is replaced, at the end and in one go, unless a program has it open.
/// `progress` gets the done fraction and says whether to go on; false is returned, and nothing left
/// behind, when it did not.
bool saveCopy(const std::string& from, const std::string& to,
              const std::function<bool(double)>& progress = {});

} // namespace nestwright
