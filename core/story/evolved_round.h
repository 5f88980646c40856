#pragma once
/// \file What the evolutionary search of one round saw, with what was measured of it. A
/// plain value.

#include "core/record/rows/evolution_row.h"
#include "core/search/origin.h"

#include <array>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// The measurement of a program.
struct MeasuredTime {
  RowId record = 0;
  double seconds = 0; // infinity for an error
};

struct EvolvedRoundData {
  EvolutionRow row;
  std::vector<MeasuredTime> measured; // of row.programs; record 0 for those that never were
  /// Position of the program in row.programs, or -1.
  int indexOf(const std::string& program) const;
};

/// The generations of the round with the measurements up to the record `newest`. Throws InputError
/// when the file keeps none of this round.
EvolvedRoundData readEvolvedRound(const RecordStore& store, RowId session, int round, RowId newest);

/// What programs of generations come from, in the order of legends.
inline constexpr std::array kGenerationOrigins = {
    Origin::RandomSample, Origin::MeasuredBefore, Origin::TileSize,
    Origin::Parallel,     Origin::Unroll,         Origin::ComputeLocation,
    Origin::Kernel,       Origin::Crossover,      Origin::Seed};

} // namespace nestwright
