#include "core/session/run/history/session_history.h"

#include "core/feature/template_features.h"
#include "core/session/run/config_learner.h"
#include "core/session/run/history/history_records.h"
#include "core/session/run/session_template.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// A task of the session with the template that is searched, and which tasks of the history its
/// cost model can learn from.
struct Learning {
  const SubjectTask* task = nullptr;
  TaskTemplate of;
  std::vector<std::size_t> from;
  std::size_t records = 0;
};

/// The files' records, and what is learned from them for one task or another.
class History {
 public:
  History(const SessionConfig& config, const TargetFacts& target)
      : config_(config), target_(target.id()), kind_(templateFeatureKind(config.templateFeatures)),
        records_(historyRecords(config.history, target)), rows_(records_.tasks.size()) {}

  /// Each task once.
  std::vector<Learning> learnings(const std::vector<Subject>& subjects) const {
    const std::vector<std::string> names = templateNames(config_.templates);
    std::vector<Learning> found;
    std::set<std::string> seen;
    for (const Subject& subject : subjects)
      for (const SubjectTask& task : subject.tasks) {
        if (!seen.insert(workloadKey(task.dag)).second) continue;
        const TemplateMachine machine = templateMachine(config_.target);
        if (ChosenTemplate chosen = chosenTemplate(task.dag, names, machine); chosen.of)
          found.push_back(learningOf(task, std::move(*chosen.of)));
      }
    return found;
  }

  /// A cost model that learned from these tasks, saved. Most tasks learn from the same.
  const std::string& modelFrom(const std::vector<std::size_t>& tasks) {
    std::string& saved = models_[tasks];
    if (!saved.empty()) return saved;
    const std::unique_ptr<CostModel> model = untaughtModel(config_);
    model->learnHistory(dataSet(tasks));
    return saved = model->save();
  }

  std::int64_t elsewhere() const { return records_.elsewhere; }

 private:
  Learning learningOf(const SubjectTask& task, TaskTemplate of) const {
    std::set<std::string> own; // what logs call the task, by whichever template
    for (const TaskTemplate& one : templatesFor(task.dag, of.version, of.kind->machine).fitting)
      own.insert(logKey(one));
    Learning learning{&task, std::move(of), {}, 0};
    for (std::size_t i = 0; i < records_.tasks.size(); ++i) {
      const RecordedTemplate& other = records_.tasks[i];
      const bool isAlike =
          kind_ == TemplateFeatureKind::Curve ||
          (other.of.kind == learning.of.kind && other.of.version == learning.of.version);
      if (!isAlike || own.contains(logKey(other.of))) continue;
      learning.from.push_back(i);
      learning.records += other.configs.size();
    }
    return learning;
  }

  /// Of each of the task's configurations; computed once.
  const std::vector<std::vector<float>>& rowsOf(std::size_t task) {
    std::optional<std::vector<std::vector<float>>>& rows = rows_[task];
    if (rows) return *rows;
    const RecordedTemplate& recorded = records_.tasks[task];
    std::vector<std::int64_t> configs;
    for (const MeasuredConfig& measured : recorded.configs)
      configs.push_back(measured.config);
    return rows.emplace(TemplateFeatures(recorded.task, recorded.of, kind_).of(configs));
  }

  DataSet dataSet(const std::vector<std::size_t>& tasks) {
    std::size_t columns = 1;
    for (const std::size_t task : tasks)
      for (const std::vector<float>& row : rowsOf(task))
        columns = std::max(columns, row.size());
    DataSet set(columns);
    for (const std::size_t task : tasks) {
      const RecordedTemplate& recorded = records_.tasks[task];
      const std::string key = workloadKey(recorded.task);
      for (std::size_t i = 0; i < recorded.configs.size(); ++i) {
        std::vector<float> row = rowsOf(task)[i];
        row.resize(columns, 0);
        set.add(key, recorded.configs[i].programId, target_, row, recorded.configs[i].seconds);
      }
    }
    return set;
  }

  const SessionConfig& config_;
  std::string target_;
  TemplateFeatureKind kind_;
  HistoryRecords records_;
  std::vector<std::optional<std::vector<std::vector<float>>>> rows_;
  std::map<std::vector<std::size_t>, std::string> models_;
};

HistorySurvey surveyOf(const History& history, const std::vector<Learning>& learnings) {
  HistorySurvey survey{{}, history.elsewhere()};
  for (const Learning& learning : learnings)
    survey.tasks.push_back({learning.task->name, learning.of.kind->name, learning.records});
  return survey;
}

} // namespace

std::string HistorySurvey::problem() const {
  if (tasks.empty())
    return "none of the tasks has a template, so that there is nothing a history could teach";
  if (std::ranges::any_of(tasks, &TaughtTask::isEnough)) return {};
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> counts;
  for (const TaughtTask& of : tasks)
    if (counts.size() < kNamed)
      counts.push_back(fmt::format("{} for {} ({})", of.records, of.task, of.searched));
  std::string text = fmt::format("a history takes {} records of other tasks of the same template, "
                                 "and has {}",
                                 kLeastHistory, fmt::join(counts, ", "));
  if (tasks.size() > kNamed) text += fmt::format(", and so on for {} tasks", tasks.size());
  if (elsewhere > 0)
    text += fmt::format("; not counting {} of other machines or lowerings",
                        quantity(elsewhere, "record"));
  return text;
}

HistorySurvey surveyHistory(const SessionConfig& config, const std::vector<Subject>& subjects,
                            const TargetFacts& target) {
  const History history(config, target);
  return surveyOf(history, history.learnings(subjects));
}

std::map<std::string, std::string> learnHistory(const SessionConfig& config,
                                                const std::vector<Subject>& subjects,
                                                const TargetFacts& target) {
  History history(config, target);
  const std::vector<Learning> learnings = history.learnings(subjects);
  const HistorySurvey survey = surveyOf(history, learnings);
  if (const std::string problem = survey.problem(); !problem.empty()) throw InputError(problem);
  std::map<std::string, std::string> learned;
  for (std::size_t i = 0; i < learnings.size(); ++i)
    if (survey.tasks[i].isEnough())
      learned.emplace(workloadKey(learnings[i].task->dag), history.modelFrom(learnings[i].from));
  return learned;
}

} // namespace nestwright
