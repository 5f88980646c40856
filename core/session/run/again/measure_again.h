#pragma once
/// \file Programs of records measured again, here: those of imported logs on this machine, of one
/// lowering with another, of last year's with today's compiler. A session of its own measures them,
/// task by task; it goes on after any interruption, and each of its records names the one that the
/// program comes from (Trace::source).

#include "core/record/rows/record_query.h"
#include "core/search/search_policy.h"
#include "core/session/run/session.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

class RecordStore;

/// What is to be measured again.
struct AgainWish {
  /// Which records; order and limit do not count. Those that were themselves measured again are
  /// left out.
  RecordQuery query;
  std::int64_t limit = 0;    // so many at most, drawn from all that match; 0: all
  std::uint64_t seed = 0;    // of that draw
  SessionConfig config = {}; // how they are measured: target, measure, checkShare
  bool anew = false;         // although the same ones were measured on this target before
};

/// The session that measures them.
struct AgainSession {
  RowId session = 0;
  bool isNew = false;
  std::int64_t records = 0;
  /// Records that match and cannot be measured here: of tasks whose compute DAG is not known, of
  /// programs for the other kind of machine, of templates that are not known here.
  std::int64_t withoutDag = 0, forOthers = 0, withoutTemplate = 0;
  /// Records that match and were themselves measured again.
  std::int64_t repeats = 0;
};

/// What openMeasureAgain() would take, on a processor or a GPU: `records` and those left out.
/// `check` is called now and then, and may throw to end it.
AgainSession countMeasureAgain(const RecordStore& store, const AgainWish& wish, bool onGpu,
                               const std::function<void()>& check = {});

/// What is left out and why, a clause each: "3 records of tasks whose compute DAG is not known".
std::vector<std::string> leftOutText(const AgainSession& opened);

/// The session of just these records and this target that is there, or a new one. Throws InputError
/// where no record can be measured. `launch` as in createSession().
AgainSession openMeasureAgain(RecordStore& store, const AgainWish& wish,
                              const WorkerLaunch& launch = {});
/// On a target that is known.
AgainSession openMeasureAgain(RecordStore& store, const AgainWish& wish, const TargetFacts& facts);

/// The records of a session of this kind; none for any other.
std::vector<RowId> recordsToMeasureAgain(const SessionRow& session);
std::vector<RowId> recordsToMeasureAgain(const nlohmann::json& sessionConfig);

/// The programs of records, by their tasks.
class GivenPrograms {
 public:
  GivenPrograms(const RecordStore& store, const std::vector<RowId>& records);
  /// As SearchContext::given: of the task of this workload, whatever its target.
  std::vector<GivenProgram> programs(const RecordStore& store, const std::string& taskKey,
                                     const ComputeDag& task, std::uint64_t first, int count) const;

 private:
  std::unordered_map<std::string, std::vector<RowId>> records_; // by task key, ascending
};

/// A program's time before and now.
struct TimeAgain {
  RowId before = 0, now = 0; // records
  double secondsBefore = 0, secondsNow = 0;
  /// The ratio now / before, over its median of the task: how far it is from what the others say.
  double surprise = 1;
};

/// How well old and new times of a task agree.
struct TaskAgreement {
  RowId task = 0; // the session's
  std::string name;
  std::int64_t programs = 0;    // measured well both times
  std::int64_t failed = 0;      // of those that once ran: now
  double rankCorrelation = 0;   // Kendall's tau-b of the two orders
  double ratioOfMedians = 0;    // of the times, now / before
  std::vector<TimeAgain> worst; // by surprise, the greatest disagreement first
};
/// Of each task that has at least one pair, in the session's order.
std::vector<TaskAgreement> agreementOf(const RecordStore& store, RowId session, int worst = 3);

} // namespace nestwright
