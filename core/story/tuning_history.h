#pragma once
/// \file What the tuning curves show: every trial and every improvement of a session, per task and
/// as the weighted total. A plain value, grown point by point; the improvements are few even when
/// the trials are millions.

#include "core/record/rows/task_row.h"
#include "core/record/rows/trial_row.h"
#include "core/story/scope.h"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace nestwright {

inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// One trial, small enough for millions of them: 24 bytes.
struct TrialPoint {
  RowId record = 0;
  std::int32_t trial = 0; // larger numbers are not kept one by one
  float wallSeconds = 0;
  float seconds = 0; // infinity for an error
  Verdict verdict = Verdict::Ok;
};

/// A best-so-far curve steps to `seconds` here.
struct BestPoint {
  std::int64_t trial = 0;
  double wallSeconds = 0;
  double seconds = 0;
  RowId record = 0;
  bool inherited = false; // another session of the file measured it
};

/// The weighted total over all tasks, of the definitions of one operator with the fastest; a task
/// without a verified best counts with its naive program, and then the point is not `complete`.
struct TotalPoint {
  std::int64_t trial = 0;
  double wallSeconds = 0;
  double seconds = 0;
  bool complete = false;
};

struct TaskHistory {
  RowId task = 0;
  double weight = 1;
  double flops = 0;
  double naiveSeconds = 0; // 0: not measured
  std::vector<TrialPoint> trials;
  std::vector<BestPoint> bests;
  RowId definition = 0; // the task that this is an alternative of, if it is there; 0: of none
  double best() const { return bests.empty() ? kUnknown : bests.back().seconds; }
};

class TuningHistory {
 public:
  /// More trials than this are no longer kept one by one; the improvements always are.
  static constexpr std::size_t kMaxTrials = 4'000'000;

  /// Starts empty, with these tasks. In the scope of the session its fastest plausible program is
  /// its best, although another session had a faster one; nothing is to be inherited then.
  void reset(const std::vector<TaskRow>& tasks, const std::vector<TaskSummary>& summaries,
             Scope scope = Scope::WholeFile);
  /// Adds those of the tasks that it does not have yet.
  void addTasks(const std::vector<TaskRow>& tasks, const std::vector<TaskSummary>& summaries);
  /// The file's bests of a task in the order of their records, whichever session measured them: all
  /// that another session found before a trial of this one is where that trial began from, for a
  /// session knows the bests of its file. Those of this session are passed over.
  void inherit(RowId task, const std::vector<BestPoint>& bests);
  /// Counts what was inherited up to this record, at once.
  void takeInherited(RowId before);
  /// Points arrive in the order of trials; one that is there already is ignored, and one of a task
  /// that it does not have is passed over.
  void add(const CurvePoint& point);
  /// A trial was measured again, and this is its time now.
  void settle(RowId task, std::int64_t trial, double seconds);
  /// A trial's answer was compared later, and is wrong.
  void setWrong(RowId task, std::int64_t trial);
  /// A trial that was added before turned out to be its task's best.
  void addBest(RowId task, const BestPoint& best);
  void setNaive(RowId task, double seconds);

  /// Two tasks that it has are definitions of one operator. Those that it was given with their DAGs
  /// it knows by itself.
  void relate(RowId task, RowId definition);

  /// Forgets the single trials, keeping the improvements: for curves that are only compared with.
  void dropTrials();

  const std::vector<TaskHistory>& tasks() const { return tasks_; }
  const TaskHistory* find(RowId task) const;
  /// Per task whether it counts in the total: of the definitions of one operator the fastest.
  std::vector<bool> countedNow() const;
  const std::vector<TotalPoint>& total() const { return total_; }
  /// Sum of weight × naive time; infinity until every naive program was measured.
  double naiveTotal() const;
  /// Total operations of the network, for throughput.
  double totalFlops() const;

  /// How far a history had grown at some moment.
  struct Extent {
    struct Task {
      std::size_t trials = 0, bests = 0;
      double naiveSeconds = 0;
    };
    std::vector<Task> tasks;
    std::size_t total = 0, trialCount = 0, inherited = 0;
    std::int64_t lastTrial = 0;
    double lastWall = 0;
    bool thinned = false;
    int rebuilds = 0; // of the total so far: before the last one its points were others
  };
  Extent extent() const;
  /// The history as it was when it had grown this far.
  TuningHistory until(const Extent& extent) const;

  std::int64_t lastTrial() const { return lastTrial_; }
  double lastWallSeconds() const { return lastWall_; }
  std::size_t trialCount() const { return trialCount_; }

 private:
  struct Inherited {
    RowId task = 0;
    BestPoint best;
  };
  /// Which tasks count while these are their bests, seconds; 0 or infinity: none.
  std::vector<bool> counted(const std::vector<double>& bests) const;
  TaskHistory* mutableFind(RowId task);
  TrialPoint* mutableTrial(RowId task, std::int64_t trial);
  void appendTotal(std::int64_t trial, double wallSeconds);
  void rebuildTotal();
  void orderInherited();

  Scope scope_ = Scope::WholeFile;
  std::vector<TaskHistory> tasks_;
  std::map<RowId, std::size_t> index_;
  std::vector<TotalPoint> total_;
  std::vector<Inherited> inherited_; // by record, once they are in order
  bool inheritedInOrder_ = true;     // they come task by task, and are sorted when they are wanted
  std::size_t nextInherited_ = 0;    // not counted yet
  std::int64_t lastTrial_ = 0;
  double lastWall_ = 0;
  std::size_t trialCount_ = 0;
  bool thinned_ = false;
  int rebuilds_ = 0;
};

} // namespace nestwright
