#include "ui/window/panel.h"

#include "ui/document/tabbed_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLayout>
#include <QMainWindow>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyle>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

/// Keeps a view that wants much room from widening the window: many panels share a small screen.
/// What has no room, as when everything is enlarged, is scrolled to.
class Body : public QScrollArea {
 public:
  Body(QWidget* view, QWidget* parent) : QScrollArea(parent), view_(view) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidget(view);
    for (QStackedWidget* pages : view->findChildren<QStackedWidget*>()) {
      connect(pages, &QStackedWidget::currentChanged, this, [this, pages] { follow(pages); });
      follow(pages);
    }
  }
  QSize minimumSizeHint() const override { return leastSize().boundedTo(QSize(200, 40)); }
  QSize sizeHint() const override { return view_->sizeHint(); }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QScrollArea::resizeEvent(event);
    fit();
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == view_ && event->type() == QEvent::LayoutRequest) {
      updateGeometry();
      fit();
    }
    return QScrollArea::eventFilter(watched, event);
  }

 private:
  QSize leastSize() const {
    QSize least = view_->minimumSizeHint().expandedTo(view_->minimumSize());
    // Texts that were written for one line need more of them.
    if (Theme::instance().zoom() > 1) least.rheight() += 4 * tableRowHeight();
    return least;
  }

  /// Pages that are not seen want no room.
  void follow(QStackedWidget* pages) {
    for (int page = 0; page < pages->count(); ++page) {
      const auto policy =
          page == pages->currentIndex() ? QSizePolicy::Expanding : QSizePolicy::Ignored;
      pages->widget(page)->setSizePolicy(policy, policy);
    }
    fit();
  }

  /// All the room there is, or as much as the view cannot do without. A resizable widget of
  /// QScrollArea would get the height that it likes to have at this width, which is more.
  void fit() {
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    const QSize all = maximumViewportSize(), least = leastSize();
    QSize room = all;
    if (least.width() > room.width()) room.rheight() -= bar;
    if (least.height() > room.height()) room.rwidth() -= bar;
    if (least.width() > room.width()) room.setHeight(all.height() - bar);
    view_->resize(room.expandedTo(least));
  }

  QWidget* view_;
};

} // namespace

Panel::Panel(const QString& name, const QString& title, std::vector<PanelView> views,
             QWidget* parent)
    : QDockWidget(title, parent), name_(name), views_(std::move(views)), title_(new QWidget(this)),
      noTitle_(new QWidget(this)), label_(new QLabel(title, title_)) {
  setObjectName(name + QStringLiteral("Panel"));
  setWidget(new Body(stacked(), this));
  setFocusProxy(view());
  buildTitle(title);
  setTitleBarWidget(title_);
  connect(this, &QDockWidget::topLevelChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::dockLocationChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::visibilityChanged, this, &Panel::updateTitle);
  connect(&Theme::instance(), &Theme::changed, this, &Panel::restyle);
  restyle();
}

/// All views in one widget.
QWidget* Panel::stacked() {
  QWidget* first = views_.front().widget;
  if (views_.size() == 1) return first;
  auto* tabbed = dynamic_cast<TabbedView*>(first);
  tabs_ = tabbed ? tabbed->pages() : new QTabWidget(this);
  tabs_->setDocumentMode(true);
  ownTab_ = tabbed ? tabs_->currentWidget() : nullptr;
  for (std::size_t i = tabbed ? 1 : 0; i < views_.size(); ++i)
    tabs_->addTab(views_[i].widget, views_[i].title);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (ownTab_ && view() == views_.front().widget) ownTab_ = tabs_->currentWidget();
    setFocusProxy(view());
  });
  return tabbed ? first : tabs_;
}

const PanelView& Panel::inFront() const {
  const QWidget* page = tabs_ ? tabs_->currentWidget() : nullptr;
  const auto found = std::ranges::find(views_, page, &PanelView::widget);
  return found == views_.end() ? views_.front() : *found;
}

void Panel::bringToFront(const QString& view) {
  const auto found = std::ranges::find(views_, view, &PanelView::name);
  if (!tabs_ || found == views_.end() || &*found == &inFront()) return;
  tabs_->setCurrentWidget(ownTab_ && found == views_.begin() ? ownTab_ : found->widget);
}

void Panel::buildTitle(const QString& title) {
  const auto button = [&](const QString& sign, const QString& tip, const QString& name) {
    auto* made = new QToolButton(title_);
    made->setText(sign);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::NoFocus);
    made->setToolTip(tip);
    made->setAccessibleName(name);
    return made;
  };
  auto* menu =
      button(QStringLiteral("⋯"), tr("Export, copy, float and more."), tr("Menu of %1").arg(title));
  auto* close = button(QStringLiteral("✕"), tr("Hide this panel; the View menu shows it again."),
                       tr("Hide %1").arg(title));
  auto* row = new QHBoxLayout(title_);
  row->setContentsMargins(9, 2, 4, 2);
  row->setSpacing(0);
  row->addWidget(label_, 1);
  row->addWidget(menu);
  row->addWidget(close);
  title_->setToolTip(tr("Drag to move the panel; double-click to give it the whole window (F11)."));
  title_->installEventFilter(this);
  connect(menu, &QToolButton::clicked, this,
          [this, menu] { Q_EMIT menuRequested(menu->mapToGlobal(QPoint(0, menu->height()))); });
  connect(close, &QToolButton::clicked, this, &QWidget::close);
}

bool Panel::eventFilter(QObject* watched, QEvent* event) {
  // The dock would float; giving it the whole window is what one wants more often.
  if (watched == title_ && event->type() == QEvent::MouseButtonDblClick) {
    Q_EMIT maximiseRequested();
    return true;
  }
  return QDockWidget::eventFilter(watched, event);
}

void Panel::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->globalPos());
  event->accept();
}

void Panel::restyle() {
  QFont font = smallFont();
  font.setWeight(QFont::DemiBold);
  label_->setFont(font);
  setTextColour(label_, colours().dim);
}

void Panel::updateTitle() {
  const auto* window = qobject_cast<QMainWindow*>(parentWidget());
  bool tabbed = false;
  if (window && !isFloating())
    for (const QDockWidget* other : window->tabifiedDockWidgets(this))
      tabbed = tabbed || !other->isHidden();
  QWidget* wanted = tabbed ? noTitle_ : title_;
  if (titleBarWidget() == wanted) return;
  titleBarWidget()->hide();
  setTitleBarWidget(wanted);
  wanted->show();
}

} // namespace nestwright::ui

#include "moc_panel.cpp"
