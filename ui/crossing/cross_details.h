#pragma once
/// \file One cross looked at closely: its parents, which step came from whom, and its family once
/// it was measured.

#include <QWidget>

#include <cstdint>

class QLabel;
class QStandardItemModel;
class QTabWidget;
class QTableView;
class QTreeView;

namespace nestwright::ui {

class CrossingControl;
class CrossingStrip;
class Document;
class FamilyModel;

class CrossDetails : public QWidget {
  Q_OBJECT
 public:
  CrossDetails(Document& document, CrossingControl& control, QWidget* parent);

  /// The child of this number; -1: none.
  void showChild(int child);
  void showFamilyTree();

  int child() const { return child_; }
  QString title() const;
  QTableView* stepTable() const { return steps_; }
  CrossingStrip* strip() const { return strip_; }
  FamilyModel* family() const { return family_; }

 private:
  void colourSteps();
  void readFamily();

  Document& document_;
  CrossingControl& control_;
  QLabel* title_;
  CrossingStrip* strip_;
  QStandardItemModel* stepModel_;
  QTableView* steps_;
  FamilyModel* family_;
  QTreeView* familyTree_;
  QTabWidget* tabs_;
  int child_ = -1;
  std::int64_t familyOf_ = 0; // record
};

} // namespace nestwright::ui
