#include "core/travel/travel_times.h"

#include "core/support/infinity.h"
#include "core/support/text.h"
#include "core/target/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace nestwright {

namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// The programs of the set by task, each in the order of its task, program and target.
std::vector<std::size_t> orderedPrograms(const RecordedData& data,
                                         const std::vector<std::optional<std::size_t>>& places) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < data.set.size(); ++i)
    if (places[data.set.outcomes[i].machine]) order.push_back(i);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const Outcome &left = data.set.outcomes[a], &right = data.set.outcomes[b];
    return std::tie(left.task, left.program, left.machine) <
           std::tie(right.task, right.program, right.machine);
  });
  return order;
}

/// The table of a task, from its programs in order.
TaskTimes tableOf(const RecordedData& data, std::span<const std::size_t> programs,
                  const std::vector<std::optional<std::size_t>>& places) {
  TaskTimes times;
  times.task = data.tasks[data.set.outcomes[programs.front()].task];
  std::vector<std::size_t> columns(data.set.machines.size()); // of the machines
  for (const std::size_t i : programs)
    times.targets.push_back(*places[data.set.outcomes[i].machine]);
  std::ranges::sort(times.targets);
  times.targets.erase(std::unique(times.targets.begin(), times.targets.end()), times.targets.end());
  for (std::size_t machine = 0; machine < columns.size(); ++machine)
    if (places[machine])
      columns[machine] = static_cast<std::size_t>(
          std::ranges::find(times.targets, *places[machine]) - times.targets.begin());
  times.best.assign(times.targets.size(), kInfinity);
  for (const std::size_t i : programs) {
    const Outcome& outcome = data.set.outcomes[i];
    if (times.programs.empty() || times.programs.back() != outcome.program) {
      times.programs.push_back(outcome.program);
      times.seconds.resize(times.seconds.size() + times.targets.size(), kNotMeasured);
      times.sources.resize(times.seconds.size());
    }
    const std::size_t column = columns[outcome.machine];
    const std::size_t place = (times.programs.size() - 1) * times.targets.size() + column;
    times.seconds[place] = outcome.seconds;
    times.sources[place] = data.sources[i];
    times.best[column] = std::min(times.best[column], outcome.seconds);
  }
  return times;
}

bool isShared(const TaskTimes& task) {
  for (std::size_t program = 0; program < task.programs.size(); ++program)
    if (std::ranges::count_if(task.of(program), [](double seconds) { return seconds > 0; }) > 1)
      return true;
  return false;
}

/// How the programs of one target come to another one of the same machine.
std::string bringOver(const TravelTimes& times, const std::string& file) {
  const TargetFacts facts = times.targets.empty() ? TargetFacts() : times.targets.front().facts;
  if (facts.gpu)
    return "import or merge records of the same programs on another GPU, or measure them there: "
           "nestwright measure --db " +
           shellWord(file) + " --target cuda";
  const InstructionSet other = facts.instructionSet == InstructionSet::Sse42
                                   ? InstructionSet::Native
                                   : InstructionSet::Sse42;
  return fmt::format("measure the same programs on a second one, as on another instruction set of "
                     "this machine: nestwright measure --db {} --isa {} --threads {}",
                     shellWord(file), name(other), facts.cores);
}

} // namespace

double TaskTimes::slowdown(std::size_t program, std::size_t target) const {
  const double seconds = of(program)[target];
  return std::isfinite(seconds) ? seconds / best[target] : seconds;
}

TravelTimes travelTimes(const RecordedData& data, std::span<const std::string> targets) {
  TravelTimes times;
  std::vector<std::optional<std::size_t>> places(data.targets.size()); // of the machines
  for (std::size_t machine = 0; machine < data.targets.size(); ++machine) {
    const DataTarget& target = data.targets[machine];
    if (!targets.empty() && std::ranges::none_of(targets, [&](const std::string& meant) {
          return isTargetMeant(target, meant);
        }))
      continue;
    places[machine] = times.targets.size();
    times.targets.push_back(target);
  }
  const std::vector<std::size_t> order = orderedPrograms(data, places);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const std::size_t task = data.set.outcomes[order[begin]].task;
    while (end < order.size() && data.set.outcomes[order[end]].task == task)
      ++end;
    TaskTimes table = tableOf(data, std::span(order).subspan(begin, end - begin), places);
    if (table.targets.size() < 2)
      ++times.onOneTarget;
    else
      times.tasks.push_back(std::move(table));
  }
  return times;
}

std::string travelProblem(const TravelTimes& times, const std::string& file) {
  if (times.targets.empty())
    return "none of the records is of a target that was asked for: look at --target";
  if (times.targets.size() == 1)
    return fmt::format("all records are of one target, {}: {}", times.targets.front().id,
                       bringOver(times, file));
  if (times.tasks.empty())
    return fmt::format("the records are of {} targets, and no task is on two of them: {}",
                       times.targets.size(), bringOver(times, file));
  if (std::ranges::none_of(times.tasks, isShared))
    return fmt::format("no program was measured on two of the {} targets: {}", times.targets.size(),
                       bringOver(times, file));
  return {};
}

} // namespace nestwright
