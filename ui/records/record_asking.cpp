#include "ui/records/record_asking.h"

#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>

namespace nestwright::ui {

AskingNote::AskingNote(QWidget* parent)
    : QWidget(parent), label_(new ElidedLabel(this)), stop_(new QToolButton(this)) {
  stop_->setText(tr("Stop"));
  stop_->setAutoRaise(true);
  stop_->setToolTip(tr("Stop reading the records; what is shown stays."));
  stop_->hide();
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(label_, 1);
  row->addWidget(stop_);
  connect(&Theme::instance(), &Theme::changed, this, &AskingNote::restyle);
  restyle();
}

void AskingNote::follow(RecordAsking& asking, const QString& what) {
  connect(&asking, &Background::progress, this, [this, what](const QString& percent) {
    stop_->show();
    setText(tr("%1 … %2 %").arg(what, percent));
  });
  connect(&asking, &Background::busyChanged, this, [this, &asking] {
    if (!asking.isBusy()) stop_->hide();
  });
  connect(stop_, &QToolButton::clicked, this, [this, &asking] {
    if (!asking.isBusy()) return;
    asking.cancel();
    Q_EMIT stopped();
  });
}

void AskingNote::setText(const QString& text) {
  label_->setText(text);
  label_->setToolTip(text);
}

void AskingNote::restyle() {
  setTextColour(label_, colours().dim);
  label_->setFont(smallFont());
  stop_->setFont(smallFont());
}

} // namespace nestwright::ui

#include "moc_record_asking.cpp"
