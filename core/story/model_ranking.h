#pragma once
/// \file In which order a judged model puts the programs of a task, and in which they belong.

#include "core/session/insight/judge_models.h"

#include <cstddef>
#include <vector>

namespace nestwright {

struct JudgedProgram {
  std::size_t program = 0; // of Judgement::data
  double seconds = 0;      // infinity: it failed
  double score = 0;
  std::size_t predicted = 0, measured = 0; // from 1, the best
  bool failed() const;
  friend bool operator==(const JudgedProgram&, const JudgedProgram&) = default;
};

/// The tested programs of a task (index into ModelEvaluation::tasks) by a model (index into
/// ModelEvaluation::models), the model's favourite first. Ties: the earlier program.
std::vector<JudgedProgram> judgedPrograms(const Judgement& judgement, std::size_t task,
                                          std::size_t model);

/// The top-k score of the task: its best time by that of the fastest among the model's k
/// favourites, of the k at this place of ModelEvaluation::ks.
double topScore(const ModelEvaluation& evaluation, std::size_t model, std::size_t task,
                std::size_t k);

/// What two models' figures differ by, the first less the second, in the order of
/// ModelComparison::ids; of a model and itself nothing but zeros.
BoundedFigures differenceOf(const ModelEvaluation& evaluation, std::size_t a, std::size_t b);

} // namespace nestwright
