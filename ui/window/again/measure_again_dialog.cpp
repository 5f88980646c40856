#include "ui/window/again/measure_again_dialog.h"

#include "core/result/evaluator.h"
#include "core/support/error.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/filtered_records.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <utility>

namespace nestwright::ui {

MeasureAgainDialog::MeasureAgainDialog(const Document& document, RecordListing listing,
                                       SelectedRecords selected, QWidget* parent,
                                       TargetForm::Survey survey)
    : QDialog(parent), document_(document), listing_(std::move(listing)),
      selected_(std::move(selected)), target_(new TargetForm(std::move(survey), this)) {
  setWindowTitle(tr("Measure Again"));
  std::ranges::sort(selected_.records);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(10);
  auto* purpose = new QLabel(tr("Programs of records are measured once more, in a session of their "
                                "own: on this machine, with another lowering or with another "
                                "evaluator. Each new record names the one that it comes from, and "
                                "old times are compared with new ones."),
                             this);
  purpose->setWordWrap(true);
  layout->addWidget(purpose);
  buildScope(layout);
  layout->addWidget(target_);
  buildForm(layout);
  for (QLabel** label : {&note_, &problem_}) {
    *label = new QLabel(this);
    (*label)->setWordWrap(true);
    (*label)->setTextFormat(Qt::PlainText);
    (*label)->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(*label);
  }
  note_->setAccessibleName(tr("What will be measured"));
  problem_->setAccessibleName(tr("What keeps it from beginning"));
  layout->addStretch(1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = buttons->addButton(tr("Measure"), QDialogButtonBox::AcceptRole);
  accept_->setToolTip(tr("Makes the session and begins."));
  accept_->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(target_, &TargetForm::changed, this, [this, onGpu = target_->isGpu()]() mutable {
    if (std::exchange(onGpu, target_->isGpu()) != onGpu) return count();
    tell();
  });
  for (QRadioButton* button : {listed_, some_, everything_})
    connect(button, &QRadioButton::toggled, this, [this](bool on) {
      if (on) count();
    });
  connect(limit_, &QSpinBox::valueChanged, this, &MeasureAgainDialog::count);
  connect(evaluator_, &QComboBox::editTextChanged, this, &MeasureAgainDialog::tell);
  connect(&Theme::instance(), &Theme::changed, this, &MeasureAgainDialog::restyle);
  restyle();
  count();
}

void MeasureAgainDialog::buildScope(QVBoxLayout* layout) {
  QString what = listing_.filter.empty()
                     ? tr("What the table of records &lists")
                     : tr("What the fi&lter finds: %1").arg(qs(print(listing_.filter)));
  if (listing_.task != 0 && !listing_.filter.has(FilterField::Task))
    if (const TaskEntry* task = document_.session().task(listing_.task))
      what += tr(", of the task %1").arg(taskTitle(task->row.name));
  listed_ = new QRadioButton(what, this);
  some_ = new QRadioButton(selected_.rows == 0 ? tr("The &selected records: none are selected")
                           : selected_.rows == 1
                               ? tr("The &selected record")
                               : tr("The %1 &selected records").arg(countText(selected_.rows)),
                           this);
  everything_ = new QRadioButton(tr("Everything in the document, &all sessions"), this);
  listed_->setToolTip(tr("All records that match, not only those in sight."));
  some_->setToolTip(tr("The rows that are selected in the table of records."));
  everything_->setToolTip(tr("Whatever is filtered or selected; forgotten records are left out."));
  auto* box = new QVBoxLayout;
  box->setSpacing(4);
  for (QRadioButton* button : {listed_, some_, everything_})
    box->addWidget(button);
  layout->addLayout(box);
  enableUnless(some_, selected_.rows == 0 ? tr("No row is selected.") : whyNotNamed(selected_));
  (selected_.rows > 1 && whyNot(some_).isEmpty() ? some_ : listed_)->setChecked(true);
}

void MeasureAgainDialog::buildForm(QVBoxLayout* layout) {
  threads_ = new QSpinBox(this);
  threads_->setRange(0, 4096);
  threads_->setSpecialValueText(tr("all cores"));
  threads_->setValue(document_.session().config().measure.threads);
  threads_->setToolTip(tr("Threads of the kernels. Times with other numbers of threads are not the "
                          "same target's."));
  evaluator_ = new QComboBox(this);
  evaluator_->setEditable(true);
  evaluator_->setInsertPolicy(QComboBox::NoInsert);
  evaluator_->setToolTip(tr("How often a program runs, and what its time is then."));
  for (const EvaluatorInfo& info : evaluatorInfos()) {
    evaluator_->addItem(QLatin1String(info.example));
    evaluator_->setItemData(evaluator_->count() - 1, QLatin1String(info.purpose), Qt::ToolTipRole);
  }
  evaluator_->setEditText(qs(toText(document_.session().config().measure.evaluator)));
  evaluator_->setAccessibleName(tr("Evaluator"));
  evaluator_->lineEdit()->setAccessibleName(evaluator_->accessibleName());
  limit_ = new QSpinBox(this);
  limit_->setRange(0, INT_MAX);
  limit_->setSpecialValueText(tr("all of them"));
  limit_->setSingleStep(100);
  limit_->setToolTip(tr("So many at most, drawn at random from all that can be measured."));
  anew_ = new QCheckBox(tr("Begin a&new where the same ones were measured so before"), this);
  anew_->setToolTip(tr("Otherwise the session that measured just these on this target is shown, "
                       "and goes on where it is not complete."));
  auto* form = new QFormLayout;
  form->addRow(tr("T&hreads"), threads_);
  form->addRow(tr("&Evaluator"), evaluator_);
  form->addRow(tr("At &most"), limit_);
  layout->addLayout(form);
  layout->addWidget(anew_);
}

AgainWish MeasureAgainDialog::wish() const {
  AgainWish wish;
  if (listed_->isChecked()) {
    wish.query = queryOf(document_, listing_);
  } else if (some_->isChecked()) {
    wish.query.filter.conditions = {conditionOf(selected_.records)};
    wish.query.forgotten = RecordQuery::Forgotten::With;
  }
  wish.limit = limit_->value();
  wish.anew = anew_->isChecked();
  wish.config.target = target_->target();
  wish.config.measure.device = target_->device();
  wish.config.measure.threads = threads_->value();
  if (evaluatorProblem().isEmpty())
    wish.config.measure.evaluator =
        evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
  wish.config.checkShare = 1; // whether it computes what it should is half of the question
  return wish;
}

void MeasureAgainDialog::count() {
  counted_.reset();
  failure_ = document_.state() == DocumentState::Ready ? QString() : tr("No document is open.");
  if (!failure_.isEmpty()) return tell();
  counting_.ask<AgainSession>(
      [store = counting_.connection(), path = document_.file().path(), wish = wish(),
       onGpu = target_->isGpu()](const Job& job) {
        return countMeasureAgain(store->at(path), wish, onGpu, [&job] { job.check(); });
      },
      [this](const AgainSession& counted) {
        counted_ = counted;
        tell();
      },
      [this](const QString& why) {
        failure_ = why;
        tell();
      });
  tell();
}

QString MeasureAgainDialog::evaluatorProblem() const {
  try {
    (void)evaluatorFromText(evaluator_->currentText().trimmed().toStdString());
    return {};
  } catch (const Error& error) {
    return qs(error.what());
  }
}

QString MeasureAgainDialog::problem() const {
  if (!failure_.isEmpty()) return failure_;
  if (QString why = target_->problem(); !why.isEmpty()) return why;
  if (!target_->canMeasure())
    return tr("Nothing is measured here for this target; what is missing is said above.");
  if (QString why = evaluatorProblem(); !why.isEmpty()) return why;
  if (!counted_) return tr("The programs are being counted.");
  if (counted_->records == 0) return tr("There is nothing that can be measured again.");
  return {};
}

void MeasureAgainDialog::tell() {
  QString text;
  if (!counted_) {
    text = failure_.isEmpty() ? tr("Counting …") : QString();
  } else {
    text = counted_->records == 1
               ? tr("1 program will be measured.")
               : tr("%1 programs will be measured, each once.").arg(countText(counted_->records));
    QStringList left;
    for (const std::string& clause : leftOutText(*counted_))
      left.append(qs(clause));
    if (!left.isEmpty()) text += '\n' + tr("Left out: %1.").arg(left.join(tr("; ")));
    if (document_.session().status() == SessionStatus::Running)
      text += '\n' + tr("The session that runs now pauses first.");
  }
  note_->setText(text);
  const QString why = counted_ || !failure_.isEmpty() ? problem() : QString();
  problem_->setText(why);
  problem_->setVisible(!why.isEmpty());
  enableUnless(accept_, problem());
}

void MeasureAgainDialog::restyle() {
  setTextColour(problem_, colours().failed);
}

} // namespace nestwright::ui

#include "moc_measure_again_dialog.cpp"
