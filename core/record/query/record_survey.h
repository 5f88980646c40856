#pragma once
/// \file Questions about many records at once: counts by group, a sample to draw, the same program
/// elsewhere. On a connection of its own, so that what takes long can be watched and stopped.

#include "core/record/query/record_groups.h"
#include "core/record/rows/record_query.h"
#include "core/record/sql/sqlite.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

struct QuerySql;
struct RecordCell;

/// A record as a point of a drawing.
struct RecordPoint {
  RowId record = 0, task = 0, session = 0;
  std::int64_t trial = 0;
  double seconds = 0; // infinity without a time
  double wallSeconds = 0;
  double gflops = 0; // GFLOP/s; 0 without a time, or where the task's operations are not known
  double weight = 0; // the largest that the task has in a network
  Verdict verdict = Verdict::Ok;
};

/// Records chosen evenly from all that match, always the same ones.
struct RecordSample {
  std::int64_t matching = 0;
  std::vector<RecordPoint> points;              // by task, session and verdict, then by age
  std::map<RowId, std::string> tasks, sessions; // names of those that the points are of
};

/// One measurement of a program that was measured more than once.
struct ProgramTwin {
  RowId record = 0, session = 0, task = 0, target = 0;
  std::int64_t trial = 0;
  Verdict verdict = Verdict::Ok;
  double seconds = 0; // infinity without a time
  bool imported = false, forgotten = false;
  std::string targetName, sessionTitle;
};

/// Thread-compatible.
class RecordSurvey {
 public:
  /// Opens the file for reading; throws as RecordStore::open().
  explicit RecordSurvey(const std::string& path);

  /// Records of the query's task and session, whatever its filter; from the maintained sums, unless
  /// they are to be those of another moment.
  std::int64_t total(const RecordQuery& query);
  /// Groups that have records of the query, the largest first.
  std::vector<RecordGroup> groups(const RecordQuery& query, GroupBy by, GroupDetail detail);
  /// Counts for each facet as if nothing were chosen in it, so that they say what choosing gives.
  /// From the maintained sums, unless some condition is about single records.
  std::vector<RecordFacet> facets(const RecordQuery& query);
  /// About `most` of the query's records, all of them when they are no more.
  RecordSample sample(const RecordQuery& query, std::int64_t most);
  /// All measurements of the record's program for the same task, this one included, on whatever
  /// target and in whatever session; the fastest first. Reads all records of the task that have
  /// the same shape of steps. Throws InputError when there is no such record.
  std::vector<ProgramTwin> twins(RowId record);

  /// Runs `body`, asking `goOn` many times a second with the part that is done, 0 to 1; throws
  /// QueryStopped when that says no. Does not nest.
  void interruptible(const std::function<bool(double)>& goOn, const std::function<void()>& body);

 private:
  struct Grouping;
  Grouping grouping(GroupBy by);
  void nameTasks(Grouping& grouping, GroupBy by);
  void nameTargets(Grouping& grouping);
  void nameNetworks(Grouping& grouping);
  std::vector<RecordCell> counted(const QuerySql& sql);
  void addTags(const RecordQuery& query, GroupDetail detail, std::vector<RecordGroup>& groups);
  void addBest(const QuerySql& sql, const RecordCell& cell, double& best, RowId& record);
  void addMedians(const QuerySql& sql, const std::vector<RecordCell>& cells, Grouping& grouping);
  void expect(std::int64_t records);

  sqlite::Database db_;
  std::int64_t all_ = 0, done_ = 0; // records to read, and read
};

/// The target in a few words: its model, or its CPU, or the text of records.
std::string targetTitle(const std::string& text, const std::string& facts);

} // namespace nestwright
