#include "core/model/data_set.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace nestwright {
namespace {

/// Index of `name` in the list, appended when it is new. The newest names are the likeliest.
std::size_t indexOf(std::vector<std::string>& list, std::string_view name) {
  const auto found = std::find(list.rbegin(), list.rend(), name);
  if (found != list.rend()) return static_cast<std::size_t>(list.rend() - found) - 1;
  list.emplace_back(name);
  return list.size() - 1;
}

bool allFinite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

/// Collects the faults of one set.
class Inspector {
 public:
  explicit Inspector(const DataSet& set) : set_(set) { faults_.programs = set.size(); }

  DataSetFaults run() {
    if (set_.entries.size() != set_.size() || set_.features.programs() != set_.size() ||
        (!set_.labels.empty() && set_.labels.size() != set_.size())) {
      faults_.lengthsDiffer = true;
      faults_.firstFault =
          fmt::format("{} beside {} and {}", quantity(std::int64_t(set_.size()), "result"),
                      quantity(std::ssize(set_.entries), "program name"),
                      quantity(std::int64_t(set_.features.programs()), "feature block"));
      return faults_;
    }
    for (std::size_t i = 0; i < set_.size(); ++i)
      inspect(i);
    return faults_;
  }

 private:
  void count(std::size_t& counter, std::size_t program, const std::string& what) {
    ++counter;
    if (faults_.firstFault.empty())
      faults_.firstFault =
          fmt::format("program {} ({}): {}", program, set_.outcomes[program].program, what);
  }

  void inspect(std::size_t i) {
    const FeatureEntry& entry = set_.entries[i];
    const Outcome& outcome = set_.outcomes[i];
    if (entry.program != outcome.program)
      count(faults_.foreignProgram, i, fmt::format("its features are of {}", entry.program));
    if (entry.task != outcome.task || outcome.task >= set_.tasks.size())
      count(faults_.foreignTask, i, "its features and its result name different or unknown tasks");
    if (set_.features.contentHash(i) != entry.content)
      count(faults_.changedRows, i, "its rows are not the ones that were computed for it");
    const auto [earlier, isNew] = contents_.emplace(entry.program, entry.content);
    if (!isNew && earlier->second != entry.content)
      count(faults_.contradictory, i, "an earlier block of the same program holds other features");
    if (!allFinite(set_.features.program(i)))
      count(faults_.notFinite, i, "a feature is not a finite number");
    if (!(outcome.seconds > 0)) count(faults_.badSeconds, i, "its time is not positive");
    if (outcome.machine >= set_.machines.size() || outcome.machine != set_.outcomes.front().machine)
      count(faults_.foreignMachine, i, "it was measured on another machine than the first program");
  }

  const DataSet& set_;
  DataSetFaults faults_;
  std::unordered_map<std::string_view, std::uint64_t> contents_;
};

} // namespace

void DataSet::add(std::string_view task, std::string_view program, std::string_view machine,
                  std::span<const float> rows, double seconds) {
  features.add(rows);
  const std::size_t taskIndex = indexOf(tasks, task);
  entries.push_back(
      {taskIndex, std::string(program), features.contentHash(features.programs() - 1)});
  outcomes.push_back({taskIndex, std::string(program), indexOf(machines, machine), seconds});
}

std::vector<float> select(const std::vector<float>& values, std::span<const std::size_t> programs) {
  std::vector<float> selected;
  selected.reserve(programs.size());
  for (const std::size_t program : programs)
    selected.push_back(values[program]);
  return selected;
}

DataSet select(const DataSet& set, std::span<const std::size_t> programs) {
  DataSet selected(set.features.columns());
  selected.tasks = set.tasks;
  selected.machines = set.machines;
  selected.features = select(set.features, programs);
  selected.entries.reserve(programs.size());
  selected.outcomes.reserve(programs.size());
  for (const std::size_t program : programs) {
    selected.entries.push_back(set.entries[program]);
    selected.outcomes.push_back(set.outcomes[program]);
  }
  if (!set.labels.empty()) selected.labels = select(set.labels, programs);
  return selected;
}

std::vector<double> bestSeconds(const DataSet& set) {
  std::vector<double> best(set.tasks.size(), kInfinity);
  for (const Outcome& outcome : set.outcomes)
    best[outcome.task] = std::min(best[outcome.task], outcome.seconds);
  return best;
}

std::vector<float> normalisedThroughput(const DataSet& set) {
  const std::size_t machines = std::max<std::size_t>(1, set.machines.size());
  std::vector<double> best(set.tasks.size() * machines, kInfinity);
  const auto bestOf = [&](const Outcome& outcome) -> double& {
    return best[outcome.task * machines + outcome.machine];
  };
  for (const Outcome& outcome : set.outcomes)
    bestOf(outcome) = std::min(bestOf(outcome), outcome.seconds);
  std::vector<float> labels;
  labels.reserve(set.size());
  for (const Outcome& outcome : set.outcomes)
    labels.push_back(outcome.failed() ? 0.0F
                                      : static_cast<float>(bestOf(outcome) / outcome.seconds));
  return labels;
}

std::vector<float> labelsToLearn(const DataSet& set) {
  return set.labels.empty() ? normalisedThroughput(set) : set.labels;
}

bool DataSetFaults::sound() const {
  return !lengthsDiffer && foreignProgram + foreignTask + changedRows + contradictory + notFinite +
                                   badSeconds + foreignMachine ==
                               0;
}

std::string DataSetFaults::text() const {
  if (sound()) return quantity(std::int64_t(programs), "program") + ", no faults";
  if (lengthsDiffer) return fmt::format("its lists do not belong together: {}", firstFault);
  std::vector<std::string> parts;
  const auto part = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  part(foreignProgram, "with the features of another program");
  part(foreignTask, "with the features of another task");
  part(changedRows, "with rows that were not computed for them");
  part(contradictory, "with other features than an earlier block of the same program");
  part(notFinite, "with features that are not finite numbers");
  part(badSeconds, "with a time that is not positive");
  part(foreignMachine, "measured on another machine than the first");
  return fmt::format("of {} {}; first: {}", quantity(std::int64_t(programs), "program"),
                     fmt::join(parts, ", "), firstFault);
}

DataSetFaults findFaults(const DataSet& set) {
  return Inspector(set).run();
}

void requireSound(const DataSet& set, std::size_t columns) {
  if (columns != 0 && set.features.columns() != columns)
    throw InputError(fmt::format("the training data is refused: its rows have {}, the "
                                 "model reads {}",
                                 quantity(std::int64_t(set.features.columns()), "feature"),
                                 columns));
  const DataSetFaults faults = findFaults(set);
  if (!faults.sound())
    throw InputError(fmt::format("the training data is refused: {}. Compute the features again "
                                 "from the records' own steps.",
                                 faults.text()));
}

} // namespace nestwright
