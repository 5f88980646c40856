#include "ui/program/launch/launch_drawing.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/launch/launch_painter.h"
#include "ui/program/program_text.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace nestwright::ui {
namespace {

using Level = LaunchScene::Level;

QString placeText(const LaunchScene& scene, const std::vector<std::int64_t>& position) {
  QStringList places;
  for (std::size_t i = 0; i < position.size(); ++i)
    if (scene.kernel.axes[i].whole > 1)
      places.append(
          QStringLiteral("%1 %2").arg(qs(scene.kernel.axes[i].axis), countText(position[i])));
  return places.isEmpty() ? LaunchDrawing::tr("its only element")
                          : places.join(QStringLiteral(", "));
}

QString gridTip(const KernelPicture& kernel) {
  QString text = LaunchDrawing::tr("The output of %1, shared out among the blocks of the grid. "
                                   "Click to look into another block.")
                     .arg(qs(kernel.name));
  for (const AxisShare& axis : kernel.axes)
    if (axis.whole > 1)
      text += LaunchDrawing::tr("\n%1: %2, of which a block computes %3")
                  .arg(qs(axis.axis), countText(axis.whole), countText(axis.block));
  return text;
}

QString tilesTip(const KernelPicture& kernel) {
  if (kernel.tiles.empty()) return {};
  QString text = LaunchDrawing::tr("What is held meanwhile:");
  for (const HeldTile& tile : kernel.tiles)
    text += LaunchDrawing::tr("\n%1: %2 in %3, %4, filled %5")
                .arg(qs(tile.stage), extentsText(tile.shape),
                     tile.holder == HeldTile::Holder::Block ? LaunchDrawing::tr("shared memory")
                                                            : LaunchDrawing::tr("registers"),
                     bytesText(double(tile.bytes())),
                     tile.fills == 1 ? LaunchDrawing::tr("once")
                                     : LaunchDrawing::tr("%1 times").arg(countText(tile.fills)));
  return text;
}

} // namespace

LaunchDrawing::LaunchDrawing(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Grid, block and thread of the kernel. Left and right choose a thread, up "
                       "and down a block."));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (scene_) // whose image has colours of its own
      scene_ =
          launchScene(scene_->kernel, scene_->facts, scene_->gpu, scene_->block, scene_->thread);
    update();
  });
}

void LaunchDrawing::show(const KernelPicture& kernel, const KernelFacts& facts,
                         const GpuFacts& gpu) {
  if (!kernel.isBound)
    return showMessage(tr("Nothing of %1 is bound to blocks or threads after this step: as it is, "
                          "one thread would compute everything.")
                           .arg(qs(kernel.name)));
  message_.clear();
  scene_ = launchScene(kernel, facts, gpu, scene_ ? scene_->block : 0, scene_ ? scene_->thread : 0,
                       scene_);
  tell();
}

void LaunchDrawing::showMessage(const QString& why) {
  scene_.reset();
  message_ = why;
  tell();
}

void LaunchDrawing::choose(std::int64_t block, std::int64_t thread) {
  if (!scene_) return;
  scene_ = launchScene(scene_->kernel, scene_->facts, scene_->gpu, block, thread, scene_);
  tell();
}

void LaunchDrawing::tell() {
  setAccessibleDescription(readout());
  QAccessibleEvent told(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&told);
  update();
  Q_EMIT chosen();
}

QString LaunchDrawing::readout() const {
  if (!scene_) return message_;
  const KernelDemand& demand = scene_->kernel.demand;
  QString text = tr("Block %1 of %2, thread %3 of %4")
                     .arg(countText(scene_->block), countText(demand.blocks()),
                          countText(scene_->thread), countText(demand.threadsPerBlock()));
  const auto first = scene_->kernel.elements->at(scene_->block, scene_->thread, 0);
  if (!first) return text + tr(": nothing to compute, it lies beyond the output's edge");
  text += tr(": computes from %1").arg(placeText(*scene_, first->position));
  QStringList extents;
  for (const AxisShare& axis : scene_->kernel.axes)
    if (axis.piece > 1)
      extents.append(QStringLiteral("%1 %2").arg(countText(axis.piece), qs(axis.axis)));
  if (!extents.isEmpty()) text += tr(" on %1").arg(extents.join(QStringLiteral(" × ")));
  if (demand.virtualThreads > 1)
    text += tr(", as each of %1 virtual threads").arg(countText(demand.virtualThreads));
  if (demand.reducesAcrossThreads) text += tr("; threads of the block reduce together");
  return text;
}

void LaunchDrawing::draw(QPainter& painter, QSize size) {
  painter.fillRect(QRect({}, size), colours().base);
  if (scene_) {
    layOut(*scene_, size);
    return paintLaunch(painter, *scene_, size);
  }
  painter.setFont(smallFont());
  painter.setPen(colours().dim);
  painter.drawText(QRect({}, size).adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                   message_);
}

void LaunchDrawing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  draw(painter, size());
  if (!hasFocus()) return;
  painter.setPen(QPen(colours().accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void LaunchDrawing::mousePressEvent(QMouseEvent* event) {
  if (!scene_ || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  if (const auto block = scene_->blockAt(event->position())) return choose(*block, scene_->thread);
  if (const auto thread = scene_->threadAt(event->position())) choose(scene_->block, *thread);
}

void LaunchDrawing::mouseMoveEvent(QMouseEvent* event) {
  const bool canChoose = scene_ && (scene_->areaOf(Level::Grid).contains(event->position()) ||
                                    scene_->threadAt(event->position()));
  setCursor(canChoose ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void LaunchDrawing::keyPressEvent(QKeyEvent* event) {
  if (!scene_) return QWidget::keyPressEvent(event);
  switch (event->key()) {
  case Qt::Key_Left:
    return choose(scene_->block, scene_->thread - 1);
  case Qt::Key_Right:
    return choose(scene_->block, scene_->thread + 1);
  case Qt::Key_Up:
    return choose(scene_->block - 1, scene_->thread);
  case Qt::Key_Down:
    return choose(scene_->block + 1, scene_->thread);
  case Qt::Key_Home:
    return choose(0, 0);
  case Qt::Key_End:
    return choose(scene_->kernel.demand.blocks() - 1, scene_->kernel.demand.threadsPerBlock() - 1);
  default:
    return QWidget::keyPressEvent(event);
  }
}

QString LaunchDrawing::tipAt(const QPointF& position) const {
  if (!scene_) return {};
  if (scene_->areaOf(Level::Grid).contains(position)) return gridTip(scene_->kernel);
  if (const auto thread = scene_->threadAt(position))
    return tr("Thread %1, of warp %2. Click to look at what it computes.")
        .arg(*thread)
        .arg(*thread / scene_->facts.warpThreads);
  if (scene_->areaOf(Level::Thread).contains(position))
    return tr("What one thread computes, element by element; lines are where they are no "
              "neighbours in the block's tile, numbers are virtual threads.");
  return tilesTip(scene_->kernel);
}

bool LaunchDrawing::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tipAt(help->pos());
  if (tip.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

} // namespace nestwright::ui

#include "moc_launch_drawing.cpp"
