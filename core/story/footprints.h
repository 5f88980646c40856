#pragma once
/// \file Two programs against the caches of their machine: how much memory every loop works on,
/// which cache holds that, and what has to be moved into each cache. Plain values.

#include "core/feature/nest_features.h"
#include "core/schedule/program_diff.h"
#include "core/support/row_id.h"
#include "core/target/target.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// The machine that the task's programs are tuned for; this one when the file does not say. Of one
/// that only logs describe the sizes of the caches are not known, and 0.
TargetFacts targetOrHost(const RecordStore& store, RowId task);

enum class CacheLevel : std::uint8_t { L1, L2, L3, Memory, Unknown };
/// The smallest that holds so many bytes; of a machine whose caches are not known none.
CacheLevel levelOf(double bytes, const TargetFacts& target);

/// One loop of one program.
struct LoopFootprint {
  int node = -1;    // of the loop tree; -1: the other program alone has the loop
  std::string line; // "for k.0 (0,64)", indented as it is nested
  double bytes = 0; // that one run of the loop works on; 0: not known, or no loop
  double runs = 0;  // of the loop
  std::vector<LoopTraffic::Buffer> buffers;
  CacheLevel level = CacheLevel::Unknown;
};

struct FootprintRow {
  LoopFootprint a, b;
  DiffMark mark = DiffMark::Same;
};

/// What one program moves into a cache when all that fits there is kept.
struct CacheUse {
  double movedBytes = 0;      // of all loops; 0: not known
  std::string loop;           // the tile that moves most of it: the outermost loop that fits
  double bytes = 0, runs = 0; // of that tile
  bool fits = true;           // false: not even the innermost loop does
};

struct CacheRow {
  CacheLevel level = CacheLevel::L1;
  double size = 0; // bytes
  CacheUse a, b;
};

struct FootprintComparison {
  std::string machine;           // "AMD EPYC 9B45"
  std::array<double, 3> sizes{}; // of L1, L2, L3; 0 where they are not known
  std::array<CacheRow, 3> caches;
  std::vector<FootprintRow> rows; // the loop nests side by side
  bool hasCaches() const { return sizes.front() > 0; }
  /// What the loops work on is known of both programs, and what the caches hold.
  bool isKnown() const {
    return caches.front().a.movedBytes > 0 && caches.front().b.movedBytes > 0;
  }
};

/// A program's loops with the memory that each works on.
struct LoopMemory {
  const LoopTree& tree;
  const std::vector<LoopTraffic>& traffic; // of its loops; empty where unknown
};
FootprintComparison compareFootprints(const LoopMemory& a, const LoopMemory& b,
                                      const TargetFacts& target);

/// The cache at which the two differ most, which says why one is faster.
struct TellingCache {
  CacheRow cache;
  double ratio = 1; // of what they move into it; above 1
};
/// Nothing where they move about as much into every cache.
std::optional<TellingCache> tellingCache(const FootprintComparison& comparison);

} // namespace nestwright
