#pragma once
/// \file The races of the document: the curves of a task by racer with their intervals, what each
/// reached on every task, and who wins against whom beyond chance; also while a race goes on.

#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QWidget>

#include <string>

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class FlowSplitter;
class RaceControl;
class RaceDuelModel;
class RaceReader;
class RaceSessionModel;
class RaceTaskModel;
class SeriesPlot;

class RaceView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit RaceView(Document& document, QWidget* parent = nullptr);

  /// What is said in place of a race, or above it.
  QString note() const;
  bool isEmpty() const;
  /// What comes out, in a sentence.
  QString verdict() const;
  QComboBox* races() const { return races_; }
  QComboBox* taskBox() const { return taskBox_; }
  RaceControl* control() const { return control_; }
  QToolButton* copyButton() const { return copy_; }
  /// Runs the race that is shown, or pauses it.
  QToolButton* runButton() const { return run_; }
  /// Where no race is shown, and beside one.
  QToolButton* newButton() const { return isEmpty() ? first_ : another_; }
  SeriesPlot* plot() const { return plot_; }
  QTableView* tasks() const { return tasks_; }
  QTableView* duels() const { return duels_; }
  QTableView* sessions() const { return sessions_; }
  QTabWidget* tables() const { return tables_; }
  std::size_t task() const { return task_; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 Q_SIGNALS:
  void newRaceWanted();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* buildEmpty();
  QWidget* buildRace();
  QToolButton* newButton(QWidget* page);
  QTableView* table(QAbstractItemModel* model, const QString& name, const QString& accessible);
  void taskChosen(int task);
  void refresh();
  void fillRaces();
  void showCommands();
  void showCurves();
  void restyle();

  Document& document_;
  RaceReader* reader_;
  RaceControl* control_;
  RaceTaskModel* taskModel_;
  RaceDuelModel* duelModel_;
  RaceSessionModel* sessionModel_;
  std::size_t task_ = 0;
  double marked_ = -1;
  QStackedWidget* pages_;
  QComboBox *races_, *taskBox_;
  QToolButton *copy_, *first_, *another_, *run_;
  QLabel *message_, *progress_, *verdict_;
  SeriesPlot* plot_;
  QTabWidget* tables_;
  QTableView *tasks_, *duels_, *sessions_;
};

} // namespace nestwright::ui
