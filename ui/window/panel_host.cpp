#include "ui/window/panel_host.h"

#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/panel.h"

#include <QAction>
#include <QApplication>
#include <QChildEvent>
#include <QDataStream>
#include <QMouseEvent>
#include <QTabBar>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

/// Raised when the form of the bytes changes; panels may come and go without it.
constexpr int kArrangementVersion = 4;

} // namespace

PanelHost::PanelHost(Document& document, const std::vector<PanelSpec>& specs, QWidget* parent)
    : QMainWindow(parent), document_(document), specs_(specs) {
  setWindowFlags(Qt::Widget);
  setDockOptions(AllowNestedDocks | AllowTabbedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  for (const PanelSpec& spec : specs_) {
    std::vector<PanelView> views;
    for (const ViewSpec& view : spec.views)
      views.push_back({view.name, view.title, view.make(document, this)});
    auto* panel = new Panel(spec.name, spec.title, std::move(views), this);
    panels_.push_back(panel);
    addDockWidget(Qt::LeftDockWidgetArea, panel);
    connect(panel, &Panel::maximiseRequested, this, [this, panel] { toggleMaximised(panel); });
    connect(panel, &Panel::menuRequested, this,
            [this, panel](const QPoint& at) { Q_EMIT menuRequested(panel, at); });
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (Panel* panel : panels_)
      if (now && panel->isAncestorOf(now)) current_ = panel;
  });
  connect(&document, &Document::stateChanged, this, &PanelHost::showThoseWithData);
  connect(&document.selection(), &SharedSelection::comparedChanged, this,
          &PanelHost::showThoseWithData);
  for (const auto signal : {&SessionFollower::settingsChanged, &SessionFollower::tasksChanged})
    connect(&document.follower(), signal, this, &PanelHost::showThoseWithData);
  arrange(Layout::Tune);
}

Panel* PanelHost::panel(const QString& name) const {
  for (Panel* panel : panels_)
    if (panel->name() == name) return panel;
  for (Panel* panel : panels_)
    if (std::ranges::find(panel->views(), name, &PanelView::name) != panel->views().end())
      return panel;
  return nullptr;
}

std::vector<PanelView> PanelHost::views() const {
  std::vector<PanelView> views;
  for (const Panel* panel : panels_)
    views.insert(views.end(), panel->views().begin(), panel->views().end());
  return views;
}

Panel* PanelHost::panelInUse() const {
  if (current_ && !current_->isHidden()) return current_;
  if (Panel* curves = panel(QStringLiteral("curves")); curves && !curves->isHidden()) return curves;
  const auto shown = std::ranges::find_if(panels_, [](Panel* panel) { return !panel->isHidden(); });
  return shown == panels_.end() ? nullptr : *shown;
}

void PanelHost::raise(Panel* panel) {
  if (maximised_ && maximised_ != panel) endMaximised();
  panel->show();
  panel->raise();
  panel->view()->setFocus();
  current_ = panel;
}

void PanelHost::raise(const QString& name) {
  Panel* to = panel(name);
  if (!to) return;
  to->bringToFront(name);
  raise(to);
}

// --- arranging

void PanelHost::arrange(Layout layout) {
  maximised_ = nullptr;
  waiting_.clear();
  std::array<std::vector<Panel*>, 6> groups; // by place, the hidden ones left out
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const Place place = specs_[i].places[std::size_t(layout)];
    panels_[i]->setFloating(false);
    removeDockWidget(panels_[i]); // also hides
    if (place != Place::Hidden) groups[std::size_t(place) - 1].push_back(panels_[i]);
  }
  // The upper row first, from left to right; then each column is divided.
  Panel* left = nullptr;
  for (std::size_t column = 0; column < 3; ++column) {
    auto& upper = groups[2 * column];
    auto& lower = groups[2 * column + 1];
    if (upper.empty()) std::swap(upper, lower);
    if (upper.empty()) continue;
    place(upper, left, Qt::Horizontal);
    left = upper.front();
  }
  for (std::size_t column = 0; column < 3; ++column)
    if (!groups[2 * column + 1].empty())
      place(groups[2 * column + 1], groups[2 * column].front(), Qt::Vertical);
  // Only now: Qt splits no place that has tabs already.
  for (const auto& tabs : groups)
    stack(tabs);
  // Hidden ones wait in the last column, where they appear when they are asked for.
  for (std::size_t i = 0; left && i < panels_.size(); ++i)
    if (specs_[i].places[std::size_t(layout)] == Place::Hidden) {
      tabifyDockWidget(left, panels_[i]);
      panels_[i]->hide();
    }
  for (std::size_t i = 0; layout == Layout::Tune && i < panels_.size(); ++i)
    if (specs_[i].hasData && !specs_[i].hasData(document_)) {
      waiting_.append(specs_[i].name);
      panels_[i]->hide();
    }
  for (const auto& tabs : groups)
    if (!tabs.empty()) tabs.front()->raise();
  if (layout == Layout::Lab) // whose work begins with the data
    if (Panel* lab = panel(QStringLiteral("data-set")))
      lab->bringToFront(QStringLiteral("data-set"));
  resizeColumns(groups, proportions(layout));
  // Tabs are put together after this; then panels know whether one names them.
  QTimer::singleShot(0, this, &PanelHost::updateTitles);
  Q_EMIT maximisedChanged();
}

void PanelHost::place(const std::vector<Panel*>& tabs, Panel* besides,
                      Qt::Orientation orientation) {
  if (besides)
    splitDockWidget(besides, tabs.front(), orientation);
  else
    addDockWidget(Qt::LeftDockWidgetArea, tabs.front());
}

void PanelHost::stack(const std::vector<Panel*>& tabs) {
  for (std::size_t i = 1; i < tabs.size(); ++i)
    tabifyDockWidget(tabs[i - 1], tabs[i]);
  for (Panel* panel : tabs)
    panel->show();
}

void PanelHost::resizeColumns(const std::array<std::vector<Panel*>, 6>& groups,
                              const Proportions& sizes) {
  QList<QDockWidget*> columns;
  QList<int> widths;
  for (std::size_t column = 0; column < 3; ++column) {
    const auto& upper = groups[2 * column];
    const auto& lower = groups[2 * column + 1];
    if (upper.empty()) continue;
    columns.append(upper.front());
    widths.append(std::max(1, width() * sizes.columns[column] / 100));
    if (lower.empty()) continue;
    const int high = height() * sizes.upper[column] / 100;
    resizeDocks({upper.front(), lower.front()}, {high, height() - high}, Qt::Vertical);
  }
  resizeDocks(columns, widths, Qt::Horizontal);
}

QByteArray PanelHost::arrangement() const {
  QStringList shown;
  for (const Panel* panel : panels_)
    if (!panel->isHidden()) shown.append(panel->name());
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << kArrangementVersion << (maximised_ ? shownBefore_ : shown)
         << (maximised_ ? beforeMaximised_ : saveState()) << waiting_;
  return bytes;
}

bool PanelHost::restore(const QByteArray& arrangement) {
  QDataStream stream(arrangement);
  int version = 0;
  QStringList shown;
  QByteArray state;
  stream >> version >> shown >> state;
  if (stream.status() != QDataStream::Ok || version != kArrangementVersion) return false;
  if (!restoreState(state)) return false;
  maximised_ = nullptr;
  waiting_.clear();
  if (!stream.atEnd()) stream >> waiting_; // older ones end here
  // Qt shows what it does not find in the state. A view that was a panel of its own shows the one
  // that it is in now.
  for (Panel* panel : panels_) {
    const auto wasShown = [&](const PanelView& view) { return shown.contains(view.name); };
    panel->setVisible(shown.contains(panel->name()) ||
                      std::ranges::any_of(panel->views(), wasShown));
  }
  showThoseWithData();
  QTimer::singleShot(0, this, &PanelHost::updateTitles);
  Q_EMIT maximisedChanged();
  return true;
}

/// In their places, and behind the tabs that are in front.
void PanelHost::showThoseWithData() {
  if (maximised_ || document_.state() != DocumentState::Ready) return;
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (waiting_.contains(specs_[i].name) && specs_[i].hasData(document_)) {
      waiting_.removeAll(specs_[i].name);
      panels_[i]->show();
      QTimer::singleShot(0, this, &PanelHost::updateTitles);
    }
}

// --- one panel alone

void PanelHost::toggleMaximised(Panel* panel) {
  if (maximised_) return endMaximised();
  if (panel->isFloating()) return;
  beforeMaximised_ = saveState();
  shownBefore_.clear();
  for (const Panel* other : panels_)
    if (!other->isHidden()) shownBefore_.append(other->name());
  maximised_ = panel;
  for (Panel* other : panels_)
    if (other != panel && !other->isFloating()) other->hide();
  panel->show();
  QTimer::singleShot(0, this, &PanelHost::updateTitles);
  Q_EMIT maximisedChanged();
}

void PanelHost::endMaximised() {
  maximised_ = nullptr;
  restoreState(beforeMaximised_);
  showThoseWithData();
  QTimer::singleShot(0, this, &PanelHost::updateTitles);
  Q_EMIT maximisedChanged();
}

void PanelHost::setInUse(bool inUse) {
  inUse_ = inUse;
  setFloatingShown(inUse);
  for (Panel* panel : panels_)
    enableUnless(panel->toggleViewAction(), inUse ? QString() : tr("No document is open."));
}

void PanelHost::setFloatingShown(bool shown) {
  if (shown) {
    for (Panel* panel : std::exchange(hiddenFloating_, {}))
      panel->show();
    return;
  }
  for (Panel* panel : panels_)
    if (panel->isFloating() && !panel->isHidden()) {
      hiddenFloating_.push_back(panel);
      panel->hide();
    }
}

// --- titles and tabs

void PanelHost::updateTitles() {
  for (Panel* panel : panels_)
    panel->updateTitle();
  watchTabs();
}

void PanelHost::watchTabs() {
  for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    bar->removeEventFilter(this);
    bar->installEventFilter(this);
    bar->setAccessibleName(tr("Panels in this place"));
    bar->setExpanding(false);
    bar->setUsesScrollButtons(true);
    for (int tab = 0; tab < bar->count(); ++tab)
      bar->setTabToolTip(tab, tr("%1. Double-click: the whole window (F11). Right-click: menu.")
                                  .arg(bar->tabText(tab)));
  }
}

Panel* PanelHost::panelOfTab(const QTabBar* bar, int tab) const {
  for (Panel* panel : panels_)
    if (tab >= 0 && panel->windowTitle() == bar->tabText(tab) && !panel->isFloating()) return panel;
  return nullptr;
}

bool PanelHost::event(QEvent* event) {
  // Qt makes and drops tab bars as panels are moved.
  if (event->type() == QEvent::ChildAdded || event->type() == QEvent::ChildRemoved)
    QTimer::singleShot(0, this, &PanelHost::watchTabs);
  return QMainWindow::event(event);
}

bool PanelHost::eventFilter(QObject* watched, QEvent* event) {
  auto* bar = qobject_cast<QTabBar*>(watched);
  if (!bar) return QMainWindow::eventFilter(watched, event);
  if (event->type() == QEvent::MouseButtonDblClick) {
    if (Panel* panel = panelOfTab(bar, bar->tabAt(static_cast<QMouseEvent*>(event)->pos())))
      toggleMaximised(panel);
    return true;
  }
  // A panel whose tab was clicked is the one in use. It gets the keyboard, too: a menu that closes
  // gives that back to who had it, who would then be the one in use.
  if (event->type() == QEvent::MouseButtonPress) {
    const auto* press = static_cast<QMouseEvent*>(event);
    Panel* panel = panelOfTab(bar, bar->tabAt(press->pos()));
    if (panel && press->button() == Qt::LeftButton) {
      QTimer::singleShot(0, panel->view(), [view = panel->view()] { view->setFocus(); });
      current_ = panel;
    }
  }
  if (event->type() == QEvent::ContextMenu) {
    const auto* menu = static_cast<QContextMenuEvent*>(event);
    if (Panel* panel = panelOfTab(bar, bar->tabAt(menu->pos())))
      Q_EMIT menuRequested(panel, menu->globalPos());
    return true;
  }
  return QMainWindow::eventFilter(watched, event);
}

} // namespace nestwright::ui

#include "moc_panel_host.cpp"
