#include "core/story/decisions/decision_lines.h"

#include "core/record/format/record_program.h"
#include "core/session/run/row_contents.h"
#include "core/story/tuning_history.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

constexpr const char* kAbsent = "–";

/// A decision with its values, and which of these each program has.
struct DecisionColumn {
  std::string name, decision;
  std::vector<std::string> values;
  std::vector<std::size_t> of; // by program
  double importance = 0;       // by `by`
  double explained = 0;
};

/// Before its values are in order.
struct Gathered {
  std::string decision;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> values; // in order, with numbers
  std::vector<std::optional<std::pair<std::int64_t, std::string>>> of;
};

/// All columns in which programs differ, by the order in which their decisions were first met.
std::vector<DecisionColumn>
columnsOf(const std::vector<const std::vector<ProgramDecision>*>& programs) {
  std::vector<std::pair<std::string, Gathered>> found;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t program = 0; program < programs.size(); ++program)
    for (const ProgramDecision& decision : *programs[program]) {
      const auto [place, isNew] = places.try_emplace(decision.name, found.size());
      if (isNew) {
        found.emplace_back(decision.name, Gathered{decision.decision, {}, {}});
        found.back().second.of.resize(programs.size());
      }
      Gathered& gathered = found[place->second].second;
      gathered.of[program] = {decision.ordered, decision.value};
      gathered.values.try_emplace({decision.ordered, decision.value}, 0);
    }
  std::vector<DecisionColumn> columns;
  for (auto& [name, gathered] : found) {
    DecisionColumn column{name, gathered.decision, {}, {}, 0, 0};
    const bool isAbsent =
        std::ranges::any_of(gathered.of, [](const auto& value) { return !value; });
    if (isAbsent) column.values.push_back(kAbsent);
    for (auto& [value, number] : gathered.values) {
      number = column.values.size();
      column.values.push_back(value.second);
    }
    if (column.values.size() < 2) continue;
    for (const auto& value : gathered.of)
      column.of.push_back(value ? gathered.values.at(*value) : 0);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Sets the importance of all of them, 0 to 1, and says what it is.
ImportanceBy weigh(std::vector<DecisionColumn>& columns, const std::vector<KnobTrial>& trials,
                   std::span<const DecisionImportance> polished) {
  std::vector<double> seconds;
  for (const KnobTrial& trial : trials)
    seconds.push_back(trial.seconds);
  std::unordered_map<std::string, double> factors;
  double largest = 0;
  for (const DecisionImportance& one : polished) {
    factors[one.decision] = std::log(std::max(1.0, one.importance));
    largest = std::max(largest, factors[one.decision]);
  }
  for (DecisionColumn& column : columns) {
    column.explained = explainedShare(column.of, seconds);
    const auto factor = factors.find(column.decision);
    if (largest <= 0)
      column.importance = column.explained;
    else if (factor != factors.end())
      column.importance = factor->second / largest;
  }
  return largest > 0 ? ImportanceBy::Polish : ImportanceBy::Variation;
}

std::optional<std::vector<ProgramDecision>> decisionsIfLegal(const ComputeDag& dag,
                                                             const Steps& steps) {
  try {
    return decisionsOf(dag, steps);
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

} // namespace

std::optional<KnobTrial> sketchTrialOf(const Record& record) {
  if (record.original != 0 || isOfTemplate(record) || record.steps.empty()) return std::nullopt;
  KnobTrial trial = trialOf(record, traceOf(record));
  trial.steps = std::make_shared<const Steps>(record.steps);
  return trial;
}

double explainedShare(std::span<const std::size_t> groups, std::span<const double> seconds) {
  struct Sum {
    double total = 0, count = 0;
  };
  std::map<std::size_t, Sum> sums;
  Sum all;
  double squares = 0;
  std::optional<double> first; // beside which all are taken: logs that are alike would cancel
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!std::isfinite(seconds[i]) || seconds[i] <= 0) continue;
    if (!first) first = std::log(seconds[i]);
    const double time = std::log(seconds[i]) - *first;
    for (Sum* sum : {&all, &sums[groups[i]]}) {
      sum->total += time;
      ++sum->count;
    }
    squares += time * time;
  }
  const auto count = static_cast<double>(sums.size());
  if (sums.size() < 2 || all.count <= count) return 0;
  const double middle = all.total * all.total / all.count, total = squares - middle;
  double between = -middle;
  for (const auto& [group, sum] : sums)
    between += sum.total * sum.total / sum.count;
  if (total <= 1e-12 * squares) return 0; // they do not vary
  const double noise = (total - between) / (all.count - count);
  return std::clamp((between - (count - 1) * noise) / total, 0.0, 1.0);
}

DecisionLines decisionLines(const ComputeDag& dag, std::span<const KnobTrial> trials,
                            std::span<const DecisionImportance> polished, std::size_t mostAxes,
                            KnownDecisions& known) {
  DecisionLines result;
  std::vector<KnobTrial> readable;
  std::vector<const std::vector<ProgramDecision>*> programs;
  for (const KnobTrial& trial : trials) {
    if (!trial.steps) continue;
    auto found = known.find(trial.record);
    if (found == known.end())
      found = known.emplace(trial.record, decisionsIfLegal(dag, *trial.steps)).first;
    if (!found->second) {
      ++result.unreadable; // the search tried what is impossible
      continue;
    }
    readable.push_back(trial);
    programs.push_back(&*found->second);
  }
  std::vector<DecisionColumn> columns = columnsOf(programs);
  result.by = weigh(columns, readable, polished);
  result.decisions = columns.size();
  std::ranges::stable_sort(columns, [](const DecisionColumn& a, const DecisionColumn& b) {
    return a.importance != b.importance ? a.importance > b.importance : a.explained > b.explained;
  });
  if (columns.empty()) return result; // programs that do not differ are no lines
  if (mostAxes > 0 && columns.size() > mostAxes) columns.resize(mostAxes);
  for (const DecisionColumn& column : columns)
    result.lines.knobs.push_back({column.name, column.values, column.importance});
  for (std::size_t i = 0; i < readable.size(); ++i) {
    KnobLine& line = result.lines.lines.emplace_back();
    line.trial = readable[i];
    line.config = static_cast<std::int64_t>(i);
    for (std::size_t axis = 0; axis < columns.size(); ++axis)
      line.places.push_back(result.lines.knobs[axis].place(columns[axis].of[i]));
  }
  complete(result.lines);
  return result;
}

} // namespace nestwright
