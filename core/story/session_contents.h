#pragma once
/// \file What a file holds of one session, read in one go; and making a session.

#include "core/record/rows/task_row.h"
#include "core/session/run/session.h"
#include "core/session/schedule/network_totals.h"
#include "core/story/scope.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// A task with its numbers.
struct TaskEntry {
  TaskRow row;
  TaskSummary summary; // over the records in the scope
  /// Of all sessions' programs, seconds; infinity without one. What is faster claims to be the best
  /// and is measured again.
  double fileBestSeconds = std::numeric_limits<double>::infinity();
  RowId definition = 0;     // the session's task that this is an alternative of; 0: of none
  std::string alternative;  // its name, "direct" of a definition that has others; else empty
  FastestImported imported; // where there is no best, and logs told of records; else record 0
  double importance = 1;    // the user's multiplier of the weight for the scheduler
  int rank = 0;             // by weighted operations, largest first; fixes its colour
  bool active = false;      // has the present round
  std::string exhausted;    // why it takes no further trials
  std::string pauseReason;  // why it paused itself; empty when the user did
  TaskMode mode = TaskMode::Free;
  std::vector<RowId> seeds; // records whose programs the search starts from
};

/// The entry of a task in a list of them; null when there is none of this id.
template <class Tasks>
auto* taskIn(Tasks& tasks, RowId id) {
  const auto found =
      std::ranges::find(tasks, id, [](const TaskEntry& entry) { return entry.row.id; });
  return found == tasks.end() ? nullptr : &*found;
}

/// A session with its tasks, and the sessions beside it.
struct SessionContents {
  Scope scope = Scope::WholeFile; // of the tasks' summaries
  std::vector<SessionRow> sessions;
  SessionRow session;
  SessionConfig config;
  SessionSummary summary;
  std::string network, target;
  double peakFlops = 0; // of the target with all its cores, per second; 0 when unknown
  std::vector<TaskEntry> tasks;
  std::vector<SessionNetwork> networks; // that the session tunes together
  std::int64_t demandedTrials = 0;      // made on demand, which take nothing of the budget
  std::int64_t lastTrial = 0;           // the last one that the tasks' summaries count
  std::string viewState;                // of the window when the file was left; JSON
};

/// Under which the window's state is kept in the file, JSON with at least `session`: which one was
/// seen, and `scope`: a name of kScopeNames.
inline constexpr const char* kViewStateKey = "window/state";

/// The weights of many tasks in each of the networks.
class TaskWeights {
 public:
  explicit TaskWeights(const std::vector<SessionNetwork>& networks);
  /// One weight a network; valid as long as this is.
  std::span<const double> of(RowId task) const;

 private:
  std::size_t networks_;
  std::vector<double> weights_; // rows of one a network, the first of a task that none has
  std::unordered_map<RowId, std::size_t> rows_;
};
/// The one task's weight in each of them.
std::vector<double> weightsOf(const std::vector<SessionNetwork>& networks, RowId task);
/// The networks' present latencies, in their order.
std::vector<NetworkTotals> totalsOf(const std::vector<SessionNetwork>& networks,
                                    const std::vector<TaskEntry>& tasks);
/// Which tasks count in the totals: of the definitions of one operator the fastest.
std::vector<bool> countedTasks(const std::vector<TaskEntry>& tasks);
/// The same of one of them.
bool countsInTotal(const std::vector<TaskEntry>& tasks, const TaskEntry& task);
/// Weighted total of the bests, seconds; infinity until every task has one.
double bestTotal(const std::vector<TaskEntry>& tasks);
/// Sum of weight × best, a task without a best counting with its naive program: what shares of time
/// are shares of.
double presentTotal(const std::vector<TaskEntry>& tasks);
/// How many tasks have neither a best nor a naive time. While there are any, a share of what was
/// measured so far is no share of the network.
int unmeasuredTasks(const std::vector<TaskEntry>& tasks);

/// The fastest imported records are looked for task by task, which may take longer than all else
/// in a file of ten thousand tasks that lies on a disk.
enum class ReadImported { Now, Later };

/// This session of the file as it is at one moment; for 0 the one that was seen last, or else the
/// newest, passing over imports without records. Without a scope it is the one of the window that
/// left the file. In the scope of the session a task's best is its bestOf(), and an import has
/// none. Throws InputError when the file holds no session.
SessionContents readContents(const RecordStore& store, RowId session,
                             std::optional<Scope> scope = Scope::WholeFile,
                             ReadImported imported = ReadImported::Now);
/// What readContents() leaves out when it is asked to: TaskRows::fastestImported() of the session.
void setImported(std::vector<TaskEntry>& tasks, const std::vector<FastestImported>& fastest);

/// Makes a session in the file, as createSession() does; a file that did not exist is not left
/// behind when that fails.
RowId makeSession(const std::string& file, const SessionConfig& config,
                  const WorkerLaunch& launch = {});

} // namespace nestwright
