#pragma once
/// \file Looking through any number of records: pages from a key in both directions, and all
/// records of a query by their rank.

#include "core/record/query/record_ranks.h"
#include "core/record/select/select_page.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/store.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// Thread-compatible: one thread per object.
class RecordBrowser {
 public:
  /// Opens the file for reading; throws as RecordStore::open().
  explicit RecordBrowser(const std::string& path);

  std::vector<Record> records(const BrowseQuery& query);
  /// Those of the records that are in the file, in the order given.
  std::vector<Record> records(const std::vector<RowId>& ids) const;
  /// All records that the query asks for, without limit, by their rank. Takes a moment where the
  /// tables know the answer, seconds for tens of millions where each has to be read; `progress` is
  /// told the part that is done.
  RecordRanks ranks(const BrowseQuery& query, const std::function<void(double)>& progress = {});
  /// A record that is about there in the query's order: at 0 among the first, at 1 among the last.
  /// From a sample, so without reading everything; 0 when the sample has none that match.
  RowId near(const BrowseQuery& query, double part);
  /// Runs `body`, asking `goOn` many times a second while it reads; throws QueryStopped when that
  /// says no. Does not nest.
  void interruptible(const std::function<bool()>& goOn, const std::function<void()>& body);

 private:
  QuerySql conditions(const RecordQuery& query);

  RecordStore store_;
  sqlite::Database db_;
};

} // namespace nestwright
