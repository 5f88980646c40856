#pragma once
/// \file What a hand edit of a program comes to: whether it is legal, and what it is estimated to
/// change. Made in the background.

#include "core/schedule/hand_edit.h"
#include "core/session/insight/explain_score.h"
#include "ui/roofline/roofline_data.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::ui {

/// Estimates of one program; nothing is measured for them.
struct EditEstimate {
  std::optional<double> score; // of the session's cost model, higher is better
  MovedBytes moved{};          // zeros: unknown
  double parallel = 1;         // iterations that run side by side: the largest over the stages
  double lanes = 1;            // iterations of the widest vectorised loop
  int guards = 0;              // conditions that loops check because sizes do not divide
};

struct EditQuestion {
  QString file;
  RowId session = 0, task = 0;
  Steps before, after;
};

struct EditOutcome {
  QString illegal; // why the steps are no program; empty when they are one
  std::vector<EditableStep> steps;
  std::vector<EditableLoop> loops; // of the last legal nest that is known
  EditEstimate before, after;
  QString noScore; // why there is no score
  std::string programId;
  RowId measured = 0; // the record of the same program, when there is one
};

/// What is kept from one question to the next of the same session.
struct EditCache {
  QString file;
  RowId session = 0;
  std::shared_ptr<SavedModel> model;
  QString noModel;
};

EditOutcome weighEdit(const RecordStore& store, const EditQuestion& question, EditCache& cache,
                      const Job& job);

} // namespace nestwright::ui
