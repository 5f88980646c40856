#pragma once
/// \file The curves of the trainings of a list, over one another: losses, and beside them what the
/// validation's tasks get from the models.

#include "ui/kit/look/flow_splitter.h"

#include <QString>

#include <vector>

class QLabel;

namespace nestwright::ui {

class SeriesPlot;
class TrainingList;

class TrainingPlots : public FlowSplitter {
  Q_OBJECT
 public:
  /// Follows the list, which outlives this.
  explicit TrainingPlots(const TrainingList& list, QWidget* parent = nullptr);
  /// The training whose passes can be walked through, by its file; empty: none.
  void choose(const QString& file);

  SeriesPlot* losses() const { return losses_; }
  SeriesPlot* scores() const { return scores_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  SeriesPlot* add(const QString& name, const QString& legend);
  void refresh();
  void restyle();

  const TrainingList& list_;
  std::vector<QLabel*> legends_;
  SeriesPlot *losses_, *scores_;
  QString chosen_;
  double marked_ = -1; // the pass that is looked at; -1: none
  bool stale_ = true;  // drawn when it is seen
};

} // namespace nestwright::ui
