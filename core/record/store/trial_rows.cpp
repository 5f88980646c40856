#include "core/record/store/trial_rows.h"

#include "core/record/format/columns.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/support/infinity.h"

namespace nestwright {

using sqlite::Statement;

std::vector<CurvePoint> TrialRows::curve(RowId session, std::int64_t afterTrial, int limit) const {
  std::vector<CurvePoint> points;
  Statement rows =
      db_.prepare("SELECT trial, wall_seconds, seconds, task, id, flags, verdict FROM record "
                  "INDEXED BY record_by_trial WHERE session = ? AND trial > ? AND verdict < ? "
                  "ORDER BY trial LIMIT ?");
  rows.bind(session, afterTrial, kForgottenCode, limit);
  while (rows.step())
    points.push_back({rows.integer(0), rows.real(1), rows.isNull(2) ? kInfinity : rows.real(2),
                      rows.integer(3), rows.integer(4), (rows.integer(5) & recordflag::kBest) != 0,
                      verdictOf(rows.integer(6)), (rows.integer(5) & recordflag::kOnDemand) != 0,
                      (rows.integer(5) & recordflag::kDoubtful) != 0});
  return points;
}

std::vector<CurvePoint> TrialRows::bestHistory(RowId task) const {
  std::vector<CurvePoint> points;
  Statement rows =
      db_.prepare("SELECT trial, wall_seconds, seconds, id, flags FROM record INDEXED BY "
                  "record_by_group WHERE task = ? AND verdict = 0 AND flags & ? ORDER BY id");
  rows.bind(task, recordflag::kBest);
  while (rows.step())
    points.push_back({rows.integer(0), rows.real(1), rows.real(2), task, rows.integer(3), true,
                      Verdict::Ok, (rows.integer(4) & recordflag::kOnDemand) != 0});
  return points;
}

std::pair<std::int64_t, double> TrialRows::last(RowId session) const {
  Statement row = db_.prepare("SELECT trial, wall_seconds FROM record INDEXED BY record_by_trial "
                              "WHERE session = ? ORDER BY trial DESC LIMIT 1");
  if (!row.bind(session).step()) return {};
  return {row.integer(0), row.real(1)};
}

std::vector<std::string> TrialRows::measuredPrograms(RowId session, RowId task) const {
  std::vector<std::string> programs;
  Statement rows = db_.prepare(
      "SELECT program FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? "
      "AND verdict < ? ORDER BY id");
  rows.bind(task, session, kForgottenCode);
  while (rows.step())
    programs.push_back(readProgramId(rows, 0));
  return programs;
}

std::vector<ProgramRecord> TrialRows::programRecords(RowId session, RowId task) const {
  std::vector<ProgramRecord> records;
  Statement rows = db_.prepare("SELECT id, program FROM record INDEXED BY record_by_group "
                               "WHERE task = ? AND session = ?");
  rows.bind(task, session);
  while (rows.step())
    records.push_back({rows.integer(0), readProgramId(rows, 1)});
  return records;
}

} // namespace nestwright
