#pragma once
/// \file A loop nest as a tree: extents, how each loop is executed, tile levels, the memory that it
/// works on, how often it uses it, and what it computes again.

#include "core/feature/nest_features.h"
#include "core/schedule/program_diff.h"
#include "core/target/target.h"
#include "ui/kit/table/column_model.h"

#include <QColor>
#include <QStringList>

namespace nestwright::ui {

/// How a loop is executed, in one word and one colour.
struct LoopRole {
  QString word;    // "parallel", "vector", "unrolled", "reduction", "tile", "threads"; empty: plain
  QString meaning; // for tool tips
  QColor colour;
};
LoopRole roleOf(const LoopNode& node);

struct LoopRow {
  int node = 0;                         // of the LoopTree
  const LoopTraffic* traffic = nullptr; // null: not known
};

/// The ItemRole is the index into LoopTree::nodes.
class LoopTreeModel : public TreeModel<LoopRow> {
  Q_OBJECT
 public:
  enum Column { Loop, Extent, Role, Tile, Footprint, Reuse, Recomputed, Traffic, ColumnCount };

  explicit LoopTreeModel(QObject* parent = nullptr);

  /// Whose caches are told from now on.
  void setTarget(const TargetFacts& target) { target_ = target; }
  /// Shows a nest. `traffic` may be empty: then it is not known. `marks` and `differences` (in
  /// words) say for each node of the tree what changed; empty: nothing.
  void setTree(const LoopTree& tree, const std::vector<LoopTraffic>& traffic,
               std::vector<DiffMark> marks = {}, std::vector<QString> differences = {});
  /// The loop where time goes, and its share; node -1: not known.
  void setHot(int node, double share);

  const LoopTree& tree() const { return tree_; }
  /// The buffers that the loops touch, largest first: their place is their colour's.
  const QStringList& buffers() const { return buffers_; }
  /// Of a buffer, where footprints are drawn.
  QColor colourOf(const QString& buffer) const;
  const LoopNode& node(const QModelIndex& index) const;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  const LoopNode& at(const LoopRow& row) const {
    return tree_.nodes[static_cast<std::size_t>(row.node)];
  }
  DiffMark markOf(const LoopRow& row) const;
  /// What changed and whether it is hot, before what the column says.
  QString withNews(const LoopRow& row, const QString& tip) const;
  Columns columns() const;
  /// A footprint's bar, a part a buffer in the order of buffers(): its length tells the bytes by
  /// their logarithm.
  QVector<double> footprintBar(const LoopTraffic& traffic) const;
  QVariant rowData(const LoopRow& row, int role) const override;

  TargetFacts target_;
  LoopTree tree_;
  std::vector<LoopTraffic> traffic_;
  QStringList buffers_;
  double mostBytes_ = 0, mostReuse_ = 1; // of any loop
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
