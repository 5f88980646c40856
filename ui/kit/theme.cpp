#include "ui/kit/theme.h"

#include "ui/kit/colours.h"
#include "ui/kit/look/drawn_icon.h"
#include "ui/kit/look/workbench_style.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QToolTip>

#include <algorithm>
#include <utility>

/// Resources of a static library are only found after this, which must stand outside of namespaces.
static void initResources() {
  Q_INIT_RESOURCE(workbench);
  Q_INIT_RESOURCE(manual);
}

namespace nestwright::ui {
namespace {

Colours makeLight() {
  Colours c;
  c.window = QColor(0xf3f4f6), c.base = QColor(0xffffff), c.alternate = QColor(0xf8f9fb);
  c.raised = QColor(0xffffff);
  c.text = QColor(0x1c2127), c.dim = QColor(0x59636f), c.faint = QColor(0x8d97a3);
  c.line = QColor(0xd8dde3);
  c.accent = QColor(0x1a62c5), c.accentText = QColor(0xffffff), c.selection = QColor(0xd6e6fb);
  c.running = QColor(0x1a62c5), c.waiting = QColor(0xb26a00), c.failed = QColor(0xb3261e);
  c.parallel = QColor(0xb34700), c.vector = QColor(0x00755a), c.unroll = QColor(0x7b3fa0);
  c.reduction = QColor(0x1a62c5);
  c.series = {QColor(0x0072b2), QColor(0xd55e00), QColor(0x009e73), QColor(0xc2569a),
              QColor(0xc98a00), QColor(0x3fa7dd), QColor(0x6a4c93), QColor(0x7a6a1c)};
  return c;
}

Colours makeDark() {
  Colours c;
  c.dark = true;
  c.window = QColor(0x2a2e34), c.base = QColor(0x1a1d21), c.alternate = QColor(0x1f2227);
  c.raised = QColor(0x353a42);
  c.text = QColor(0xe3e6ea), c.dim = QColor(0x9fa8b3), c.faint = QColor(0x6d7681);
  c.line = QColor(0x3b4149);
  c.accent = QColor(0x6ba6ff), c.accentText = QColor(0x0d1117), c.selection = QColor(0x24405f);
  c.running = QColor(0x6ba6ff), c.waiting = QColor(0xf0b04a), c.failed = QColor(0xff8a7d);
  c.parallel = QColor(0xffa657), c.vector = QColor(0x56d4b0), c.unroll = QColor(0xd2a8ff);
  c.reduction = QColor(0x79b8ff);
  c.series = {QColor(0x4ba3e3), QColor(0xff8547), QColor(0x2fcba0), QColor(0xe79ac6),
              QColor(0xf2b530), QColor(0x8ad0f5), QColor(0xa98bd6), QColor(0xc8b45a)};
  return c;
}

QPalette paletteOf(const Colours& c) {
  QPalette p;
  p.setColor(QPalette::Window, c.window);
  p.setColor(QPalette::WindowText, c.text);
  p.setColor(QPalette::Base, c.base);
  p.setColor(QPalette::AlternateBase, c.alternate);
  p.setColor(QPalette::Text, c.text);
  p.setColor(QPalette::PlaceholderText, c.faint);
  p.setColor(QPalette::Button, c.dark ? c.raised : QColor(250, 251, 252));
  p.setColor(QPalette::ButtonText, c.text);
  p.setColor(QPalette::BrightText, c.failed);
  p.setColor(QPalette::ToolTipBase, c.raised);
  p.setColor(QPalette::ToolTipText, c.text);
  p.setColor(QPalette::Highlight, c.selection);
  p.setColor(QPalette::HighlightedText, c.text);
  p.setColor(QPalette::Link, c.accent);
  p.setColor(QPalette::LinkVisited, c.accent);
  p.setColor(QPalette::Light, c.dark ? c.raised : QColor(0xffffff));
  p.setColor(QPalette::Midlight, c.line);
  p.setColor(QPalette::Mid, c.line);
  p.setColor(QPalette::Dark, c.dark ? QColor(0x0f1114) : QColor(0xb8c0c9));
  p.setColor(QPalette::Shadow, c.dark ? QColor(Qt::black) : QColor(0x7d8792));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, c.faint);
  p.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
  return p;
}

/// QComboBox keeps the least size that it had with another font, unless it hears of another style.
void remeasureBoxes() {
  const QWidgetList widgets = QApplication::allWidgets();
  for (QWidget* widget : widgets)
    if (qobject_cast<QComboBox*>(widget) != nullptr) {
      QEvent event(QEvent::StyleChange);
      QApplication::sendEvent(widget, &event);
    }
}

} // namespace

const Colours& lightColours() {
  static const Colours kColours = makeLight();
  return kColours;
}

const Colours& darkColours() {
  static const Colours kColours = makeDark();
  return kColours;
}

QColor Colours::task(int rank) const {
  return rank >= 0 && rank < static_cast<int>(series.size()) ? series[rank] : faint;
}

Theme& Theme::instance() {
  static auto* theme = new Theme(qApp);
  return *theme;
}

Theme::Theme(QObject* parent) : QObject(parent) {
  initResources();
  desktopIsDark_ = QApplication::palette().color(QPalette::Window).lightness() < 128;
  desktopPointSize_ = std::max(7.0, QApplication::font().pointSizeF());
  QApplication::setStyle(new WorkbenchStyle);
  soon_.setSingleShot(true);
  soon_.setInterval(0);
  connect(&soon_, &QTimer::timeout, this, &Theme::apply);
  apply();
}

void Theme::choose(ThemeChoice choice) {
  choice_ = choice;
  apply();
}

void Theme::setZoom(double zoom) {
  zoom_ = std::clamp(zoom, 0.6, 3.0);
  apply();
}

void Theme::chooseSoon(ThemeChoice choice) {
  choice_ = choice;
  soon_.start();
}

void Theme::setZoomSoon(double zoom) {
  zoom_ = std::clamp(zoom, 0.6, 3.0);
  soon_.start();
}

void Theme::apply() {
  soon_.stop();
  const bool dark =
      choice_ == ThemeChoice::Dark || (choice_ == ThemeChoice::System && desktopIsDark_);
  const Colours* before = std::exchange(colours_, dark ? &darkColours() : &lightColours());
  const bool isSame = colours_ == before && appliedZoom_ == zoom_;
  if (isSame && appliedChoice_ == choice_) return;
  appliedChoice_ = choice_;
  // Each of the two reaches all widgets: what is as before is left alone.
  const bool isZoomed = std::exchange(appliedZoom_, zoom_) != zoom_;
  if (isZoomed) {
    QFont font = QApplication::font();
    font.setPointSizeF(pointSize());
    QApplication::setFont(font);
    // It is told by events that wait; who hears changed() looks at the fonts that there are then.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::ApplicationFontChange);
  }
  if (colours_ != before) {
    const QPalette palette = paletteOf(*colours_);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
  }
  Q_EMIT changed();
  if (isZoomed) remeasureBoxes(); // which have all their fonts now
}

QIcon Theme::icon(const QString& name) const {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  return file.open(QIODevice::ReadOnly) ? QIcon(new DrawnIcon(file.readAll())) : QIcon();
}

const Colours& colours() {
  return Theme::instance().colours();
}

} // namespace nestwright::ui

#include "moc_theme.cpp"
