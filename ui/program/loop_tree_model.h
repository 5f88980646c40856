#pragma once
/// \file A loop nest as a tree: extents, how each loop is executed, tile levels, and the memory
/// that it works on.

#include "core/feature/nest_features.h"
#include "core/schedule/program_diff.h"

#include <QAbstractItemModel>
#include <QColor>
#include <QString>

#include <vector>

namespace nestwright::ui {

/// How a loop is executed, in one word and one colour.
struct LoopRole {
  QString word;    // "parallel", "vector", "unrolled", "reduction", "tile"; empty: a plain loop
  QString meaning; // for tool tips
  QColor colour;
};
LoopRole roleOf(const LoopNode& node);

class LoopTreeModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { Loop, Extent, Role, Tile, Footprint, Traffic, ColumnCount };
  enum DataRole {
    NodeRole = Qt::UserRole, // index into LoopTree::nodes
    MarkRole,                // DiffMark as int; Same when nothing changed
    HotRole,                 // share of the estimated cost inside an innermost loop; invalid: none
    SortRole
  };

  explicit LoopTreeModel(QObject* parent = nullptr);

  /// Shows a nest. `traffic` may be empty: then it is not known. `marks` and `differences` (in
  /// words) say for each node of the tree what changed; empty: nothing.
  void setTree(const LoopTree& tree, const std::vector<LoopTraffic>& traffic,
               std::vector<DiffMark> marks = {}, std::vector<QString> differences = {});
  /// The loop where time goes, and its share; node -1: not known.
  void setHot(int node, double share);

  const LoopTree& tree() const { return tree_; }
  const LoopNode& node(const QModelIndex& index) const;
  QModelIndex indexOfNode(int node, int column = 0) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(int node, int column) const;
  QString toolTip(int node, int column) const;
  const LoopTraffic* trafficOf(int node) const;

  LoopTree tree_;
  std::vector<std::vector<int>> children_; // [0]: of the root, [i + 1]: of node i
  std::vector<int> rows_;                  // of each node among its parent's children
  std::vector<const LoopTraffic*> nodeTraffic_;
  std::vector<LoopTraffic> traffic_;
  std::vector<DiffMark> marks_;
  std::vector<QString> differences_;
  int hot_ = -1;
  double hotShare_ = 0;
};

/// Marks of the right (or left) tree's nodes from a comparison of two.
std::vector<DiffMark> marksOf(const std::vector<LoopDiffRow>& rows, bool right, std::size_t nodes);
std::vector<QString> differencesOf(const std::vector<LoopDiffRow>& rows, bool right,
                                   std::size_t nodes);

} // namespace nestwright::ui
