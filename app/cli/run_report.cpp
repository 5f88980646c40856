#include "app/cli/run_report.h"

#include "app/cli/output.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace nestwright::cli {

using nlohmann::json;

namespace {

constexpr ProgramKind kPrograms[] = {ProgramKind::Tuned, ProgramKind::Sampled, ProgramKind::Naive};

double shareOf(const RunReport& report, ProgramKind program) {
  return report.shares[static_cast<std::size_t>(program)];
}

/// Seconds spent in each task in the profiled run.
std::vector<double> taskSeconds(const LatencyProfile& profile, const Partition& partition) {
  std::vector<double> seconds(partition.tasks.size(), 0);
  for (std::size_t i = 0; i < profile.groups.size(); ++i)
    seconds[static_cast<std::size_t>(partition.groups[i].task)] += profile.groups[i];
  return seconds;
}

json tasksJson(const RunReport& report, const BuiltNetwork& built) {
  json tasks = json::array();
  for (std::size_t i = 0; i < built.tasks.size(); ++i)
    tasks.push_back({{"name", built.tasks[i].name},
                     {"weight", built.tasks[i].weight},
                     {"origin", name(built.tasks[i].origin)},
                     {"program", name(built.tasks[i].program)},
                     {"tuned_elsewhere", built.tasks[i].tunedElsewhere},
                     {"record", built.tasks[i].record},
                     {"best_record", built.tasks[i].bestRecord},
                     {"tf32", built.tasks[i].tf32},
                     {"passed_over", built.tasks[i].passedOver},
                     {"passed_over_because", name(built.tasks[i].why)},
                     {"seconds", report.perTask[i]}});
  return tasks;
}

/// In the order in which they run.
json groupsJson(const RunReport& report, const Partition& partition, const BuiltNetwork& built) {
  json groups = json::array();
  for (std::size_t i = 0; i < partition.groups.size(); ++i) {
    const TaskGroup& group = partition.groups[i];
    groups.push_back({{"name", group.name},
                      {"task", group.task},
                      {"program", name(built.tasks[static_cast<std::size_t>(group.task)].program)},
                      {"seconds", report.profile.groups[i]}});
  }
  return groups;
}

json sharesJson(const RunReport& report) {
  json shares = json::object();
  for (const ProgramKind program : kPrograms)
    shares[name(program)] = shareOf(report, program);
  return shares;
}

/// "3 tuned tasks (81.2 % of the time), 1 sampled one (2.0 %), ...".
std::string programsText(const RunReport& report, const BuiltNetwork& built) {
  std::vector<std::string> parts;
  for (const ProgramKind program : kPrograms)
    if (const auto tasks = std::ranges::count(built.tasks, program, &BuiltTask::program))
      parts.push_back(fmt::format("{} ({:.1f} % of the time)",
                                  quantity(tasks, fmt::format("{} task", name(program))),
                                  100 * shareOf(report, program)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string originText(const BuiltTask& task) {
  std::string text = name(task.origin);
  if (task.tunedElsewhere) text += ", tuned on another machine";
  if (task.tf32) text += ", TF32";
  if (task.origin == KernelOrigin::Fallback) text += fmt::format(": {}", name(task.program));
  return text;
}

/// The slowest task first.
void printProfile(const RunReport& report, const BuiltNetwork& built) {
  std::vector<std::size_t> order(built.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return report.perTask[a] > report.perTask[b];
  });
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t i : order)
    rows.push_back({fmt::format("{}", i), built.tasks[i].name,
                    fmt::format("{:g}", built.tasks[i].weight), formatSeconds(report.perTask[i]),
                    fmt::format("{:.1f} %", 100 * report.perTask[i] / report.profile.total),
                    originText(built.tasks[i])});
  printTable({"#", "task", "weight", "time", "share", "program"}, rows, {0, 2, 3, 4});
  cli::print("\na profiled run took {}, {:.1f} % of it in these tasks\n",
             formatSeconds(report.profile.total), 100 * report.explained);
}

const char* reasonOf(NetworkRefusal why) {
  if (why == NetworkRefusal::Tf32)
    return "rounds float32 factors to TF32 and was passed over; --tf32 allows it";
  return "is a template's program and was passed over: it expects its inputs in layouts that a "
         "network does not give it";
}

/// Faster programs that do not run.
void printPassedOver(const BuiltNetwork& built) {
  for (const BuiltTask& task : built.tasks)
    if (task.passedOver != 0)
      cli::print("{}: its best, record {}, {}\n", task.name, task.passedOver, reasonOf(task.why));
}

/// Which programs it runs with, when they are not simply each task's best.
void printChoice(const BuiltNetwork& built) {
  if (!built.choice) return;
  const auto others = std::ranges::count_if(
      built.tasks, [](const BuiltTask& task) { return task.record != task.bestRecord; });
  cli::print("runs with the combination kept from recombination {}: {} of {} with another "
             "program than their best; --best runs with the bests\n",
             built.choice->recombination, others,
             quantity(std::ssize(built.choice->programs), "task"));
}

} // namespace

void addShares(RunReport& report, const Partition& partition, const BuiltNetwork& built) {
  report.perTask = taskSeconds(report.profile, partition);
  const double all = std::accumulate(report.perTask.begin(), report.perTask.end(), 0.0);
  double untuned = 0;
  for (std::size_t i = 0; i < built.tasks.size(); ++i) {
    if (built.tasks[i].origin != KernelOrigin::Tuned) untuned += report.perTask[i];
    if (all > 0)
      report.shares[static_cast<std::size_t>(built.tasks[i].program)] += report.perTask[i] / all;
  }
  report.untunedShare = all > 0 ? untuned / all : 0;
  report.explained = report.profile.total > 0 ? all / report.profile.total : 0;
}

json toJson(const RunReport& report, const Partition& partition, const BuiltNetwork& built) {
  const ExecutionPlan& plan = built.executor.plan();
  const auto orNull = [](const auto& value) { return value ? json(*value) : json(nullptr); };
  json document{{"network", report.network},
                {"target", report.target},
                {"latency_seconds", median(report.repeats)},
                {"repeats", report.repeats},
                {"copy_in_seconds", nullptr},
                {"copy_out_seconds", nullptr},
                {"untuned_share", report.untunedShare},
                {"program_shares", sharesJson(report)},
                {"profiled_seconds", report.profile.total},
                {"explained_share", report.explained},
                {"constant_bytes", plan.constantBytes},
                {"peak_arena_bytes", plan.arenaBytes},
                {"tasks", tasksJson(report, built)},
                {"groups", groupsJson(report, partition, built)},
                {"recombination", built.choice ? json(built.choice->recombination) : json(nullptr)},
                {"checked_against",
                 report.checkedAgainst.empty() ? json(nullptr) : json(report.checkedAgainst)},
                {"relative_error", orNull(report.relativeError)}};
  if (!report.uncheckedReason.empty()) document["unchecked_reason"] = report.uncheckedReason;
  if (report.copies) {
    document["copy_in_seconds"] = report.copies->in;
    document["copy_out_seconds"] = report.copies->out;
  }
  if (report.expectedError) document["expected_error"] = *report.expectedError;
  if (report.precisionError) document["precision_error"] = *report.precisionError;
  return document;
}

void printReport(const RunReport& report, const BuiltNetwork& built, bool profile) {
  if (profile) printProfile(report, built);
  printChoice(built);
  printPassedOver(built);
  const auto [low, high] = std::minmax_element(report.repeats.begin(), report.repeats.end());
  cli::print("{}: {} (median of {}, {} to {}), {:.1f} % of the time not tuned\n", report.network,
             formatSeconds(median(report.repeats)), report.repeats.size(), formatSeconds(*low),
             formatSeconds(*high), 100 * report.untunedShare);
  cli::print("on {}, with {}\n", report.target, programsText(report, built));
  if (const auto elsewhere = std::ranges::count_if(built.tasks, &BuiltTask::tunedElsewhere))
    cli::print("{} of {} tasks run as a fallback though {} has programs for them, of another "
               "machine; --profile lists them\n",
               elsewhere, built.tasks.size(), report.database);
  if (const auto rounding = std::ranges::count_if(built.tasks, &BuiltTask::tf32))
    cli::print("{} of {} tasks round float32 factors to TF32: not to be compared with times of "
               "float32\n",
               rounding, built.tasks.size());
  const ExecutionPlan& plan = built.executor.plan();
  cli::print("memory: {} of activations at the peak, {} of constants\n",
             formatBytes(static_cast<double>(plan.arenaBytes)),
             formatBytes(static_cast<double>(plan.constantBytes)));
  if (report.copies)
    cli::print("by the device's clock, without what it takes the host to start a run; beside the "
               "latency: {} for the inputs to the device, {} for the outputs back\n",
               formatSeconds(report.copies->in), formatSeconds(report.copies->out));
  if (report.relativeError)
    cli::print("relative error against the {}: {:.3g}\n",
               report.checkedAgainst == "onnx"     ? "nodes of the ONNX file, one by one"
               : report.checkedAgainst == "device" ? "naive network on the same device"
                                                   : "naive network",
               *report.relativeError);
  if (report.precisionError)
    cli::print("deviation of bfloat16 from float32: {:.3g}\n", *report.precisionError);
  if (!report.uncheckedReason.empty())
    cli::print("not compared with anything: {}\n", report.uncheckedReason);
  if (report.expectedError)
    cli::print("relative error against the expected output: {:.3g}\n", *report.expectedError);
}

} // namespace nestwright::cli
