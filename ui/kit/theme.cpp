#include "ui/kit/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QPainter>
#include <QStyle>
#include <QStyleFactory>
#include <QSvgRenderer>

#include <algorithm>

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

/// The few things that Fusion draws heavier than we want: headers, dock titles, tool tips.
QString styleSheetOf(const Colours& c) {
  return QStringLiteral(R"(
QMainWindow::separator { background: %1; width: 1px; height: 1px; margin: 0px; }
QHeaderView { background: %2; border: none; }
QHeaderView::section { background: %2; color: %3; border: none; border-bottom: 1px solid %1;
  padding: 3px 6px; font-weight: normal; }
QHeaderView::section:vertical { padding: 0px 6px; }
QHeaderView::down-arrow, QHeaderView::up-arrow { width: 8px; height: 8px; }
QTableView, QTreeView, QPlainTextEdit, QListView { border: none; }
QTableView { gridline-color: transparent; selection-background-color: %6; selection-color: %7; }
QToolTip { background: %4; color: %7; border: 1px solid %1; padding: 4px; }
QToolBar { background: %2; border: none; border-bottom: 1px solid %1; spacing: 2px; padding: 3px 6px; }
QStatusBar { background: %2; border-top: 1px solid %1; }
QStatusBar::item { border: none; }
QMenuBar { background: %2; border-bottom: none; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QTabBar { background: %2; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: %5; padding: 4px 10px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: %7; border-bottom: 2px solid %8; }
QProgressBar { border: 1px solid %1; border-radius: 4px; background: %9; }
QProgressBar::chunk { background: %8; border-radius: 3px; }
QScrollBar { background: transparent; border: none; margin: 0px; }
QScrollBar:vertical { width: 11px; }
QScrollBar:horizontal { height: 11px; }
QScrollBar::handle { background: %9; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: %5; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolButton:checked { background: %6; border: 1px solid %1; border-radius: 3px; }
QTabBar::tab:hover:!selected { color: %7; }
)")
      .arg(c.line.name(), c.window.name(), c.dim.name(), c.raised.name(), c.dim.name(),
           c.selection.name(), c.text.name(), c.accent.name(),
           (c.dark ? QColor(0x4a525c) : QColor(0xc3cad2)).name());
}

QPixmap paintIcon(const QByteArray& svg, const QColor& colour, int size) {
  QByteArray coloured = svg;
  coloured.replace("currentColor", colour.name().toLatin1());
  QSvgRenderer renderer(coloured);
  QPixmap pixmap(size, size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
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

void Theme::apply() {
  const bool dark =
      choice_ == ThemeChoice::Dark || (choice_ == ThemeChoice::System && desktopIsDark_);
  colours_ = dark ? &darkColours() : &lightColours();
  if (QApplication::style()->objectName() != QLatin1String("fusion"))
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QFont font = QApplication::font();
  font.setPointSizeF(desktopPointSize_ * zoom_);
  QApplication::setFont(font);
  QApplication::setPalette(paletteOf(*colours_));
  qApp->setStyleSheet(styleSheetOf(*colours_));
  Q_EMIT changed();
}

QIcon Theme::icon(const QString& name) const {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  QIcon icon;
  for (const int size : {16, 24, 32, 48, 64}) {
    icon.addPixmap(paintIcon(svg, colours_->text, size), QIcon::Normal);
    icon.addPixmap(paintIcon(svg, colours_->faint, size), QIcon::Disabled);
  }
  return icon;
}

QFont Theme::codeFont() const {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(desktopPointSize_ * zoom_);
  return font;
}

QFont Theme::smallFont() const {
  QFont font = QApplication::font();
  font.setPointSizeF(desktopPointSize_ * zoom_ * 0.9);
  return font;
}

int Theme::rowHeight() const {
  return QFontMetrics(QApplication::font()).height() + qRound(6 * zoom_);
}

} // namespace nestwright::ui

#include "moc_theme.cpp"
