#include "core/record/query/record_groups.h"

#include <algorithm>

namespace nestwright {

namespace {

struct Known {
  const char* name;
  GroupBy by;
  FilterField field;
};
constexpr Known kKnown[] = {
    {"task", GroupBy::Task, FilterField::Task},
    {"operator", GroupBy::Operator, FilterField::Task},
    {"network", GroupBy::Network, FilterField::Network},
    {"target", GroupBy::Target, FilterField::Target},
    {"session", GroupBy::Session, FilterField::Session},
    {"error", GroupBy::Error, FilterField::Error},
    {"tag", GroupBy::Tag, FilterField::Tag},
};

const Known& known(GroupBy by) {
  return *std::find_if(std::begin(kKnown), std::end(kKnown),
                       [&](const Known& one) { return one.by == by; });
}

/// "=Conv" or "Conv *": all tasks of an operator.
bool isOperator(const FilterValue& value) {
  const std::string_view text = value.text;
  const std::string_view word = text.starts_with('=')  ? text.substr(1)
                                : text.ends_with(" *") ? text.substr(0, text.size() - 2)
                                                       : std::string_view();
  return !word.empty() && word.find_first_of(" *?") == std::string_view::npos;
}

bool isAbout(GroupBy by, const FilterCondition& condition) {
  if (condition.field != fieldOf(by)) return false;
  const bool operators = condition.field == FilterField::Task &&
                         std::all_of(condition.values.begin(), condition.values.end(), isOperator);
  return by == GroupBy::Operator ? operators : by == GroupBy::Task ? !operators : true;
}

/// Which of the two a condition is about; of the same field both may be there.
GroupBy groupingOf(const FilterCondition& condition) {
  if (condition.field == FilterField::Task)
    return isAbout(GroupBy::Operator, condition) ? GroupBy::Operator : GroupBy::Task;
  return std::find_if(std::begin(kKnown), std::end(kKnown),
                      [&](const Known& one) { return one.field == condition.field; })
      ->by;
}

bool holds(const FilterCondition& condition, const FilterValue& value) {
  return std::find(condition.values.begin(), condition.values.end(), value) !=
         condition.values.end();
}

bool holdsAll(const FilterCondition& condition, const FilterCondition& group) {
  return std::all_of(group.values.begin(), group.values.end(),
                     [&](const FilterValue& value) { return holds(condition, value); });
}

/// Takes the group's values out of the conditions of this sign; true when some had them.
bool takeOut(RecordFilter& filter, const FilterCondition& group, bool negated) {
  bool had = false;
  for (FilterCondition& condition : filter.conditions) {
    if (condition.field != group.field || condition.negated != negated ||
        !holdsAll(condition, group))
      continue;
    had = true;
    std::erase_if(condition.values, [&](const FilterValue& value) { return holds(group, value); });
  }
  std::erase_if(filter.conditions,
                [](const FilterCondition& condition) { return condition.values.empty(); });
  return had;
}

} // namespace

const char* name(GroupBy by) {
  return known(by).name;
}

GroupBy groupByNamed(std::string_view name) {
  std::string all;
  for (const Known& one : kKnown) {
    if (name == one.name) return one.by;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  throw UsageError(fmt::format("records cannot be grouped by \"{}\"; there are {}", name, all));
}

FilterField fieldOf(GroupBy by) {
  return known(by).field;
}

std::string_view operatorOf(std::string_view taskName) {
  return taskName.substr(0, taskName.find(' '));
}

GroupChoice choiceOf(const RecordFilter& filter, const FilterCondition& group) {
  GroupChoice choice = GroupChoice::Open;
  for (const FilterCondition& condition : filter.conditions) {
    if (condition.field != group.field || !holdsAll(condition, group)) continue;
    if (condition.negated != group.negated) return GroupChoice::Excluded;
    choice = GroupChoice::Chosen;
  }
  return choice;
}

RecordFilter toggled(const RecordFilter& filter, const FilterCondition& group, bool exclude) {
  RecordFilter next = filter;
  const GroupChoice before = choiceOf(filter, group);
  takeOut(next, group, true);
  takeOut(next, group, false);
  const GroupChoice wanted = exclude ? GroupChoice::Excluded : GroupChoice::Chosen;
  if (before == wanted || (before == GroupChoice::Excluded && !exclude)) return next;
  FilterCondition added = group;
  added.negated = group.negated != exclude;
  // The group of those that have none is told by a negation: it can only stand alone.
  const GroupBy by = groupingOf(group);
  std::erase_if(next.conditions, [&](const FilterCondition& condition) {
    return isAbout(by, condition) && !exclude &&
           (group.negated || condition.values == std::vector<FilterValue>{{.text = "*"}});
  });
  for (FilterCondition& condition : next.conditions)
    if (!group.negated && condition.negated == added.negated && isAbout(by, condition)) {
      condition.values.insert(condition.values.end(), added.values.begin(), added.values.end());
      return next;
    }
  next.conditions.push_back(std::move(added));
  return next;
}

RecordFilter without(const RecordFilter& filter, GroupBy by) {
  RecordFilter rest = filter;
  std::erase_if(rest.conditions,
                [&](const FilterCondition& condition) { return isAbout(by, condition); });
  return rest;
}

RecordFilter only(const RecordFilter& filter, const RecordGroup& group) {
  RecordFilter next = filter;
  for (const FilterCondition& one : group.conditions)
    std::erase_if(next.conditions,
                  [&](const FilterCondition& condition) { return condition.field == one.field; });
  next.conditions.insert(next.conditions.end(), group.conditions.begin(), group.conditions.end());
  return next;
}

} // namespace nestwright
