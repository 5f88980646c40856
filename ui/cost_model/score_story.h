#pragma once
/// \file What the cost model of a session says of itself and of one program: values for the views,
/// computed in the background.

#include "core/model/attention.h"
#include "core/record/store/store.h"
#include "core/support/row_id.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::ui {

/// What the model's splits by one feature are worth.
struct FeatureShare {
  QString name, meaning;
  double share = 0; // of the gain of all splits; they add up to 1
};

/// What one feature added to a score, or one step in the eyes of a model that reads steps.
struct ScorePart {
  QString name, meaning;
  double added = 0;
  QString details; // of a feature: its values, statement by statement
  int step = -1;   // of the program; -1: it is a feature
};

struct ScoreStory {
  RowId task = 0, record = 0;
  QString program; // short name
  double bias = 0, score = 0;
  /// Features largest first, or steps in the program's order; they and the bias add up to the
  /// score.
  std::vector<ScorePart> parts;
  /// How the steps look at one another, the first of the parts; of models that can tell.
  std::optional<Attention> attention;
  /// Which parts of the model it is from, where the score only orders programs; else empty: it is
  /// the share of the fastest program's throughput that is expected.
  QString ranking;
  std::optional<double> predictedBefore, measured;
};

/// What a session's saved model tells.
struct ModelStory {
  /// What was learned in splits: of trees, not of networks.
  enum class Splits : std::uint8_t { None, OfAPart, OfTheModel };
  std::vector<FeatureShare> features; // largest first, without those that no split uses
  Splits splits = Splits::None;       // that the shares are of
  QString problem;                    // why there is no model
  std::optional<ScoreStory> score;    // of the record that was asked for
  QString scoreProblem;               // why there is none
};

/// Whether a model took it apart that reads steps.
bool isBySteps(const ScoreStory& story);

/// Reads the model and asks it, about the record too unless that is 0. Some ten milliseconds, and
/// more for a program of many statements: not on the GUI thread.
ModelStory readModelStory(const RecordStore& store, RowId session, RowId record);

} // namespace nestwright::ui
