#include "ui/kit/look/drawn_icon.h"

#include "ui/kit/colours.h"

#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <utility>

namespace nestwright::ui {
namespace {

QColor colourOf(QIcon::Mode mode) {
  return mode == QIcon::Disabled ? colours().faint : colours().text;
}

} // namespace

DrawnIcon::DrawnIcon(QByteArray svg) : svg_(std::move(svg)) {}

void DrawnIcon::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) {
  QByteArray coloured = svg_;
  coloured.replace("currentColor", colourOf(mode).name().toLatin1());
  QSvgRenderer(coloured).render(painter, rect);
}

QPixmap DrawnIcon::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
  const QString key = QStringLiteral("nestwright-icon-%1-%2-%3x%4")
                          .arg(qHash(svg_), 0, 16)
                          .arg(colourOf(mode).name())
                          .arg(size.width())
                          .arg(size.height());
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  pixmap = QPixmap(size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  paint(&painter, QRect(QPoint(), size), mode, state);
  painter.end();
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

QIconEngine* DrawnIcon::clone() const {
  return new DrawnIcon(*this);
}

} // namespace nestwright::ui
