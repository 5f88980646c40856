#include "core/record/care/damaged_rows.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr RowId kLastId = std::numeric_limits<RowId>::max();

/// Looks for where a table can be read again behind damage.
class Prober {
 public:
  Prober(Database& db, const std::string& table)
      : db_(db), sql_(fmt::format("SELECT rowid FROM {} NOT INDEXED WHERE rowid >= ? "
                                  "ORDER BY rowid LIMIT 1",
                                  table)) {}

  /// The first id from `begin` on at which reading goes on; nothing when it never does, or there
  /// are no rows behind. One by one near the damage, since a page holds some hundred rows and the
  /// next may be sound; in growing steps beyond, as where a whole branch of the table is lost.
  std::optional<RowId> next(RowId begin) {
    constexpr RowId kOneByOne = 4096, kPartOfWay = 64;
    for (RowId at = begin;;) {
      if (const std::optional<RowId> found = from(at))
        return found == kLastId ? std::nullopt : found;
      const RowId way = at - begin;
      const RowId step = way < kOneByOne ? 1 : way / kPartOfWay;
      if (at > kLastId - step - 1) return std::nullopt;
      at += step;
    }
  }

 private:
  /// The first row from this id on; kLastId when there is none; nothing when that cannot be read.
  std::optional<RowId> from(RowId id) {
    try {
      Statement find = db_.prepare(sql_);
      return find.bind(id).step() ? find.integer(0) : kLastId;
    } catch (const InputError&) {
    } catch (const SystemError&) {
    }
    return std::nullopt;
  }

  Database& db_;
  std::string sql_;
};

std::vector<RowGap> readById(Database& db, const WantedRows& wanted,
                             const std::function<bool(const Statement&)>& take) {
  const std::string sql =
      fmt::format("SELECT rowid, {} FROM {} NOT INDEXED WHERE rowid > ? ORDER BY rowid",
                  fmt::join(wanted.columns, ", "), wanted.table);
  std::vector<RowGap> gaps;
  RowId last = std::numeric_limits<RowId>::min();
  while (true) {
    std::string reason;
    try {
      Statement rows = db.prepare(sql);
      rows.bind(last);
      while (rows.step()) {
        last = std::max(last, rows.integer(0)); // damaged ids may be out of order
        if (!take(rows)) return gaps;
      }
      return gaps;
    } catch (const InputError& error) {
      reason = error.what();
    } catch (const SystemError& error) { // the disk cannot read it
      reason = error.what();
    }
    const RowId lost = last == std::numeric_limits<RowId>::min() ? 1 : last + 1;
    const std::optional<RowId> next = Prober(db, wanted.table).next(lost + 1);
    const RowId end = next ? *next - 1 : 0;
    if (!gaps.empty() && gaps.back().last + 1 == lost)
      gaps.back().last = end;
    else
      gaps.push_back({lost, end, reason});
    if (!next) return gaps;
    last = *next - 1;
  }
}

std::vector<RowGap> readByKey(Database& db, const WantedRows& wanted,
                              const std::function<bool(const Statement&)>& take) {
  std::vector<RowGap> gaps;
  for (const char* direction : {"", " DESC"}) {
    std::vector<std::string> order;
    for (const std::string& column : wanted.key)
      order.push_back(column + direction);
    try {
      Statement rows = db.prepare(fmt::format("SELECT 0, {} FROM {} ORDER BY {}",
                                              fmt::join(wanted.columns, ", "), wanted.table,
                                              fmt::join(order, ", ")));
      while (rows.step())
        if (!take(rows)) return gaps;
      return gaps; // all of them
    } catch (const InputError& error) {
      if (gaps.empty()) gaps.push_back({0, 0, error.what()});
    } catch (const SystemError& error) {
      if (gaps.empty()) gaps.push_back({0, 0, error.what()});
    }
  }
  return gaps;
}

} // namespace

std::vector<RowGap> readAroundDamage(Database& db, const WantedRows& wanted,
                                     const std::function<bool(const Statement&)>& take) {
  return wanted.key.empty() ? readById(db, wanted, take) : readByKey(db, wanted, take);
}

} // namespace nestwright
