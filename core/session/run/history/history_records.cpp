#include "core/session/run/history/history_records.h"

#include "core/record/format/record_program.h"
#include "core/record/format/target_facts.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/record_pages.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Collects tasks and their configurations.
class Collector {
 public:
  explicit Collector(HistoryRecords& found) : found_(found) {}

  void add(const RecordStore& store, const TaskRow& row) {
    const std::optional<ComputeDag> dag = dagIfKnown(row);
    if (!dag) return;
    RecordPrograms programs(*dag);
    Places places;
    RecordQuery query;
    query.task = row.id;
    forEachPage(store, query, [&](const std::vector<Record>& page) {
      for (const Record& record : page)
        if (!saysNothing(record.result.verdict) && !record.implausible)
          add(*dag, record, programs, places);
    });
  }

 private:
  /// Where the configurations of a file's task are collected, by template and version.
  using Places = std::map<std::pair<std::string, TemplateVersion>, std::size_t>;

  void add(const ComputeDag& dag, const Record& record, RecordPrograms& programs, Places& places) {
    try {
      const std::optional<TemplateConfig> config = programs.config(record);
      if (!config) return;
      const std::pair of(config->kind, config->version);
      auto place = places.find(of);
      if (place == places.end())
        place = places.emplace(of, placeOf(dag, programs.templateOf(*config))).first;
      RecordedTemplate& task = found_.tasks[place->second];
      if (const std::optional<std::int64_t> index = task.of.space.find(config->entities))
        task.configs.push_back({*index, record.result.latency(),
                                fmt::format("{} configuration {}", logKey(task.of), *index)});
    } catch (const InputError&) { // of a template that nobody knows, or of none of its versions
    }
  }

  /// Other files may have the task, too.
  std::size_t placeOf(const ComputeDag& dag, const TaskTemplate& of) {
    const std::string text = print(dag);
    for (std::size_t i = 0; i < found_.tasks.size(); ++i)
      if (const RecordedTemplate& task = found_.tasks[i]; task.of.kind->name == of.kind->name &&
                                                          task.of.version == of.version &&
                                                          print(task.task) == text)
        return i;
    found_.tasks.push_back({dag, of, {}});
    return found_.tasks.size() - 1;
  }

  HistoryRecords& found_;
};

RecordStore openHistory(const std::string& file) {
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format("cost models are to learn from the records of {}, and there is no "
                                 "such file",
                                 file));
  return RecordStore::open(file, OpenMode::ReadOnly);
}

} // namespace

HistoryRecords historyRecords(const std::vector<std::string>& files, const TargetFacts& target) {
  const std::string machine = machineOf(target).id();
  HistoryRecords found;
  Collector collector(found);
  std::set<std::string> read;
  for (const std::string& file : files) {
    const RecordStore store = openHistory(file);
    if (!read.insert(std::filesystem::canonical(file)).second) continue;
    std::set<RowId> ofMachine;
    for (const TargetRow& row : store.targets().all())
      if (const std::optional<TargetFacts> facts = factsIfKnown(row);
          facts && machineOf(*facts).id() == machine)
        ofMachine.insert(row.id);
    for (const TaskRow& row : store.tasks().all())
      if (ofMachine.contains(row.target))
        collector.add(store, row);
      else
        found.elsewhere += store.records().total(row.id);
  }
  return found;
}

} // namespace nestwright
