#pragma once
/// \file What a hand edit of a program comes to: whether it is legal, and what it is estimated to
/// change. Made in the background.

#include "core/schedule/hand_edit.h"
#include "core/session/insight/explain_score.h"
#include "core/story/roofline.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Estimates of one program; nothing is measured for them.
struct EditEstimate {
  std::optional<double> score; // of the session's cost model, higher is better
  MovedBytes moved{};          // zeros: unknown
  double parallel = 1;         // iterations that run side by side: the largest over the stages
  double lanes = 1;            // iterations of the widest vectorised loop
  int guards = 0;              // conditions that loops check because sizes do not divide
};

struct EditQuestion {
  std::string file;
  RowId session = 0, task = 0;
  Steps before, after;
};

struct EditOutcome {
  std::string illegal; // why the steps are no program; empty when they are one
  std::vector<EditableStep> steps;
  std::vector<EditableLoop> loops; // of the last legal nest that is known
  EditEstimate before, after;
  std::string noScore; // why there is no score
  std::string programId;
  RowId measured = 0; // the record of the same program, when there is one
};

/// What is kept from one question to the next of the same session.
struct EditCache {
  std::string file;
  RowId session = 0;
  std::shared_ptr<SavedModel> model;
  std::string noModel;
};

/// Throws InputError when the file does not know the task. `check` is called now and then, and may
/// throw to end the work.
EditOutcome weighEdit(const RecordStore& store, const EditQuestion& question, EditCache& cache,
                      const std::function<void()>& check);

} // namespace nestwright
