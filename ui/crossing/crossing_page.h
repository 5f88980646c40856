#pragma once
/// \file The crossing lab: parents, their crosses with an account, which step came from whom, and
/// the way to the measurer.

#include <QWidget>

#include <vector>

class QAbstractTableModel;
class QComboBox;
class QLabel;
class QSpinBox;
class QSplitter;
class QStandardItemModel;
class QTableView;
class QTabWidget;
class QToolButton;
class QTreeView;

namespace nestwright::ui {

class ChildModel;
class CrossingControl;
class CrossingStrip;
class Document;
class FamilyModel;
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
  QTableView* stepTable() const { return steps_; }
  CrossingStrip* strip() const { return strip_; }
  FamilyModel* family() const { return family_; }
  QString headline() const;
  QString title() const;
  /// The child that the right side is about; -1: none.
  int child() const { return child_; }
  /// What Measure would measure.
  std::vector<int> chosen() const;

 protected:
  // Records become parents wherever in the lab they are dropped.
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QLayout* buildBar();
  QLayout* buildSecondBar();
  QWidget* buildDetails();
  void buildTables();
  void connectControls();
  void refresh();
  void refreshTally();
  void offer();
  void showChild(int child);
  void colourSteps();
  void showFamily();
  void measureChosen();
  void fitColumns();
  void fitParts();

  Document& document_;
  CrossingControl& control_;
  QSpinBox *top_, *count_, *seed_;
  QToolButton *take_, *cross_, *measure_;
  QComboBox* shown_;
  QLabel *headline_, *tally_, *title_;
  ParentModel* parentModel_;
  ChildModel* model_;
  SortedRows* sorted_;
  QTableView *parents_, *table_, *steps_;
  QStandardItemModel* stepModel_;
  CrossingStrip* strip_;
  QTabWidget* details_;
  QSplitter* parts_;
  FamilyModel* family_;
  QTreeView* familyTree_;
  int child_ = -1, best_ = -1;
  std::int64_t familyOf_ = 0; // record
};

} // namespace nestwright::ui
