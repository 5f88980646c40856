#pragma once
/// \file How a search that learns went, round after round: whether the model is as sure as it
/// should be, how well it fitted what it learned from, how much was left to chance, and what its
/// plans promised. What a session's model or policy does not have is said in its place.

#include "core/session/run/session.h"
#include "core/story/calibration.h"
#include "core/story/search_course.h"
#include "ui/cost_model/noted_page.h"
#include "ui/kit/exportable.h"

#include <vector>

namespace nestwright::ui {

class SeriesPlot;

/// What is shown: of one task, or of all.
struct LearningScene {
  std::vector<RoundCalibration> calibrations;
  std::vector<CourseRound> rounds;
  SessionConfig config;
  bool predicted = false; // some programs were measured under a trained model
  int selectedRound = 0;  // 0: none
  QString empty;          // why there is nothing yet; empty where there is
};

class LearningPage : public NotedPage {
  Q_OBJECT
 public:
  explicit LearningPage(QWidget* parent);

  void show(LearningScene scene);
  SeriesPlot* calibration() const { return calibration_; }
  SeriesPlot* recall() const { return recall_; }
  SeriesPlot* chance() const { return chance_; }
  SeriesPlot* improvement() const { return improvement_; }
  /// A row for each round.
  ExportTable table() const;
  /// All four charts.
  void exportPicture(Exports& exports);

 Q_SIGNALS:
  void picked(int round);

 private:
  void showCalibration();
  void showRecall();
  void showChance();
  void showImprovement();
  QString words() const;

  LearningScene scene_;
  SeriesPlot *calibration_, *recall_, *chance_, *improvement_;
};

} // namespace nestwright::ui
