#include "ui/kit/message_page.h"

#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

MessagePage::MessagePage(QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), text_(new QLabel(this)),
      busy_(new QProgressBar(this)), back_(new QPushButton(tr("Back"), this)),
      offer_(new QPushButton(this)) {
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->setFixedWidth(260);
  busy_->setAccessibleName(tr("Loading"));
  auto* column = new QWidget(this);
  column->setMaximumWidth(680);
  auto* layout = new QVBoxLayout(column);
  layout->setSpacing(12);
  layout->addStretch(2);
  layout->addWidget(title_);
  layout->addWidget(text_);
  layout->addWidget(busy_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(back_);
  buttons->addWidget(offer_);
  buttons->addStretch(1);
  layout->addLayout(buttons);
  layout->addStretch(3);
  auto* page = new QHBoxLayout(this);
  page->addStretch(1);
  page->addWidget(column, 4);
  page->addStretch(1);
  connect(back_, &QPushButton::clicked, this, &MessagePage::dismissed);
  connect(offer_, &QPushButton::clicked, this, &MessagePage::offerTaken);
  offer_->hide();
  connect(&Theme::instance(), &Theme::changed, this, &MessagePage::restyle);
  restyle();
}

void MessagePage::restyle() {
  QFont font = this->font();
  font.setPointSizeF(font.pointSizeF() * 1.4);
  font.setWeight(QFont::DemiBold);
  title_->setFont(font);
}

void MessagePage::showLoading(const QString& what) {
  title_->setText(what);
  text_->hide();
  back_->hide();
  busy_->show();
}

void MessagePage::showError(const QString& title, const QString& text, const QString& back) {
  title_->setText(title);
  text_->setText(text);
  back_->setText(back);
  text_->show();
  back_->show();
  back_->setFocus();
  busy_->hide();
}

void MessagePage::setOffer(const QString& offer) {
  offer_->setText(offer);
  offer_->setVisible(!offer.isEmpty());
}

QString MessagePage::text() const {
  return text_->isHidden() ? title_->text() : title_->text() + QLatin1Char('\n') + text_->text();
}

Banner::Banner(QWidget* parent) : QWidget(parent), text_(new QLabel(this)) {
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* dismiss = new QToolButton(this);
  dismiss->setText(QStringLiteral("✕"));
  dismiss->setAutoRaise(true);
  dismiss->setToolTip(tr("Dismiss"));
  dismiss->setAccessibleName(tr("Dismiss"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 4, 4);
  row->addWidget(text_, 1);
  row->addWidget(dismiss, 0, Qt::AlignTop);
  connect(dismiss, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void Banner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colours().raised);
  painter.fillRect(0, height() - 1, width(), 1, colours().line);
  painter.fillRect(0, 0, 4, height(), colours().failed);
}

void Banner::show(const QString& text) {
  text_->setText(text);
  QWidget::show();
}

QString Banner::text() const {
  return isHidden() ? QString() : text_->text();
}

} // namespace nestwright::ui

#include "moc_message_page.cpp"
