#include "ui/program/loop_tree_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"
#include "ui/program/program_text.h"

#include <QFont>

#include <algorithm>
#include <cmath>
#include <map>
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

QString footprintTip(const LoopTraffic& traffic, const TargetFacts& target) {
  if (cacheName(traffic.footprintBytes, target).isEmpty())
    return tr("One run of this loop, with all that is inside of it, reads and writes %1 of "
              "different elements. The caches of its machine are not known: logs do not tell them.")
        .arg(bytesText(traffic.footprintBytes));
  return tr("One run of this loop, with all that is inside of it, reads and writes %1 of different "
            "elements; the smallest cache that holds them is %2 (%3).")
      .arg(bytesText(traffic.footprintBytes), cacheName(traffic.footprintBytes, target),
           cacheSizes(target));
}

QString trafficTip(const LoopTraffic& traffic) {
  return tr("The footprint times the %1 runs of the loop: what has to be moved to and from it when "
            "nothing stays near between two runs. Lower is better.")
      .arg(countText(static_cast<std::int64_t>(traffic.runs)));
}

/// "1.27", "48".
QString timesText(double factor) {
  return factorText(factor).chopped(1);
}

QString buffersOf(const LoopTraffic& traffic) {
  QString lines;
  for (const LoopTraffic::Buffer& buffer : traffic.buffers)
    lines += tr("\n  %1  %2 a run, %3 an iteration, each used %4")
                 .arg(qs(buffer.name), bytesText(buffer.bytes), bytesText(buffer.iterationBytes),
                      factorText(buffer.reuse()));
  return lines;
}

QString reuseTip(const LoopTraffic& traffic) {
  return tr("In one run of this loop, each element that it touches is read or written %1 on "
            "average: what a cache that holds the footprint saves. Higher is better.")
      .arg(traffic.reuse() < 1.005 ? tr("once") : tr("%1 times").arg(timesText(traffic.reuse())));
}

/// Less than half a percent is none.
bool computesAgain(const LoopTraffic& traffic) {
  return traffic.recomputation > 1.005;
}

QString recomputationTip(const LoopTraffic& traffic, const LoopNode& node) {
  return computesAgain(traffic)
             ? tr("Each element of %1 is computed %2 times on average: it is computed where it is "
                  "read, and what is read there overlaps, or tiles reach beyond its end. That is "
                  "the price for having it near. Lower is better.")
                   .arg(qs(node.owner), timesText(traffic.recomputation))
             : tr("Each element of %1 is computed once.").arg(qs(node.owner));
}

} // namespace

namespace {

/// Of a loop that is bound to the blocks or threads of a GPU.
LoopRole boundRole(const LoopNode& node) {
  const QColor colour = colours().parallel;
  const auto along = [](Annotation annotation) {
    switch (annotation) {
    case Annotation::BlockY:
    case Annotation::ThreadY:
      return QStringLiteral("y");
    case Annotation::BlockZ:
    case Annotation::ThreadZ:
      return QStringLiteral("z");
    default:
      return QStringLiteral("x");
    }
  };
  switch (node.annotation) {
  case Annotation::VThread:
    return {LoopTreeModel::tr("virtual threads"),
            LoopTreeModel::tr("Each thread executes all of its iterations, as if it were so many "
                              "threads: what it computes lies apart, so that neighbouring threads "
                              "read neighbouring elements."),
            colour};
  case Annotation::BlockX:
  case Annotation::BlockY:
  case Annotation::BlockZ:
    return {LoopTreeModel::tr("blocks"),
            LoopTreeModel::tr("Each iteration is a block of the grid (along %1). Blocks run in any "
                              "order, as many at a time as the GPU holds, and share nothing but "
                              "its memory.")
                .arg(along(node.annotation)),
            colour};
  default:
    break;
  }
  if (node.isReduction())
    return {LoopTreeModel::tr("threads"),
            LoopTreeModel::tr("Each iteration is a thread of the block (along %1). Together they "
                              "reduce: each has its share, and they tell one another their results "
                              "by shuffles and through shared memory.")
                .arg(along(node.annotation)),
            colours().reduction};
  return {
      LoopTreeModel::tr("threads"),
      LoopTreeModel::tr("Each iteration is a thread of the block (along %1), 32 of which run as "
                        "one warp. Threads of a block share memory and can wait for one "
                        "another.")
          .arg(along(node.annotation)),
      colour};
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
  case Annotation::Tensorize:
    return {tr("instruction"),
            tr("The whole loop, with those inside of it, is one instruction of the tensor cores."),
            c.vector};
  default:
    return boundRole(node);
  }
  if (node.isReduction())
    return {tr("reduction"), tr("Its iterations add up into the same elements."), c.reduction};
  if (node.tile.of > 1)
    return {tr("tile"), tr("One level of a tiled axis: the outer levels walk over tiles."), c.dim};
  return {{}, tr("A plain loop: one iteration after the other."), c.dim};
}

LoopTreeModel::LoopTreeModel(QObject* parent) : TreeModel(parent) {
  setColumns(columns());
}

void LoopTreeModel::setTree(const LoopTree& tree, const std::vector<LoopTraffic>& traffic,
                            std::vector<DiffMark> marks, std::vector<QString> differences) {
  beginResetModel();
  tree_ = tree;
  traffic_ = traffic;
  marks_ = std::move(marks);
  differences_ = std::move(differences);
  hot_ = -1;
  std::map<std::string, double> most;
  mostBytes_ = 0, mostReuse_ = 1;
  for (const LoopTraffic& loop : traffic_) {
    mostBytes_ = std::max(mostBytes_, loop.footprintBytes);
    mostReuse_ = std::max(mostReuse_, loop.reuse());
    for (const LoopTraffic::Buffer& buffer : loop.buffers)
      most[buffer.name] = std::max(most[buffer.name], buffer.bytes);
  }
  std::vector<std::pair<double, QString>> bySize;
  for (const auto& [name, bytes] : most)
    bySize.emplace_back(-bytes, qs(name));
  std::ranges::sort(bySize);
  buffers_.clear();
  for (const auto& [size, name] : bySize)
    buffers_.append(name);
  clearNodes();
  for (int i = 0; i < std::ssize(tree_.nodes); ++i) {
    const LoopNode& node = tree_.nodes[static_cast<std::size_t>(i)];
    LoopRow row{i, nullptr};
    for (const LoopTraffic& loop : traffic_)
      if (node.kind == LoopNode::Kind::Loop && loop.stage == node.stage &&
          loop.iterator == node.iterator)
        row.traffic = &loop;
    addNode(row, node.parent);
  }
  endResetModel();
}

QColor LoopTreeModel::colourOf(const QString& buffer) const {
  return colours().task(static_cast<int>(buffers_.indexOf(buffer)));
}

QVector<double> LoopTreeModel::footprintBar(const LoopTraffic& traffic) const {
  constexpr double kLeastBytes = 64; // a cache line: nothing smaller moves
  // Up to the last cache or the largest loop, so that nests of one machine compare.
  const double end = std::max({mostBytes_, static_cast<double>(target_.l3Bytes), 2 * kLeastBytes});
  const double length = std::log2(std::max(traffic.footprintBytes, kLeastBytes) / kLeastBytes) /
                        std::log2(end / kLeastBytes);
  QVector<double> parts(buffers_.size(), 0);
  for (const LoopTraffic::Buffer& buffer : traffic.buffers)
    parts[buffers_.indexOf(qs(buffer.name))] =
        traffic.footprintBytes > 0 ? length * buffer.bytes / traffic.footprintBytes : 0;
  return parts;
}

void LoopTreeModel::setHot(int node, double share) {
  const int before = std::exchange(hot_, node);
  hotShare_ = share;
  for (const int changed : {before, node})
    if (changed >= 0 && changed < static_cast<int>(tree_.nodes.size()))
      Q_EMIT dataChanged(indexOfNode(changed), indexOfNode(changed, ColumnCount - 1));
}

const LoopNode& LoopTreeModel::node(const QModelIndex& index) const {
  return at(row(nodeOf(index)));
}

DiffMark LoopTreeModel::markOf(const LoopRow& row) const {
  const auto index = static_cast<std::size_t>(row.node);
  return index < marks_.size() ? marks_[index] : DiffMark::Same;
}

QString LoopTreeModel::withNews(const LoopRow& row, const QString& tip) const {
  const auto index = static_cast<std::size_t>(row.node);
  QString news;
  if (index < differences_.size() && !differences_[index].isEmpty())
    news = tr("Changed: %1.\n").arg(differences_[index]);
  else if (markOf(row) != DiffMark::Same)
    news = tr("New here.\n");
  if (row.node == hot_)
    news += tr("The hot loop: an estimated %1 of all executed instructions are in it.\n")
                .arg(percentText(hotShare_));
  return news + tip;
}

LoopTreeModel::Columns LoopTreeModel::columns() const {
  const auto tip = [this](const LoopRow& row) { return withNews(row, loopTip(at(row))); };
  return {
      {.title = tr("Loop"),
       .tip = tr("The loops in the order of execution, each inside of the one above it."),
       .text = [this](const LoopRow& row) { return loopName(at(row)); },
       .toolTip = tip,
       .other =
           [this](const LoopRow& row, int role) {
             if (role != Qt::FontRole) return QVariant();
             QFont font = codeFont();
             font.setBold(at(row).kind == LoopNode::Kind::Loop &&
                          at(row).annotation != Annotation::None);
             return QVariant(font);
           }},
      {.title = tr("Extent"),
       .tip = tr("How many iterations the loop makes; ? where it is not known yet."),
       .text =
           [this](const LoopRow& row) {
             if (at(row).kind != LoopNode::Kind::Loop) return QString();
             return at(row).extent ? countText(*at(row).extent) : QStringLiteral("?");
           },
       .align = kRight,
       .toolTip = tip},
      {.title = tr("Role"),
       .tip =
           tr("How the loop is executed: shared by cores (parallel), as lanes of vector "
              "instructions (vector), written out (unrolled), adding up (reduction); on a GPU, as "
              "its blocks, threads and virtual threads."),
       .text =
           [this](const LoopRow& row) {
             const QString word = roleOf(at(row)).word;
             return row.node == hot_ ? tr("%1 · hot").arg(word.isEmpty() ? tr("loop") : word)
                                     : word;
           },
       .toolTip = tip,
       .colour = [this](const LoopRow& row) { return roleOf(at(row)).colour; }},
      {.title = tr("Tile"),
       .tip = tr("Which of the levels of a split axis the loop is, counted from outside."),
       .text = [this](const LoopRow& row) { return tileText(at(row)); },
       .toolTip =
           [this, tip](const LoopRow& row) {
             const auto& [level, of] = at(row).tile;
             return of > 1 ? withNews(row, tr("The axis was split into %1 levels; this is "
                                              "number %2 from outside.")
                                               .arg(of)
                                               .arg(level + 1))
                           : tip(row);
           },
       .colour = kDimmed},
      {.title = tr("Footprint"),
       .tip = tr("Memory that one run of the loop reads and writes, each element counted "
                 "once, and the smallest cache of its machine that holds it."),
       .text =
           [this](const LoopRow& row) {
             if (!row.traffic) return QString();
             const QString bytes = bytesText(row.traffic->footprintBytes);
             const QString cache = cacheName(row.traffic->footprintBytes, target_);
             return cache.isEmpty() ? bytes : QStringLiteral("%1 · %2").arg(bytes, cache);
           },
       .align = kRight,
       .toolTip =
           [this, tip](const LoopRow& row) {
             return row.traffic ? withNews(row, footprintTip(*row.traffic, target_) +
                                                    buffersOf(*row.traffic))
                                : tip(row);
           },
       .other =
           [this](const LoopRow& row, int role) {
             return role == SharesRole && row.traffic
                        ? QVariant::fromValue(footprintBar(*row.traffic))
                        : QVariant();
           }},
      {.title = tr("Reuse"),
       .tip = tr("How often one run of the loop reads or writes each element that it touches, "
                 "on average. Higher is better: so much less has to come from far when the "
                 "footprint stays near."),
       .text =
           [](const LoopRow& row) {
             return row.traffic ? factorText(row.traffic->reuse()) : QString();
           },
       .align = kRight,
       .toolTip =
           [this, tip](const LoopRow& row) {
             return row.traffic ? withNews(row, reuseTip(*row.traffic) + buffersOf(*row.traffic))
                                : tip(row);
           },
       .fraction =
           [this](const LoopRow& row) {
             return row.traffic && mostReuse_ > 1
                        ? QVariant(std::log(std::max(1.0, row.traffic->reuse())) /
                                   std::log(mostReuse_))
                        : QVariant();
           }},
      {.title = tr("Recomputed"),
       .tip = tr("How often each element of the loop's stage is computed, where that is more "
                 "than once: a stage that is computed where it is read computes again what its "
                 "readers share. Lower is better."),
       .text =
           [](const LoopRow& row) {
             return row.traffic && computesAgain(*row.traffic)
                        ? factorText(row.traffic->recomputation)
                        : QString();
           },
       .align = kRight,
       .toolTip =
           [this, tip](const LoopRow& row) {
             return row.traffic ? withNews(row, recomputationTip(*row.traffic, at(row))) : tip(row);
           },
       .fraction =
           [](const LoopRow& row) {
             return row.traffic && computesAgain(*row.traffic)
                        ? QVariant(1 - 1 / row.traffic->recomputation)
                        : QVariant();
           }},
      {.title = tr("Traffic"),
       .tip = tr("Footprint times runs: what is moved when nothing stays near between two "
                 "runs of the loop. Lower is better."),
       .text =
           [](const LoopRow& row) {
             return row.traffic ? bytesText(row.traffic->trafficBytes()) : QString();
           },
       .align = kRight,
       .toolTip =
           [this, tip](const LoopRow& row) {
             return row.traffic ? withNews(row, trafficTip(*row.traffic) + buffersOf(*row.traffic))
                                : tip(row);
           }}};
}

QVariant LoopTreeModel::data(const QModelIndex& index, int role) const {
  // A screen reader says the tool tip, too.
  return TreeModel::data(index,
                         role == Qt::AccessibleDescriptionRole ? int(Qt::ToolTipRole) : role);
}

QVariant LoopTreeModel::rowData(const LoopRow& row, int role) const {
  switch (role) {
  case ItemRole:
    return row.node;
  case Qt::ForegroundRole:
    return at(row).kind == LoopNode::Kind::Pragma ? QVariant(colours().dim) : QVariant();
  case MarkRole:
    return static_cast<int>(markOf(row));
  case HotRole:
    return row.node == hot_ ? QVariant(hotShare_) : QVariant();
  default:
    return {};
  }
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

#include "moc_loop_tree_model.cpp"
