#pragma once
/// \file A session that does nothing but polish: the neighbours of one record's program, or of a
/// task's best (handbook/ansor.md 4.9); and what a polish found out about a task's decisions.

#include "core/record/rows/record.h"
#include "core/search/decisions/polish.h"
#include "core/session/run/session.h"
#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

struct PolishWish {
  RowId record = 0; // whose program it begins with
  RowId task = 0;   // or this task's best
  int trials = 50;
  SessionConfig config; // how often it repeats; its target and subjects do not count
};

/// Makes the session, of the record's task on its target. What the record's session allowed its
/// programs, and how it measured them, holds here, too: their times are compared; but for the device,
/// where the wish names one. The file's own records are its memory, and teach the cost model that
/// says which neighbours come first. Throws InputError when there is no such record or task, it has
/// no program to begin with, that is a template's, or it was measured on another target than
/// `launch` measures on.
RowId createPolishSession(RecordStore& store, const PolishWish& wish,
                          const WorkerLaunch& launch = {});

/// The session that polishes what the wish names, a record's program or a task's best, or whatever
/// where it names neither: the newest that has not finished, else the newest. Starting it goes on
/// where it was left. Nothing where there is none.
std::optional<RowId> resumablePolish(const RecordStore& store, const PolishWish& wish);

/// The records that a polish began with and has come to: that whose neighbours it measures, or
/// measured last. Nothing of one that is gone.
struct PolishCourse {
  std::optional<Record> first, last;
};
PolishCourse polishCourse(const RecordStore& store, RowId session);

/// The best of the session's task before it measured anything.
std::optional<Record> bestBefore(const RecordStore& store, RowId session);

/// Whether the session does nothing but polish.
bool isPolishSession(const SessionRow& session);

/// Why no session can polish that where `launch` measures, a clause; empty where one can. Asks that
/// machine for its target, and starts nothing else.
std::string whyNotPolish(const RecordStore& store, const PolishWish& wish,
                         const WorkerLaunch& launch = {});

/// One neighbour that was measured.
struct PolishedNeighbour {
  RowId record = 0;
  std::string change;          // "4 · 2 · 8 becomes 4 · 4 · 4"
  double gain = 0;             // the parent's time by its own, less one; -1 when it failed
  std::string program, parent; // programIds
};

/// What a polish measured of one decision.
struct DecisionImportance {
  std::string decision; // "tiles of j of C"
  std::vector<PolishedNeighbour> neighbours;
  /// The geometric mean of how many times slower or faster its neighbours that ran are than their
  /// parents, whichever: 1 means that it does not matter.
  double importance = 1;
  double bestGain = 0; // the largest of its neighbours', 0 where none gains
};

/// Where a decision, or a ray of it, stands among others, the greatest first: by how much it
/// matters, and last those that are several (isOneDecision).
inline constexpr auto rankOfDecision = [](const auto& of) {
  return std::pair(isOneDecision(of.decision), of.importance);
};

/// Sets what the decision's neighbours say.
void weigh(DecisionImportance& decision);

/// Of all neighbours of the task that sessions polished, by rankOfDecision; of one session alone
/// where it is named.
std::vector<DecisionImportance> decisionImportance(const RecordStore& store, RowId task,
                                                   RowId session = 0);
nlohmann::json toJson(const DecisionImportance& importance);

} // namespace nestwright
