#include "ui/program/nest_pane.h"

#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/support/sequence_diff.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/loop_nest_highlighter.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QVBoxLayout>

#include <vector>

namespace nestwright::ui {
namespace {

std::vector<std::string> linesOf(const QString& text) {
  std::vector<std::string> lines;
  for (const QString& line : text.split('\n'))
    lines.push_back(line.toStdString());
  return lines;
}

/// Lines of `mine` without an equal partner in `other`.
std::vector<int> linesOnlyIn(const QString& mine, const QString& other) {
  std::vector<int> only;
  for (const DiffRow& row : diffLines(linesOf(mine), linesOf(other)))
    if (row.left >= 0 && row.mark != DiffMark::Same) only.push_back(row.left);
  return only;
}

} // namespace

NestText nestOf(const ComputeDag& dag, const Steps& steps) {
  NestText nest;
  try {
    const State state = State::replay(dag, steps);
    for (int stage = 0; stage < state.stageCount(); ++stage)
      for (const Iterator& iterator : state.stage(stage).iterators)
        if (iterator.isReduction()) nest.reductionLoops.append(qs(iterator.name));
    nest.text = qs(printLoopNest(state.isConcrete() ? withBounds(state) : state));
  } catch (const IllegalSchedule& illegal) {
    nest.problem = qs(illegal.what());
  }
  return nest;
}

NestPane::NestPane(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  title_ = new QLabel(this);
  title_->setContentsMargins(6, 3, 6, 3);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setMinimumWidth(1);
  title_->setWordWrap(true);
  nest_ = new QPlainTextEdit(this);
  nest_->setReadOnly(true);
  nest_->setLineWrapMode(QPlainTextEdit::NoWrap);
  nest_->setAccessibleName(tr("Loop nest"));
  highlighter_ = new LoopNestHighlighter(nest_->document());
  layout->addWidget(title_);
  layout->addWidget(nest_, 1);
  connect(&Theme::instance(), &Theme::changed, this, &NestPane::restyle);
  restyle();
}

void NestPane::restyle() {
  nest_->setFont(codeFont());
  highlighter_->rehighlight();
  mark();
}

void NestPane::show(const QString& title, const NestText& nest) {
  title_->setText(title);
  highlighter_->setReductionLoops(nest.reductionLoops);
  nest_->setPlaceholderText(nest.problem);
  if (nest_->toPlainText() != nest.text) nest_->setPlainText(nest.text);
  mark();
}

void NestPane::showNothing(const QString& why) {
  show({}, {{}, {}, why});
}

QString NestPane::title() const {
  return title_->text();
}
QString NestPane::text() const {
  return nest_->toPlainText();
}

void NestPane::markAgainst(const QString& other) {
  other_ = other;
  mark();
}

void NestPane::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  if (!other_.isEmpty() && !text().isEmpty()) {
    QColor colour = colours().accent;
    colour.setAlpha(colours().dark ? 70 : 45);
    for (const int line : linesOnlyIn(text(), other_)) {
      QTextEdit::ExtraSelection mark;
      mark.cursor = QTextCursor(nest_->document()->findBlockByNumber(line));
      mark.format.setBackground(colour);
      mark.format.setProperty(QTextFormat::FullWidthSelection, true);
      marks.append(mark);
    }
  }
  marked_ = static_cast<int>(marks.size());
  nest_->setExtraSelections(marks);
}

} // namespace nestwright::ui

#include "moc_nest_pane.cpp"
