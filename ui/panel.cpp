#include "ui/panel.h"

#include "ui/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

/// Keeps a view that wants much room from widening the window: many panels share a small screen.
class Body : public QWidget {
 public:
  Body(QWidget* view, QWidget* parent) : QWidget(parent), view_(view) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    layout->addWidget(view);
  }
  QSize minimumSizeHint() const override {
    return view_->minimumSizeHint().expandedTo(view_->minimumSize()).boundedTo(QSize(240, 120));
  }
  QSize sizeHint() const override { return view_->sizeHint(); }

 private:
  QWidget* view_;
};

} // namespace

Panel::Panel(const QString& name, const QString& title, QWidget* view, QWidget* parent)
    : QDockWidget(title, parent), name_(name), view_(view), title_(new QWidget(this)),
      noTitle_(new QWidget(this)), label_(new QLabel(title, title_)) {
  setObjectName(name + QStringLiteral("Panel"));
  setWidget(new Body(view, this));
  setFocusProxy(view);
  buildTitle(title);
  setTitleBarWidget(title_);
  connect(this, &QDockWidget::topLevelChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::dockLocationChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::visibilityChanged, this, &Panel::updateTitle);
  connect(&Theme::instance(), &Theme::changed, this, &Panel::restyle);
  restyle();
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
  QFont font = Theme::instance().smallFont();
  font.setWeight(QFont::DemiBold);
  label_->setFont(font);
  label_->setStyleSheet(QStringLiteral("color: %1").arg(colours().dim.name()));
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
