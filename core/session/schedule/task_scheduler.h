#pragma once
/// \file Which task gets the next round of trials, and why.

#include "core/session/schedule/alternatives.h"
#include "core/session/schedule/objective.h"
#include "core/session/schedule/task_mode.h"
#include "core/support/row_id.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// What a scheduler may know of a task.
struct TaskProgress {
  RowId task = 0;
  std::vector<double> weights; // appearances in each of the session's networks
  double importance = 1;       // the user's multiplier; 0 takes the task out
  TaskMode mode = TaskMode::Free;
  std::int64_t rounds = 0, trials = 0;
  double bestSeconds = std::numeric_limits<double>::infinity();
  double naiveSeconds = 0;     // 0: not measured
  std::vector<double> history; // bestSeconds after each round
  double flops = 0;
  std::string similarityTag; // tasks with equal tags learn from each other; empty: none
  bool exhausted = false;    // nothing left to try
  /// The task whose operator this is another definition of; 0: none, or it is the definition.
  RowId definition = 0;
};

/// Which tasks count in the totals: see alternatives.h.
std::vector<bool> countedTasks(std::span<const TaskProgress> tasks);
/// Of each task the least latency that a definition of its operator has; infinity without any.
std::vector<double> operatorSeconds(std::span<const TaskProgress> tasks);

/// Trials that a task without a valid program gets before every scheduler passes it over for tasks
/// that have one (C6): one round, and a few more where rounds are small.
inline constexpr std::int64_t kWarmupTrials = 16;
bool needsWarmup(const TaskProgress& task);
/// Whether a task can take trials at all: it is not exhausted, paused, or without importance.
bool takesTrials(const TaskProgress& task);
/// Indices of the tasks that may get the next round: the pinned ones, or else those with a valid
/// program or still in their warm-up, or, when there are none, all that can take trials.
std::vector<int> eligibleTasks(std::span<const TaskProgress> tasks);

/// Trials of the next round: at most `largest` and what the budget leaves, and so few that the
/// budget reaches every task at least four times where it allows: then the warm-up takes no more
/// than a quarter of it.
int roundTrials(std::int64_t budget, std::int64_t used, std::size_t tasks, int largest);

/// The terms of the gradient approximation for one task (handbook/ansor.md 8.3), seconds per round
/// except for `chain`.
struct GradientTerms {
  RowId task = 0;
  double chain = 0;       // how the objective follows the task's latency, importance included
  double backward = 0;    // slope of the last rounds
  double optimistic = 0;  // if it went on as it did on average so far
  double similar = 0;     // what a similar task's rate promises; infinity without one
  double gradient = 0;    // of the objective; the lowest is chosen
  double importance = 1;  // the user's multiplier
  int stagnantRounds = 0; // since the task became faster
  RowId similarTask = 0;  // the fastest one that `similar` looks at; 0 without one
  double behind = 0;      // seconds by which another definition of its operator is faster
};

/// A choice and the terms behind it.
struct TaskChoice {
  int index = -1;                   // into the span; -1 when no task should take trials
  std::string reason;               // in words, also of why none should
  std::vector<GradientTerms> terms; // of all tasks, where the scheduler uses them
  bool byGradient = false;          // the lowest of the terms decided
  bool amongPinned = false;         // only pinned tasks were to choose from
};

class TaskScheduler {
 public:
  virtual ~TaskScheduler() = default;
  /// A pure function of the tasks' progress and the number of the round, so that a resumed session
  /// decides as an uninterrupted one (C25).
  virtual TaskChoice next(std::span<const TaskProgress> tasks, int round) const = 0;
};

/// Every task in turn. With importances set, a task twice as important gets twice the rounds.
class RoundRobinScheduler final : public TaskScheduler {
 public:
  TaskChoice next(std::span<const TaskProgress> tasks, int round) const override;
};

/// `beta` is 1 where the public implementation has 2: a machine's rate on tasks of one kind and
/// size is much alike, and with 2 a task promises nothing before it is twice as slow as its
/// neighbours (a recorded ResNet-50 dealt out again by tests/bench/bench_scheduler: 58 % of
/// round-robin's trials instead of 70 %).
///
/// `epsilon` is an idea of the paper that the public implementation leaves out: gradients are
/// guesses from a few rounds, and a task whose guess is too low would wait for ever.
struct GradientOptions {
  double alpha = 0.2;    // weight of the measured slope against the predicted one
  double beta = 1;       // trust in similar tasks: their best rate divided by this is within reach
  int patience = 5;      // a task that stays out of that reach leaves its group when it got this
                         // many rounds more than every other member
  double epsilon = 0.05; // share of rounds that go to a task drawn at random
  int window = 3;        // rounds over which the slope is taken
  std::uint64_t seed = 0;
};

/// Ansor's gradient descent over tasks: one warm-up round each, then the task whose next round
/// promises the largest fall of the objective (handbook/ansor.md 8.3). It ends when nothing more
/// can be gained: when all requirements of f2 are met, or when f4 has stopped every task.
class GradientScheduler final : public TaskScheduler {
 public:
  explicit GradientScheduler(Objective objective, GradientOptions options = {})
      : objective_(std::move(objective)), options_(options) {}
  TaskChoice next(std::span<const TaskProgress> tasks, int round) const override;

 private:
  std::vector<GradientTerms> terms(std::span<const TaskProgress> tasks) const;
  /// After the warm-up: the lowest gradient, or a random draw.
  TaskChoice choose(std::span<const TaskProgress> tasks, const std::vector<int>& live, int round,
                    TaskChoice choice) const;

  Objective objective_;
  GradientOptions options_;
};

/// What people choose of a scheduler; one takes what concerns it.
struct SchedulerOptions {
  Objective objective;
  std::uint64_t seed = 0;
  double epsilon = 0.05; // share of rounds that go to a task drawn at random
};

/// A scheduler that people choose by its name. Plugins may bring one (core/plugin/plugin.h).
struct TaskSchedulerKind {
  std::string name;              // in options, and stored with a session
  std::string purpose = {};      // one sentence, for lists
  bool followsObjective = false; // else it serves no other objective than the total latency
  std::unique_ptr<TaskScheduler> (*make)(const SchedulerOptions& options) = nullptr;
};
/// "gradient" and "round-robin".
const std::vector<TaskSchedulerKind>& builtInTaskSchedulers();

/// Why no task takes trials, in words.
inline constexpr const char* kNoTask =
    "no task can take trials: each is exhausted, paused or has importance 0";

} // namespace nestwright
