#include "core/story/session_contents.h"

#include "core/record/file/document_file.h"
#include "core/record/rows/task_groups.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/insight/compare_sessions.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/story/tuning_history.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace nestwright {

namespace {

/// What the window left in the file.
struct SeenLast {
  RowId session = 0; // 0: none
  Scope scope = Scope::WholeFile;
};

SeenLast seenLast(const std::string& viewState) {
  const nlohmann::json state = nlohmann::json::parse(viewState, nullptr, false);
  SeenLast seen;
  if (!state.is_object()) return seen;
  if (const auto id = state.find("session"); id != state.end() && id->is_number_integer())
    seen.session = id->get<RowId>();
  if (const auto name = state.find("scope"); name != state.end() && name->is_string())
    seen.scope = kScopeNames.find(name->get_ref<const std::string&>()).value_or(seen.scope);
  return seen;
}

/// What this session found of the task by itself. Records of logs were compared with nothing, so an
/// import has no best.
TaskSummary ownSummary(const RecordStore& store, const SessionRow& session, RowId task) {
  TaskSummary summary;
  summary.task = task;
  summary.bestSeconds = std::numeric_limits<double>::infinity();
  for (const VerdictCount& count : store.records().verdictCounts(session.id, task)) {
    summary.trials += count.records;
    if (count.verdict != Verdict::Ok) summary.errors += count.records;
  }
  if (summary.trials == summary.errors || isImport(session)) return summary;
  const SessionBest best = bestOf({&store, session.id}, task);
  summary.bestRecord = best.record;
  if (best.record != 0) summary.bestSeconds = best.seconds;
  return summary;
}

/// An import without records: shown first it would look like a loss.
bool isEmptyImport(const RecordStore& store, const SessionRow& session) {
  return isImport(session) && store.sessions().summary(session.id).trials == 0;
}

/// What a document opens on.
const SessionRow& openedOn(const RecordStore& store, const std::vector<SessionRow>& sessions,
                           RowId seenLast) {
  for (const SessionRow& row : sessions)
    if (row.id == seenLast && !isEmptyImport(store, row)) return row;
  for (auto row = sessions.rbegin(); row != sessions.rend(); ++row)
    if (!isEmptyImport(store, *row)) return *row;
  return sessions.back();
}

SessionContents readAtOnce(const RecordStore& store, RowId session, std::optional<Scope> scope,
                           ReadImported imported) {
  SessionContents contents;
  contents.viewState = kept(store.path(), kViewStateKey).value_or("");
  const SeenLast seen = seenLast(contents.viewState);
  contents.scope = scope.value_or(seen.scope);
  contents.sessions = store.sessions().all();
  if (contents.sessions.empty())
    throw InputError(
        "The file holds no session. Make one with New session and save it to this file.");
  const SessionRow* shown = &openedOn(store, contents.sessions, seen.session);
  for (const SessionRow& row : contents.sessions) {
    if (row.id == session) shown = &row;
  }
  contents.session = *shown;
  contents.config = configOf(*shown);
  contents.summary = store.sessions().summary(shown->id);
  contents.lastTrial = store.trials().last(shown->id).first;
  contents.networks = store.sessions().networks(shown->id);
  std::vector<std::string> names;
  for (const SessionNetwork& network : contents.networks)
    names.push_back(network.name);
  // A single operator is known by its text, which has its extents.
  const bool named = contents.networks.size() > 1 || shown->network != 0;
  contents.network =
      named ? fmt::format("{}", fmt::join(names, " + ")) : subjectText(contents.config);
  std::unordered_map<RowId, TaskSummary> summaries;
  for (const TaskSummary& summary : store.tasks().summaries())
    summaries[summary.task] = summary;
  for (const TaskRow& row : store.sessions().tasks(shown->id)) {
    TaskEntry entry;
    entry.row = row;
    entry.row.index = static_cast<int>(contents.tasks.size()); // among those of all networks
    entry.summary.task = row.id;
    entry.summary.bestSeconds = std::numeric_limits<double>::infinity();
    if (const auto found = summaries.find(row.id); found != summaries.end())
      entry.summary = found->second;
    entry.fileBestSeconds = entry.summary.bestSeconds;
    if (contents.scope == Scope::ThisSession) {
      const double naiveSeconds = entry.summary.naiveSeconds;
      entry.summary = ownSummary(store, *shown, row.id);
      entry.summary.naiveSeconds = naiveSeconds; // every session's measure
    }
    contents.tasks.push_back(std::move(entry));
  }
  std::vector<TaskRow> rows;
  for (const TaskEntry& entry : contents.tasks)
    rows.push_back(entry.row);
  const std::vector<std::size_t> definitions = definitionsAmong(rows);
  const std::vector<std::string> alternatives = alternativeNames(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    contents.tasks[i].alternative = alternatives[i];
    if (definitions[i] != i) contents.tasks[i].definition = rows[definitions[i]].id;
  }
  if (imported == ReadImported::Now)
    setImported(contents.tasks, store.tasks().fastestImported(shown->id));
  const TuningState tuning = tuningStateFromText(shown->schedulerState);
  contents.demandedTrials = tuning.demandedTrials;
  for (TaskEntry& entry : contents.tasks) {
    const auto memory = tuning.tasks.find(entry.row.id);
    if (memory == tuning.tasks.end()) continue;
    entry.importance = memory->second.importance;
    entry.exhausted = memory->second.exhausted;
    entry.mode = memory->second.mode;
    entry.pauseReason = memory->second.pauseReason;
    for (const NamedProgram& seed : memory->second.seeds)
      if (seed.record != 0) entry.seeds.push_back(seed.record);
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
    for (const TargetRow& row : store.targets().all())
      if (row.id == contents.tasks.front().row.target) {
        contents.target = row.text;
        contents.peakFlops = factsIfKnown(row).value_or(TargetFacts()).peakFlops();
      }
  return contents;
}

} // namespace

SessionContents readContents(const RecordStore& store, RowId session, std::optional<Scope> scope,
                             ReadImported imported) {
  SessionContents contents;
  store.atOneMoment([&] { contents = readAtOnce(store, session, scope, imported); });
  return contents;
}

void setImported(std::vector<TaskEntry>& tasks, const std::vector<FastestImported>& fastest) {
  std::unordered_map<RowId, FastestImported> imported;
  for (const FastestImported& of : fastest)
    imported[of.task] = of;
  for (TaskEntry& entry : tasks) {
    const auto found = imported.find(entry.row.id);
    entry.imported = found == imported.end() ? FastestImported() : found->second;
  }
}

TaskWeights::TaskWeights(const std::vector<SessionNetwork>& networks)
    : networks_(networks.size()), weights_(networks_) {
  for (std::size_t i = 0; i < networks_; ++i) {
    rows_.reserve(networks[i].weights.size());
    for (const TaskWeight& weight : networks[i].weights) {
      const auto [row, isNew] = rows_.try_emplace(weight.task, rows_.size() + 1);
      if (isNew) weights_.resize(weights_.size() + networks_);
      weights_[row->second * networks_ + i] = weight.weight;
    }
  }
}

std::span<const double> TaskWeights::of(RowId task) const {
  const auto found = rows_.find(task);
  const std::size_t row = found == rows_.end() ? 0 : found->second;
  return std::span(weights_).subspan(row * networks_, networks_);
}

std::vector<double> weightsOf(const std::vector<SessionNetwork>& networks, RowId task) {
  std::vector<double> weights;
  for (const SessionNetwork& network : networks) {
    weights.push_back(0);
    for (const TaskWeight& weight : network.weights)
      if (weight.task == task) weights.back() = weight.weight;
  }
  return weights;
}

namespace {

/// Infinity while there is none.
double bestSeconds(const TaskEntry& task) {
  return task.summary.bestRecord ? task.summary.bestSeconds : kUnknown;
}

} // namespace

std::vector<NetworkTotals> totalsOf(const std::vector<SessionNetwork>& networks,
                                    const std::vector<TaskEntry>& tasks) {
  const TaskWeights weights(networks);
  std::vector<NetworkTotals> totals(tasks.empty() ? 0 : networks.size());
  const std::vector<bool> counted = countedTasks(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    addTask(totals, weights.of(tasks[i].row.id),
            {bestSeconds(tasks[i]), tasks[i].summary.naiveSeconds, tasks[i].definition == 0,
             counted[i]});
  return totals;
}

std::vector<bool> countedTasks(const std::vector<TaskEntry>& tasks) {
  std::vector<std::size_t> definitions;
  std::vector<double> seconds;
  definitions.reserve(tasks.size());
  seconds.reserve(tasks.size());
  for (const TaskEntry& task : tasks) {
    const TaskEntry* definition = task.definition == 0 ? &task : taskIn(tasks, task.definition);
    definitions.push_back(
        static_cast<std::size_t>((definition ? definition : &task) - tasks.data()));
    seconds.push_back(bestSeconds(task));
  }
  return countedTasks(definitions, seconds);
}

bool countsInTotal(const std::vector<TaskEntry>& tasks, const TaskEntry& task) {
  if (task.alternative.empty()) return true;
  const RowId own = task.definition != 0 ? task.definition : task.row.id;
  // As countedTasks() has it, without looking at other operators: views ask it cell by cell.
  const TaskEntry* fastest = taskIn(tasks, own);
  for (const TaskEntry& other : tasks)
    if ((other.row.id == own || other.definition == own) &&
        bestSeconds(other) < (fastest ? bestSeconds(*fastest) : kUnknown))
      fastest = &other;
  return fastest && fastest->row.id == task.row.id;
}

double bestTotal(const std::vector<TaskEntry>& tasks) {
  const std::vector<bool> counted = countedTasks(tasks);
  double total = tasks.empty() ? kUnknown : 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (counted[i])
      total += tasks[i].summary.bestRecord ? tasks[i].row.weight * tasks[i].summary.bestSeconds
                                           : kUnknown;
  return total;
}

double presentTotal(const std::vector<TaskEntry>& tasks) {
  const std::vector<bool> counted = countedTasks(tasks);
  double total = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (const TaskSummary& of = tasks[i].summary; counted[i])
      total += tasks[i].row.weight * (of.bestRecord ? of.bestSeconds : of.naiveSeconds);
  return total;
}

int unmeasuredTasks(const std::vector<TaskEntry>& tasks) {
  const std::vector<bool> counted = countedTasks(tasks);
  int unmeasured = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (counted[i] && tasks[i].summary.bestRecord == 0 && tasks[i].summary.naiveSeconds <= 0)
      ++unmeasured;
  return unmeasured;
}

RowId makeSession(const std::string& file, const SessionConfig& config,
                  const WorkerLaunch& launch) {
  const bool existed = std::filesystem::exists(file);
  try {
    RecordStore store = RecordStore::open(file, OpenMode::Create);
    return createSession(store, config, launch);
  } catch (...) {
    std::error_code ignored;
    if (!existed)
      for (const char* part : {"", "-wal", "-shm"})
        std::filesystem::remove(file + part, ignored);
    throw;
  }
}

} // namespace nestwright
