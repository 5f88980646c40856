#include "core/record/query/record_browser.h"

#include "core/record/file/database_file.h"
#include "core/record/query/rank_builder.h"
#include "core/record/select/record_cells.h"
#include "core/record/sql/interruptible.h"
#include "core/record/store/program_function.h"
#include "core/record/store/record_rows.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

using sqlite::Statement;

namespace {

/// A place in the order is guessed from as many records.
constexpr int kSample = 600;

} // namespace

RecordBrowser::RecordBrowser(const std::string& path)
    : store_(RecordStore::open(path, OpenMode::ReadOnly)),
      db_(openDatabaseFile(path, OpenMode::ReadOnly)) {
  addImportedProgram(db_);
}

QuerySql RecordBrowser::conditions(const RecordQuery& query) {
  return conditionsOf(db_, query);
}

std::vector<Record> RecordBrowser::records(const std::vector<RowId>& ids) const {
  std::vector<Record> records;
  for (const RowId id : ids)
    if (auto record = store_.records().one(id)) records.push_back(std::move(*record));
  return records;
}

std::vector<Record> RecordBrowser::records(const BrowseQuery& query) {
  const QuerySql sql = conditions(query.records);
  std::vector<RowId> ids;
  {
    const sqlite::Snapshot moment(db_);
    ids = selectPage(db_, query, sql);
  }
  return records(ids);
}

RecordRanks RecordBrowser::ranks(const BrowseQuery& query,
                                 const std::function<void(double)>& progress) {
  const QuerySql sql = conditions(query.records);
  const sqlite::Snapshot moment(db_);
  return RankBuilder(db_, query, sql, progress).build();
}

RowId RecordBrowser::near(const BrowseQuery& query, double part) {
  const QuerySql sql = conditions(query.records);
  const sqlite::Snapshot moment(db_);
  const RecordOrder order(db_, query.order);
  const RowId first = db_.integer("SELECT ifnull(min(id), 1) FROM record");
  const RowId last = db_.integer("SELECT ifnull(max(id), 0) FROM record");
  // The first that matches in each of many short stretches.
  constexpr RowId kStretch = 64;
  Statement row =
      db_.prepare(fmt::format("SELECT {} FROM record WHERE id >= ? AND id < ?{}{} LIMIT 1",
                              kPlaceColumns, sql.group.also(), sql.record.also()));
  std::vector<RecordPlace> places;
  const double step = std::max(1.0, double(last - first + 1) / kSample);
  for (std::int64_t i = 0; double(i) * step <= double(last - first); ++i) {
    const RowId id = first + RowId(double(i) * step);
    row.bind(id, id + std::min(kStretch, RowId(step) + 1));
    sql.record.bind(row, sql.group.bind(row, 3));
    if (row.step()) places.push_back(order.placeOf(row));
    row.reset();
  }
  if (places.empty()) return 0;
  std::sort(places.begin(), places.end());
  const auto at = std::lround(std::clamp(part, 0.0, 1.0) * double(places.size() - 1));
  return places[std::size_t(at)].record();
}

void RecordBrowser::interruptible(const std::function<bool()>& goOn,
                                  const std::function<void()>& body) {
  const sqlite::Interruptible guard(db_, goOn);
  store_.interruptible(goOn, body);
}

} // namespace nestwright
