#include "ui/program/loop_tree_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/program_text.h"

#include <QFont>

#include <utility>

namespace nestwright::ui {
namespace {

QString loopName(const LoopNode& node) {
  switch (node.kind) {
  case LoopNode::Kind::Pragma:
    return QStringLiteral("%1 · %2").arg(qs(node.owner), qs(node.text));
  case LoopNode::Kind::Statement:
    return QStringLiteral("%1 = …").arg(qs(node.owner));
  case LoopNode::Kind::Loop:
    break;
  }
  return QStringLiteral("%1  %2").arg(qs(keyword(node.annotation)), qs(node.name));
}

QString tileText(const LoopNode& node) {
  return node.kind == LoopNode::Kind::Loop && node.tile.of > 1
             ? tr("%1 of %2").arg(node.tile.level + 1).arg(node.tile.of)
             : QString();
}

QString loopTip(const LoopNode& node) {
  if (node.kind == LoopNode::Kind::Pragma)
    return tr("Holds for the loops of %1 below: inner loops are unrolled until their body has this "
              "many steps.")
        .arg(qs(node.owner));
  if (node.kind == LoopNode::Kind::Statement)
    return tr("Here one element of %1 is computed.").arg(qs(node.owner));
  QString tip =
      tr("Loop %1 of %2, over axis %3.").arg(qs(node.name), qs(node.owner), qs(node.axes));
  if (!node.min.empty()) tip += tr("\nBegins at %1.").arg(qs(node.min));
  const LoopRole role = roleOf(node);
  if (!role.meaning.isEmpty()) tip += QLatin1Char('\n') + role.meaning;
  return tip;
}

QString trafficTip(const LoopTraffic& traffic, int column) {
  QString tip = column == LoopTreeModel::Footprint
                    ? tr("One run of this loop, with all that is inside of it, reads and writes %1 "
                         "of different elements; the smallest cache that holds them is %2 (%3).")
                          .arg(bytesText(traffic.footprintBytes), cacheName(traffic.footprintBytes),
                               cacheSizes())
                    : tr("The footprint times the %1 runs of the loop: what has to be moved to and "
                         "from it when nothing stays near between two runs. Lower is better.")
                          .arg(countText(static_cast<std::int64_t>(traffic.runs)));
  for (const LoopTraffic::Buffer& buffer : traffic.buffers)
    tip += QStringLiteral("\n  %1  %2").arg(qs(buffer.name), bytesText(buffer.bytes));
  return tip;
}

} // namespace

LoopRole roleOf(const LoopNode& node) {
  const Colours& c = colours();
  if (node.kind != LoopNode::Kind::Loop)
    return node.kind == LoopNode::Kind::Pragma
               ? LoopRole{tr("unroll limit"), tr("Limit for unrolling by itself."), c.unroll}
               : LoopRole{{}, {}, c.dim};
  switch (node.annotation) {
  case Annotation::Parallel:
    return {tr("parallel"), tr("Its iterations are shared among the cores."), c.parallel};
  case Annotation::Vectorize:
    return {tr("vector"), tr("Its iterations are the lanes of vector instructions."), c.vector};
  case Annotation::Unroll:
    return {tr("unrolled"), tr("Its body is written out once for each iteration."), c.unroll};
  case Annotation::None:
    break;
  default:
    return {qs(keyword(node.annotation)), tr("Bound to a thread axis of the device."), c.parallel};
  }
  if (node.isReduction())
    return {tr("reduction"), tr("Its iterations add up into the same elements."), c.reduction};
  if (node.tile.of > 1)
    return {tr("tile"), tr("One level of a tiled axis: the outer levels walk over tiles."), c.dim};
  return {{}, tr("A plain loop: one iteration after the other."), c.dim};
}

LoopTreeModel::LoopTreeModel(QObject* parent) : QAbstractItemModel(parent), children_(1) {}

void LoopTreeModel::setTree(const LoopTree& tree, const std::vector<LoopTraffic>& traffic,
                            std::vector<DiffMark> marks, std::vector<QString> differences) {
  beginResetModel();
  tree_ = tree;
  traffic_ = traffic;
  marks_ = std::move(marks);
  differences_ = std::move(differences);
  hot_ = -1;
  children_.assign(tree_.nodes.size() + 1, {});
  rows_.assign(tree_.nodes.size(), 0);
  nodeTraffic_.assign(tree_.nodes.size(), nullptr);
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const LoopNode& node = tree_.nodes[i];
    std::vector<int>& siblings = children_[static_cast<std::size_t>(node.parent + 1)];
    rows_[i] = static_cast<int>(siblings.size());
    siblings.push_back(static_cast<int>(i));
    if (node.kind != LoopNode::Kind::Loop) continue;
    for (const LoopTraffic& loop : traffic_)
      if (loop.stage == node.stage && loop.iterator == node.iterator) nodeTraffic_[i] = &loop;
  }
  endResetModel();
}

void LoopTreeModel::setHot(int node, double share) {
  const int before = std::exchange(hot_, node);
  hotShare_ = share;
  for (const int changed : {before, node})
    if (changed >= 0 && changed < static_cast<int>(tree_.nodes.size()))
      Q_EMIT dataChanged(indexOfNode(changed), indexOfNode(changed, ColumnCount - 1));
}

const LoopNode& LoopTreeModel::node(const QModelIndex& index) const {
  return tree_.nodes[index.internalId()];
}

QModelIndex LoopTreeModel::indexOfNode(int node, int column) const {
  if (node < 0 || node >= static_cast<int>(tree_.nodes.size())) return {};
  return createIndex(rows_[static_cast<std::size_t>(node)], column, quintptr(node));
}

QModelIndex LoopTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (parent.isValid() && parent.column() != 0) return {};
  const std::vector<int>& nodes = children_[parent.isValid() ? parent.internalId() + 1 : 0];
  if (row < 0 || row >= static_cast<int>(nodes.size()) || column < 0 || column >= ColumnCount)
    return {};
  return createIndex(row, column, quintptr(nodes[static_cast<std::size_t>(row)]));
}

QModelIndex LoopTreeModel::parent(const QModelIndex& child) const {
  return child.isValid() ? indexOfNode(node(child).parent) : QModelIndex();
}

int LoopTreeModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() && parent.column() != 0) return 0;
  return static_cast<int>(children_[parent.isValid() ? parent.internalId() + 1 : 0].size());
}

int LoopTreeModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

const LoopTraffic* LoopTreeModel::trafficOf(int node) const {
  return nodeTraffic_[static_cast<std::size_t>(node)];
}

QString LoopTreeModel::text(int at, int column) const {
  const LoopNode& node = tree_.nodes[static_cast<std::size_t>(at)];
  const LoopTraffic* traffic = trafficOf(at);
  switch (column) {
  case Loop:
    return loopName(node);
  case Extent:
    if (node.kind != LoopNode::Kind::Loop) return {};
    return node.extent ? countText(*node.extent) : QStringLiteral("?");
  case Role:
    if (at == hot_)
      return tr("%1 · hot").arg(roleOf(node).word.isEmpty() ? tr("loop") : roleOf(node).word);
    return roleOf(node).word;
  case Tile:
    return tileText(node);
  case Footprint:
    return traffic ? QStringLiteral("%1 · %2").arg(bytesText(traffic->footprintBytes),
                                                   cacheName(traffic->footprintBytes))
                   : QString();
  case Traffic:
    return traffic ? bytesText(traffic->trafficBytes()) : QString();
  default:
    return {};
  }
}

QString LoopTreeModel::toolTip(int at, int column) const {
  const LoopNode& node = tree_.nodes[static_cast<std::size_t>(at)];
  const auto index = static_cast<std::size_t>(at);
  QString tip;
  if (index < differences_.size() && !differences_[index].isEmpty())
    tip = tr("Changed: %1.\n").arg(differences_[index]);
  else if (index < marks_.size() && marks_[index] != DiffMark::Same)
    tip = tr("New here.\n");
  if (at == hot_)
    tip += tr("The hot loop: an estimated %1 of all executed instructions are in it.\n")
               .arg(percentText(hotShare_));
  const LoopTraffic* traffic = trafficOf(at);
  if (traffic && (column == Footprint || column == Traffic))
    return tip + trafficTip(*traffic, column);
  if (column == Tile && node.tile.of > 1)
    return tip + tr("The axis was split into %1 levels; this is number %2 from outside.")
                     .arg(node.tile.of)
                     .arg(node.tile.level + 1);
  return tip + loopTip(node);
}

QVariant LoopTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int at = static_cast<int>(index.internalId());
  const LoopNode& node = tree_.nodes[static_cast<std::size_t>(at)];
  const bool number =
      index.column() == Extent || index.column() == Footprint || index.column() == Traffic;
  switch (role) {
  case Qt::DisplayRole:
    return text(at, index.column());
  case Qt::ToolTipRole:
    return toolTip(at, index.column());
  case Qt::TextAlignmentRole:
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  case Qt::ForegroundRole:
    if (index.column() == Role) return roleOf(node).colour;
    if (node.kind == LoopNode::Kind::Pragma || index.column() == Tile) return colours().dim;
    return {};
  case Qt::FontRole:
    if (index.column() == Loop) {
      QFont font = Theme::instance().codeFont();
      font.setBold(node.kind == LoopNode::Kind::Loop && node.annotation != Annotation::None);
      return font;
    }
    return {};
  case Qt::AccessibleDescriptionRole:
    return toolTip(at, index.column());
  case NodeRole:
    return at;
  case MarkRole:
    return static_cast<int>(static_cast<std::size_t>(at) < marks_.size()
                                ? marks_[static_cast<std::size_t>(at)]
                                : DiffMark::Same);
  case HotRole:
    return at == hot_ ? QVariant(hotShare_) : QVariant();
  default:
    return {};
  }
}

QVariant LoopTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const char* const kTitles[ColumnCount] = {QT_TR_NOOP("Loop"),      QT_TR_NOOP("Extent"),
                                                   QT_TR_NOOP("Role"),      QT_TR_NOOP("Tile"),
                                                   QT_TR_NOOP("Footprint"), QT_TR_NOOP("Traffic")};
  static const char* const kTips[ColumnCount] = {
      QT_TR_NOOP("The loops in the order of execution, each inside of the one above it."),
      QT_TR_NOOP("How many iterations the loop makes; ? where it is not known yet."),
      QT_TR_NOOP("How the loop is executed: shared by cores (parallel), as lanes of vector "
                 "instructions (vector), written out (unrolled), adding up (reduction)."),
      QT_TR_NOOP("Which of the levels of a split axis the loop is, counted from outside."),
      QT_TR_NOOP("Memory that one run of the loop reads and writes, each element counted once, and "
                 "the smallest cache of this machine that holds it."),
      QT_TR_NOOP("Footprint times runs: what is moved when nothing stays near between two runs of "
                 "the loop. Lower is better.")};
  if (role == Qt::DisplayRole) return tr(kTitles[section]);
  if (role == Qt::ToolTipRole) return tr(kTips[section]);
  if (role == Qt::TextAlignmentRole)
    return int((section == Extent || section == Footprint || section == Traffic ? Qt::AlignRight
                                                                                : Qt::AlignLeft) |
               Qt::AlignVCenter);
  return {};
}

std::vector<DiffMark> marksOf(const std::vector<LoopDiffRow>& rows, bool right, std::size_t nodes) {
  std::vector<DiffMark> marks(nodes, DiffMark::Same);
  for (const LoopDiffRow& row : rows)
    if (const int at = right ? row.row.right : row.row.left; at >= 0)
      marks[static_cast<std::size_t>(at)] = row.row.mark;
  return marks;
}

std::vector<QString> differencesOf(const std::vector<LoopDiffRow>& rows, bool right,
                                   std::size_t nodes) {
  std::vector<QString> texts(nodes);
  for (const LoopDiffRow& row : rows)
    if (const int at = right ? row.row.right : row.row.left; at >= 0)
      texts[static_cast<std::size_t>(at)] = qs(row.differences);
  return texts;
}

} // namespace nestwright::ui
