#pragma once
/// \file The `.nwdb` file: networks, tasks, targets, sessions, records and events in SQLite. One
/// writer (the session), any number of readers (the window). A call that returns has stored.

#include "core/record/format/evolution_row.h"
#include "core/record/query/record_filter.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/session_status.h"
#include "core/result/measure_result.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct NetworkRow {
  RowId id = 0;
  std::string name; // "resnet18"
  std::string spec; // as given: "resnet18:batch=1,image=224" or a path
};

/// A subgraph on a target, and how often it appears in its network.
struct TaskRow {
  RowId id = 0;
  RowId network = 0; // 0 for a single operator
  RowId target = 0;
  int index = 0;    // position in the network's task list
  std::string key;  // workload key, readable and unique
  std::string name; // short: "conv2d 56x56 64->64 k3 +relu"
  std::string dag;  // exact text of the compute DAG
  double weight = 1;
  double flops = 0;
};

/// How often a task appears in a network.
struct TaskWeight {
  RowId task = 0;
  double weight = 1;
};

/// One of the networks (or single operators) that a session tunes together.
struct SessionNetwork {
  RowId network = 0; // 0 for an operator on its own
  std::string name;  // short, unique within the session
  std::vector<TaskWeight> weights;
};
/// How often the task appears in the network; 0 when it does not.
double weightIn(const SessionNetwork& network, RowId task);

/// Sums kept up to date on insert, so that no view ever scans the records. Forgotten records count
/// only in the seconds, which were spent.
struct TaskSummary {
  RowId task = 0;
  std::int64_t trials = 0, errors = 0;
  RowId bestRecord = 0;     // 0 until a verified best exists
  double bestSeconds = 0;   // infinity until then
  double naiveSeconds = 0;  // 0 until measured
  double kernelSeconds = 0; // spent in this task's measurements
};

/// How many records ended in a verdict.
struct VerdictCount {
  Verdict verdict = Verdict::Ok;
  std::int64_t records = 0;
};

/// Sums over a session's records, kept like those of the tasks. `trials` are all that were made,
/// forgotten ones included; `errors` leaves those out.
struct SessionSummary {
  RowId session = 0;
  std::int64_t trials = 0, errors = 0;
  double kernelSeconds = 0;
  std::int64_t forgotten = 0;
};

struct TargetRow {
  RowId id = 0;
  std::string key;   // TargetFacts::id()
  std::string text;  // as in public records
  std::string facts; // all facts as JSON
};

struct SessionRow {
  RowId id = 0;
  RowId network = 0; // the first of its networks; 0 for an operator
  std::string title;
  std::string config; // SessionConfig as JSON, all defaults written out (C43)
  SessionStatus status = SessionStatus::Ready;
  std::int64_t createdAt = 0, updatedAt = 0; // microseconds since the epoch
  double wallSeconds = 0;                    // running time over all pauses
  std::string schedulerState; // JSON: next draw index per task, weights, ...; see Session
  std::string product;        // version and commit that wrote it
};

/// One measured (or failed) program.
struct Record {
  RowId id = 0;
  RowId session = 0, task = 0;
  std::int64_t trial = 0; // 1-based, within the session
  std::string program;    // programId
  Steps steps;
  MeasureResult result;     // `result.id` belongs to the request and is not kept
  double wallSeconds = 0;   // when it ended: since the session's start, pauses excluded
  bool verified = false;    // agreed with the naive program
  bool implausible = false; // below the physical floor (C10)
  bool best = false;        // became the task's verified best; decided by the store
  bool contested = false; // claims to be the best, within noise: not eligible until confirmed (C31)
  std::string trace;      // JSON of how the candidate came to be
  bool onDemand = false; // measured because the user asked for it, outside the rounds of the search
  RowId original = 0;    // of a repeated measurement on demand: the record that it repeats
  bool forgotten = false;        // by the user: no longer a result; see setForgotten
  std::vector<std::string> tags; // by the user, sorted
  bool imported = false;         // from a log: `program` is computed from the steps, not stored
};

/// An event as stored: JSON of one of the structs in core/session/run/events.h.
struct EventRow {
  RowId id = 0;
  RowId session = 0;
  std::int64_t at = 0; // microseconds since the epoch
  std::string kind;
  std::string json;
  /// Where in the session it was told: after how many trials, and when on the session's own clock,
  /// pauses excluded. Negative when the session did not run then.
  std::int64_t trials = -1;
  double wallSeconds = -1;
};

/// A round whose generations are kept.
struct EvolvedRound {
  int round = 0;
  RowId task = 0;
};

/// The record of a program.
struct ProgramRecord {
  RowId record = 0;
  std::string program;
};

/// A moment of a session's past, with a sentence for those who replay it.
struct MarkRow {
  RowId id = 0; // 0: a new one
  RowId session = 0;
  double wallSeconds = 0;  // on the session's own clock
  std::int64_t trials = 0; // made until then
  std::string sentence;
};

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
  std::optional<Record> after; // continue after this one; only its id counts
  int limit = 100;
};

/// Figures of the records that a query asks for. Times in seconds, over the good ones.
struct RecordStatistics {
  std::int64_t records = 0;
  std::vector<VerdictCount> verdicts;                  // those that occurred
  std::int64_t measured = 0;                           // with a time
  double best = 0, worst = 0, mean = 0, deviation = 0; // deviation: of the sample, 0 for one
  double lowQuartile = 0, median = 0, highQuartile = 0;
  std::vector<std::int64_t> bins; // of equal ratio from best to worst
};

/// A word that users put on records, and how many carry it.
struct TagCount {
  std::string tag;
  std::int64_t records = 0;
};

/// One point of a tuning curve.
struct CurvePoint {
  std::int64_t trial = 0; // within the session
  double wallSeconds = 0; // since the session's start, pauses excluded
  double seconds = 0;     // median; infinity for an error
  RowId task = 0, record = 0;
  bool verifiedBest = false; // it became the task's best
  Verdict verdict = Verdict::Ok;
  bool onDemand = false;
};

/// A recombination of a network's fastest programs (TenSet 5.6); see
/// core/session/recombination/recombination.h.
struct RecombinationRow {
  RowId id = 0;
  RowId network = 0, target = 0;
  std::string config; // RecombinationConfig as JSON, all defaults written out (C43)
  std::string state;  // JSON: the candidates, and how the winner was confirmed
  SessionStatus status = SessionStatus::Ready;
  std::int64_t createdAt = 0, updatedAt = 0; // microseconds since the epoch
  double wallSeconds = 0;                    // running time over all pauses
  std::string product;                       // version and commit that wrote it
};

/// One whole network that was built and measured.
struct SampleRow {
  RowId recombination = 0;
  int sample = 0;          // 0 and repetitions of it: the per-task bests; counted on from there
  std::int64_t draw = -1;  // index of the random draw that made it; -1: the per-task bests
  std::vector<int> choice; // per task, the rank of its candidate from 0
  Verdict verdict = Verdict::Ok;
  std::string error;           // full text; empty when ok
  std::vector<double> seconds; // of every repeat, end to end
  double wallSeconds = 0;      // since the recombination's start, pauses excluded
};

/// The records that a network is to run with, kept from a recombination.
struct NetworkChoice {
  struct Program {
    RowId task = 0, record = 0;
  };
  RowId network = 0, target = 0, recombination = 0;
  std::int64_t keptAt = 0; // microseconds since the epoch
  double gain = 1;         // seconds of the per-task bests / seconds of the choice
  std::vector<Program> programs;
};

enum class OpenMode : std::uint8_t { ReadOnly, ReadWrite, Create };

/// Thread-compatible: one thread per object; open a second store on the same file for another.
class RecordStore {
 public:
  /// Opens or creates (Create makes the file when it does not exist). Throws InputError with a
  /// clear text, and changes nothing, when the file is no database, damaged or not writable. Older
  /// schema versions are read as they are, and migrated when opened for writing. A file of a newer
  /// version (both versions are named), or with objects in it that are not ours, is read as far as
  /// its tables are there; opening it for writing throws ReadOnlyFile. Reading never changes the
  /// file or its log; a log of another file is not read, and set aside by writers
  /// (setForeignLogAside in generation_keeper.h tells of it).
  static RecordStore open(const std::string& path, OpenMode mode = OpenMode::ReadWrite);
  ~RecordStore();
  RecordStore(RecordStore&&) noexcept;
  RecordStore& operator=(RecordStore&&) noexcept;

  const std::string& path() const;
  /// Why the file can only be read, with what to do; empty when it can be written.
  std::string readOnlyReason() const;

  /// Find by identity or insert; ids are stable. A task with an equal key hash and different text
  /// throws (C27).
  RowId addNetwork(const NetworkRow& row);
  RowId addTarget(const TargetRow& row);
  RowId addTask(const TaskRow& row);
  RowId addSession(const SessionRow& row);

  /// Stores one record, updates the summaries, and returns its id. Durable on return (C20), or when
  /// the surrounding transaction ends. The record becomes its task's best when its verdict is Ok,
  /// it is verified, not implausible, and faster than the best so far. Throws InputError, and
  /// stores nothing, for an Ok record without a positive finite time (C10), for a trial number that
  /// the session already has, and for an unknown task or session.
  RowId addRecord(const Record& record);
  /// Adds further repeats to a contested record, whose time becomes the median of all. When
  /// `confirmed`, it is contested no more and becomes its task's best if it is faster than the best
  /// so far. Throws InputError when the record is not there or not contested.
  void addRepeats(RowId record, const std::vector<double>& seconds, bool confirmed);
  /// What a later comparison with the naive program found of an Ok record that had none, or that
  /// should be compared again: `check` is Ok and checked, and the record is verified from now on,
  /// or it is a wrong answer, and the record's verdict becomes that, with its text. Bests are
  /// chosen anew where that changes them. Throws InputError when the record is not there,
  /// forgotten, or not Ok.
  void setAnswer(RowId record, const MeasureResult& check);
  /// Marks records as forgotten, or takes the mark away. They stay in the file, but unless asked
  /// for no query, count or curve has them, none is a best, and their programs count as not
  /// measured. Bests are chosen anew. Returns the records whose mark changed, ascending. Throws
  /// InputError, and changes nothing, when one is not in the file.
  std::vector<RowId> setForgotten(const std::vector<RowId>& records, bool forgotten);
  /// Puts a tag on records, or takes it away. Returns the records that changed, ascending. Throws
  /// InputError, and changes nothing, when one is not in the file or the tag is empty, longer than
  /// 100 bytes, or "any" or "none", which filters use.
  std::vector<RowId> setTag(std::string_view tag, const std::vector<RowId>& records, bool on);
  RowId addEvent(const EventRow& event);
  /// Keeps what the search of a round saw; replaces what was kept of the same round.
  void saveEvolution(const EvolutionRow& row);
  /// Adds the mark, or changes it when it has an id, which is returned.
  RowId saveMark(const MarkRow& mark);
  void removeMark(RowId mark);
  void updateSession(const SessionRow& row);
  void setNaiveSeconds(RowId task, double seconds);
  /// Keeps the session's cost model, in the plugin's own form; replaces the one before.
  void saveModel(RowId session, std::string_view name, std::string_view bytes);
  /// Takes the session's cost models out of the file, if it has any.
  void dropModel(RowId session);
  /// Everything between begin and the end of `body` is one transaction, undone when `body` throws.
  /// Transactions may nest: an inner one that throws undoes only itself.
  void transaction(const std::function<void()>& body);

  std::vector<NetworkRow> networks() const;
  std::vector<TargetRow> targets() const;
  std::vector<SessionRow> sessions() const;
  std::optional<SessionRow> session(RowId id) const;
  std::vector<TaskRow> tasks(RowId network = 0) const; // all when 0
  /// The tasks that the session tunes, in order; `weight` is the sum over its networks.
  std::vector<TaskRow> sessionTasks(RowId session) const;
  void setSessionTasks(RowId session, const std::vector<RowId>& tasks);
  /// The networks that the session tunes, in order. A session for which none were set tunes the one
  /// network of its row, with all of its tasks.
  std::vector<SessionNetwork> sessionNetworks(RowId session) const;
  /// Replaces the session's networks. Throws InputError when a name appears twice.
  void setSessionNetworks(RowId session, const std::vector<SessionNetwork>& networks);
  std::optional<TaskRow> task(RowId id) const;
  std::optional<TaskRow> findTask(std::string_view key, RowId target) const;
  std::vector<TaskSummary> summaries() const;
  TaskSummary summary(RowId task) const;

  /// The session's cost model, if one of this name was kept.
  std::optional<std::string> model(RowId session, std::string_view name) const;
  SessionSummary sessionSummary(RowId session) const;
  /// Records by verdict, only verdicts that occurred; 0 stands for all sessions or all tasks.
  std::vector<VerdictCount> verdictCounts(RowId session = 0, RowId task = 0) const;
  /// Changes whenever another connection, in any thread or process, has stored something: what a
  /// view polls before it reads again. Costs microseconds.
  std::int64_t changeCounter() const;

  std::optional<Record> record(RowId id) const;
  std::vector<Record> records(const RecordQuery& query) const;
  /// Number of records that the query asks for, whatever its order and limit. From the maintained
  /// sums where its conditions are about tasks, sessions and verdicts alone; otherwise it reads.
  std::int64_t count(const RecordQuery& query) const;
  /// Figures of those records; `bins` of the histogram. Takes 4 bytes a record while it runs.
  RecordStatistics statistics(const RecordQuery& query, int bins = 40) const;
  RecordStatistics statistics(const std::vector<RowId>& records, int bins = 40) const;
  /// Runs `body`, asking `goOn` many times a second while it reads; throws QueryStopped when that
  /// says no. Does not nest.
  void interruptible(const std::function<bool()>& goOn, const std::function<void()>& body) const;
  /// Runs `body`; all that it reads is of one moment, whatever others store meanwhile.
  void atOneMoment(const std::function<void()>& body) const;
  /// The tags in use, by name.
  std::vector<TagCount> tags() const;
  /// Number of records, from the maintained summaries.
  std::int64_t recordCount(RowId task = 0) const;
  /// The task's best verified record on this target, if any.
  std::optional<Record> best(RowId task) const;
  /// The records that were each their task's best in their time, oldest first. Reads all of the
  /// task's good records.
  std::vector<CurvePoint> bestHistory(RowId task) const;
  /// The record and all repeated measurements of its program on demand, oldest first; of a repeated
  /// one, those of its original. Forgotten ones included, and marked.
  std::vector<Record> repeatedMeasurements(RowId record) const;
  /// Number and wall time (seconds) of the session's last trial, forgotten or not; zeros without
  /// one.
  std::pair<std::int64_t, double> lastTrial(RowId session) const;
  /// Programs already measured in the session (their programIds), for duplicates and resume.
  std::vector<std::string> measuredPrograms(RowId session, RowId task) const;
  /// Points of the session's curve after `afterTrial`, oldest first, without forgotten records.
  std::vector<CurvePoint> curve(RowId session, std::int64_t afterTrial = 0,
                                int limit = 100000) const;
  std::vector<EventRow> events(RowId session, RowId after = 0, int limit = 10000) const;
  /// The session's events of one kind after `after`, oldest first, without reading what they say.
  std::vector<RowId> eventIds(RowId session, std::string_view kind, RowId after = 0,
                              int limit = 100000) const;
  std::optional<EventRow> event(RowId id) const;
  /// The last events of the session, oldest first.
  std::vector<EventRow> newestEvents(RowId session, int limit) const;
  /// What the search of the session's round saw, if it was kept.
  std::optional<EvolutionRow> evolution(RowId session, int round) const;
  /// The rounds of the session, or of its task, whose generations are kept; oldest first.
  std::vector<EvolvedRound> evolvedRounds(RowId session, RowId task = 0) const;
  /// All programs that the session measured for the task. Reads an index entry a record.
  std::vector<ProgramRecord> programRecords(RowId session, RowId task) const;
  /// The session's marks by time.
  std::vector<MarkRow> marks(RowId session) const;

  RowId addRecombination(const RecombinationRow& row);
  /// Stores status, state, times and config. Throws InputError when it is not there.
  void updateRecombination(const RecombinationRow& row);
  /// Oldest first; 0 stands for all networks.
  std::vector<RecombinationRow> recombinations(RowId network = 0) const;
  std::optional<RecombinationRow> recombination(RowId id) const;
  /// Durable on return. Throws InputError for a number that the recombination already has.
  void addSample(const SampleRow& sample);
  /// Samples with a number above `after`, in order.
  std::vector<SampleRow> samples(RowId recombination, int after = -1) const;
  /// Replaces the network's choice on this target.
  void keepChoice(const NetworkChoice& choice);
  void dropChoice(RowId network, RowId target);
  std::optional<NetworkChoice> choice(RowId network, RowId target) const;

  /// Empty when the file is sound, else the first problems in words.
  std::vector<std::string> check() const;

 private:
  struct Impl;
  explicit RecordStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The schema version that this build writes.
int schemaVersion();

} // namespace nestwright
