#include "ui/inspector/derivation_model.h"

#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFont>

namespace nestwright::ui {

void DerivationModel::show(std::shared_ptr<const DerivationTree> tree) {
  beginResetModel();
  tree_ = std::move(tree);
  rows_.clear();
  top_.clear();
  if (tree_ && !tree_->nodes.empty()) addNode(0, -1);
  endResetModel();
}

int DerivationModel::add(int node, int rule, int parent) {
  const int row = static_cast<int>(rows_.size());
  std::vector<int>& siblings = parent < 0 ? top_ : rows_[static_cast<std::size_t>(parent)].children;
  const int place = static_cast<int>(siblings.size());
  siblings.push_back(row);
  rows_.push_back({node, rule, parent, place, {}});
  return row;
}

/// Inputs are passed over: there is nothing to decide.
void DerivationModel::addNode(int index, int parent) {
  const DerivationNode& node = tree_->nodes[static_cast<std::size_t>(index)];
  if (node.isInput) {
    for (const RuleAnswer& answer : node.answers)
      for (const int result : answer.results)
        addNode(result, parent);
    return;
  }
  const int row = add(index, -1, parent);
  for (std::size_t i = 0; i < node.answers.size(); ++i) {
    const int rule = add(index, static_cast<int>(i), row);
    for (const int result : node.answers[i].results)
      addNode(result, rule);
  }
}

QModelIndex DerivationModel::ofSketch(int sketch) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].rule < 0 && tree_->nodes[static_cast<std::size_t>(rows_[i].node)].sketch == sketch)
      return createIndex(rows_[i].place, 0, static_cast<quintptr>(i));
  return {};
}

QModelIndex DerivationModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const std::vector<int>& siblings = parent.isValid() ? rows_[parent.internalId()].children : top_;
  return createIndex(row, column, static_cast<quintptr>(siblings[static_cast<std::size_t>(row)]));
}

QModelIndex DerivationModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const int parent = rows_[index.internalId()].parent;
  if (parent < 0) return {};
  return createIndex(rows_[static_cast<std::size_t>(parent)].place, 0,
                     static_cast<quintptr>(parent));
}

int DerivationModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  return static_cast<int>((parent.isValid() ? rows_[parent.internalId()].children : top_).size());
}

int DerivationModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

QString DerivationModel::whatOf(const Row& row) const {
  const DerivationNode& node = tree_->nodes[static_cast<std::size_t>(row.node)];
  if (row.rule >= 0) return qs(node.answers[static_cast<std::size_t>(row.rule)].rule);
  if (node.sketch >= 0) return tr("Sketch %1").arg(node.sketch + 1);
  return tr("Stage %1").arg(qs(node.stageName));
}

QString DerivationModel::whyOf(const Row& row) const {
  const DerivationNode& node = tree_->nodes[static_cast<std::size_t>(row.node)];
  if (row.rule < 0) return qs(node.note);
  const RuleAnswer& answer = node.answers[static_cast<std::size_t>(row.rule)];
  return answer.answer == RuleAnswer::Answer::NotAsked
             ? tr("a rule before it applies, and lets no other have its turn")
             : qs(answer.reason);
}

QVariant DerivationModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[index.internalId()];
  const DerivationNode& node = tree_->nodes[static_cast<std::size_t>(row.node)];
  const auto answer = [&] { return node.answers[static_cast<std::size_t>(row.rule)].answer; };
  const bool held = row.rule >= 0 && (answer() == RuleAnswer::Answer::Holds ||
                                      answer() == RuleAnswer::Answer::HoldsAlone);
  switch (role) {
  case NodeRole:
    return row.node;
  case Qt::DisplayRole:
    if (index.column() == What) return whatOf(row);
    if (index.column() == Why) return whyOf(row);
    if (row.rule < 0) return {};
    return held                                       ? QStringLiteral("✓ ") + tr("holds")
           : answer() == RuleAnswer::Answer::NotAsked ? QStringLiteral("– ") + tr("not asked")
                                                      : QStringLiteral("✗ ") + tr("does not hold");
  case Qt::ToolTipRole:
    if (row.rule >= 0)
      return QStringLiteral("%1: %2. %3").arg(whatOf(row), tr(inWords(answer())), whyOf(row));
    return node.sketch >= 0
               ? tr("A finished sketch: its structure is decided, its tile sizes are not.")
               : tr("The rules look at one stage after the other, from the last to the first.");
  case Qt::ForegroundRole:
    if (row.rule >= 0 && !held) return colours().faint;
    if (index.column() == Answer) return colours().vector;
    return index.column() == Why ? QVariant(colours().dim) : QVariant();
  case Qt::FontRole:
    if (index.column() == What && row.rule < 0) {
      QFont font;
      font.setBold(true);
      return font;
    }
    return {};
  default:
    return {};
  }
}

QVariant DerivationModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole)
    return section == What ? tr("Stage and rule") : section == Answer ? tr("Condition") : tr("Why");
  if (role != Qt::ToolTipRole) return {};
  return section == What ? tr("A stage is one computed tensor of the task; a rule decides about "
                              "the structure of its loops.")
         : section == Answer ? tr("Whether the rule's condition holds for the stage.")
                             : tr("What made the condition hold or not.");
}

} // namespace nestwright::ui
