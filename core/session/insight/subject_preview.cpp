#include "core/session/insight/subject_preview.h"

#include "core/execute/network_runner.h"
#include "core/measure/worker_target.h"
#include "core/network/graph/spec.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/insight/missing_instruction.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace nestwright {

namespace {

/// With the key that record files know it by.
struct KeyedTask {
  PreviewedTask task;
  std::string key;
};

/// Equal work of two subjects is one task.
std::vector<KeyedTask> tasksOf(const std::vector<Subject>& subjects) {
  std::vector<KeyedTask> tasks;
  std::map<std::string, std::size_t> places;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks) {
      std::string key = workloadKey(task.dag);
      const auto [place, isNew] = places.emplace(key, tasks.size());
      if (isNew)
        tasks.push_back({{task.name, task.weight, flops(task.dag), {}}, std::move(key)});
      else
        tasks[place->second].task.weight += task.weight;
    }
  std::ranges::stable_sort(tasks, std::greater{},
                           [](const KeyedTask& one) { return one.task.weight * one.task.flops; });
  return tasks;
}

std::string fileOf(const std::string& subject) {
  return std::filesystem::exists(subject) ? subject : parseSpec(subject).name;
}

/// Finds the first file among the subjects that asks for operators which are not supported.
void findUnsupported(const std::vector<std::string>& subjects, SubjectPreview& preview) {
  for (const std::string& subject : subjects)
    try {
      const std::string file = fileOf(subject);
      if (!file.ends_with(".onnx")) continue;
      preview.unsupported = unsupportedOperators(file);
      preview.unsupportedIn = preview.unsupported.empty() ? std::string() : subject;
      if (!preview.unsupported.empty()) return;
    } catch (const InputError&) {
      // It is no model at all, which the problem itself says.
    }
}

/// Time and trials of sessions.
struct Spent {
  double seconds = 0;
  std::int64_t trials = 0;
};

void look(const RecordStore& store, RowId target, std::vector<KeyedTask>& tasks, Spent& spent) {
  for (KeyedTask& task : tasks) {
    const std::optional<TaskRow> row = store.tasks().find(task.key, target);
    if (!row) continue;
    const TaskSummary summary = store.tasks().summary(row->id);
    KnownBest& known = task.task.known;
    known.trials += summary.trials;
    if (summary.bestRecord == 0 || summary.bestSeconds >= known.seconds) continue;
    known.seconds = summary.bestSeconds;
    known.file = store.path();
  }
  std::map<RowId, RowId> targets;
  for (const TaskRow& task : store.tasks().all())
    targets[task.id] = task.target;
  for (const SessionRow& session : store.sessions().all()) {
    if (isImport(session) || session.wallSeconds <= 0) continue;
    const std::vector<SessionNetwork> networks = store.sessions().networks(session.id);
    if (networks.empty() || networks.front().weights.empty() ||
        targets[networks.front().weights.front().task] != target)
      continue;
    spent.seconds += session.wallSeconds;
    spent.trials += store.sessions().summary(session.id).trials;
  }
}

std::optional<TargetFacts> targetOf(const PreviewWish& wish, SubjectPreview& preview) {
  try {
    return knownTarget(wish.target, wish.measure, wish.launch);
  } catch (const Error& error) {
    preview.targetProblem = error.what();
    return std::nullopt;
  }
}

void remember(const PreviewWish& wish, const TargetFacts& target,
              const std::function<void()>& check, std::vector<KeyedTask>& tasks,
              SubjectPreview& preview) {
  Spent spent;
  for (const std::string& file : wish.memory) {
    check();
    if (!std::filesystem::exists(file)) continue;
    try {
      const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
      if (const RowId row = targetRow(store, target)) look(store, row, tasks, spent);
    } catch (const InputError&) {
      // A file that cannot be read knows nothing; whoever opens it is told why.
    }
  }
  if (spent.trials > 0) preview.secondsPerTrial = spent.seconds / double(spent.trials);
}

} // namespace

double SubjectPreview::flops() const {
  double sum = 0;
  for (const PreviewedTask& task : tasks)
    sum += task.weight * task.flops;
  return sum;
}

std::size_t SubjectPreview::knownTasks() const {
  return std::size_t(
      std::ranges::count_if(tasks, [](const PreviewedTask& task) { return task.known.isKnown(); }));
}

double SubjectPreview::knownSeconds() const {
  double sum = 0;
  for (const PreviewedTask& task : tasks)
    sum += task.weight * task.known.seconds;
  return sum;
}

SubjectPreview previewSubjects(const PreviewWish& wish, const std::function<void()>& check) {
  SubjectPreview preview;
  std::vector<Subject> subjects;
  std::vector<KeyedTask> tasks;
  try {
    subjects = resolveSubjects(wish.subjects);
    check();
    for (const Subject& subject : subjects)
      for (const SubjectTask& task : subject.unsearched)
        preview.unsearched += task.weight;
    tasks = tasksOf(subjects);
  } catch (const Error& error) {
    preview.problem = error.what();
    check();
    findUnsupported(wish.subjects, preview);
    return preview;
  }
  check();
  if (const std::optional<TargetFacts> target = targetOf(wish, preview)) {
    if (!wish.isElsewhere) preview.missingInstruction = missingInstruction(subjects, *target);
    remember(wish, *target, check, tasks, preview);
  }
  for (KeyedTask& task : tasks) {
    preview.suggestedTrials +=
        std::max(kLeastTrialsPerTask, kFullTrialsPerTask - task.task.known.trials);
    preview.tasks.push_back(std::move(task.task));
  }
  return preview;
}

} // namespace nestwright
