#include "core/session/run/search_survey.h"

#include "core/measure/worker_target.h"
#include "core/session/run/pretrained/model_named.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/recorded_machine.h"
#include "core/session/run/session_template.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

TargetFacts targetFor(const SessionConfig& config, const std::vector<Subject>& subjects,
                      const WorkerLaunch& launch) {
  if (const std::optional<std::string> recording = recordedFile(config.machine))
    return recordedTarget(*recording, subjects, config.target, config.measure.threads);
  return knownTarget(config.target, config.measure, launch);
}

void surveySeeds(const SessionConfig& config, const std::vector<Subject>& subjects,
                 const TargetFacts& target, SearchSurvey& survey) {
  if (config.seeds.empty()) return;
  try {
    survey.seeds = sessionSeeds(config, subjects, target);
    survey.seedsProblem = survey.seeds.problem();
  } catch (const Error& problem) {
    survey.seedsProblem = problem.what();
  }
}

void surveyTrained(const SessionConfig& config, const std::vector<Subject>& subjects,
                   const TargetFacts& target, SearchSurvey& survey) {
  try {
    const ModelFile file = modelNamed(config.pretrained);
    survey.knowledge = knowledgeOf(file, subjects, target);
    requireUsable(file, target);
  } catch (const Error& problem) {
    survey.pretrainedProblem = problem.what();
  }
}

} // namespace

SearchSurvey surveySearch(const SessionConfig& config, const WorkerLaunch& launch) {
  const std::vector<Subject> subjects = subjectsOf(config);
  const std::vector<std::string> templates = templateNames(config.templates);
  SearchSurvey survey;
  std::set<std::string> seen;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks) {
      if (!seen.insert(print(task.dag)).second) continue;
      ++survey.tasks;
      ChosenTemplate chosen = chosenTemplate(task.dag, templates, templateMachine(config.target));
      if (!chosen.of) survey.withoutTemplate.push_back({task.name, std::move(chosen.whyNone)});
    }
  std::optional<TargetFacts> target;
  try {
    if (!config.machine.empty() || !config.history.empty() || !config.pretrained.empty() ||
        !config.seeds.empty())
      target = targetFor(config, subjects, launch);
  } catch (const Error& problem) {
    survey.machineProblem = problem.what();
  }
  if (!config.pretrained.empty() && target) surveyTrained(config, subjects, *target, survey);
  if (target) surveySeeds(config, subjects, *target, survey);
  if (config.history.empty() || !target) return survey;
  try {
    survey.history = surveyHistory(config, subjects, *target);
    survey.historyProblem = survey.history.problem();
  } catch (const Error& problem) {
    survey.historyProblem = problem.what();
  }
  return survey;
}

} // namespace nestwright
