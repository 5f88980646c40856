#include "core/session/run/history/history_records.h"

#include "core/record/format/record_program.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning/session_records.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Without the mark of a recorded machine: its answers are times of the machine itself.
TargetFacts machineOf(TargetFacts facts) {
  facts.recorded = false;
  return facts;
}

/// Nothing for a task whose definition nobody told.
std::optional<ComputeDag> dagOf(const TaskRow& row) {
  try {
    return parseDag(row.dag);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Collects tasks and their configurations.
class Collector {
 public:
  explicit Collector(HistoryRecords& found) : found_(found) {}

  void add(const RecordStore& store, const TaskRow& row) {
    const std::optional<ComputeDag> dag = dagOf(row);
    if (!dag) return;
    RecordQuery query;
    query.task = row.id;
    forEachPage(store, query, [&](const std::vector<Record>& page) {
      for (const Record& record : page)
        if (!saysNothing(record.result.verdict) && !record.implausible) add(*dag, record);
    });
  }

 private:
  void add(const ComputeDag& dag, const Record& record) {
    try {
      const std::optional<TemplateConfig> config = templateConfigOf(dag, record);
      if (!config) return;
      RecordedTemplate& task = taskOf(dag, *config);
      if (const std::optional<std::int64_t> index = task.of.space.find(config->entities))
        task.configs.push_back({*index, record.result.latency(),
                                fmt::format("{} configuration {}", logKey(task.of), *index)});
    } catch (const InputError&) { // of a template that nobody knows, or of none of its versions
    }
  }

  RecordedTemplate& taskOf(const ComputeDag& dag, const TemplateConfig& config) {
    const std::string text = print(dag);
    for (RecordedTemplate& task : found_.tasks)
      if (task.of.kind->name == config.kind && task.of.version == config.version &&
          print(task.task) == text)
        return task;
    found_.tasks.push_back({dag, templateNamed(dag, config.kind, config.version), {}});
    return found_.tasks.back();
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
