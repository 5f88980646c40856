#pragma once
/// \file Making a `.nwdb` file small and orderly: what was deleted from it or moved about in it
/// leaves room, and rows that belong together lie apart.

#include <cstdint>
#include <functional>
#include <string>

namespace nestwright {

struct CompactOptions {
  /// Also makes the sums over the records anew (tallies, summaries, bests), which a damaged file
  /// may have wrong.
  bool rebuildSums = false;
};

struct CompactReport {
  std::int64_t bytesBefore = 0, bytesAfter = 0; // of the file with its log
  int versionBefore = 0, versionAfter = 0;      // an older file is brought to this build's version
  bool cancelled = false;
};

/// Writes the file anew under another name, checks that it holds as many rows, and puts it in the
/// place of the old one (on a network file system, within the file itself and without telling
/// progress): whatever happens, one of the two is there, whole. Nobody else may have the
/// file open meanwhile, and there must be room for the copy. `progress` gets about the done
/// fraction and says whether to go on. Throws FileTrouble that names who has the file open, or how
/// much room is missing; InputError for a damaged file, which stays as it is.
CompactReport compactFile(const std::string& path, const CompactOptions& options = {},
                          const std::function<bool(double)>& progress = {});

} // namespace nestwright
