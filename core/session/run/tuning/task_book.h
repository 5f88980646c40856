#pragma once
/// \file The tasks of a session under way, and what it knows of them.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "core/record/rows/trial_row.h"
#include "core/session/run/session_template.h"
#include "core/session/run/steering.h"
#include "core/session/run/tuning/run_log.h"
#include "core/session/run/tuning/run_settings.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/space/sketch.h"
#include "core/tensor/compute_dag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestwright {

/// A task, and what the file has of it. What the session remembers is its TaskMemory.
struct TunedTask {
  TaskRow row;
  RowId definition = 0;        // the session's task that this is an alternative of; 0: of none
  std::vector<double> weights; // in each of the session's networks
  ComputeDag dag;
  std::string similarityTag;
  std::optional<std::vector<Sketch>> sketches; // made when the task is first chosen
  std::optional<ChosenTemplate> chosen;        // likewise, of a search over templates
  /// Of that search what was measured, by record, oldest first, as far as it was read: up to that
  /// trial of the session.
  std::vector<std::pair<RowId, MeasuredConfig>> configs;
  std::int64_t configsReadTo = 0;
  std::int64_t trials = 0, errors = 0;      // of the session's search; all errors
  double bestSeconds = 0, naiveSeconds = 0; // infinity without a best; 0 while not measured
  std::unordered_set<std::string> measured; // programIds
};

/// All tasks of the session, in its order. What is known of them follows the file where it says so,
/// and else the run, which counts what it measures.
class TaskBook {
 public:
  /// Reads the session's tasks and their results. Throws InputError when there are none.
  TaskBook(RunLog& log, const RunSettings& settings);

  std::vector<TunedTask>& tasks() { return tasks_; }
  const std::vector<TunedTask>& tasks() const { return tasks_; }
  /// Throws InputError when it is none of the session's.
  TunedTask& of(RowId id);
  TaskMemory& memoryOf(const TunedTask& task) const { return log_.state().tasks[task.row.id]; }
  /// What the scheduler may know.
  std::vector<TaskProgress> progress() const;
  /// Trials that the task may still take, beside the session's budget.
  std::int64_t roomOf(const TunedTask& task) const;
  /// Which of them count in the total: of the definitions of one operator the fastest.
  std::vector<bool> counted() const;
  /// Of the best programs, by the tasks' weights; infinity until each has one.
  double totalSeconds() const;
  /// Of which the naive program cannot be measured.
  std::vector<RowId> failed() const;

  /// Made when they are first asked for; none where templates are searched.
  const std::vector<Sketch>& sketchesOf(TunedTask& task) const;
  /// The template that is searched, likewise; none where sketches are.
  const ChosenTemplate& templateOf(TunedTask& task) const;
  /// The configuration that a record is of, in the template that is searched; nothing for others.
  std::optional<std::int64_t> configOf(TunedTask& task, const Record& record) const;
  /// What the session measured of the template that is searched, oldest first, without what has one
  /// of these programIds.
  std::vector<MeasuredConfig> configsOf(TunedTask& task,
                                        const std::unordered_set<std::string>& without) const;
  /// The record of the task has another time now.
  void noteTime(TunedTask& task, RowId record, double seconds) const;
  /// Throws InputError where the program is of another space than the one that is searched.
  void requireSeed(TunedTask& task, const RecordProgram& seed) const;
  /// What the user gave the task's search to start from. Throws InputError when a program is gone.
  std::vector<RecordProgram> seedsOf(const TunedTask& task);
  /// What the session began with of the task, and is not measured yet, likewise.
  std::vector<RecordProgram> firstOf(const TunedTask& task);
  /// What its memory knows and was not measured yet: what is measured next, `count` at most, and
  /// all that may be parents, likewise.
  std::vector<RecordProgram> rememberedOf(const TunedTask& task, int count);
  std::vector<RecordProgram> rememberedParentsOf(const TunedTask& task);
  /// Gives candidates that are among them the reason for which they are, and where remembered ones
  /// come from.
  void addReasons(const TunedTask& task, std::vector<Candidate>& candidates);
  /// Forgets of them what is measured, and all that is remembered unless the fastest of the round's
  /// records was.
  void dropMeasuredFirst(const TunedTask& task, const std::vector<Record>& ofRound);
  /// False for a program of a sketch that gave a wrong answer, when its own was never compared, and
  /// for one that a recorded machine does not know.
  bool isTrusted(TunedTask& task, const Record& record);

  /// Best, naive time and measured programs, as the file has them now.
  void readResults(TunedTask& task);
  /// The task's best record: of the file, or of a session that is alone its own.
  std::optional<Record> bestOf(const TunedTask& task) const;
  /// What other sessions measured of the tasks does not count (race_entry.h).
  bool isAlone() const;
  /// A record that became the best of what this session knows: whether it is the file's, too.
  bool isFilesBest(RowId task, RowId record) const;
  /// After records of the task were forgotten or restored: its history, too.
  void remakeHistory(TunedTask& task);
  /// Trials, errors and kernel time, of the tasks and in the log's counts.
  void countTrials();

 private:
  /// What was the best, oldest first.
  std::vector<CurvePoint> bestHistoryOf(const TunedTask& task) const;
  std::vector<RecordProgram> programsOf(const TunedTask& task,
                                        const std::vector<NamedProgram>& named) const;

  RunLog& log_;
  const RunSettings& settings_;
  std::vector<TunedTask> tasks_;
};

} // namespace nestwright
