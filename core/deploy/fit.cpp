#include "core/deploy/fit.h"

#include "core/record/format/target_facts.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/support/name_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace nestwright {

namespace {

constexpr NameTable<TaskFit, 3> kFits = {{"never", "compatible", "here"}};

struct KnownTarget {
  TargetRow row;
  TaskFit fit = TaskFit::Never;
};

/// What records of the target are worth on this machine. A target of an imported log may have no
/// facts, and of such a one nothing is known.
TaskFit worthOf(const TargetRow& row, const TargetFacts& machine) {
  if (row.key == machine.id()) return TaskFit::Here;
  const std::optional<TargetFacts> facts = factsIfKnown(row);
  const bool runs = facts && facts->backend == machine.backend && !facts->gpu && !facts->recorded &&
                    facts->lowering == machine.lowering && !facts->features.empty() &&
                    std::ranges::all_of(facts->features, [&](const std::string& feature) {
                      return std::ranges::find(machine.features, feature) != machine.features.end();
                    });
  return runs ? TaskFit::Compatible : TaskFit::Never;
}

} // namespace

const char* name(TaskFit fit) {
  return kFits.of(fit);
}

std::size_t FitReport::count(TaskFit fit) const {
  return static_cast<std::size_t>(std::ranges::count(tasks, fit, &FittingTask::fit));
}

double FitReport::tunedShare() const {
  return tasks.empty()
             ? 1
             : static_cast<double>(count(TaskFit::Here)) / static_cast<double>(tasks.size());
}

FitReport fitOf(const std::string& text, const RecordStore& store, const TargetFacts& machine) {
  const Subject subject = resolveSubject(text, Alternatives::All);
  std::vector<KnownTarget> targets;
  for (const TargetRow& row : store.targets().all())
    targets.push_back({row, worthOf(row, machine)});
  FitReport report{subject.spec, machine.text(), {}};
  std::map<std::string, std::size_t> places; // of operators, by the hash of their definitions
  for (const SubjectTask& task : subject.tasks) {
    const std::string key = workloadKey(task.dag);
    const std::optional<AlternativeOf> other = alternativeOf(task.dag);
    const auto [place, isNew] =
        places.emplace(other ? other->definition : workloadHash(task.dag), report.tasks.size());
    if (isNew) {
      report.tasks.emplace_back().name = task.name;
      report.tasks.back().weight = task.weight;
    }
    // An operator is tuned where one of its definitions is.
    FittingTask& fitting = report.tasks[place->second];
    for (const KnownTarget& target : targets) {
      if (target.fit < fitting.fit || target.fit == TaskFit::Never) continue;
      const std::optional<TaskRow> row = store.tasks().find(key, target.row.id);
      if (!row) continue;
      const TaskSummary summary = store.tasks().summary(row->id);
      if (summary.bestRecord == 0) continue;
      if (target.fit == fitting.fit && !(other && summary.bestSeconds < fitting.seconds)) continue;
      if (other && !isNew) fitting.name = task.name; // that one runs
      fitting.fit = target.fit;
      fitting.target = target.row.text;
      fitting.seconds = summary.bestSeconds;
      fitting.record = summary.bestRecord;
    }
  }
  return report;
}

nlohmann::json toJson(const FitReport& report) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const FittingTask& task : report.tasks)
    tasks.push_back(
        {{"name", task.name},
         {"weight", task.weight},
         {"fit", name(task.fit)},
         {"record", task.record ? nlohmann::json(task.record) : nlohmann::json()},
         {"target", task.target.empty() ? nlohmann::json() : nlohmann::json(task.target)},
         {"seconds", task.seconds > 0 ? nlohmann::json(task.seconds) : nlohmann::json()}});
  return {{"subject", report.subject},
          {"target", report.target},
          {"here", report.count(TaskFit::Here)},
          {"compatible", report.count(TaskFit::Compatible)},
          {"never", report.count(TaskFit::Never)},
          {"tuned_share", report.tunedShare()},
          {"tasks", std::move(tasks)}};
}

} // namespace nestwright
