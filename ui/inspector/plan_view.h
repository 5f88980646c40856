#pragma once
/// \file How a plan of configurations came to be: what it picked and why, and the annealing that
/// found it, step by step.

#include "core/story/search_course.h"
#include "ui/inspector/knob_subject.h"
#include "ui/kit/exportable.h"

#include <QWidget>

#include <vector>

class QLabel;
class QSlider;
class QStackedWidget;
class QTableView;

namespace nestwright::ui {

class CourseReader;
class Document;
class KnobReader;
class PlanModel;
class SeriesPlot;
class SortedRows;

class PlanView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  /// The readers outlive it.
  PlanView(Document& document, KnobReader& knobs, CourseReader& course, QWidget* parent = nullptr);

  QSlider* rounds() const { return slider_; }
  PlanModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  SeriesPlot* energies() const { return energies_; }
  SeriesPlot* moves() const { return moves_; }
  /// What is said of the plan, or why there is none.
  QString note() const;
  /// Of the plan that is shown; 0 for none.
  int round() const;
  Exports exports() override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeTable();
  QWidget* makePlots();
  void refresh();
  void showPlan();
  void showEnergies(const PlanLog& plan);
  void showMoves(const PlanLog& plan);
  void showNothing(const QString& why);
  QString whyNone() const;
  QString wordsOn(const CourseRound& round) const;
  /// What the annealing maximised: in a word for titles, and in full.
  QString energyName() const;
  QString energyInWords() const;
  void pick(const QModelIndex& index);
  void followRecord();

  Document& document_;
  KnobReader& knobs_;
  CourseReader& course_;
  std::vector<CourseRound> plans_; // of the selected task
  KnobSubject of_;
  int shownRound_ = 0; // stays while there are no plans; 0: none yet
  bool followsNewest_ = true;
  double step_ = -1; // of the annealing, that is looked at
  QStackedWidget* pages_;
  QLabel *nothing_, *roundLabel_, *note_;
  QSlider* slider_;
  PlanModel* model_;
  SortedRows* sorted_;
  QTableView* table_;
  SeriesPlot *energies_, *moves_;
};

} // namespace nestwright::ui
