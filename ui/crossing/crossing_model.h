#pragma once
/// \file The parents of a crossing, and its children, as tables.

#include "ui/kit/format.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class CrossingControl;

/// A row for each parent. Records can be dropped on it.
class ParentModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Latency, Record, ColumnCount };
  ParentModel(CrossingControl& control, QObject* parent);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 private:
  CrossingControl& control_;
  std::vector<std::int64_t> records_; // as they are shown
};

class ChildModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, Parents, Strip, Outcome, Predicted, Measured, ColumnCount };
  /// ChildRole: index among the control's children. StripRole: origins of its steps, QList<int>.
  enum Role { ChildRole = Qt::UserRole + 50, StripRole };
  enum class Show { All, Legal, Better, Illegal, Duplicate };

  ChildModel(const CrossingControl& control, QObject* parent);
  void setShown(Show show);
  Show shown() const { return show_; }
  int childAt(int row) const;
  int rowOf(int child) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void rebuild();
  bool wanted(int child) const;
  QVariant display(int child, int column) const;
  QVariant sortKey(int child, int column) const;
  QString outcomeText(int child) const;
  QString standingText(int child) const;

  const CrossingControl& control_;
  Show show_ = Show::All;
  std::vector<int> rows_;
};

} // namespace nestwright::ui
