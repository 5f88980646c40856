#pragma once
/// \file A figure of the judged models by how many programs they learned from, with its intervals.

#include "core/story/learning_curves.h"
#include "ui/kit/exportable.h"
#include "ui/lab/judged.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace nestwright::ui {

class SeriesPlot;

class LearningCurvesPage : public QWidget {
  Q_OBJECT
 public:
  explicit LearningCurvesPage(QWidget* parent = nullptr);
  void showLook(const JudgedLook& look);

  /// What is drawn, in words: the figure's name.
  QString title() const;
  /// The points that are drawn.
  ExportTable table() const;
  SeriesPlot* plot() const { return plot_; }
  QComboBox* figure() const { return figure_; }

 private:
  void fillFigures();
  void draw();
  void restyle();
  /// The figure that is chosen, a place in ModelComparison::ids.
  std::size_t chosen() const;
  QString nameOf(const LearningCurve& curve) const;

  JudgedLook look_;
  std::vector<LearningCurve> curves_;
  double marked_ = -1; // the number of programs that is looked at; -1: none
  QComboBox* figure_;
  QLabel* legend_;
  SeriesPlot* plot_;
};

} // namespace nestwright::ui
