#include "ui/program/program_head.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <climits>

namespace nestwright::ui {

ProgramHead::ProgramHead(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new ElidedLabel(this, Qt::ElideMiddle)),
      subtitle_(new ElidedLabel(this)), compare_(new QToolButton(this)),
      copy_(new QToolButton(this)) {
  for (QLabel* label : {title_, subtitle_}) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  compare_->setText(tr("Compare"));
  compare_->setToolTip(tr("Put this program beside another one, with the differences marked. A "
                          "record can also be dragged here."));
  compare_->setMenu(compareMenu());
  copy_->setText(tr("Copy"));
  copy_->setToolTip(tr("Copy the text of this page; the arrow offers the program as JSON."));
  copy_->setMenu(copyMenu());
  for (QToolButton* button : {compare_, copy_}) {
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::MenuButtonPopup);
  }
  connect(compare_, &QToolButton::clicked, this, &ProgramHead::compareWithBest);
  connect(copy_, &QToolButton::clicked, this, &ProgramHead::copyPageWanted);
  connect(&Theme::instance(), &Theme::changed, this, &ProgramHead::restyle);
  auto* names = new QVBoxLayout;
  names->setSpacing(1);
  names->addWidget(title_);
  names->addWidget(subtitle_);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 6, 8, 4);
  layout->addLayout(names, 1);
  layout->addWidget(compare_);
  layout->addWidget(copy_);
  restyle();
}

void ProgramHead::addCommand(QAction* command) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(command);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setAutoRaise(true);
  auto* row = static_cast<QHBoxLayout*>(layout());
  row->insertWidget(row->indexOf(compare_), button);
}

QMenu* ProgramHead::compareMenu() {
  auto* menu = new QMenu(compare_);
  menu->setToolTipsVisible(true);
  QAction* best = menu->addAction(tr("Compare with &Best"), this, &ProgramHead::compareWithBest);
  best->setToolTip(tr("Beside the task's best program; the best itself, beside the naive one."));
  menu->addAction(tr("Compare with &Naive Program"), this, &ProgramHead::compareWithNaive);
  menu->addAction(tr("Compare with &Record …"), this, &ProgramHead::askRecordToCompare);
  menu->addSeparator();
  QAction* a = menu->addAction(tr("Use as &A"), this, [this] {
    document_.selection().compare({program_.ref, document_.selection().compared().b});
  });
  a->setToolTip(tr("Keep this program as side A of the comparison; choose another one for B."));
  QAction* b = menu->addAction(tr("Use as B"), this, [this] {
    document_.selection().compare({document_.selection().compared().a, program_.ref});
  });
  b->setToolTip(tr("Make this program side B of the comparison."));
  return menu;
}

QMenu* ProgramHead::copyMenu() {
  auto* menu = new QMenu(copy_);
  menu->addAction(tr("Copy Page"), this, &ProgramHead::copyPageWanted);
  menu->addAction(tr("Copy Steps as JSON"), this,
                  [this] { QApplication::clipboard()->setText(program_.stepsJson); });
  QAction* record = menu->addAction(tr("Copy Record as JSON"), this, [this] {
    QApplication::clipboard()->setText(program_.recordJson);
  });
  record->setToolTip(tr("One line in the public format of TVM's auto-scheduler."));
  connect(menu, &QMenu::aboutToShow, record, [this, record] {
    enableUnless(record, program_.recordJson.isEmpty() ? tr("TVM's format cannot say this program.")
                                                       : QString());
  });
  return menu;
}

void ProgramHead::show(const ProgramText& program) {
  program_ = program;
  title_->setText(program_.title);
  title_->setToolTip(program_.title);
  subtitle_->setText(program_.subtitle);
  subtitle_->setToolTip(program_.subtitle);
  for (QWidget* button : std::initializer_list<QWidget*>{compare_, copy_})
    enableUnless(button, {});
}

void ProgramHead::showNothing(const QString& title, const QString& why) {
  program_ = {};
  title_->setText(title);
  subtitle_->setText(why);
  for (QWidget* button : std::initializer_list<QWidget*>{compare_, copy_})
    enableUnless(button, why);
}

void ProgramHead::compareWith(const ProgramRef& other) {
  if (program_.ref.isValid()) document_.selection().compare({other, program_.ref});
}

void ProgramHead::compareWithBest() {
  if (program_.isBest) return compareWithNaive();
  ProgramRef best;
  best.file = document_.file().path(), best.task = program_.task;
  if (const TaskEntry* task = document_.session().task(program_.task))
    best.record = task->summary.bestRecord;
  compareWith(best);
}

void ProgramHead::compareWithNaive() {
  ProgramRef naive;
  naive.file = document_.file().path(), naive.task = program_.task, naive.naive = true;
  compareWith(naive);
}

void ProgramHead::askRecordToCompare() {
  bool ok = false;
  const int record =
      QInputDialog::getInt(this, tr("Compare with Record"), tr("Number of the record:"),
                           static_cast<int>(program_.record), 1, INT_MAX, 1, &ok);
  if (!ok) return;
  ProgramRef other;
  other.file = document_.file().path(), other.record = record;
  compareWith(other);
}

void ProgramHead::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  title_->setFont(bold);
  subtitle_->setFont(smallFont());
  setTextColour(subtitle_, colours().dim);
}

} // namespace nestwright::ui

#include "moc_program_head.cpp"
