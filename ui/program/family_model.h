#pragma once
/// \file A program's ancestors as a tree: below each program its parents, back to random ones.

#include "core/session/crossing/ancestry.h"

#include <QAbstractItemModel>

#include <vector>

namespace nestwright::ui {

class FamilyModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { Program, Origin, Predicted, Measured, ColumnCount };
  enum Role { AncestorRole = Qt::UserRole }; // index into family()

  using QAbstractItemModel::QAbstractItemModel;

  /// The program itself first.
  void show(std::vector<Ancestor> family);
  const std::vector<Ancestor>& family() const { return family_; }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    int ancestor = 0;
    int parent = -1, place = 0;
    bool again = false; // its parents are shown where it stands first
    std::vector<int> children;
  };
  void build();

  std::vector<Ancestor> family_;
  std::vector<Row> rows_;
};

} // namespace nestwright::ui
