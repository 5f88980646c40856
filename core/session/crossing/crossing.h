#pragma once
/// \file Crossing programs that were measured: the parents and what is known come from the file,
/// predictions from cost models that have not learned from the parent which they judge. What is
/// done with the children is the caller's choice; Session::measureNow takes them.

#include "core/record/rows/record.h"
#include "core/search/program_crossing.h"
#include "core/session/run/steering.h"

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// Which programs are crossed, how often.
struct CrossingConfig {
  RowId session = 0, task = 0;
  std::vector<RowId> records; // whose programs are the parents; empty: the fastest ones
  int top = 10;               // how many of them
  int count = 200;            // crosses
  std::uint64_t seed = 1;     // of the parents that are drawn, and of who owns which stage
};

struct CrossingParent {
  RowId record = 0;
  std::string program; // programId
  double seconds = 0;  // infinity when it failed
  Steps steps;
};

struct Crossing {
  std::vector<CrossingParent> parents;
  std::vector<CrossChild> children;
  bool predicted = false;  // there was a cost model that had learned something
  std::string unpredicted; // why not, in a sentence
};

/// The parents alone: of the records in their order, or the task's fastest distinct programs in the
/// session, fastest first. Throws InputError when a record is not in the file or of another task.
std::vector<CrossingParent> crossingParents(const RecordStore& store, const CrossingConfig& config);

/// Throws InputError for fewer than two parents, and where the session or the task is not in the
/// file.
Crossing crossRecords(const RecordStore& store, const CrossingConfig& config);

/// A child as Session::measureNow takes it, with its parents.
NamedProgram namedProgram(const Crossing& crossing, const CrossChild& child);

/// What measuring a cross gave, beside the best there was.
enum class CrossStanding : std::uint8_t {
  Slower,    // or failed
  Contested, // faster within noise: to be measured again in turns with the best
  Tie,       // that was done, and it cannot be told from the best
  Best       // it became the task's best
};
const char* name(CrossStanding standing); // "slower", ...
/// Of a measured cross; `repeats` are those of the session's measurements.
CrossStanding standingOf(const Record& record, int repeats);

/// One step of a child as a reader sees it.
struct CrossedStep {
  std::string words; // "split loop i of C (512) into 8, 2, 4, 8"
  std::string stage; // the DAG node whose owner decided
  int origin = 0;    // the child's first or second parent
};
std::vector<CrossedStep> crossedSteps(const ComputeDag& dag, const CrossChild& child);

} // namespace nestwright
