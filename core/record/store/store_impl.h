#pragma once
/// \file The inside of RecordStore, shared by its source files.

#include "core/record/format/imported_block.h"
#include "core/record/query/filter_sql.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/store.h"

#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace nestwright {

struct RecordStore::Impl {
  sqlite::Database db;
  /// Shapes of steps seen lately, so that most records need no look into the table.
  std::unordered_map<std::string, RowId> shapeIds;
  std::unordered_map<RowId, std::string> shapes;

  /// Blocks of imported records that were read lately, the last one first.
  struct ReadBlock {
    RowId first = 0;
    std::string file; // that it was imported from
    ImportedBlock content;
    std::vector<std::string> traces; // by origin, of records with steps; made when first asked for
  };
  std::list<ReadBlock> blocks = {};
  /// What imported programs of a task are programs of: its DAG, or its key where that is unknown.
  std::unordered_map<RowId, std::string> taskTexts = {};

  ReadBlock& blockOf(RowId record);
  const std::string& taskText(RowId task);
  /// Adds what the row of an imported record does not hold. Its id, task and verdict are set.
  void readImported(Record& record, RowId shapeOfSteps);
  /// The program of an imported record, in hex.
  std::string importedProgram(RowId record, RowId task, RowId shapeOfSteps);
  /// Lets conditions ask for that.
  void addFunctions();

  RowId shapeId(const std::string& shape);
  const std::string& shape(RowId id);

  void requireSession(RowId session);
  /// Per task, its weights in all networks of the session together; empty when none were set.
  std::map<RowId, double> totalWeights(RowId session);
  RowId insertRecord(const Record& record);
  void insertTexts(RowId id, const Record& record);
  /// Adds the record to the sums; true when it becomes its task's best.
  bool becomesBest(const Record& record);
  void count(RowId id, const Record& record, bool best);
  /// Moves a record's part of the sums to, or from, the forgotten ones.
  void moveCounts(const Record& record, bool forgotten);

  std::optional<Record> record(RowId id);
  /// The query's conditions; fills temp.step_shape when they need it, so to be called outside of a
  /// snapshot, which would undo that.
  QuerySql conditions(const RecordQuery& query);
  /// Ids of the records that the query asks for, in its order.
  std::vector<RowId> select(const RecordQuery& query, const QuerySql& sql);
  void readTags(Record& record);
};

/// 0 in a row stands for "none", which is NULL in the file.
void bindReference(sqlite::Statement& statement, int index, RowId id);
/// The programId in a column that holds its bytes, or a text that is no hash.
std::string readProgramId(const sqlite::Statement& row, int column);
/// A text, packed when that makes it smaller.
void bindPacked(sqlite::Statement& statement, int index, std::string_view text);
std::string readPacked(const sqlite::Statement& statement, int column);

/// The part of a workload key that is a hash of the task's text; of a key without one, its own
/// hash.
std::string taskKeyHash(std::string_view key);
/// The block with the last first record up to the given one: first, records, source, bytes.
inline constexpr const char* kFindBlock =
    "SELECT first, records, source, bytes FROM record_block WHERE first <= ? "
    "ORDER BY first DESC LIMIT 1";

/// "running": how a status is stored.
/// The inverse. Throws InputError for anything else.
SessionStatus storedStatus(std::string_view text);

namespace recordflag {
inline constexpr int kVerified = 1, kImplausible = 2, kBest = 4, kContested = 8, kOnDemand = 16;
inline constexpr int kAll = 31;
} // namespace recordflag

/// Chooses the task's bests anew, as if its records came in now in their order.
void chooseBests(sqlite::Database& db, RowId task);

/// Whether a record may be a best at all.
bool eligible(const Record& record);

} // namespace nestwright
