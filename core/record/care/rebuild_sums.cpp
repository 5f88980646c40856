#include "core/record/care/rebuild_sums.h"

#include "core/record/file/database_file.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_sums.h"
#include "core/record/store/store.h"

#include <map>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

struct Tally {
  std::int64_t records = 0;
  double kernelSeconds = 0;
  RowId first = 0, last = 0;
};
using Tallies = std::map<std::tuple<RowId, RowId, int>, Tally>; // session, task, verdict code

Tallies countRecords(Database& db, const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  Tallies tallies;
  Statement rows = db.prepare("SELECT id, session, task, verdict FROM record ORDER BY id");
  while (rows.step()) {
    Tally& sums = tallies[{rows.integer(1), rows.integer(2), int(rows.integer(3))}];
    ++sums.records;
    if (sums.first == 0) sums.first = rows.integer(0);
    sums.last = rows.integer(0);
    if (const auto record = store.records().one(rows.integer(0)))
      sums.kernelSeconds += record->result.runSeconds;
  }
  return tallies;
}

void storeTallies(Database& db, const Tallies& tallies) {
  db.execute("DELETE FROM tally; "
             "INSERT OR IGNORE INTO task_summary (task) SELECT id FROM task; "
             "UPDATE task_summary SET trials = 0, errors = 0, kernel_seconds = 0");
  for (const auto& [key, sums] : tallies) {
    const auto& [session, task, code] = key;
    const bool forgotten = (code & kForgottenCode) != 0;
    addToTally(db, {task, session, code, sums.records, sums.first, sums.last}, sums.kernelSeconds);
    db.prepare("UPDATE task_summary SET trials = trials + ?, errors = errors + ?, "
               "kernel_seconds = kernel_seconds + ? WHERE task = ?")
        .bind(forgotten ? std::int64_t(0) : sums.records,
              forgotten || code == 0 ? std::int64_t(0) : sums.records, sums.kernelSeconds, task)
        .run();
  }
}

} // namespace

void rebuildSums(const std::string& path) {
  Database db = openDatabaseFile(path, OpenMode::ReadWrite);
  const Tallies tallies = countRecords(db, path);
  db.transaction([&] {
    storeTallies(db, tallies);
    // A mark on a record that may be no best is not among those that are chosen from.
    db.prepare("UPDATE record SET flags = flags & ~?1 WHERE flags & ?1 AND verdict <> 0")
        .bind(recordflag::kBest)
        .run();
    std::vector<RowId> tasks;
    Statement rows = db.prepare("SELECT id FROM task");
    while (rows.step())
      tasks.push_back(rows.integer(0));
    for (const RowId task : tasks)
      chooseBests(db, task);
  });
}

} // namespace nestwright
