#pragma once
/// \file Finding all records of a query and putting them into its order.

#include "core/record/query/record_browser.h"
#include "core/record/query/record_ranks.h"
#include "core/record/select/filter_sql.h"
#include "core/record/select/record_place.h"

#include <functional>
#include <map>
#include <vector>

namespace nestwright {

class RankBuilder {
 public:
  /// All must outlive it. Reads through `db` at one moment, if the caller sees to that.
  RankBuilder(sqlite::Database& db, const BrowseQuery& query, const QuerySql& sql,
              const std::function<void(double)>& progress);

  /// So many records are sorted by speed at once, each in sixteen bytes.
  static constexpr std::int64_t kSortedAtOnce = 2 << 20;

  RecordRanks build(std::int64_t sortedAtOnce = kSortedAtOnce);

 private:
  using Places = std::vector<RecordPlace>;
  void told(double part) const {
    if (progress_) progress_(part);
  }

  // rank_members.cpp: which records
  IdSet members();
  IdSet ofGroups();
  void addSpan(IdSet& set, const std::vector<const RecordCell*>& groups,
               const std::vector<const RecordCell*>& others);
  void scanGroup(IdSet& set, const RecordCell& group);
  void keepFew(IdSet& set);
  std::pair<double, double> boundsOf(const RecordCell& group);
  void keepTimes(IdSet& set);
  void keepMatching(IdSet& set);

  // rank_builder.cpp: their order
  Places placesOf(const IdSet& set);
  RecordRanks gathered(IdSet set);
  RecordRanks bySpeed(IdSet set, std::int64_t sortedAtOnce);
  std::vector<double> stretchesOfTimes(std::int64_t sortedAtOnce);
  RecordRanks byGroup(IdSet set);
  RecordRanks byTrial(IdSet set);
  RecordRanks scanned(IdSet set);
  bool isSmall(const IdSet& set) const;

  sqlite::Database& db_;
  const BrowseQuery& query_;
  const QuerySql& sql_;
  const std::function<void(double)>& progress_;
  RecordOrder order_;
  std::vector<RecordCell> groups_; // that match
  std::int64_t all_ = 0;           // records in the file
  RowId first_ = 1, last_ = 0;     // their ids lie between
};

} // namespace nestwright
