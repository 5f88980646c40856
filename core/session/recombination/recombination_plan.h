#pragma once
/// \file What a recombination chooses from, and how it chooses: pure functions of the file's
/// records, the seed and the draw's number.

#include "core/network/partition/partition.h"
#include "core/record/rows/recombination_row.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

class RecordStore;

/// A measured program that a task may run with.
struct RankedProgram {
  RowId record = 0;
  std::string program; // programId
  double seconds = 0;  // alone, as it was measured in tuning
};

/// The fastest programs of a task: rank 0 is its verified best.
struct TaskCandidates {
  int position = 0; // in the partition
  RowId task = 0;   // in the file
  std::string name;
  double weight = 0;
  std::vector<RankedProgram> programs; // at least one
};
nlohmann::json toJson(const std::vector<TaskCandidates>& candidates);
std::vector<TaskCandidates> candidatesFromJson(const nlohmann::json& json);

/// The `k` fastest distinct programs of each task that has a verified best on this target; tasks
/// without one are left out. Implausible records are no candidates, and such that round to TF32
/// only with `tf32`.
std::vector<TaskCandidates> topCandidates(const Partition& partition, const RecordStore& store,
                                          RowId target, int k, bool tf32 = false);

/// The `k` fastest distinct programs of a task, its verified best first; none when it has no best.
/// With a session the fastest that were measured in it, by their time alone. `tf32` as above.
std::vector<RankedProgram> fastestPrograms(const RecordStore& store, RowId task, int k,
                                           RowId session = 0, bool tf32 = false);

/// Per entry of the candidates, the rank of the program that it runs with.
using Choice = std::vector<int>;
/// A candidate: index of its task among the candidates, and its rank.
using CandidateId = std::pair<int, int>;

/// How many different choices there are without the excluded candidates; at most `limit`.
std::int64_t countChoices(const std::vector<TaskCandidates>& candidates,
                          const std::set<CandidateId>& excluded, std::int64_t limit);

/// A choice that is not yet known, with the number of its draw: each task's rank uniform among
/// those not excluded. Draws that give a known choice are passed over; nothing when so many of them
/// in a row do that there is hardly another.
struct DrawnChoice {
  Choice choice;
  std::int64_t draw = 0;
};
std::optional<DrawnChoice> drawChoice(const std::vector<TaskCandidates>& candidates,
                                      const std::set<CandidateId>& excluded,
                                      const std::set<Choice>& known, std::uint64_t seed,
                                      std::int64_t firstDraw);

/// Candidates that must have made a sample fail: each is the only one of a failed sample that never
/// took part in a good one. Rank 0 is never excluded: without it there is no baseline.
std::set<CandidateId> culprits(const std::vector<SampleRow>& samples);

} // namespace nestwright
