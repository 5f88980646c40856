#include "tests/bench/scheduler_replay.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/schedule/network_totals.h"
#include "core/session/schedule/similarity.h"
#include "core/support/random.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <map>

namespace nestwright::bench {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double totalOf(const std::vector<TaskProgress>& tasks) {
  double total = 0;
  for (const NetworkTotals& network : networkTotals(tasks))
    total += network.best;
  return total;
}

/// The time of a task's `index`-th trial, or nothing when the recording ends before.
std::optional<double> trialSeconds(const RecordedTask& task, std::int64_t index,
                                   std::uint64_t seed) {
  const auto count = static_cast<std::int64_t>(task.seconds.size());
  if (seed == 0 && index >= count) return std::nullopt;
  if (seed == 0) return task.seconds[static_cast<std::size_t>(index)];
  Random random = Random::stream(seed, fmt::format("replay {}", task.start.task),
                                 static_cast<std::uint64_t>(index));
  return task.seconds[random.below(task.seconds.size())];
}

} // namespace

std::vector<RecordedTask> recordedTasks(const RecordStore& store, RowId session) {
  const std::vector<SessionNetwork> networks = store.sessions().networks(session);
  std::vector<RecordedTask> tasks;
  std::map<RowId, std::size_t> at;
  for (const TaskRow& row : store.sessions().tasks(session)) {
    RecordedTask task;
    task.start.task = row.id;
    for (const SessionNetwork& network : networks)
      task.start.weights.push_back(weightIn(network, row.id));
    task.start.flops = row.flops;
    task.start.similarityTag = similarityTag(parseDag(row.dag));
    task.start.naiveSeconds = store.tasks().summary(row.id).naiveSeconds;
    at[row.id] = tasks.size();
    tasks.push_back(std::move(task));
  }
  RecordQuery query;
  query.session = session;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1000;
  for (bool more = true; more;) {
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page)
      tasks[at.at(record.task)].seconds.push_back(
          record.result.verdict == Verdict::Ok && !record.implausible ? record.result.latency()
                                                                      : kInfinity);
    more = static_cast<int>(page.size()) == query.limit;
    if (more) query.after = page.back().id;
  }
  return tasks;
}

Replay replay(const std::vector<RecordedTask>& recorded, const TaskScheduler& scheduler,
              const ReplayOptions& options) {
  std::vector<TaskProgress> tasks;
  for (const RecordedTask& task : recorded)
    tasks.push_back(task.start);
  Replay result;
  for (std::int64_t used = 0; used < options.trials;) {
    const TaskChoice choice = scheduler.next(tasks, static_cast<int>(result.chosen.size()) + 1);
    if (choice.index < 0) break;
    TaskProgress& task = tasks[static_cast<std::size_t>(choice.index)];
    result.chosen.push_back(task.task);
    const int round = roundTrials(options.trials, used, tasks.size(), options.trialsPerRound);
    for (int i = 0; i < round && !task.exhausted; ++i) {
      const std::optional<double> seconds =
          trialSeconds(recorded[static_cast<std::size_t>(choice.index)], task.trials, options.seed);
      task.exhausted = !seconds;
      if (!seconds) break;
      task.bestSeconds = std::min(task.bestSeconds, *seconds);
      ++task.trials;
      ++used;
      result.totals.push_back(totalOf(tasks));
    }
    ++task.rounds;
    task.history.push_back(task.bestSeconds);
  }
  return result;
}

std::int64_t trialsToReach(const std::vector<double>& totals, double seconds) {
  const auto reached =
      std::find_if(totals.begin(), totals.end(), [&](double total) { return total <= seconds; });
  return reached == totals.end() ? 0 : reached - totals.begin() + 1;
}

} // namespace nestwright::bench
