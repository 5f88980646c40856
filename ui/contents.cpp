#include "ui/contents.h"

#include "core/session/tuning_state.h"
#include "core/support/error.h"
#include "ui/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace nestwright::ui {

Contents readContents(const RecordStore& store, RowId session) {
  Contents contents;
  contents.sessions = store.sessions();
  if (contents.sessions.empty())
    throw InputError(
        "The file holds no session. Make one with New session and save it to this file.");
  const SessionRow* shown = &contents.sessions.back();
  for (const SessionRow& row : contents.sessions) {
    if (row.id == session) shown = &row;
    if (!session && row.id > shown->id) shown = &row;
  }
  contents.session = *shown;
  contents.config = sessionConfigFromJson(nlohmann::json::parse(shown->config));
  contents.network = qs(subjectText(contents.config));
  contents.summary = store.sessionSummary(shown->id);
  for (const NetworkRow& row : store.networks())
    if (row.id == shown->network) contents.network = qs(row.name);
  const std::vector<TaskSummary> summaries = store.summaries();
  for (const TaskRow& row : store.sessionTasks(shown->id)) {
    TaskEntry entry;
    entry.row = row;
    entry.summary.task = row.id;
    entry.summary.bestSeconds = std::numeric_limits<double>::infinity();
    for (const TaskSummary& summary : summaries)
      if (summary.task == row.id) entry.summary = summary;
    contents.tasks.push_back(std::move(entry));
  }
  const TuningState tuning = tuningStateFromText(shown->schedulerState);
  for (TaskEntry& entry : contents.tasks) {
    const auto memory = tuning.tasks.find(entry.row.id);
    if (memory == tuning.tasks.end()) continue;
    entry.importance = memory->second.importance;
    entry.exhausted = qs(memory->second.exhausted);
  }
  std::vector<TaskEntry*> bySize;
  for (TaskEntry& entry : contents.tasks)
    bySize.push_back(&entry);
  std::stable_sort(bySize.begin(), bySize.end(), [](const TaskEntry* a, const TaskEntry* b) {
    return a->row.weight * a->row.flops > b->row.weight * b->row.flops;
  });
  for (std::size_t i = 0; i < bySize.size(); ++i)
    bySize[i]->rank = static_cast<int>(i);
  if (!contents.tasks.empty())
    for (const TargetRow& row : store.targets())
      if (row.id == contents.tasks.front().row.target) contents.target = qs(row.text);
  return contents;
}

RowId makeSession(const std::string& file, const SessionConfig& config) {
  const bool existed = std::filesystem::exists(file);
  try {
    RecordStore store = RecordStore::open(file, OpenMode::Create);
    return createSession(store, config);
  } catch (...) {
    std::error_code ignored;
    if (!existed)
      for (const char* part : {"", "-wal", "-shm"})
        std::filesystem::remove(file + part, ignored);
    throw;
  }
}

} // namespace nestwright::ui
