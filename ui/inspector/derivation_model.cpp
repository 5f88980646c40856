#include "ui/inspector/derivation_model.h"

#include "ui/inspector/rule_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/text.h"

#include <QFont>

#include <algorithm>

namespace nestwright::ui {

DerivationModel::DerivationModel(QObject* parent) : TreeModel(parent) {
  setColumns(columns());
}

void DerivationModel::show(std::shared_ptr<const DerivationTree> tree) {
  beginResetModel();
  tree_ = std::move(tree);
  clearNodes();
  if (tree_ && !tree_->nodes.empty()) addBelow(0, -1);
  endResetModel();
}

/// Of an input there is nothing to decide, but for a GPU, whose threads may fetch it.
bool DerivationModel::isPassedOver(const DerivationNode& node) const {
  return node.isInput && std::ranges::none_of(node.answers, [&](const RuleAnswer& answer) {
           return std::ranges::any_of(answer.results, [&](int result) {
             return tree_->nodes[static_cast<std::size_t>(result)].steps != node.steps;
           });
         });
}

void DerivationModel::addBelow(int index, int parent) {
  const DerivationNode& node = tree_->nodes[static_cast<std::size_t>(index)];
  if (isPassedOver(node)) {
    for (const RuleAnswer& answer : node.answers)
      for (const int result : answer.results)
        addBelow(result, parent);
    return;
  }
  const int row = addNode({index, -1}, parent);
  for (std::size_t i = 0; i < node.answers.size(); ++i) {
    const int rule = addNode({index, static_cast<int>(i)}, row);
    for (const int result : node.answers[i].results)
      addBelow(result, rule);
  }
}

QModelIndex DerivationModel::ofSketch(int sketch) const {
  for (int i = 0; i < nodeCount(); ++i)
    if (row(i).rule < 0 && nodeAt(row(i)).sketch == sketch) return indexOfNode(i);
  return {};
}

const DerivationNode& DerivationModel::nodeAt(const Row& row) const {
  return tree_->nodes[static_cast<std::size_t>(row.node)];
}

const RuleAnswer& DerivationModel::answerAt(const Row& row) const {
  return nodeAt(row).answers[static_cast<std::size_t>(row.rule)];
}

bool DerivationModel::holds(const Row& row) const {
  return row.rule >= 0 && (answerAt(row).answer == RuleAnswer::Answer::Holds ||
                           answerAt(row).answer == RuleAnswer::Answer::HoldsAlone);
}

QString DerivationModel::whatOf(const Row& row) const {
  const DerivationNode& node = nodeAt(row);
  if (row.rule >= 0) return qs(answerAt(row).rule);
  if (node.sketch >= 0) return tr("Sketch %1").arg(node.sketch + 1);
  return tr("Stage %1").arg(qs(node.stageName));
}

QString DerivationModel::whyOf(const Row& row) const {
  if (row.rule < 0) return qs(nodeAt(row).note);
  return answerAt(row).answer == RuleAnswer::Answer::NotAsked
             ? tr("a rule before it applies, and lets no other have its turn")
             : qs(answerAt(row).reason);
}

QString DerivationModel::answerOf(const Row& row) const {
  if (row.rule < 0) return {};
  return holds(row) ? QStringLiteral("✓ ") + tr("holds")
         : answerAt(row).answer == RuleAnswer::Answer::NotAsked
             ? QStringLiteral("– ") + tr("not asked")
             : QStringLiteral("✗ ") + tr("does not hold");
}

DerivationModel::Columns DerivationModel::columns() const {
  // What does not hold is faint as a whole.
  const auto unlessFaint = [this](QColor Colours::*colour) {
    return [this, colour](const Row& row) {
      return row.rule >= 0 && !holds(row) ? QVariant() : QVariant(colours().*colour);
    };
  };
  return {{.title = tr("Stage and rule"),
           .tip = tr("A stage is one computed tensor of the task; a rule decides about the "
                     "structure of its loops."),
           .text = [this](const Row& row) { return whatOf(row); },
           .other =
               [](const Row& row, int role) {
                 if (role != Qt::FontRole || row.rule >= 0) return QVariant();
                 QFont font;
                 font.setBold(true);
                 return QVariant(font);
               }},
          {.title = tr("Condition"),
           .tip = tr("Whether the rule's condition holds for the stage."),
           .text = [this](const Row& row) { return answerOf(row); },
           .colour = unlessFaint(&Colours::vector)},
          {.title = tr("Why"),
           .tip = tr("What made the condition hold or not."),
           .text = [this](const Row& row) { return whyOf(row); },
           .colour = unlessFaint(&Colours::dim)}};
}

QVariant DerivationModel::rowData(const Row& row, int role) const {
  switch (role) {
  case ItemRole:
    return row.node;
  case Qt::ForegroundRole:
    return row.rule >= 0 && !holds(row) ? QVariant(colours().faint) : QVariant();
  case RuleRole:
    return row.rule >= 0 ? QVariant(qs(answerAt(row).rule)) : QVariant();
  case Qt::ToolTipRole:
    if (row.rule >= 0)
      return QStringLiteral("%1: %2. %3\n%4")
          .arg(whatOf(row), tr(inWords(answerAt(row).answer)), whyOf(row),
               ruleMeaning(answerAt(row).rule))
          .trimmed();
    return nodeAt(row).sketch >= 0
               ? tr("A finished sketch: its structure is decided, its tile sizes are not.")
               : tr("The rules look at one stage after the other, from the last to the first.");
  default:
    return {};
  }
}

} // namespace nestwright::ui

#include "moc_derivation_model.cpp"
