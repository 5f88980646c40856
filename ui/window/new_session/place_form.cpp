#include "ui/window/new_session/place_form.h"

#include "ui/kit/form_parts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>

namespace nestwright::ui {

PlaceForm::PlaceForm(QWidget* parent)
    : QWidget(parent), running_(sentenceLabel(this)),
      ownWindow_(new QRadioButton(tr("Open in a new window"), this)),
      here_(new QRadioButton(tr("Pause it, and open here"), this)) {
  ownWindow_->setToolTip(
      tr("The session here goes on. Two that measure at once on one machine make "
         "each other's times longer, so start the new one when this one is "
         "done."));
  here_->setToolTip(tr("The session here pauses. Everything that was measured is in its file."));
  ownWindow_->setChecked(true);
  auto* row = new QHBoxLayout;
  for (QRadioButton* choice : {ownWindow_, here_})
    row->addWidget(choice);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->addWidget(running_);
  layout->addLayout(row);
  hide();
  connect(here_, &QRadioButton::toggled, this, &PlaceForm::pauseChosen);
}

void PlaceForm::setRunning(const QString& text) {
  running_->setText(text);
  setVisible(!text.isEmpty());
  if (!text.isEmpty()) Q_EMIT pauseChosen(here_->isChecked());
}

bool PlaceForm::inOwnWindow() const {
  return !running_->text().isEmpty() && ownWindow_->isChecked();
}

} // namespace nestwright::ui

#include "moc_place_form.cpp"
