#pragma once
/// \file The records of a file: whole ones, pages of them, and what changes them.

#include "core/record/rows/record.h"
#include "core/record/rows/record_query.h"
#include "core/record/rows/record_statistics.h"
#include "core/record/store/rows.h"

#include <optional>
#include <vector>

namespace nestwright {

class StoredRecords;

/// Records with all that belongs to them: a change keeps the sums and the bests true.
class RecordRows : public Rows {
 public:
  RecordRows(sqlite::Database& db, StoredRecords& stored) : Rows(db), stored_(stored) {}

  /// Stores one record, updates the summaries, and returns its id. Durable on return (C20), or when
  /// the surrounding transaction ends. The record becomes its task's best when its verdict is Ok,
  /// it is verified, not implausible, and faster than the best so far. Throws InputError, and
  /// stores nothing, for an Ok record without a positive finite time (C10), for a trial number that
  /// the session already has, and for an unknown task or session.
  RowId add(const Record& record);
  /// Adds further repeats to a contested record, whose time becomes the median of all. When
  /// `confirmed`, it is contested no more and becomes its task's best if it is faster than the best
  /// so far. Throws InputError when the record is not there or not contested.
  void addRepeats(RowId record, const std::vector<double>& seconds, bool confirmed);
  /// What a later comparison with the naive program found of an Ok record that had none, or that
  /// should be compared again: `check` is Ok and checked, and the record is verified from now on,
  /// or it is a wrong answer, and the record's verdict becomes that, with its text. Bests are
  /// chosen anew where that changes them. Throws InputError when the record is not there,
  /// forgotten, or not Ok.
  void setAnswer(RowId record, const MeasureResult& check);
  /// Marks records as forgotten, or takes the mark away. They stay in the file, but unless asked
  /// for no query, count or curve has them, none is a best, and their programs count as not
  /// measured. Bests are chosen anew. Returns the records whose mark changed, ascending. Throws
  /// InputError, and changes nothing, when one is not in the file.
  std::vector<RowId> setForgotten(const std::vector<RowId>& records, bool forgotten);

  std::optional<Record> one(RowId id) const;
  std::vector<Record> page(const RecordQuery& query) const;
  /// The task's best verified record on this target, if any.
  std::optional<Record> best(RowId task) const;
  /// The record and all repeated measurements of its program on demand, oldest first; of a repeated
  /// one, those of its original. Forgotten ones included, and marked.
  std::vector<Record> repeatedMeasurements(RowId record) const;

  /// Number of records that the query asks for, whatever its order and limit. From the maintained
  /// sums where its conditions are about tasks, sessions and verdicts alone; otherwise it reads.
  std::int64_t count(const RecordQuery& query) const;
  /// Number of records of the task, or of all tasks, without forgotten ones: from the maintained
  /// sums.
  std::int64_t total(RowId task = 0) const;
  /// Figures of those that the query asks for; `bins` of the histogram. Takes 4 bytes a record
  /// while it runs.
  RecordStatistics statistics(const RecordQuery& query, int bins = 40) const;
  RecordStatistics statistics(const std::vector<RowId>& records, int bins = 40) const;
  /// Records by verdict, only verdicts that occurred; 0 stands for all sessions or all tasks.
  std::vector<VerdictCount> verdictCounts(RowId session = 0, RowId task = 0) const;

 private:
  StoredRecords& stored_;
};

} // namespace nestwright
