#pragma once
/// \file The derivation of a task's sketches as a tree: stages, the rules that were asked about
/// each, and what came out.

#include "core/space/derivation.h"

#include <QAbstractItemModel>

#include <memory>

namespace nestwright::ui {

class DerivationModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { What, Answer, Why, ColumnCount };
  enum Role { NodeRole = Qt::UserRole }; // index of the derivation node that a row stands for

  using QAbstractItemModel::QAbstractItemModel;

  void show(std::shared_ptr<const DerivationTree> tree);
  const DerivationTree* tree() const { return tree_.get(); }
  /// The row of a finished sketch.
  QModelIndex ofSketch(int sketch) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// A row: a stage that the rules look at, a rule about it, or a finished sketch.
  struct Row {
    int node = 0;
    int rule = -1; // of the node's answers; -1: the node itself
    int parent = -1, place = 0;
    std::vector<int> children;
  };
  int add(int node, int rule, int parent);
  void addNode(int node, int parent);
  QString whatOf(const Row& row) const;
  QString whyOf(const Row& row) const;

  std::shared_ptr<const DerivationTree> tree_;
  std::vector<Row> rows_;
  std::vector<int> top_;
};

} // namespace nestwright::ui
