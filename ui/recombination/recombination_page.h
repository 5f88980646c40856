#pragma once
/// \file Recombination of a whole network: parameters, commands, the curve, and what a combination
/// is made of.

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class RecombinationControl;
class RecombinationModel;
class RecombinationPlot;
class SortedRows;

class RecombinationPage : public QWidget {
  Q_OBJECT
 public:
  RecombinationPage(Document& document, RecombinationControl& control, QWidget* parent);

  RecombinationPlot* plot() const { return plot_; }
  QTableView* table() const { return table_; }
  RecombinationModel* model() const { return model_; }
  QToolButton* startButton() const { return start_; }
  QToolButton* goOnButton() const { return goOn_; }
  QToolButton* stopButton() const { return stop_; }
  QToolButton* keepButton() const { return keep_; }
  QSpinBox* candidates() const { return k_; }
  QSpinBox* samples() const { return samples_; }
  QSpinBox* seed() const { return seed_; }
  /// What stands in words above the curve.
  QString headline() const;

 private:
  void buildControls();
  void refresh();
  void refreshControls();
  void fillNetworks();
  QString sentence() const;
  QString stateText() const;
  QString winnerText() const;
  void pick(int sample);
  void followSelection();
  void fitColumns();

  Document& document_;
  RecombinationControl& control_;
  QComboBox* network_;
  QSpinBox *k_, *samples_, *seed_;
  QToolButton *start_, *goOn_, *stop_, *keep_;
  QLabel *headline_, *tableTitle_;
  RecombinationPlot* plot_;
  RecombinationModel* model_;
  SortedRows* sorted_;
  QTableView* table_;
  bool pickedByHand_ = false; // then new samples do not move the mark
  std::int64_t shown_ = 0;    // recombination whose parameters stand in the controls
};

} // namespace nestwright::ui
