#pragma once
/// \file Which records are asked for, and in which order.

#include "core/record/rows/record.h"
#include "core/record/rows/record_filter.h"
#include "core/result/measure_result.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright {

/// Records whose marks were the other way round at another moment than now, which a replay shows.
struct OtherMarks {
  std::vector<RowId> forgotten, best; // ascending
  /// Gives a record that was read the marks that it had.
  void apply(Record& record) const;
};

/// A page request by key: records after `after` in the order asked for. Never by offset.
struct RecordQuery {
  RowId task = 0, session = 0; // 0: all
  std::optional<Verdict> verdict;
  bool onlyErrors = false;
  double belowSeconds = 0; // 0: no limit
  enum class Forgotten : std::uint8_t { Without, Only, With } forgotten = Forgotten::Without;
  RecordFilter filter; // one that names forgotten records asks for them, too
  RowId upTo = 0;      // records up to this one; 0: no limit
  /// Marks as they were at another moment; null: as they are now. Records that are read have their
  /// present ones all the same.
  std::shared_ptr<const OtherMarks> marks = {};
  enum class Order : std::uint8_t {
    Newest,
    Oldest,
    Fastest,    // errors come last, here and in the next
    Slowest,    //
    FirstTrial, // by number within the session
    LastTrial,  //
    ByTask,     // by name; within a task the newest first, also in the others
    ByTaskDown, //
    ByVerdict,  // as Verdict numbers them
    ByVerdictDown
  } order = Order::Newest;
  RowId after = 0; // the page after this record; 0: the first
  int limit = 100;
};

} // namespace nestwright
