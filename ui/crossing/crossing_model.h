#pragma once
/// \file The parents of a crossing, and its children, as tables.

#include "core/session/crossing/crossing.h"
#include "ui/kit/format.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class CrossingControl;

/// A row for each parent. Records can be dropped on it.
class ParentModel : public TableModel<CrossingParent> {
  Q_OBJECT
 public:
  enum Column { Name, Latency, Record, ColumnCount };
  ParentModel(CrossingControl& control, QObject* parent);

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 private:
  Columns columns() const;
  QVariant rowData(const CrossingParent& parent, int role) const override;

  CrossingControl& control_;
};

/// A row for each child that is wanted: its number among the control's children, which is its
/// ItemRole, too.
class ChildModel : public TableModel<int> {
  Q_OBJECT
 public:
  enum Column { Number, Parents, Strip, Outcome, Predicted, Measured, ColumnCount };
  enum class Show { All, Legal, Better, Illegal, Duplicate };

  ChildModel(const CrossingControl& control, QObject* parent);
  void setShown(Show show);
  Show shown() const { return show_; }
  int rowOf(int child) const;

 private:
  void rebuild();
  bool wanted(int child) const;
  const CrossChild& at(int child) const;
  Columns columns() const;
  QVariant rowData(const int& child, int role) const override;
  QString outcomeText(int child) const;
  QString standingText(int child) const;

  const CrossingControl& control_;
  Show show_ = Show::All;
};

} // namespace nestwright::ui
