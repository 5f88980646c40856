#pragma once
/// \file The crossing lab: parents, their crosses with an account, and the way to the measurer.

#include <QWidget>

#include <vector>

class QAbstractTableModel;
class QComboBox;
class QLabel;
class QSpinBox;
class QSplitter;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class ChildModel;
class CrossDetails;
class CrossingControl;
class Document;
class ParentModel;
class SortedRows;

class CrossingPage : public QWidget {
  Q_OBJECT
 public:
  CrossingPage(Document& document, CrossingControl& control, QWidget* parent);

  QSpinBox* top() const { return top_; }
  QSpinBox* count() const { return count_; }
  QSpinBox* seed() const { return seed_; }
  QToolButton* takeButton() const { return take_; }
  QToolButton* crossButton() const { return cross_; }
  QToolButton* measureButton() const { return measure_; }
  QComboBox* shown() const { return shown_; }
  QTableView* parentTable() const { return parents_; }
  QTableView* table() const { return table_; }
  CrossDetails* details() const { return details_; }
  QString headline() const;
  /// What Measure would measure.
  std::vector<int> chosen() const;

 protected:
  // Records become parents wherever in the lab they are dropped.
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QLayout* buildBar();
  QLayout* buildSecondBar();
  void buildTables();
  void connectControls();
  void refresh();
  void refreshTally();
  void offer();
  void measureChosen();
  void fitColumns();
  void fitParts();

  Document& document_;
  CrossingControl& control_;
  QSpinBox *top_, *count_, *seed_;
  QToolButton *take_, *cross_, *measure_;
  QComboBox* shown_;
  QLabel *headline_, *tally_;
  ParentModel* parentModel_;
  ChildModel* model_;
  SortedRows* sorted_;
  QTableView *parents_, *table_;
  CrossDetails* details_;
  QSplitter* parts_;
  int best_ = -1; // a child; -1: none is a new best
};

} // namespace nestwright::ui
