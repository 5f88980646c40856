#pragma once
/// \file The derivation of a task's sketches as a tree: stages, the rules that were asked about
/// each, and what came out.

#include "core/space/derivation.h"
#include "ui/kit/table/column_model.h"

#include <memory>

namespace nestwright::ui {

/// A stage that the rules look at, a rule about it, or a finished sketch.
struct DerivationRow {
  int node = 0;
  int rule = -1; // of the node's answers; -1: the node itself
};

/// The ItemRole is the derivation node that a row stands for.
class DerivationModel : public TreeModel<DerivationRow> {
  Q_OBJECT
 public:
  enum Column { What, Answer, Why, ColumnCount };

  explicit DerivationModel(QObject* parent = nullptr);

  void show(std::shared_ptr<const DerivationTree> tree);
  const DerivationTree* tree() const { return tree_.get(); }
  /// The row of a finished sketch.
  QModelIndex ofSketch(int sketch) const;

 private:
  using Row = DerivationRow;
  void addBelow(int node, int parent);
  bool isPassedOver(const DerivationNode& node) const;
  const DerivationNode& nodeAt(const Row& row) const;
  const RuleAnswer& answerAt(const Row& row) const;
  bool holds(const Row& row) const;
  QString whatOf(const Row& row) const;
  QString whyOf(const Row& row) const;
  QString answerOf(const Row& row) const;
  Columns columns() const;
  QVariant rowData(const Row& row, int role) const override;

  std::shared_ptr<const DerivationTree> tree_;
};

} // namespace nestwright::ui
