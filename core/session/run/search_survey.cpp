#include "core/session/run/search_survey.h"

#include "core/session/run/recorded_machine.h"
#include "core/session/run/session_template.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <set>
#include <utility>

namespace nestwright {

SearchSurvey surveySearch(const SessionConfig& config) {
  const std::vector<Subject> subjects = resolveSubjects(config.subjects);
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
  try {
    if (const std::optional<std::string> recording = recordedFile(config.machine))
      recordedTarget(*recording, subjects, config.target, config.measure.threads);
  } catch (const Error& problem) {
    survey.machineProblem = problem.what();
  }
  return survey;
}

} // namespace nestwright
