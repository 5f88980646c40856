#pragma once
/// \file What the cost model of a session says of itself and of one program: values for the views,
/// computed in the background.

#include "core/record/store/store.h"
#include "core/support/row_id.h"

#include <QString>

#include <optional>
#include <vector>

namespace nestwright::ui {

/// What the model's splits by one feature are worth.
struct FeatureShare {
  QString name, meaning;
  double share = 0; // of the gain of all splits; they add up to 1
};

/// What one feature added to a score.
struct ScorePart {
  QString name, meaning;
  double added = 0;
  QString details; // its values, statement by statement
};

struct ScoreStory {
  RowId record = 0;
  QString program; // short name
  double bias = 0, score = 0;
  std::vector<ScorePart> parts; // largest first; they and the bias add up to the score
  std::optional<double> predictedBefore, measured;
};

/// What a session's saved model tells.
struct ModelStory {
  std::vector<FeatureShare> features; // largest first, without those that no split uses
  QString problem;                    // why there is no model
  std::optional<ScoreStory> score;    // of the record that was asked for
  QString scoreProblem;               // why there is none
};

/// A score or a part of one with its sign: "+0.012", "−0.300".
QString signedText(double score);

/// Reads the model and asks it, about the record too unless that is 0. Some ten milliseconds, and
/// more for a program of many statements: not on the GUI thread.
ModelStory readModelStory(const RecordStore& store, RowId session, RowId record);

} // namespace nestwright::ui
