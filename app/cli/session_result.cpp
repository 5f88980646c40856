#include "app/cli/session_result.h"

#include "app/cli/defined_tasks.h"
#include "app/cli/output.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/task_failure.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::cli {

namespace {

using nlohmann::json;

/// The task's weight in each network that has it.
json weightsJson(const std::vector<SessionNetwork>& networks, RowId task) {
  json weights = json::object();
  for (const SessionNetwork& network : networks)
    for (const TaskWeight& weight : network.weights)
      if (weight.task == task) weights[network.name] = weight.weight;
  return weights;
}

/// What came of one task.
struct TaskOutcome {
  std::int64_t trials = 0, errors = 0;
  double bestSeconds = 0, naiveSeconds = 0; // 0 where there is none
};

TaskOutcome outcomeOf(const RecordStore& store, const TaskRow& task, RowId session) {
  TaskOutcome outcome;
  for (const VerdictCount& count : store.records().verdictCounts(session, task.id)) {
    outcome.trials += count.records;
    if (count.verdict != Verdict::Ok) outcome.errors += count.records;
  }
  if (const std::optional<Record> best = store.records().best(task.id))
    outcome.bestSeconds = best->result.latency();
  outcome.naiveSeconds = store.tasks().summary(task.id).naiveSeconds;
  return outcome;
}

json taskJson(const TaskRow& task, const TaskOutcome& outcome) {
  const double best = outcome.bestSeconds;
  return {{"key", task.key},
          {"name", task.name},
          {"weight", task.weight},
          {"flops", task.flops},
          {"best_seconds", knownSeconds(best)},
          {"naive_seconds", knownSeconds(outcome.naiveSeconds)},
          {"gflops", best > 0 ? json(task.flops / best / 1e9) : json(nullptr)},
          {"trials", outcome.trials},
          {"errors", outcome.errors},
          {"verified", best > 0}};
}

/// Each network's estimated latency, and what the objective asks of it.
json networksJson(const SessionConfig& config, const std::vector<SessionNetwork>& networks,
                  const Progress& last) {
  json list = json::array();
  for (std::size_t i = 0; i < networks.size() && i < last.networks.size(); ++i) {
    list.push_back({{"name", networks[i].name},
                    {"spec", config.subjects.at(i)},
                    {"tasks", networks[i].weights.size()},
                    {"total_seconds", knownSeconds(last.networks[i].totalSeconds)},
                    {"naive_total_seconds", knownSeconds(last.networks[i].naiveSeconds)}});
    const double given = config.objective.secondsOf(i);
    if (config.objective.kind == ObjectiveKind::LatencyRequirement)
      list.back()["required_seconds"] = knownSeconds(given);
    if (config.objective.kind == ObjectiveKind::SpeedUp)
      list.back()["reference_seconds"] =
          knownSeconds(given > 0 ? given : last.networks[i].naiveSeconds);
  }
  return list;
}

/// "3", or with several networks "1+2": its weight in each.
std::string weightText(const std::vector<SessionNetwork>& networks, const TaskRow& task) {
  std::vector<std::string> weights;
  for (const SessionNetwork& network : networks) {
    double weight = 0;
    for (const TaskWeight& candidate : network.weights)
      if (candidate.task == task.id) weight = candidate.weight;
    weights.push_back(fmt::format("{:g}", weight));
  }
  return fmt::format("{}", fmt::join(weights, "+"));
}

/// A line for each of several networks, and what a requirement or reference makes of it.
void printNetworks(const RecordStore& store, RowId session,
                   const std::vector<SessionNetwork>& networks, const Progress& last) {
  const Objective objective = configOf(sessionRow(store, session)).objective;
  for (std::size_t i = 0; i < networks.size() && i < last.networks.size(); ++i) {
    const NetworkProgress& now = last.networks[i];
    const double given = objective.secondsOf(i);
    std::string remark;
    if (objective.kind == ObjectiveKind::LatencyRequirement && given > 0)
      remark = fmt::format(", required {}: {}", formatSeconds(given),
                           now.totalSeconds <= given ? "met" : "not met");
    if (objective.kind == ObjectiveKind::SpeedUp)
      remark = fmt::format(", {:.1f}x the reference",
                           (given > 0 ? given : now.naiveSeconds) / now.totalSeconds);
    if (networks.size() > 1 || !remark.empty())
      cli::print("{}: {} (naive {}){}\n", networks[i].name, formatSeconds(now.totalSeconds),
                 formatSeconds(now.naiveSeconds), remark);
  }
}

} // namespace

json resultJson(const RecordStore& store, RowId session, const Progress& last) {
  const SessionRow row = sessionRow(store, session);
  const SessionConfig config = configOf(row);
  const std::vector<SessionNetwork> networks = store.sessions().networks(session);
  json tasks = json::array();
  const std::vector<UntunedTask> untuned = untunedTasks(store, session);
  for (const DefinedTask& defined : definedTasks(store, session)) {
    const TaskRow& task = defined.row;
    tasks.push_back(taskJson(task, outcomeOf(store, task, session)));
    if (!defined.definition.empty())
      tasks.back()["definition"] = {
          {"name", defined.definition}, {"of", defined.of}, {"runs", defined.runs}};
    tasks.back()["weights"] = weightsJson(networks, task.id);
    for (const UntunedTask& of : untuned)
      if (of.task == task.id) tasks.back()[kindOf(of)] = of.reason;
  }
  return {{"network", subjectText(config)},
          {"networks", networksJson(config, networks, last)},
          {"scheduler", config.scheduler},
          {"objective", name(config.objective.kind)},
          {"objective_value", last.objective},
          {"tasks", tasks},
          {"total_seconds", knownSeconds(last.totalSeconds)},
          {"naive_total_seconds", knownSeconds(last.naiveTotalSeconds)},
          {"trials", last.trials},
          {"errors", last.errors},
          {"wall_seconds", last.wallSeconds},
          {"kernel_seconds", last.kernelSeconds},
          {"session", session},
          {"status", name(row.status)},
          {"db", store.path()}};
}

void printSummary(const RecordStore& store, RowId session, const Progress& last) {
  const std::vector<SessionNetwork> networks = store.sessions().networks(session);
  std::vector<std::vector<std::string>> rows;
  const std::vector<DefinedTask> tasks = definedTasks(store, session);
  const bool some =
      std::ranges::any_of(tasks, [](const DefinedTask& task) { return !task.definition.empty(); });
  for (const DefinedTask& defined : tasks) {
    const TaskRow& task = defined.row;
    const TaskOutcome outcome = outcomeOf(store, task, session);
    const double best = outcome.bestSeconds, naive = outcome.naiveSeconds;
    rows.push_back({task.name, weightText(networks, task), formatSeconds(best),
                    formatSeconds(naive),
                    best > 0 && naive > 0 ? fmt::format("{:.1f}x", naive / best) : kUnknownText,
                    formatFlopRate(best > 0 ? task.flops / best : 0),
                    fmt::format("{}", outcome.trials), fmt::format("{}", outcome.errors)});
    if (some) rows.back().push_back(defined.definition.empty() || !defined.runs ? "" : "runs");
  }
  std::vector<std::string> columns{"task",     "weight", "best",   "naive",
                                   "speed-up", "rate",   "trials", "errors"};
  if (some) columns.emplace_back(); // which definition of an operator does
  printTable(columns, rows, {1, 2, 3, 4, 5, 6, 7});
  cli::print("\n");
  printNetworks(store, session, networks, last);
  cli::print("total {} (naive {}), {}, {}, {} in all, {} in kernels\n",
             formatSeconds(last.totalSeconds), formatSeconds(last.naiveTotalSeconds),
             quantity(last.trials, "trial"), quantity(last.errors, "error"),
             formatDuration(last.wallSeconds), formatDuration(last.kernelSeconds));
  cli::print("records: {}\n", store.path());
}

void reportUntuned(const RecordStore& store, RowId session) {
  std::vector<UntunedTask> failed;
  for (UntunedTask& task : untunedTasks(store, session))
    if (task.failed)
      failed.push_back(std::move(task));
    else
      cli::print(stderr, "{}: {}: {}\n", task.lacksTemplate ? "takes no trials" : "paused itself",
                 task.name, task.reason);
  if (failed.empty()) return;
  throw SystemError(fmt::format("{} of {} could not be tuned, and --resume tries {} again; "
                                "what was measured of the others is in {}\n{}",
                                failed.size(),
                                quantity(std::ssize(store.sessions().tasks(session)), "task"),
                                failed.size() == 1 ? "it" : "them", store.path(), inWords(failed)));
}

} // namespace nestwright::cli
