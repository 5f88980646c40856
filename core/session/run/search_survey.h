#pragma once
/// \file What can be told of a search before its session is made: which tasks have a template,
/// whether the recorded machine knows them, what a history or a trained model knows of them, and
/// which seeds it can begin with.

#include "core/session/run/history/session_history.h"
#include "core/session/run/memory/session_seeds.h"
#include "core/session/run/pretrained/model_knowledge.h"
#include "core/session/run/session.h"

#include <cstddef>
#include <optional>
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
  HistorySurvey history;      // of tasks that have a template; empty where none was asked for
  std::string historyProblem; // why no session can begin with it; empty where one can
  std::optional<ModelKnowledge> knowledge; // of the trained model that it begins with
  std::string pretrainedProblem;           // why no session can begin with that one
  SessionSeeds seeds;                      // empty where none were asked for
  std::string seedsProblem;                // likewise
  std::size_t fitting() const { return tasks - withoutTemplate.size(); }
};

/// Resolves the subjects, and throws as resolveSubjects() does. `launch` is what would measure.
SearchSurvey surveySearch(const SessionConfig& config, const WorkerLaunch& launch = {});

} // namespace nestwright
