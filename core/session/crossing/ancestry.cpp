#include "core/session/crossing/ancestry.h"

#include "core/record/format/record_program.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/search/search_policy.h"
#include "core/session/run/row_contents.h"
#include "core/support/infinity.h"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace nestwright {

namespace {

/// Families grow with the rounds: beyond this the oldest are left out.
constexpr std::size_t kMostAncestors = 500;

/// A program that is wanted, and where to look for it.
struct Wanted {
  std::string program;
  RowId session = 0;
  int round = 0;
  int depth = 0;
};

/// The record of a program, and whose it is.
struct Measurement {
  RowId record = 0, session = 0;
};

class Family {
 public:
  Family(const RecordStore& store, RowId session, RowId task)
      : store_(store), session_(session), task_(task) {
    readSession(session);
  }

  /// The program, and through `parents` where its parents are to be looked for.
  std::optional<Ancestor> find(const Wanted& wanted, Wanted& parents) {
    std::optional<Ancestor> ancestor = findKnown(wanted, parents);
    if (ancestor || std::exchange(knowsOthers_, true)) return ancestor;
    for (const SessionRow& other : store_.sessions().all())
      if (other.id != session_) readSession(other.id);
    return findKnown(wanted, parents);
  }

 private:
  void readSession(RowId session) {
    for (ProgramRecord& row : store_.trials().programRecords(session, task_))
      records_.try_emplace(std::move(row.program), Measurement{row.record, session});
  }

  std::optional<Ancestor> findKnown(const Wanted& wanted, Wanted& parents) {
    Ancestor ancestor;
    ancestor.program = wanted.program;
    ancestor.depth = wanted.depth;
    ancestor.seconds = kInfinity;
    parents = wanted;
    const bool isMeasured = takeRecord(ancestor, parents);
    if (parents.session != session_) ancestor.session = parents.session;
    // What was measured says itself how it came to be; its traces may be older than ours.
    if (isMeasured && ancestor.origin != Origin::Unknown) return ancestor;
    const EvolutionRow* row = evolution(wanted.session, wanted.round);
    const EvolvedProgram* bred = row ? row->find(wanted.program) : nullptr;
    if (bred == nullptr) return isMeasured ? std::optional(ancestor) : std::nullopt;
    ancestor.origin = originFromName(bred->operation);
    ancestor.parents = bred->parents;
    ancestor.steps = bred->steps;
    ancestor.score = bred->score;
    return ancestor;
  }

  bool takeRecord(Ancestor& ancestor, Wanted& parents) {
    const auto found = records_.find(ancestor.program);
    const auto source = sources_.find(ancestor.program);
    const RowId id = found != records_.end()    ? found->second.record
                     : source != sources_.end() ? source->second
                                                : 0;
    const std::optional<Record> record = id == 0 ? std::nullopt : store_.records().one(id);
    if (!record || record->program != ancestor.program) return false;
    ancestor.record = record->id;
    const RowId session = found != records_.end() ? found->second.session : record->session;
    if (session != std::exchange(parents.session, session))
      parents.round = 0; // rounds are counted in each session
    ancestor.steps = record->steps;
    ancestor.config = ownTemplateConfigOf(*record);
    ancestor.seconds = record->result.latency();
    const std::optional<Trace> trace = traceOf(*record);
    if (!trace) return true;
    ancestor.origin = trace->origin;
    ancestor.score = trace->predictedScore;
    if (record->task != task_) {
      ancestor.task = record->task;
      return true;
    }
    ancestor.parents = trace->parents;
    if (trace->origin == Origin::Remembered && trace->source != 0 && trace->parents.size() == 1)
      sources_.emplace(trace->parents.front(), trace->source);
    if (trace->round > 0) parents.round = trace->round;
    return true;
  }

  const EvolutionRow* evolution(RowId session, int round) {
    if (round <= 0) return nullptr;
    auto [place, isNew] = evolutions_.try_emplace(std::pair(session, round));
    if (isNew) place->second = store_.evolutions().of(session, round);
    return place->second ? &*place->second : nullptr;
  }

  const RecordStore& store_;
  RowId session_, task_;
  bool knowsOthers_ = false;
  std::unordered_map<std::string, Measurement> records_;
  std::unordered_map<std::string, RowId> sources_; // records of programs that were re-fitted
  std::map<std::pair<RowId, int>, std::optional<EvolutionRow>> evolutions_;
};

} // namespace

std::vector<Ancestor> ancestors(const RecordStore& store, RowId session, RowId task,
                                const std::string& program, int round) {
  Family family(store, session, task);
  std::vector<Ancestor> found;
  std::set<std::string> seen{program};
  std::deque<Wanted> open{{program, session, round, 0}};
  while (!open.empty() && found.size() < kMostAncestors) {
    const Wanted wanted = std::move(open.front());
    open.pop_front();
    Wanted parents;
    std::optional<Ancestor> ancestor = family.find(wanted, parents);
    if (!ancestor) continue;
    for (const std::string& parent : ancestor->parents)
      if (seen.insert(parent).second)
        open.push_back({parent, parents.session, parents.round, wanted.depth + 1});
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
