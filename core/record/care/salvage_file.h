#pragma once
/// \file What can be read of a damaged `.nwdb` file, as a new one.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct SalvageProgress {
  std::int64_t rows = 0;               // read so far, of all tables
  std::optional<std::int64_t> records; // that the file says it has
  std::string doing;                   // "reading record", "counting again"
};

struct SalvageReport {
  std::int64_t records = 0; // in the new file
  /// Records that the file's own sums tell of and the new one has not; nothing when the sums are
  /// lost, too.
  std::optional<std::int64_t> lost;
  std::vector<std::string> losses;   // what could not be had, in sentences; the first of each kind
  std::vector<std::string> problems; // what RecordStore::check still finds in the new file: none
  bool cancelled = false;
};

/// Writes all that can be read of the damaged file into a new one, which then is sound: rows around
/// the damaged pages, records whose program and times can be read, and of what they name as much as
/// is needed; of a session that is lost the settings are `lostConfig`, which salvageDocument()
/// (core/session/insight/salvage_document.h) knows. The sums over records
/// are made anew, and logs of which records were lost are read again when they are imported again.
/// The damaged file does not change, nor what lies beside it. Throws InputError when `into` is
/// there already, or when nothing can be read, since the file is no Nestwright file or its
/// beginning is lost; SystemError when the new file cannot be written.
SalvageReport salvageFile(const std::string& damaged, const std::string& into,
                          const std::string& lostConfig, const std::atomic<bool>& stop,
                          const std::function<void(const SalvageProgress&)>& onProgress = {});

} // namespace nestwright
