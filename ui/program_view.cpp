#include "ui/program_view.h"

#include "ui/document.h"
#include "ui/loop_nest_highlighter.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {

ProgramView::ProgramView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new QLabel(this)), subtitle_(new QLabel(this)),
      pages_(new QTabWidget(this)) {
  pages_->setDocumentMode(true);
  loopNest_ =
      addPage(tr("Loop nest"), tr("The loops as they run: coloured where parallel, "
                                  "vectorised or unrolled; names of reduction loops in blue."));
  steps_ = addPage(tr("Steps"), tr("The schedule primitives that make this program, in order."));
  dag_ = addPage(tr("Compute DAG"), tr("What the task computes, as in a .dag file."));
  highlighter_ = new LoopNestHighlighter(loopNest_->document());
  auto* copy = new QToolButton(this);
  copy->setText(tr("Copy"));
  copy->setAutoRaise(true);
  copy->setToolTip(tr("Copy the text of this page; the arrow offers the steps as in a record."));
  copy->setPopupMode(QToolButton::MenuButtonPopup);
  auto* menu = new QMenu(copy);
  menu->addAction(tr("Copy Page"), this, &ProgramView::copyPage);
  menu->addAction(tr("Copy Steps as JSON"), this,
                  [this] { QApplication::clipboard()->setText(program_.stepsJson); });
  copy->setMenu(menu);
  connect(copy, &QToolButton::clicked, this, &ProgramView::copyPage);
  pages_->setCornerWidget(copy);

  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  subtitle_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {title_, subtitle_})
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(10, 6, 10, 4);
  head->setSpacing(1);
  head->addWidget(title_);
  head->addWidget(subtitle_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(pages_, 1);

  const auto restyle = [this] {
    for (QPlainTextEdit* page : {loopNest_, steps_, dag_})
      page->setFont(Theme::instance().codeFont());
    QFont bold = QApplication::font();
    bold.setBold(true);
    title_->setFont(bold);
    subtitle_->setFont(Theme::instance().smallFont());
    subtitle_->setStyleSheet(QStringLiteral("color: %1").arg(colours().dim.name()));
  };
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  connect(&document, &Document::selectionChanged, this, &ProgramView::follow);
  connect(&document, &Document::stateChanged, this, &ProgramView::follow);
  connect(&document, &Document::tasksChanged, this, [this] {
    const TaskEntry* task = document_.task(document_.selection().task);
    if (task && !document_.selection().record && task->summary.bestRecord != shownBest_) follow();
  });
  follow();
}

QPlainTextEdit* ProgramView::addPage(const QString& title, const QString& tip) {
  auto* page = new QPlainTextEdit(this);
  page->setReadOnly(true);
  page->setLineWrapMode(QPlainTextEdit::NoWrap);
  page->setAccessibleName(title);
  page->document()->setDocumentMargin(10);
  const int index = pages_->addTab(page, title);
  pages_->setTabToolTip(index, tip);
  return page;
}

void ProgramView::follow() {
  const Selection selection = document_.selection();
  if (document_.state() != DocumentState::Ready || (!selection.task && !selection.record)) {
    document_.reader().cancel(Reader::Channel::Program);
    showNothing(tr("Select a task to see its best program, or a record to see that one."));
    return;
  }
  const TaskEntry* task = document_.task(selection.task);
  shownBest_ = task ? task->summary.bestRecord : 0;
  document_.reader().ask<ProgramText>(
      Reader::Channel::Program,
      [selection](const RecordStore& store) {
        return readProgram(store, selection.task, selection.record);
      },
      [this](ProgramText program) { show(std::move(program)); },
      [this](const QString& why) { showNothing(why); });
}

void ProgramView::showNothing(const QString& why) {
  program_ = {};
  title_->setText(tr("No program selected"));
  subtitle_->setText(why);
  for (QPlainTextEdit* page : {loopNest_, steps_, dag_})
    page->clear();
  Q_EMIT shown();
}

void ProgramView::show(ProgramText program) {
  program_ = std::move(program);
  title_->setText(program_.title);
  title_->setToolTip(program_.title);
  subtitle_->setText(program_.subtitle);
  subtitle_->setToolTip(program_.subtitle);
  highlighter_->setReductionLoops(program_.reductionLoops);
  loopNest_->setPlainText(program_.problem.isEmpty() ? program_.loopNest : program_.problem);
  steps_->setPlainText(program_.steps);
  dag_->setPlainText(program_.dag);
  Q_EMIT shown();
}

void ProgramView::copyPage() {
  if (const auto* page = qobject_cast<QPlainTextEdit*>(pages_->currentWidget()))
    QApplication::clipboard()->setText(page->toPlainText());
}

} // namespace nestwright::ui
