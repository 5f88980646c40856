#pragma once
/// \file The records of one `.nwdb` file on their way into another; see merge_files.h.

#include "core/record/care/merge_files.h"
#include "core/record/care/merge_rows.h"
#include "core/record/format/stored_block.h"

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// Thread-compatible. After an exception it must go.
class RecordMerge {
 public:
  /// Targets, tasks, sessions and sources have their places. Sessions that `into` had before are
  /// `met`: some of their records may be there.
  RecordMerge(MergeFiles& files, std::set<RowId> met, MergeReport& report);

  /// Takes in the next records, about as many; false when there were no more. Within a transaction.
  bool takeSome(std::int64_t records);
  /// How many of the file were looked at.
  std::int64_t done() const { return done_; }

 private:
  struct Row; // of `from`
  struct Findings;
  struct Shape {
    RowId into = 0;
    std::string steps;
  };
  struct Tally {
    std::int64_t records = 0;
    double kernelSeconds = 0;
    RowId first = 0, last = 0; // of the new ones
  };
  using TallyKey = std::tuple<RowId, RowId, int>; // session, task, verdict code
  /// When records were forgotten or taken back last, microseconds since the epoch.
  using MarkTimes = std::unordered_map<RowId, std::int64_t>;

  void take(const Row& row);
  void takeMeasured(const Row& row);
  void takeImported(const Row& row);
  void finishBlock();
  void openBlock(RowId record);
  RowId insert(const Row& row, double kernelSeconds);
  RowId metRecord(const Row& row, std::uint64_t content);
  void meet(const Row& row, RowId into);
  void meetImported(const Row& row, RowId into, const ImportedItem& item);
  bool isForgotten(const Row& row, RowId into, bool here);
  void noteChange(const Row& row, RowId into, int from, int to, double kernelSeconds);
  std::int64_t freeTrial(const Row& row);
  const Shape& shape(RowId from);
  std::unordered_map<std::uint64_t, RowId>& identities(RowId task);
  bool becomesBest(RowId task, double seconds);
  void takeTraces();
  void finishPart();

  MergeFiles& files_;
  std::set<RowId> met_; // ids in `into`
  MergeReport& report_;
  std::vector<MergedColumn> columns_;
  std::vector<std::string> recordTables_; // whose rows belong to a record
  std::string select_, insert_;
  std::optional<sqlite::Statement> rows_;
  std::int64_t done_ = 0;
  RowId firstOfPart_ = 0, lastOfPart_ = 0;

  std::unordered_map<RowId, Shape> shapes_;
  /// Of a session in `into`: its records by their content, read when a trial is another one there.
  std::unordered_map<RowId, std::unordered_map<std::uint64_t, RowId>> contents_;
  /// Of a task in `into`: its records by what a public log would tell.
  std::unordered_map<RowId, std::unordered_map<std::uint64_t, RowId>> identities_;
  std::size_t identityCount_ = 0;
  std::unordered_map<RowId, double> bests_; // of tasks; of this part only
  std::map<TallyKey, Tally> tallies_;
  std::set<RowId> changedTasks_; // whose bests are to be chosen anew
  /// Of both files, read when they first do not agree on a mark.
  std::optional<MarkTimes> marksFrom_, marksInto_;

  std::optional<StoredBlock> block_; // of `from`, being taken in
  RowId blockSource_ = 0;            // its source in `into`
  std::vector<std::size_t> kept_;    // its items that are new
  RowId keptFirst_ = 0;              // id of the first of them in `into`
};

} // namespace nestwright
