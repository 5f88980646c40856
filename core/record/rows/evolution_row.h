#pragma once
/// \file What is kept of the evolutionary search of one round: of each generation the best programs
/// and a sample, and the ancestors of those that were selected. A few kilobytes, whatever the size
/// of the population.

#include "core/schedule/step.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A program that appeared in some generation.
struct EvolvedProgram {
  std::string program; // programId
  Steps steps;
  double score = 0;                 // predicted; minus infinity when it cannot be scored
  std::string operation;            // that made it: "random sample", "measured before", "crossover"
  std::vector<std::string> parents; // programIds
  int sketch = -1;                  // its index; -1: of none
  int born = 0;                     // the first generation that it was in
  bool selected = false;            // one of the best ever seen: it went on to be measured
};

/// A kept program's place in a generation.
struct EvolvedPlace {
  int program = 0; // index into EvolutionRow::programs
  int rank = 0;    // by score in the generation, 0 is the best
};

struct EvolvedGeneration {
  int size = 0;                          // of the population
  int distinct = 0;                      // different programs in it
  std::vector<float> quantiles;          // of the finite scores, best first, evenly spread
  std::map<std::string, int> operations; // how many programs each operation made just now
  std::vector<EvolvedPlace> places;      // by rank
};

struct EvolutionRow {
  std::int64_t session = 0, task = 0;
  int round = 0; // of the session
  std::vector<EvolvedProgram> programs;
  std::vector<EvolvedGeneration> generations; // the first is the initial population

  /// The program of this id, or null.
  const EvolvedProgram* find(std::string_view program) const;
};

/// A round whose generations are kept.
struct EvolvedRound {
  int round = 0;
  RowId task = 0;
};

} // namespace nestwright
