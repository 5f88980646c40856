#include "ui/program/comparison_head.h"

#include "ui/document/program_drag.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/side_badge.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QApplication>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString numbersOf(const ProgramText& program) {
  if (program.verdict != Verdict::Ok) return qs(name(program.verdict));
  const double seconds = program.latency.median();
  if (program.latency.repeats.empty()) return ComparisonHead::tr("not measured");
  QString text =
      QStringLiteral("%1 · %2").arg(timeText(seconds), throughputText(program.flops / seconds));
  if (program.latency.repeats.size() > 1) {
    const auto [low, high] = std::ranges::minmax_element(program.latency.repeats);
    text += ComparisonHead::tr(" · %1 repeats, %2 … %3")
                .arg(program.latency.repeats.size())
                .arg(timeText(*low), timeText(*high));
  }
  if (!program.ref.naive && !program.verified) text += ComparisonHead::tr(" · not checked");
  return text;
}

} // namespace

ComparisonHead::ComparisonHead(Side side, QMenu* choices, QWidget* parent)
    : QWidget(parent), name_(new QLineEdit(this)), task_(new ElidedLabel(this, Qt::ElideMiddle)),
      numbers_(new ElidedLabel(this)), choose_(new QToolButton(this)) {
  setAcceptDrops(true);
  name_->setAcceptDrops(false); // a program dropped there is no name
  name_->setFrame(false);
  QPalette bare;
  bare.setColor(QPalette::Base, Qt::transparent);
  name_->setPalette(bare);
  name_->setAccessibleName(tr("Name of side %1").arg(letterOf(side)));
  name_->setToolTip(tr("Your name for this side; it stands wherever the side is meant."));
  choose_->setText(tr("Choose"));
  choose_->setAutoRaise(true);
  choose_->setPopupMode(QToolButton::InstantPopup);
  choose_->setMenu(choices);
  choose_->setToolTip(
      tr("Choose the program of side %1. A record can also be dragged here.").arg(letterOf(side)));
  numbers_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {task_, numbers_})
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* first = new QHBoxLayout;
  first->setSpacing(6);
  first->addWidget(new SideBadge(side, this));
  first->addWidget(name_, 1);
  first->addWidget(choose_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 5, 8, 4);
  layout->setSpacing(1);
  layout->addLayout(first);
  layout->addWidget(task_);
  layout->addWidget(numbers_);
  connect(name_, &QLineEdit::editingFinished, this, [this] {
    if (name_->isModified()) Q_EMIT renamed(name_->text());
    name_->setModified(false);
  });
  connect(&Theme::instance(), &Theme::changed, this, &ComparisonHead::restyle);
  restyle();
}

void ComparisonHead::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  name_->setFont(bold);
  for (QLabel* label : {task_, numbers_})
    label->setFont(smallFont());
  setTextColour(task_, colours().dim);
}

void ComparisonHead::show(const ProgramText& program) {
  name_->setText(program.ref.alias);
  name_->setCursorPosition(0);
  name_->setModified(false);
  enableUnless(name_, {});
  task_->setText(program.title);
  task_->setToolTip(program.title);
  numbers_->setText(numbersOf(program));
  numbers_->setToolTip(tr("Median latency (lower is better), throughput (higher is better), and "
                          "the smallest and largest repeat."));
}

void ComparisonHead::showEmpty(const QString& why, const QString& name) {
  name_->setText(name.isEmpty() ? tr("nothing chosen") : name);
  enableUnless(name_, why);
  task_->setText(why);
  task_->setToolTip(why);
  numbers_->clear();
}

QString ComparisonHead::alias() const {
  return name_->text();
}

void ComparisonHead::dragEnterEvent(QDragEnterEvent* event) {
  // Several are for both sides: the view takes them.
  if (programsFrom(event->mimeData()).size() == 1) event->acceptProposedAction();
}

void ComparisonHead::dropEvent(QDropEvent* event) {
  if (const auto program = programFrom(event->mimeData())) {
    Q_EMIT dropped(*program);
    event->acceptProposedAction();
  }
}

} // namespace nestwright::ui

#include "moc_comparison_head.cpp"
