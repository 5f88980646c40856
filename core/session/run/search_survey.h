#pragma once
/// \file What can be told of a search before its session is made: which tasks have a template, and
/// whether the recorded machine knows them.

#include "core/session/run/session.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

struct TaskWithoutTemplate {
  std::string name;
  std::string why; // a sentence
};

struct SearchSurvey {
  std::size_t tasks = 0; // of all subjects, each once
  std::vector<TaskWithoutTemplate> withoutTemplate;
  std::string machineProblem; // why the recorded machine cannot answer; empty where it can
  std::size_t fitting() const { return tasks - withoutTemplate.size(); }
};

/// Resolves the subjects, and throws as resolveSubjects() does.
SearchSurvey surveySearch(const SessionConfig& config);

} // namespace nestwright
