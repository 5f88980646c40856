#include "ui/kit/look/workbench_style.h"

#include "ui/kit/colours.h"
#include "ui/kit/look/surface.h"

#include <QAbstractItemView>
#include <QElapsedTimer>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

// Sizes in px, the same at every zoom.
constexpr int kScrollBarWidth = 11, kScrollHandleMargin = 2, kScrollHandleLength = 32;
constexpr int kTabPadding = 10, kTabAbove = 4, kTabUnderline = 2;
constexpr int kSortMark = 8, kSortGap = 5;

/// What a section of a header has around its title; below it there is a rule, too.
constexpr QMargins kHeaderPadding(6, 3, 6, 4), kSideHeaderPadding(6, 0, 6, 1);

constexpr int kTickMilliseconds = 40, kBusyMilliseconds = 1800; // from one end to the other

/// The ground that a bar fills, and the handle of a scroll bar.
QColor troughColour() {
  return colours().dark ? QColor(0x4a525c) : QColor(0xc3cad2);
}

void drawRuleBelow(QPainter* painter, const QRect& rect) {
  painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), colours().line);
}

const QMargins& paddingOf(const QStyleOptionHeader& header) {
  return header.orientation == Qt::Horizontal ? kHeaderPadding : kSideHeaderPadding;
}

bool isSorted(const QStyleOptionHeader& header) {
  return header.sortIndicator != QStyleOptionHeader::None && header.orientation == Qt::Horizontal;
}

/// Where the handle of a scroll bar is, and where the mouse takes it.
QRect scrollHandle(const QStyleOptionSlider& bar) {
  const bool across = bar.orientation == Qt::Horizontal;
  const int room = across ? bar.rect.width() : bar.rect.height();
  const qint64 range = qint64(bar.maximum) - bar.minimum;
  int length = room;
  if (range > 0)
    length = std::clamp(int(qint64(room) * bar.pageStep / (range + bar.pageStep)),
                        std::min(kScrollHandleLength, room), room);
  const int start = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                    room - length, bar.upsideDown);
  return across ? QRect(bar.rect.left() + start, bar.rect.top(), length, bar.rect.height())
                : QRect(bar.rect.left(), bar.rect.top() + start, bar.rect.width(), length);
}

void drawScrollBar(const QStyleOptionSlider& bar, QPainter* painter) {
  if (bar.maximum <= bar.minimum) return;
  const bool touched = (bar.state & QStyle::State_MouseOver || bar.state & QStyle::State_Sunken) &&
                       bar.activeSubControls & QStyle::SC_ScrollBarSlider;
  const int margin = kScrollHandleMargin;
  const QRect handle = scrollHandle(bar).adjusted(margin, margin, -margin, -margin);
  drawSurface(*painter, handle, {touched ? colours().dim : troughColour(), {}, 3});
}

void drawTabLine(const QStyleOptionTab& tab, QPainter* painter) {
  if (tab.state & QStyle::State_Selected)
    painter->fillRect(tab.rect.adjusted(0, tab.rect.height() - kTabUnderline, 0, 0),
                      colours().accent);
}

QColor tabWriting(const QStyleOptionTab& tab) {
  if (!(tab.state & QStyle::State_Enabled)) return colours().faint;
  return tab.state & (QStyle::State_Selected | QStyle::State_MouseOver) ? colours().text
                                                                        : colours().dim;
}

} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {
  tick_.setInterval(kTickMilliseconds);
  tick_.setSingleShot(true);
  connect(&tick_, &QTimer::timeout, this, [this] {
    for (const QPointer<QWidget>& bar : std::exchange(busy_, {}))
      if (bar) bar->update();
  });
}

void WorkbenchStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (qobject_cast<QScrollBar*>(widget) != nullptr)
    widget->setAttribute(Qt::WA_OpaquePaintEvent,
                         false); // what lies below is seen beside the handle
  if (qobject_cast<QTabBar*>(widget) != nullptr) widget->setAttribute(Qt::WA_Hover);
  // The ground of a view tells its edge.
  auto* frame = qobject_cast<QFrame*>(widget);
  const bool isView =
      qobject_cast<QAbstractItemView*>(widget) || qobject_cast<QPlainTextEdit*>(widget);
  if (isView && frame->frameStyle() == (QFrame::StyledPanel | QFrame::Sunken))
    frame->setFrameShape(QFrame::NoFrame);
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                                const QWidget* widget) const {
  switch (metric) {
  case PM_ScrollBarExtent:
    return kScrollBarWidth;
  case PM_ScrollBarSliderMin:
    return kScrollHandleLength;
  case PM_ToolBarItemMargin:
    return 0;
  case PM_DockWidgetSeparatorExtent:
    return 1;
  case PM_ToolBarFrameWidth:
    return 6;
  case PM_ToolBarItemSpacing:
    return 2;
  case PM_TabBarTabHSpace:
    return 2 * kTabPadding;
  case PM_TabBarTabVSpace:
    return 2 * kTabAbove + kTabUnderline;
  case PM_TabBarTabShiftHorizontal:
  case PM_TabBarTabShiftVertical:
  case PM_TabBarTabOverlap:
    return 0;
  case PM_ToolTipLabelFrameWidth:
    return 5;
  case PM_HeaderMarkSize:
    return kSortMark;
  default:
    return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* answer) const {
  if (hint == SH_Table_GridLineColor) return 0; // transparent: rows are told apart by their ground
  return QProxyStyle::styleHint(hint, option, widget, answer);
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                       const QSize& contents, const QWidget* widget) const {
  const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  return type == CT_HeaderSection && header ? size.grownBy(paddingOf(*header)) : size;
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption* option,
                                     const QWidget* widget) const {
  switch (element) {
  case SE_HeaderLabel:
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
      QRect label = header->rect.marginsRemoved(paddingOf(*header));
      if (isSorted(*header))
        label.setRight(subElementRect(SE_HeaderArrow, option, widget).left() - kSortGap);
      return label;
    }
    break;
  case SE_HeaderArrow:
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
      const QRect inside = header->rect.marginsRemoved(paddingOf(*header));
      return alignedRect(header->direction, Qt::AlignRight | Qt::AlignVCenter,
                         QSize(kSortMark, kSortMark), inside);
    }
    break;
  case SE_TabBarTabText:
    return QProxyStyle::subElementRect(element, option, widget).adjusted(0, 0, 0, -kTabUnderline);
  default:
    break;
  }
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                     SubControl part, const QWidget* widget) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (control != CC_ScrollBar || bar == nullptr)
    return QProxyStyle::subControlRect(control, option, part, widget);
  const QRect handle = scrollHandle(*bar), all = bar->rect;
  const bool across = bar->orientation == Qt::Horizontal;
  QRect rect;
  switch (part) {
  case SC_ScrollBarSlider:
    rect = handle;
    break;
  case SC_ScrollBarGroove:
    rect = all;
    break;
  case SC_ScrollBarSubPage:
    rect = across ? all.adjusted(0, 0, handle.left() - all.right() - 1, 0)
                  : all.adjusted(0, 0, 0, handle.top() - all.bottom() - 1);
    break;
  case SC_ScrollBarAddPage:
    rect = across ? all.adjusted(handle.right() + 1 - all.left(), 0, 0, 0)
                  : all.adjusted(0, handle.bottom() + 1 - all.top(), 0, 0);
    break;
  default: // there are no arrows
    return {};
  }
  return visualRect(bar->direction, all, rect);
}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const {
  const Colours& c = colours();
  switch (element) {
  case PE_IndicatorDockWidgetResizeHandle:
    painter->fillRect(option->rect, c.line);
    return;
  case PE_PanelStatusBar:
    painter->fillRect(option->rect, c.window);
    painter->fillRect(QRect(option->rect.topLeft(), QSize(option->rect.width(), 1)), c.line);
    return;
  case PE_PanelTipLabel:
    drawSurface(*painter, option->rect, {c.raised, c.line});
    return;
  case PE_PanelButtonTool:
    if (!(option->state & State_On)) break;
    drawSurface(*painter, option->rect, {c.selection, c.line, 3});
    return;
  case PE_FrameStatusBarItem:
  case PE_FrameTabBarBase:
  case PE_PanelScrollAreaCorner:
    return;
  default:
    break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
  const Colours& c = colours();
  switch (element) {
  case CE_ToolBar:
    painter->fillRect(option->rect, c.window);
    drawRuleBelow(painter, option->rect);
    return;
  case CE_MenuBarEmptyArea:
    painter->fillRect(option->rect, c.window);
    return;
  case CE_MenuBarItem: {
    // Fusion has a rule below all that is not pressed.
    const bool pressed = option->state & State_Selected && option->state & State_Sunken;
    painter->save();
    painter->fillRect(option->rect, c.window);
    if (!pressed) painter->setClipRect(option->rect.adjusted(0, 0, 0, -1), Qt::IntersectClip);
    QProxyStyle::drawControl(element, option, painter, widget);
    painter->restore();
    return;
  }
  case CE_HeaderEmptyArea:
    painter->fillRect(option->rect, c.window);
    return;
  case CE_HeaderSection:
    painter->fillRect(option->rect, c.window);
    drawRuleBelow(painter, option->rect);
    return;
  case CE_Header:
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
      drawControl(CE_HeaderSection, header, painter, widget);
      QStyleOptionHeader part = *header;
      part.state &= ~State_On; // which would be bold
      part.palette.setColor(QPalette::ButtonText, c.dim);
      part.rect = subElementRect(SE_HeaderLabel, header, widget);
      QProxyStyle::drawControl(CE_HeaderLabel, &part, painter, widget);
      part.rect = subElementRect(SE_HeaderArrow, header, widget);
      if (isSorted(*header))
        QProxyStyle::drawPrimitive(PE_IndicatorHeaderArrow, &part, painter, widget);
      return;
    }
    break;
  case CE_TabBarTabShape:
    if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
      drawTabLine(*tab, painter);
      return;
    }
    break;
  case CE_TabBarTabLabel:
    if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
      QStyleOptionTab coloured = *tab;
      coloured.palette.setColor(QPalette::WindowText, tabWriting(*tab));
      QProxyStyle::drawControl(element, &coloured, painter, widget);
      return;
    }
    break;
  case CE_PushButtonBevel: {
    // Buttons with an explanation below their name are cards.
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (!button || !(button->features & QStyleOptionButton::CommandLinkButton)) break;
    const bool touched = option->state & (State_MouseOver | State_HasFocus);
    drawSurface(*painter, option->rect, {c.raised, touched ? c.accent : c.line, 6});
    return;
  }
  case CE_ProgressBar:
    if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
      drawProgress(*bar, painter, widget);
      return;
    }
    break;
  default:
    break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void WorkbenchStyle::drawProgress(const QStyleOptionProgressBar& bar, QPainter* painter,
                                  const QWidget* widget) const {
  const Colours& c = colours();
  drawSurface(*painter, bar.rect, {troughColour(), c.line, 4});
  const QRect room = bar.rect.adjusted(1, 1, -1, -1);
  const bool across = bar.state & State_Horizontal;
  const int length = across ? room.width() : room.height();
  const bool busy = bar.minimum == 0 && bar.maximum == 0;
  int start = 0, filled = 0;
  if (busy) {
    static const QElapsedTimer kClock = [] {
      QElapsedTimer clock;
      clock.start();
      return clock;
    }();
    const double phase = double(kClock.elapsed() % (2LL * kBusyMilliseconds)) / kBusyMilliseconds;
    filled = length * 3 / 10;
    start = int((length - filled) * (phase < 1 ? phase : 2 - phase));
    if (widget != nullptr) {
      const auto found = std::ranges::find(busy_, widget, &QPointer<QWidget>::data);
      if (found == busy_.end()) busy_.emplace_back(const_cast<QWidget*>(widget));
      if (!tick_.isActive()) tick_.start();
    }
  } else {
    const double range = std::max(1.0, double(bar.maximum) - bar.minimum);
    const double part = std::clamp((double(bar.progress) - bar.minimum) / range, 0.0, 1.0);
    filled = int(std::lround(part * length));
    if (across && (bar.direction == Qt::RightToLeft) != bar.invertedAppearance)
      start = length - filled;
  }
  const QRect chunk =
      across ? QRect(room.left() + start, room.top(), filled, room.height())
             : QRect(room.left(), room.top() + length - start - filled, room.width(), filled);
  if (filled > 0) drawSurface(*painter, chunk, {c.accent, {}, 3});
  if (!bar.textVisible || busy || !across) return;
  // The writing is told from what lies below it: dark beside the bar, light on it.
  for (const bool on : {false, true}) {
    painter->save();
    painter->setClipRegion(on ? QRegion(chunk) : QRegion(bar.rect).subtracted(chunk),
                           Qt::IntersectClip);
    painter->setPen(on ? c.accentText : c.text);
    painter->drawText(bar.rect, Qt::AlignCenter | Qt::TextSingleLine, bar.text);
    painter->restore();
  }
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                        QPainter* painter, const QWidget* widget) const {
  if (control == CC_ScrollBar)
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
      return drawScrollBar(*bar, painter);
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

} // namespace nestwright::ui

#include "moc_workbench_style.cpp"
