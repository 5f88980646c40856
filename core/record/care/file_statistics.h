#pragma once
/// \file What lies in a `.nwdb` file, and how much room it takes.

#include "core/record/rows/record_statistics.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// A table or an index.
struct StoredPart {
  std::string name, table; // equal for a table
  bool isIndex = false;
  std::int64_t bytes = 0, unused = 0; // on its pages; of them, empty room within pages
};

struct CountedRecords {
  RowId id = 0; // of a session, task or target
  std::string name;
  std::int64_t records = 0, forgotten = 0;
};

struct FileStatistics {
  int version = 0;            // of the schema
  std::int64_t fileBytes = 0; // without the log
  std::int64_t logBytes = 0;  // of the write-ahead log beside it
  std::int64_t freeBytes = 0; // pages in the file that hold nothing
  std::int64_t records = 0, forgotten = 0, events = 0, shapes = 0, blocks = 0;
  std::vector<StoredPart> parts; // largest first; empty when they were not asked for
  std::vector<CountedRecords> sessions, tasks, targets;
  std::vector<VerdictCount> verdicts; // forgotten ones left out
  std::string holders;                // who has it open, in words; empty when nobody
  std::string note;                   // on the file system under it; empty for a local one

  /// With all indexes; 0 without records.
  double bytesPerRecord() const { return records > 0 ? double(fileBytes) / double(records) : 0; }
};

/// Reads the sums that are kept, and with `parts` every page of the file. Throws as
/// RecordStore::open; `goOn` is asked many times a second, and QueryStopped thrown when it says no.
FileStatistics fileStatistics(const std::string& path, bool parts = true,
                              const std::function<bool()>& goOn = {});

} // namespace nestwright
