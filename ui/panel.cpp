#include "ui/panel.h"

#include "ui/theme.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QToolButton>

namespace nestwright::ui {

Panel::Panel(const QString& name, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent), title_(new QWidget(this)), noTitle_(new QWidget(this)),
      label_(new QLabel(title, title_)) {
  setObjectName(name);
  setWidget(content);
  auto* close = new QToolButton(title_);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setFocusPolicy(Qt::NoFocus);
  close->setToolTip(tr("Hide this panel; the View menu shows it again."));
  close->setAccessibleName(tr("Hide %1").arg(title));
  auto* row = new QHBoxLayout(title_);
  row->setContentsMargins(9, 2, 4, 2);
  row->addWidget(label_, 1);
  row->addWidget(close);
  setTitleBarWidget(title_);
  connect(close, &QToolButton::clicked, this, &QWidget::close);
  connect(this, &QDockWidget::topLevelChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::dockLocationChanged, this, &Panel::updateTitle);
  connect(this, &QDockWidget::visibilityChanged, this, &Panel::updateTitle);
  connect(&Theme::instance(), &Theme::changed, this, &Panel::restyle);
  restyle();
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
