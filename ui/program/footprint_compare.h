#pragma once
/// \file Two programs against the caches of their machine: how much memory every loop works on,
/// which cache holds that, and what has to be moved into each cache. Values; made in the
/// background.

#include "core/target/target.h"
#include "ui/program/program_text.h"

#include <QString>

#include <array>
#include <vector>

namespace nestwright::ui {

/// The machine that the program was tuned for, as its task says; this one when that says nothing.
TargetFacts targetOf(const RecordStore& store, RowId task);

enum class CacheLevel : std::uint8_t { L1, L2, L3, Memory };
/// "L1" … "memory".
QString nameOf(CacheLevel level);
/// The smallest that holds so many bytes.
CacheLevel levelOf(double bytes, const TargetFacts& target);

/// One loop of one program.
struct LoopFootprint {
  int node = -1;    // of the loop tree; -1: the other program alone has the loop
  QString line;     // "for k.0 (0,64)", indented as it is nested
  double bytes = 0; // that one run of the loop works on; 0: not known, or no loop
  double runs = 0;  // of the loop
  QString buffers;  // "A 24.0 KiB\nB 8.0 KiB"
  CacheLevel level = CacheLevel::Memory;
};

struct FootprintRow {
  LoopFootprint a, b;
  DiffMark mark = DiffMark::Same;
};

/// What one program moves into a cache when all that fits there is kept.
struct CacheUse {
  double movedBytes = 0;      // of all loops; 0: not known
  QString loop;               // the tile that moves most of it: the outermost loop that fits
  double bytes = 0, runs = 0; // of that tile
  bool fits = true;           // false: not even the innermost loop does
};

struct CacheRow {
  CacheLevel level = CacheLevel::L1;
  double size = 0; // bytes
  CacheUse a, b;
};

struct FootprintComparison {
  QString machine;               // "AMD EPYC 9B45"
  std::array<double, 3> sizes{}; // of L1, L2, L3
  std::array<CacheRow, 3> caches;
  std::vector<FootprintRow> rows; // the loop nests side by side
  QString verdict;                // in a sentence: where the two part
};

FootprintComparison compareFootprints(const ProgramText& a, const ProgramText& b,
                                      const TargetFacts& target);

} // namespace nestwright::ui
