#include "core/record/rows/task_groups.h"

#include <map>

namespace nestwright {

namespace {

/// What a key ends with.
std::string hashIn(const std::string& key) {
  const std::size_t mark = key.rfind('#');
  return mark == std::string::npos ? std::string() : key.substr(mark + 1);
}

} // namespace

std::vector<std::size_t> definitionsAmong(std::span<const TaskRow> tasks) {
  std::map<std::pair<RowId, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].definition.empty())
      places.emplace(std::pair(tasks[i].target, hashIn(tasks[i].key)), i);
  std::vector<std::size_t> definitions;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto found = tasks[i].definition.empty()
                           ? places.end()
                           : places.find(std::pair(tasks[i].target, tasks[i].definition));
    definitions.push_back(found == places.end() ? i : found->second);
  }
  return definitions;
}

std::vector<std::string> alternativeNames(std::span<const TaskRow> tasks) {
  const std::vector<std::size_t> definitions = definitionsAmong(tasks);
  std::vector<std::string> names(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    names[i] = tasks[i].alternative;
    if (definitions[i] != i) names[definitions[i]] = "direct";
  }
  return names;
}

} // namespace nestwright
