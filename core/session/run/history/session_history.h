#pragma once
/// \file What the cost models of a session over templates learn before it begins: records of other
/// tasks, in the files that SessionConfig::history names (handbook/cost-models.md 3.6). They are
/// read when the session is made. Its own file keeps what was learned, so that it decides the same
/// whatever becomes of them (C25).

#include "core/model/history_weight.h"
#include "core/session/run/session.h"
#include "core/session/run/subject.h"
#include "core/target/target.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// What there is to learn from for a task. Another task is one for which no template has the same
/// arguments; its records count where they are of the same template or, with the features `curve`,
/// of any.
struct TaughtTask {
  std::string task;     // its name
  std::string searched; // "conv2d_NCHWc.x86", its template
  std::size_t records = 0;
  bool isEnough() const { return records >= kLeastHistory; }
};

struct HistorySurvey {
  std::vector<TaughtTask> tasks; // those that have a template
  std::int64_t elsewhere = 0;    // records of other machines and lowerings, which do not count
  /// Why no session can begin with such a history, with the counts; empty where one can: there are
  /// enough records for one task at least. The others begin without.
  std::string problem() const;
};
/// Throws InputError as historyRecords() does.
HistorySurvey surveyHistory(const SessionConfig& config, const std::vector<Subject>& subjects,
                            const TargetFacts& target);

/// The cost models that learned it, saved, by the workload keys of those tasks for which it is
/// enough. Throws InputError with HistorySurvey::problem(), and as historyRecords() does.
std::map<std::string, std::string> learnHistory(const SessionConfig& config,
                                                const std::vector<Subject>& subjects,
                                                const TargetFacts& target);

} // namespace nestwright
