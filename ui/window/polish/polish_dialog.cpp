#include "ui/window/polish/polish_dialog.h"

#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

constexpr int kMostTrials = 100'000;

} // namespace

PolishDialog::PolishDialog(RowId record, const QString& running, QWidget* parent)
    : QDialog(parent), record_(record) {
  setWindowTitle(tr("Polish Record %1").arg(countText(record)));
  auto* what = sentenceLabel(this);
  what->setText(tr("Each decision of the program is changed by one step: a tile size, the unroll "
                   "limit, what runs in parallel or in vectors, where a stage is computed. What is "
                   "faster beyond noise is taken, and polished on, until nothing is or the trials "
                   "are used up."));
  auto* note = sentenceLabel(this);
  note->setText(tr("A new session in this document measures them and begins at once. The page "
                   "Polish of the panel Search shows how much each decision matters."));
  keepTextColour(note, &Colours::dim);
  auto* pause = sentenceLabel(this);
  sayOrHide(pause,
            running.isEmpty() ? QString() : tr("%1 It pauses, and can go on later.").arg(running));
  trials_ = numberBox(this, 1, kMostTrials, PolishWish().trials, tr("Trials"),
                      tr("Neighbours to measure at most."));
  trials_->setGroupSeparatorShown(true);
  auto* label = new QLabel(tr("&Trials, at most"), this);
  label->setBuddy(trials_);
  label->setToolTip(trials_->toolTip());
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(trials_);
  row->addStretch();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(tr("Polish"), QDialogButtonBox::AcceptRole)->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(12);
  layout->addWidget(what);
  layout->addWidget(note);
  layout->addWidget(pause);
  layout->addLayout(row);
  layout->addStretch();
  layout->addWidget(buttons);
  const int width = fontMetrics().averageCharWidth() * 70;
  resize(width, layout->totalHeightForWidth(width));
}

PolishWish PolishDialog::wish() const {
  PolishWish wish;
  wish.record = record_;
  wish.trials = trials_->value();
  return wish;
}

} // namespace nestwright::ui

#include "moc_polish_dialog.cpp"
