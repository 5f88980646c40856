#pragma once
/// \file How programs do on several targets: the order of each two compared, programs that are good
/// everywhere or on one alone, and a portfolio of a few as seeds for a session on a new target.

#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/travel/travel_program_model.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QSlider;
class QSpinBox;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class SortedRows;
class TargetMatrixModel;
class TravelPlot;
class TravelReader;

class TravelView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit TravelView(Document& document, QWidget* parent = nullptr);

  TravelReader& reader() const { return *reader_; }
  /// What is said above the tables, or in their place.
  QString note() const;
  /// Whether there is a message in place of the map.
  bool isEmpty() const;
  QComboBox* tasks() const { return tasks_; }
  QTableView* matrix() const { return matrix_; }
  QTableView* programs() const { return programs_; }
  QTableView* portfolio() const { return portfolio_; }
  TravelPlot* plot() const { return plot_; }
  QSpinBox* within() const { return within_; }
  QSpinBox* most() const { return most_; }
  QToolButton* seedButton() const { return seed_; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 Q_SIGNALS:
  /// A new session is wanted that begins with the programs of this file.
  void seedsWanted(const QString& file);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  QWidget* buildMap();
  QTableView* table(TravelProgramModel* model, const QString& name, const QString& accessible);
  /// A slider with the same number as the box.
  QSlider* slider(QSpinBox* box, int high);
  void refresh();
  void fillTasks();
  void showMap();
  void showPlot();
  QString headline() const;
  std::optional<std::size_t> task() const;
  void look();
  void choose(const TravelRow& row);
  void rowChosen(const QTableView* table, const TravelProgramModel& model);
  void restyle();

  Document& document_;
  TravelReader* reader_;
  std::optional<TravelRow> chosen_;
  std::size_t a_ = 0, b_ = 1; // targets of the plot
  QComboBox* tasks_;
  QSpinBox *within_, *most_;
  QToolButton *again_, *stop_, *seed_;
  QLabel *headline_, *message_;
  QStackedWidget* pages_;
  TargetMatrixModel* matrixModel_;
  TravelProgramModel *programModel_, *portfolioModel_;
  QTableView *matrix_, *programs_, *portfolio_;
  TravelPlot* plot_;
};

} // namespace nestwright::ui
