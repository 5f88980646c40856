#include "core/session/ancestry.h"

#include "core/search/search_policy.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace nestwright {

namespace {

/// Families grow with the rounds: beyond this the oldest are left out.
constexpr std::size_t kMostAncestors = 500;

/// A program that is wanted, and where to look for it.
struct Wanted {
  std::string program;
  int round = 0;
  int depth = 0;
};

class Family {
 public:
  Family(const RecordStore& store, RowId session, RowId task) : store_(store), session_(session) {
    for (ProgramRecord& row : store.programRecords(session, task))
      records_.emplace(std::move(row.program), row.record);
  }

  /// The program, and through `round` where its parents are to be looked for.
  std::optional<Ancestor> find(const Wanted& wanted, int& round) {
    Ancestor ancestor;
    ancestor.program = wanted.program;
    ancestor.depth = wanted.depth;
    ancestor.seconds = std::numeric_limits<double>::infinity();
    round = wanted.round;
    const bool isMeasured = takeRecord(ancestor, round);
    // What was measured says itself how it came to be; its traces may be older than ours.
    if (isMeasured && ancestor.operation != "") return ancestor;
    const EvolutionRow* row = evolution(wanted.round);
    const EvolvedProgram* bred = row ? row->find(wanted.program) : nullptr;
    if (bred == nullptr) return isMeasured ? std::optional(ancestor) : std::nullopt;
    ancestor.operation = bred->operation;
    ancestor.parents = bred->parents;
    ancestor.steps = bred->steps;
    ancestor.score = bred->score;
    return ancestor;
  }

 private:
  bool takeRecord(Ancestor& ancestor, int& round) {
    const auto found = records_.find(ancestor.program);
    if (found == records_.end()) return false;
    const std::optional<Record> record = store_.record(found->second);
    if (!record) return false;
    ancestor.record = record->id;
    ancestor.steps = record->steps;
    ancestor.seconds = record->result.median();
    if (record->trace.empty()) return true;
    const Trace trace = traceFromJson(nlohmann::json::parse(record->trace));
    ancestor.operation = trace.operation;
    ancestor.parents = trace.parents;
    ancestor.score = trace.predictedScore;
    if (trace.round > 0) round = trace.round;
    return true;
  }

  const EvolutionRow* evolution(int round) {
    if (round <= 0) return nullptr;
    auto [place, isNew] = evolutions_.try_emplace(round);
    if (isNew) place->second = store_.evolution(session_, round);
    return place->second ? &*place->second : nullptr;
  }

  const RecordStore& store_;
  RowId session_;
  std::unordered_map<std::string, RowId> records_;
  std::map<int, std::optional<EvolutionRow>> evolutions_;
};

} // namespace

std::vector<Ancestor> ancestors(const RecordStore& store, RowId session, RowId task,
                                const std::string& program, int round) {
  Family family(store, session, task);
  std::vector<Ancestor> found;
  std::set<std::string> seen{program};
  std::deque<Wanted> open{{program, round, 0}};
  while (!open.empty() && found.size() < kMostAncestors) {
    const Wanted wanted = std::move(open.front());
    open.pop_front();
    int parentsRound = 0;
    std::optional<Ancestor> ancestor = family.find(wanted, parentsRound);
    if (!ancestor) continue;
    for (const std::string& parent : ancestor->parents)
      if (seen.insert(parent).second) open.push_back({parent, parentsRound, wanted.depth + 1});
    found.push_back(std::move(*ancestor));
  }
  // A parent that nothing is known of is left out, as if the family began below it.
  std::set<std::string> known;
  for (const Ancestor& ancestor : found)
    known.insert(ancestor.program);
  for (Ancestor& ancestor : found)
    std::erase_if(ancestor.parents,
                  [&](const std::string& parent) { return !known.contains(parent); });
  return found;
}

} // namespace nestwright
