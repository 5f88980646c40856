#include "ui/program/launch/launch_painter.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/program/program_text.h"

#include <QPainter>

#include <algorithm>

namespace nestwright::ui {
namespace {

using Level = LaunchScene::Level;

constexpr double kLeastCell = 4; // pixels of a cell that is drawn with its border
constexpr double kBarHeight = 8;

QColor shaded(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

/// Borders of blocks along one axis, where they can be told apart.
void paintBlockBorders(QPainter& painter, const LaunchScene& scene, int axis, bool across) {
  if (axis < 0) return;
  const QRectF& area = scene.areaOf(Level::Grid);
  const AxisShare& share = scene.axis(axis);
  const double length = across ? area.width() : area.height();
  const double step = length * double(share.block) / double(share.whole);
  if (step < kLeastCell) return; // the ground stands for them
  for (double at = step; at < length - 0.5; at += step)
    if (across)
      painter.drawLine(QPointF(area.left() + at, area.top()),
                       QPointF(area.left() + at, area.bottom()));
    else
      painter.drawLine(QPointF(area.left(), area.top() + at),
                       QPointF(area.right(), area.top() + at));
}

void paintGrid(QPainter& painter, const LaunchScene& scene) {
  const Colours& c = colours();
  const QRectF& area = scene.areaOf(Level::Grid);
  painter.fillRect(area, shaded(c.parallel, c.dark ? 34 : 26));
  painter.setPen(QPen(shaded(c.parallel, 130), 1));
  paintBlockBorders(painter, scene, scene.plane.columns, true);
  paintBlockBorders(painter, scene, scene.plane.rows, false);
  // However small it is, it is seen.
  QRectF block = scene.blockInGrid();
  block.setSize(block.size().expandedTo({4, 4}));
  painter.fillRect(block, c.parallel);
  painter.setPen(QPen(c.dim, 1));
  painter.drawRect(area);
}

/// Between cells of different threads, or of different virtual threads of one.
void paintThreadBorders(QPainter& painter, const LaunchScene& scene) {
  const BlockTile& tile = scene.tile;
  const QSizeF size = scene.cellRect(0, 0).size();
  const auto piece = [&](int axis) { return axis < 0 ? 1.0 : double(scene.axis(axis).piece); };
  const bool x = size.width() * piece(scene.plane.columns) >= kLeastCell;
  const bool y = size.height() * piece(scene.plane.rows) >= kLeastCell;
  if (!x && !y) return;
  painter.setPen(QPen(shaded(colours().text, 80), 1));
  for (std::int64_t row = 0; row < tile.rows; ++row)
    for (std::int64_t column = 0; column < tile.columns; ++column) {
      const QRectF cell = scene.cellRect(row, column);
      if (x && column > 0 && tile.at(row, column) != tile.at(row, column - 1))
        painter.drawLine(cell.topLeft(), cell.bottomLeft());
      if (y && row > 0 && tile.at(row, column) != tile.at(row - 1, column))
        painter.drawLine(cell.topLeft(), cell.topRight());
    }
}

void paintBlock(QPainter& painter, const LaunchScene& scene) {
  const Colours& c = colours();
  const QRectF& area = scene.areaOf(Level::Block);
  if (scene.owners.isNull()) {
    painter.fillRect(area, shaded(c.parallel, 40));
    painter.setPen(c.dim);
    painter.drawText(area.adjusted(4, 4, -4, -4), Qt::AlignCenter | Qt::TextWordWrap,
                     KernelModel::tr("too many elements to be drawn one by one"));
  } else {
    painter.drawImage(area, scene.owners);
    for (const std::int64_t row : scene.ownRows)
      for (const std::int64_t column : scene.ownColumns)
        if (scene.tile.at(row, column).thread == scene.thread)
          painter.fillRect(scene.cellRect(row, column).adjusted(0, 0, 0.5, 0.5), c.accent);
    paintThreadBorders(painter, scene);
  }
  painter.setPen(QPen(c.parallel, 2));
  painter.drawRect(area);
}

/// Lines where the thread's elements are no neighbours in the block's tile.
void paintGaps(QPainter& painter, const LaunchScene& scene) {
  const QRectF& area = scene.areaOf(Level::Thread);
  painter.setPen(QPen(colours().text, 1.4));
  const auto paint = [&](const std::vector<std::int64_t>& own, bool across) {
    for (std::size_t i = 1; i < own.size(); ++i) {
      if (own[i] == own[i - 1] + 1) continue;
      const double at = double(i) / double(own.size());
      if (across)
        painter.drawLine(QPointF(area.left() + at * area.width(), area.top() - 3),
                         QPointF(area.left() + at * area.width(), area.bottom() + 3));
      else
        painter.drawLine(QPointF(area.left() - 3, area.top() + at * area.height()),
                         QPointF(area.right() + 3, area.top() + at * area.height()));
    }
  };
  paint(scene.ownRows, false);
  paint(scene.ownColumns, true);
}

void paintThread(QPainter& painter, const LaunchScene& scene) {
  const Colours& c = colours();
  const QRectF& area = scene.areaOf(Level::Thread);
  if (scene.ownRows.empty()) {
    painter.setPen(c.dim);
    if (!scene.tile.cells.empty())
      painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap,
                       scene.kernel.demand.reducesAcrossThreads
                           ? KernelModel::tr("helps to reduce what another thread stores")
                           : KernelModel::tr("computes nothing here"));
    return;
  }
  const double x = area.width() / double(scene.ownColumns.size());
  const double y = area.height() / double(scene.ownRows.size());
  const QFontMetrics metrics(painter.font());
  const double border = x >= kLeastCell && y >= kLeastCell ? 0.7 : 0;
  for (std::size_t row = 0; row < scene.ownRows.size(); ++row)
    for (std::size_t column = 0; column < scene.ownColumns.size(); ++column) {
      const BlockTile::Cell& cell = scene.tile.at(scene.ownRows[row], scene.ownColumns[column]);
      if (cell.thread != scene.thread) continue;
      const QRectF rect(area.left() + double(column) * x, area.top() + double(row) * y, x, y);
      painter.fillRect(rect.adjusted(border, border, -border, -border),
                       shaded(c.accent, cell.piece % 2 == 0 ? 90 : 150));
      const QString number = QString::number(cell.piece);
      if (scene.kernel.demand.virtualThreads > 1 && y > metrics.height() &&
          x > metrics.horizontalAdvance(number) + 4) {
        painter.setPen(c.text);
        painter.drawText(rect, Qt::AlignCenter, number);
      }
    }
  paintGaps(painter, scene);
  painter.setPen(QPen(c.accent, 2));
  painter.drawRect(area);
}

void paintMagnifying(QPainter& painter, const QRectF& from, const QRectF& to) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(shaded(colours().dim, 170), 1, Qt::DotLine));
  painter.drawLine(from.topRight(), to.topLeft());
  painter.drawLine(from.bottomRight(), to.bottomLeft());
  painter.restore();
}

void paintHead(QPainter& painter, const LaunchScene& scene, Level level, const QString& title,
               const QString& below) {
  const QFontMetrics metrics(painter.font());
  const double width = scene.widthOfLevel() - 4;
  const QRectF line(scene.areaOf(level).center().x() - width / 2, 3, width, metrics.height());
  const auto write = [&](const QRectF& where, const QString& text) {
    painter.drawText(where, Qt::AlignCenter,
                     QFontMetrics(painter.font()).elidedText(text, Qt::ElideRight, int(width)));
  };
  const QFont plain = painter.font();
  QFont bold = plain;
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(colours().text);
  write(line, title);
  painter.setFont(plain);
  painter.setPen(colours().dim);
  write(line.translated(0, metrics.height()), below);
}

/// "8 × 4 blocks", and along which axes there are more that are not drawn.
QString gridText(const LaunchScene& scene) {
  const KernelDemand& demand = scene.kernel.demand;
  QString text =
      demand.grid[1] * demand.grid[2] > 1
          ? KernelModel::tr("%1 blocks").arg(extentsText(demand.grid))
          : unitsText(demand.blocks(), KernelModel::tr("block"), KernelModel::tr("blocks"));
  for (int i = 0; i < std::ssize(scene.kernel.axes); ++i) {
    const AxisShare& axis = scene.axis(i);
    if (i == scene.plane.rows || i == scene.plane.columns || axis.block >= axis.whole) continue;
    text += KernelModel::tr(", a layer of %1 along %2")
                .arg(countText((axis.whole + axis.block - 1) / axis.block), qs(axis.axis));
  }
  return text;
}

void paintHeads(QPainter& painter, const LaunchScene& scene) {
  const KernelDemand& demand = scene.kernel.demand;
  const std::int64_t elements = scene.kernel.elements->elementsOfThread();
  paintHead(painter, scene, Level::Grid, KernelModel::tr("Grid"), gridText(scene));
  paintHead(painter, scene, Level::Block, KernelModel::tr("Block %1").arg(countText(scene.block)),
            KernelModel::tr("%1, %2").arg(
                unitsText(demand.threadsPerBlock(), KernelModel::tr("thread"),
                          KernelModel::tr("threads")),
                unitsText(scene.facts.warps(), KernelModel::tr("warp"), KernelModel::tr("warps"))));
  const QString each = unitsText(elements / demand.virtualThreads, KernelModel::tr("element"),
                                 KernelModel::tr("elements"));
  paintHead(painter, scene, Level::Thread,
            KernelModel::tr("Thread %1").arg(countText(scene.thread)),
            demand.virtualThreads > 1
                ? KernelModel::tr("%1 virtual × %2").arg(countText(demand.virtualThreads), each)
                : each);
}

/// How far a level goes along the two axes.
void paintAxes(QPainter& painter, const LaunchScene& scene, Level level) {
  const QRectF& area = scene.areaOf(level);
  const double line = QFontMetrics(painter.font()).height();
  const auto text = [&](int axis, std::size_t own) {
    const AxisShare& share = scene.axis(axis);
    const std::int64_t extent = level == Level::Grid    ? share.whole
                                : level == Level::Block ? share.block
                                                        : static_cast<std::int64_t>(own);
    return QStringLiteral("%1 %2").arg(qs(share.axis), countText(extent));
  };
  painter.setPen(colours().dim);
  const double width = scene.widthOfLevel();
  if (scene.plane.columns >= 0)
    painter.drawText(QRectF(area.center().x() - width / 2, area.bottom() + 2, width, line),
                     Qt::AlignCenter, text(scene.plane.columns, scene.ownColumns.size()));
  if (scene.plane.rows < 0) return;
  painter.save();
  painter.translate(area.left() - 3, area.center().y());
  painter.rotate(-90);
  painter.drawText(QRectF(-100, -line, 200, line), Qt::AlignCenter,
                   text(scene.plane.rows, scene.ownRows.size()));
  painter.restore();
}

/// How much of what a level has is taken.
struct Bar {
  QString text, below;
  double of = 0;             // all that there is; 0: unknown
  std::vector<double> parts; // of it that are taken
  QColor colour;
};

QString namesOf(const LaunchScene& scene, HeldTile::Holder holder) {
  QStringList names;
  for (const HeldTile& tile : scene.kernel.tiles)
    if (tile.holder == holder)
      names.append(QStringLiteral("%1 %2").arg(qs(tile.stage), extentsText(tile.shape)));
  return names.join(QStringLiteral(", "));
}

Bar gridBar(const LaunchScene& scene) {
  Bar bar;
  const double waves = scene.facts.waves();
  bar.text = waves <= 0  ? KernelModel::tr("the GPU's size is not known")
             : waves < 1 ? KernelModel::tr("fills %1 of the GPU").arg(percentText(waves))
                         : KernelModel::tr("fills the GPU %1 times").arg(waves, 0, 'f', 1);
  if (scene.facts.occupancy.blocks > 0)
    bar.below =
        KernelModel::tr("%1 on a multiprocessor at a time").arg(scene.facts.occupancy.blocks);
  bar.of = waves > 0 ? 1 : 0;
  bar.parts = {std::min(waves, 1.0)};
  bar.colour = colours().parallel;
  return bar;
}

Bar sharedBar(const LaunchScene& scene) {
  Bar bar;
  const auto taken = static_cast<double>(scene.facts.sharedBytes);
  bar.of = static_cast<double>(scene.facts.sharedLimit);
  bar.text = taken > 0 ? KernelModel::tr("%1 of %2 shared").arg(bytesText(taken), bytesText(bar.of))
                       : KernelModel::tr("no shared memory");
  bar.below = namesOf(scene, HeldTile::Holder::Block);
  double rest = taken;
  for (const HeldTile& tile : scene.kernel.tiles) {
    if (tile.holder != HeldTile::Holder::Block) continue;
    bar.parts.push_back(std::min(rest, static_cast<double>(tile.bytes())));
    rest -= bar.parts.back();
  }
  if (rest > 0) bar.parts.push_back(rest); // padding, and what warps hand over
  bar.colour = colours().vector;
  return bar;
}

Bar registerBar(const LaunchScene& scene) {
  const KernelFacts& facts = scene.facts;
  Bar bar;
  bar.of = facts.registerLimit;
  bar.text = (facts.isCompiled ? KernelModel::tr("%1 of %2 registers")
                               : KernelModel::tr("≈ %1 of %2 registers"))
                 .arg(facts.registers)
                 .arg(facts.registerLimit);
  if (facts.spillBytes > 0)
    bar.below = KernelModel::tr("spills %1").arg(bytesText(double(facts.spillBytes)));
  else
    bar.below = namesOf(scene, HeldTile::Holder::Thread);
  bar.parts = {static_cast<double>(facts.registers)};
  bar.colour = facts.spillBytes > 0 ? colours().failed : colours().accent;
  return bar;
}

void paintBar(QPainter& painter, const LaunchScene& scene, Level level, const Bar& bar,
              double top) {
  const Colours& c = colours();
  const QFontMetrics metrics(painter.font());
  const double width = scene.widthOfLevel() - 8;
  const QRectF frame(scene.areaOf(level).center().x() - width / 2 + 8, top, width - 16, kBarHeight);
  if (bar.of > 0) {
    painter.fillRect(frame, shaded(c.dim, c.dark ? 60 : 44));
    double done = 0;
    for (const double amount : bar.parts) {
      const double from = std::min(1.0, done / bar.of) * frame.width();
      done += amount;
      const double to = std::min(1.0, done / bar.of) * frame.width();
      if (amount > 0)
        painter.fillRect(
            QRectF(frame.left() + from, frame.top(), std::max(to - from - 1, 1.0), frame.height()),
            bar.colour);
    }
  }
  QRectF line(frame.center().x() - width / 2, frame.bottom() + 2, width, metrics.height());
  for (const auto& [text, colour] : {std::pair(bar.text, c.text), std::pair(bar.below, c.dim)}) {
    painter.setPen(colour);
    painter.drawText(line, Qt::AlignCenter, metrics.elidedText(text, Qt::ElideRight, int(width)));
    line.translate(0, metrics.height());
  }
}

} // namespace

QString extentsText(const std::vector<std::int64_t>& shape) {
  QStringList extents;
  for (const std::int64_t extent : shape)
    if (extent > 1) extents.append(countText(extent));
  return extents.isEmpty() ? QStringLiteral("1") : extents.join(QStringLiteral(" × "));
}

void paintLaunch(QPainter& painter, const LaunchScene& scene, QSize size) {
  painter.setFont(smallFont());
  painter.setBrush(Qt::NoBrush);
  paintGrid(painter, scene);
  paintBlock(painter, scene);
  paintThread(painter, scene);
  paintMagnifying(painter, scene.blockInGrid(), scene.areaOf(Level::Block));
  if (!scene.ownRows.empty())
    paintMagnifying(painter, scene.threadInBlock(), scene.areaOf(Level::Thread));
  paintHeads(painter, scene);
  for (const Level level : {Level::Grid, Level::Block, Level::Thread})
    paintAxes(painter, scene, level);
  const double line = QFontMetrics(painter.font()).height();
  const double top = size.height() - 2 * line - kBarHeight - 6;
  paintBar(painter, scene, Level::Grid, gridBar(scene), top);
  paintBar(painter, scene, Level::Block, sharedBar(scene), top);
  paintBar(painter, scene, Level::Thread, registerBar(scene), top);
}

} // namespace nestwright::ui
