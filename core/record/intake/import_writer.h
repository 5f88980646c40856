#pragma once
/// \file Storing tens of millions of records of public logs: in the tables of measured records, but
/// many in a transaction, their programs in compressed blocks, and with how far each log was read,
/// so that whenever it ends the file holds whole lines and knows where to go on.

#include "core/record/format/import_rows.h"
#include "core/record/rows/session_row.h"
#include "core/record/sql/hash_set.h"
#include "core/record/sql/sqlite.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace nestwright {

/// Thread-compatible. After an exception the object must go; the file is as after the last
/// transaction.
class ImportWriter {
 public:
  /// Opens the file, or makes it. Throws as RecordStore::open.
  explicit ImportWriter(const std::string& path);
  ~ImportWriter();

  /// The import session with the row's title; what follows goes into it. Where there is none, it is
  /// made with the first record, and until then this and session() are 0.
  RowId useSession(const SessionRow& row);
  RowId session() const { return session_; }
  /// Stores the row's config, status and time of change, if there is a session.
  void updateSession(const SessionRow& row);
  /// Records that the session has.
  std::int64_t sessionRecords();

  /// Everything that `body` adds is stored, or nothing.
  void transaction(const std::function<void()>& body);

  /// How far the file of this path was read before, if it still begins as it did: `headHash` tells
  /// the hash of its first so many bytes.
  std::optional<ImportSource>
  findSource(const std::string& path, const std::function<std::uint64_t(std::int64_t)>& headHash);
  /// Sets the ids of a source that is new. Within a transaction, as all that follows.
  void addSource(ImportSource& source);
  /// Stores how far it was read, and the problems that are new.
  void save(ImportSource& source, const std::vector<LineProblem>& problems);
  /// Takes back what was said of a line that is read again.
  void forgetProblem(const ImportSource& source, std::int64_t line);
  std::vector<LineProblem> problems(RowId source);

  /// The task of a line; `describe` is asked once for each distinct one.
  RowId task(const ImportedTask& task, const std::function<TaskKnowledge()>& describe);
  /// Completes a task whose DAG was unknown by what is known of it now.
  void complete(RowId task, const TaskKnowledge& knowledge);
  /// False, and nothing is stored, when the task has a record of the same measurement.
  bool add(const ImportedRecord& record, RowId task, const ImportedTask& from,
           const ImportSource& source);

 private:
  struct Tally {
    std::int64_t records = 0;
    double kernelSeconds = 0;
    RowId first = 0, last = 0;
  };
  void makeSession();
  void listTask(RowId task);
  RowId shapeId(const std::string& shape);
  HashSet& known(RowId task);
  void addToBlock(const ImportedItem& item, const std::string& origin);
  void finishBlock();
  void finishTallies();

  sqlite::Database db_;
  RowId session_ = 0;
  SessionRow wanted_;              // while there is no session
  std::vector<RowId> sessionless_; // sources of this run that gave no record so far
  std::set<RowId> listed_;         // tasks of the session
  std::int64_t trial_ = 0;
  std::map<ImportedTask, RowId> tasks_;
  std::unordered_map<std::string, RowId> shapes_;
  std::unordered_map<RowId, HashSet> known_;
  std::size_t knownTotal_ = 0;
  ImportedBlock block_;
  std::size_t blockBytes_ = 0;
  RowId firstOfBlock_ = 0, sourceOfBlock_ = 0;
  std::map<std::pair<RowId, int>, Tally> tallies_; // by task and verdict code
};

} // namespace nestwright
