#include "ui/program/hand_edit_page.h"

#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/document/change.h"
#include "ui/document/demand_watch.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/reading/connection_cache.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/exportable.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/column_titles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/value_delegate.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// The first column has what the others leave.
void fitNumbers(QTableView* table) {
  QHeaderView* header = table->horizontalHeader();
  header->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column = 1; column < header->count(); ++column)
    header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
}

QString annotationText(Annotation annotation) {
  return annotation == Annotation::None ? HandEditPage::tr("none") : qs(keyword(annotation));
}

QStringList annotationChoices() {
  QStringList choices;
  for (const Annotation annotation : kHandAnnotations)
    choices.append(annotationText(annotation));
  return choices;
}

} // namespace

HandEditPage::HandEditPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document),
      demand_(new DemandWatch(document, Reader::Channel::EditDemand, this)),
      verdict_(new QLabel(this)), stepRows_(new QStandardItemModel(this)),
      loopRows_(new QStandardItemModel(this)), estimates_(new QStandardItemModel(this)) {
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setAccessibleName(tr("Whether the edit is legal"));
  measure_ =
      textButton(this, tr("Measure It"),
                 tr("Measures the edited program before the next round, also while the session "
                    "is paused. It takes nothing of the budget."));
  seed_ = textButton(this, tr("Offer as Seed"),
                     tr("The search of this task starts from the edited program "
                        "too. Can be undone."));
  reset_ = textButton(this, tr("Reset"), tr("Back to the program as it is in the record."));
  stepTable_ = table(stepRows_, tr("Decisions of the program"));
  loopTable_ = table(loopRows_, tr("Loops and their annotations"));
  estimateTable_ = table(estimates_, tr("Estimated changes"));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->setSpacing(4);
  bar->addWidget(verdict_, 1);
  for (QToolButton* one : {measure_, seed_, reset_})
    bar->addWidget(one);
  auto* right = new QSplitter(Qt::Vertical, this);
  right->addWidget(loopTable_);
  right->addWidget(estimateTable_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(stepTable_);
  split->addWidget(right);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  for (QSplitter* one : {right, split}) {
    one->setHandleWidth(1);
    one->setChildrenCollapsible(false);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(split, 1);
  connect(measure_, &QToolButton::clicked, this, &HandEditPage::measure);
  connect(seed_, &QToolButton::clicked, this, &HandEditPage::offerAsSeed);
  connect(reset_, &QToolButton::clicked, this, &HandEditPage::reset);
  connect(stepRows_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
    if (!filling_ && item->column() == 1) setValue(item->data(StepRole).toInt(), item->text());
  });
  connect(loopRows_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
    if (filling_ || item->column() != 2) return;
    const auto chosen = annotationChoices().indexOf(item->text());
    if (chosen >= 0)
      annotate(item->data(StageRole).toInt(), item->data(IteratorRole).toInt(),
               kHandAnnotations[chosen]);
  });
  connect(&document.replayMode(), &ReplayMode::changed, this, &HandEditPage::refreshVerdict);
  connect(&document.follower(), &SessionFollower::statusChanged, this,
          &HandEditPage::refreshVerdict);
  connect(demand_, &DemandWatch::changed, this, [this] {
    // There is a record of it now.
    if (demand_->state() == DemandWatch::State::Ended && demand_->program() == outcome_.programId)
      weigh();
    else
      refreshVerdict();
  });
  connect(&Theme::instance(), &Theme::changed, this, &HandEditPage::restyle);
  restyle();
  clear();
}

HandEditPage::~HandEditPage() = default;

QTableView* HandEditPage::table(QStandardItemModel* model, const QString& name) {
  auto* table = new QTableView(this);
  table->setTextElideMode(Qt::ElideMiddle); // what tells loops apart stands last in their names
  table->setModel(model);
  table->setAccessibleName(name);
  setUpTable(table);
  table->setItemDelegate(new ValueDelegate(table));
  table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::SelectedClicked | QAbstractItemView::AnyKeyPressed);
  return table;
}

void HandEditPage::restyle() {
  refresh();
}

void HandEditPage::clear() {
  weighing_.cancel();
  task_ = 0;
  base_.clear();
  steps_.clear();
  outcome_ = {};
  baseRows_.clear();
  refused_.clear();
  weighed_ = ofTemplate_ = false;
  refresh();
}

void HandEditPage::show(const ProgramText& program) {
  if (program.task == task_ && program.program == base_ && file_ == document_.file().path()) return;
  clear();
  if (program.config) {
    ofTemplate_ = true;
    return refresh();
  }
  file_ = document_.file().path();
  task_ = program.task;
  base_ = steps_ = program.program;
  weigh();
}

// --- editing

void HandEditPage::change(const QString& what, Steps steps) {
  refused_.clear();
  if (steps == steps_) return refresh();
  // Undone when another program is shown, it has nothing to change.
  const QPointer<HandEditPage> self(this);
  document_.undoStack().push(new Change(
      what,
      [self, base = base_, to = std::move(steps)] {
        if (self) self->apply(base, to);
      },
      [self, base = base_, back = steps_] {
        if (self) self->apply(base, back);
      }));
}

void HandEditPage::apply(const Steps& base, const Steps& steps) {
  if (base != base_ || task_ == 0) return;
  steps_ = steps;
  refused_.clear();
  weigh();
}

void HandEditPage::setValue(int step, const QString& value) {
  const TaskEntry* task = document_.session().task(task_);
  if (!task) return;
  try {
    const ComputeDag dag = parseDag(task->row.dag);
    change(tr("step %1 of the program").arg(step),
           withValue(dag, steps_, step, value.trimmed().toStdString()));
  } catch (const Error& problem) {
    refused_ = qs(problem.what());
    refresh();
  }
}

void HandEditPage::annotate(int stage, int iterator, Annotation annotation) {
  change(tr("annotation of a loop"), withAnnotation(steps_, stage, iterator, annotation));
}

void HandEditPage::reset() {
  change(tr("resetting the program"), base_);
}

bool HandEditPage::isReady() const {
  return document_.session().task(task_) != nullptr && weighed_ && isEdited() &&
         outcome_.illegal.empty() && !weighing_.isBusy() && refused_.isEmpty();
}

void HandEditPage::measure() {
  if (!isReady()) return;
  Trace trace;
  trace.origin = Origin::HandEdit;
  trace.parents = {programId(parseDag(document_.session().task(task_)->row.dag), base_)};
  demand_->measure(MeasureProgram{task_, {0, steps_, trace}}, outcome_.programId);
}

void HandEditPage::offerAsSeed() {
  if (isReady())
    document_.steering().steer(SeedWith{task_, {0, steps_, std::nullopt}},
                               tr("seeding with %1").arg(tr("the edited program")));
}

// --- weighing

void HandEditPage::weigh() {
  weighed_ = false;
  EditQuestion question{file_.toStdString(), document_.session().row().id, task_, base_, steps_};
  weighing_.ask<EditOutcome>(
      [question, file = file_, cache = cache_](const Job& job) {
        StoreCache store;
        return weighEdit(store.at(file), question, *cache, [&] { job.check(); });
      },
      [this](EditOutcome outcome) {
        outcome_ = std::move(outcome);
        weighed_ = true;
        if (baseRows_.empty() && !isEdited()) baseRows_ = outcome_.steps;
        refresh();
      },
      [this](const QString& why) {
        outcome_ = {};
        outcome_.illegal = why.toStdString();
        weighed_ = true;
        refresh();
      });
  refreshVerdict();
}

QString HandEditPage::verdict() const {
  return verdict_->text();
}

void HandEditPage::refresh() {
  filling_ = true;
  refreshSteps();
  refreshLoops();
  refreshEstimates();
  filling_ = false;
  refreshVerdict();
}

void HandEditPage::refreshVerdict() {
  QColor colour = colours().text;
  if (task_ == 0) {
    verdict_->setText(ofTemplate_ ? tr("A template made this program: change its knobs, beside "
                                       "the loop nest.")
                                  : tr("Select a program to edit it."));
  } else if (!refused_.isEmpty()) {
    verdict_->setText(tr("✗ Not taken: %1").arg(refused_));
    colour = colours().failed;
  } else if (!weighed_) {
    verdict_->setText(tr("Checking …"));
  } else if (!outcome_.illegal.empty()) {
    verdict_->setText(tr("✗ Illegal: %1").arg(qs(outcome_.illegal)));
    colour = colours().failed;
  } else if (!isEdited()) {
    verdict_->setText(tr("Double-click a value to change it. What it would change is said at "
                         "once; only measuring tells whether it is faster."));
  } else if (const QString told = demandText(); !told.isEmpty()) {
    verdict_->setText(told);
    if (demand_->state() == DemandWatch::State::Refused) colour = colours().failed;
  } else if (outcome_.measured != 0) {
    verdict_->setText(tr("✓ Legal. Record %1 measured this program.").arg(outcome_.measured));
  } else {
    verdict_->setText(tr("✓ Legal."));
  }
  setTextColour(verdict_, colour);
  const QString why = whyNotMeasure();
  const bool underWay = demand_->isUnderWay() && demand_->program() == outcome_.programId;
  measure_->setText(!underWay                                           ? tr("Measure It")
                    : demand_->state() == DemandWatch::State::Measuring ? tr("Measuring …")
                                                                        : tr("Waiting …"));
  enableUnless(measure_, underWay ? demand_->text() : why);
  enableUnless(seed_, why);
  enableUnless(reset_,
               task_ != 0 && isEdited() ? QString() : tr("It is the program of the record."));
}

QString HandEditPage::whyNotMeasure() const {
  if (task_ == 0) return verdict_->text();
  if (QString why = document_.steering().whyNotMeasure(); !why.isEmpty()) return why;
  if (!document_.session().task(task_))
    return tr("The program is of a task that this session does not have.");
  if (!refused_.isEmpty() || (weighed_ && !outcome_.illegal.empty()))
    return tr("What the edit asks for is no program.");
  if (!weighed_ || weighing_.isBusy()) return tr("The edit is being checked.");
  return isEdited() ? QString() : tr("It is the program of the record: nothing was changed.");
}

QString HandEditPage::demandText() const {
  if (demand_->program().empty() || demand_->program() != outcome_.programId) return {};
  QString text = demand_->text();
  if (demand_->state() != DemandWatch::State::Ended) return text;
  const auto figure = [](double score) { return QString::number(score, 'f', 3); };
  if (outcome_.after.score && outcome_.before.score)
    text += tr("; the model expected %1, and %2 of the program before")
                .arg(figure(*outcome_.after.score), figure(*outcome_.before.score));
  return tr("✓ %1. Record %2 measured it.").arg(text).arg(demand_->record()->id);
}

void HandEditPage::refreshSteps() {
  stepRows_->setRowCount(0);
  setColumns(*stepRows_,
             {{tr("Step"), tr("A decision of the program: its number and what it does.")},
              {tr("Value"), tr("The decision as it is now, such as the lengths of a split's parts. "
                               "Double-click to change it; another colour tells that it was.")},
              {tr("In the record"), tr("The decision as it was measured.")}});
  for (const EditableStep& row : outcome_.steps) {
    auto* words = fixedItem(QStringLiteral("%1  %2").arg(row.step).arg(qs(row.words)));
    words->setToolTip(qs(row.words));
    auto* value = new QStandardItem(qs(row.value));
    value->setData(row.step, StepRole);
    value->setToolTip(qs(row.value) + QLatin1Char('\n') + qs(row.meaning));
    QStringList choices;
    for (const std::string& choice : row.choices)
      choices.append(qs(choice));
    if (!choices.isEmpty()) value->setData(choices, ChoicesRole);
    const auto was = std::ranges::find(baseRows_, row.step, &EditableStep::step);
    const QString before = was == baseRows_.end() ? noValue() : qs(was->value);
    if (before != qs(row.value)) value->setForeground(colours().accent);
    auto* old = fixedItem(before);
    old->setForeground(colours().dim);
    stepRows_->appendRow({words, value, old});
  }
  auto* header = stepTable_->horizontalHeader();
  header->setSectionResizeMode(0, QHeaderView::Stretch);
  // An order of many loops would push everything else out of sight; it is read in the tool-tip.
  const int wide = fontMetrics().averageCharWidth() * 16;
  for (const int column : {1, 2}) {
    header->setSectionResizeMode(column, QHeaderView::Interactive);
    if (header->sectionSize(column) != wide && !sized_) header->resizeSection(column, wide);
  }
  sized_ = true;
}

void HandEditPage::refreshLoops() {
  loopRows_->setRowCount(0);
  setColumns(
      *loopRows_,
      {{tr("Loop"), tr("The loops of the edited program, from the outermost inwards.")},
       {tr("Iterations"), tr("How often the loop's body is run for one entry of the loop.")},
       {tr("Annotation"), tr("How the loop is executed: in order, unrolled, as one vector, or "
                             "on all cores. Double-click to change it.")}});
  const bool legal = outcome_.illegal.empty();
  for (const EditableLoop& loop : outcome_.loops) {
    auto* name = fixedItem(qs(loop.name));
    if (loop.reduction) name->setToolTip(tr("A reduction loop: it adds up."));
    auto* annotation = new QStandardItem(annotationText(loop.annotation));
    annotation->setData(loop.stage, StageRole);
    annotation->setData(loop.iterator, IteratorRole);
    annotation->setData(annotationChoices(), ChoicesRole);
    annotation->setEditable(legal);
    annotation->setToolTip(tr("How the loop is executed: one iteration after the other, unrolled, "
                              "as one vector, or on all cores."));
    loopRows_->appendRow({name, fixedItem(countText(loop.extent), {}, true), annotation});
  }
  alignColumns(*loopRows_);
  fitNumbers(loopTable_);
}

void HandEditPage::refreshEstimates() {
  estimates_->setRowCount(0);
  setColumns(*estimates_,
             {{tr("Estimate"), tr("What can be told of a program without measuring it; each line "
                                  "says which way is better.")},
              {tr("In the record"), tr("The estimate of the program as it was measured.")},
              {tr("Now"), tr("The estimate of the edited program; another colour tells that it "
                             "differs.")}});
  if (!weighed_ || !outcome_.illegal.empty() || task_ == 0) return;
  const EditEstimate &before = outcome_.before, &after = outcome_.after;
  const auto add = [&](const QString& name, const QString& tip, const QString& was,
                       const QString& now) {
    auto* title = fixedItem(name);
    title->setToolTip(tip);
    auto* value = fixedItem(now, {}, true);
    if (was != now) value->setForeground(colours().accent);
    estimates_->appendRow({title, fixedItem(was, {}, true), value});
  };
  const auto score = [](const std::optional<double>& value) {
    return value ? QString::number(*value, 'f', 3) : noValue();
  };
  add(tr("predicted score"),
      outcome_.noScore.empty()
          ? tr("Of the session's cost model; higher is better, comparable within the task.")
          : tr("There is no score: %1").arg(qs(outcome_.noScore)),
      score(before.score), score(after.score));
  const QString kinds[] = {tr("bytes from memory"), tr("bytes from L3"), tr("bytes from L2")};
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    add(kinds[i],
        tr("Estimated from the loops and the sizes of the caches; fewer is better, for the same "
           "work."),
        before.moved[i] > 0 ? bytesText(before.moved[i]) : noValue(),
        after.moved[i] > 0 ? bytesText(after.moved[i]) : noValue());
  add(tr("parallel iterations"),
      tr("Iterations of the parallel loops: with fewer than there are cores some stand idle."),
      countText(std::llround(before.parallel)), countText(std::llround(after.parallel)));
  add(tr("vector iterations"),
      tr("Iterations of the widest loop that becomes vector instructions."),
      countText(std::llround(before.lanes)), countText(std::llround(after.lanes)));
  add(tr("guards"),
      tr("Conditions that loops check because sizes do not divide evenly; fewer is better."),
      countText(before.guards), countText(after.guards));
  alignColumns(*estimates_);
  fitNumbers(estimateTable_);
}

} // namespace nestwright::ui

#include "moc_hand_edit_page.cpp"
