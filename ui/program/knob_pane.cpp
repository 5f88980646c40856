#include "ui/program/knob_pane.h"

#include "ui/document/change.h"
#include "ui/document/demand_watch.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
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

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {
namespace {

enum Column { KnobColumn, ValueColumn, CountColumn };

QString meaningOfValues(const Entity& entity) {
  static const char* const kKinds[] = {
      QT_TRANSLATE_NOOP("KnobPane", "The sizes of a loop's parts, the outermost first; −1 is what "
                                    "the others leave."),
      QT_TRANSLATE_NOOP("KnobPane", "The order of loops."),
      QT_TRANSLATE_NOOP("KnobPane", "What is done to each of some loops."),
      QT_TRANSLATE_NOOP("KnobPane", "A choice between ways to build the program.")};
  return KnobPane::tr(kKinds[entity.index()]);
}

QString seedTip() {
  return KnobPane::tr("The search of this task measures this configuration with its next plan. Can "
                      "be undone.");
}

/// Empty where it may be one.
QString whyNoSeed(SeedFit fit) {
  switch (fit) {
  case SeedFit::Fits:
    break;
  case SeedFit::SearchesSketches:
    return KnobPane::tr("This session searches sketches, and cannot start from a template's "
                        "program.");
  case SeedFit::OtherTemplate:
    return KnobPane::tr("This session searches another template, or another version of it, and "
                        "this is none of its configurations.");
  }
  return {};
}

} // namespace

KnobPane::KnobPane(Document& document, QWidget* parent)
    : QWidget(parent), document_(document),
      demand_(new DemandWatch(document, Reader::Channel::KnobDemand, this)),
      title_(new ElidedLabel(this)), verdict_(new QLabel(this)),
      rows_(new QStandardItemModel(this)), table_(new QTableView(this)) {
  title_->setContentsMargins(8, 4, 8, 2);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setContentsMargins(8, 3, 8, 0);
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setAccessibleName(tr("Whether the configuration makes a program"));
  table_->setModel(rows_);
  table_->setAccessibleName(tr("Knobs of the template"));
  setUpTable(table_);
  table_->setItemDelegate(new ValueDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                          QAbstractItemView::SelectedClicked | QAbstractItemView::AnyKeyPressed);
  measure_ = flatButton(this, tr("Measure"),
                        tr("Measures this configuration before the next round, also while the "
                           "session is paused. It takes nothing of the budget."));
  seed_ = flatButton(this, tr("As seed"), seedTip());
  reset_ = flatButton(this, tr("Reset"), tr("Back to the configuration of the record."));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 0, 4, 4);
  bar->setSpacing(2);
  for (QToolButton* one : {measure_, seed_, reset_})
    bar->addWidget(one);
  bar->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(table_, 1);
  layout->addWidget(verdict_);
  layout->addLayout(bar);
  connect(measure_, &QToolButton::clicked, this, &KnobPane::measure);
  connect(seed_, &QToolButton::clicked, this, &KnobPane::offerAsSeed);
  connect(reset_, &QToolButton::clicked, this, &KnobPane::reset);
  connect(rows_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
    if (filling_ || item->column() != ValueColumn) return;
    const auto value = item->data(ChoicesRole).toStringList().indexOf(item->text());
    value >= 0 ? setValue(item->row(), static_cast<int>(value)) : refresh();
  });
  connect(&document.replayMode(), &ReplayMode::changed, this, &KnobPane::tell);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &KnobPane::tell);
  connect(demand_, &DemandWatch::changed, this, &KnobPane::tell);
  // What was measured meanwhile may be this one.
  connect(&document.follower(), &SessionFollower::recordsAdded, this, &KnobPane::weighAgain);
  connect(&Theme::instance(), &Theme::changed, this, &KnobPane::refresh);
  clear();
}

KnobPane::~KnobPane() = default;

void KnobPane::clear() {
  weighing_.cancel();
  more_ = false;
  task_ = record_ = 0;
  of_.reset();
  base_.clear();
  digits_.clear();
  outcome_.reset();
  failure_.clear();
  setVisible(false);
}

void KnobPane::show(const ProgramText& program) {
  if (!program.templateOf || !program.config) return clear();
  if (of_ && program.record == record_ && file_ == document_.file().path()) return;
  const std::optional<std::int64_t> index =
      program.templateOf->space.find(program.config->entities);
  if (!index) return clear(); // a program came of it, so this cannot be
  clear();
  file_ = document_.file().path();
  task_ = program.task;
  record_ = program.record;
  parent_ = program.programId;
  of_ = program.templateOf;
  base_ = digits_ = of_->space.digits(*index);
  setVisible(true);
  refresh();
}

TemplateConfig KnobPane::config() const {
  if (!of_) return {};
  return {of_->kind->name, of_->version, of_->space.at(of_->space.indexOf(digits_))};
}

// --- changing

void KnobPane::change(const QString& what, Digits digits) {
  if (digits == digits_) return refresh();
  // Undone when another program is shown, it has nothing to change.
  const QPointer<KnobPane> self(this);
  document_.undoStack().push(new Change(
      what,
      [self, record = record_, to = std::move(digits)] {
        if (self) self->apply(record, to);
      },
      [self, record = record_, back = digits_] {
        if (self) self->apply(record, back);
      }));
}

void KnobPane::apply(RowId record, const Digits& digits) {
  if (!of_ || record != record_) return;
  digits_ = digits;
  weigh();
  refresh();
}

void KnobPane::setValue(int knob, int value) {
  if (!of_) return;
  Digits digits = digits_;
  digits.at(static_cast<std::size_t>(knob)) = static_cast<std::size_t>(value);
  change(tr("knob %1").arg(qs(of_->space.knobs()[static_cast<std::size_t>(knob)].name)),
         std::move(digits));
}

void KnobPane::reset() {
  if (of_) change(tr("resetting the knobs"), base_);
}

NamedProgram KnobPane::program() const {
  Trace trace;
  trace.origin = Origin::HandEdit;
  trace.parents = {parent_};
  trace.config = config();
  return {0, {}, trace};
}

void KnobPane::measure() {
  if (measure_->isEnabled() && outcome_)
    demand_->measure(MeasureProgram{task_, program()}, outcome_->programId);
}

void KnobPane::offerAsSeed() {
  if (seed_->isEnabled())
    document_.steering().steer(SeedWith{task_, program()},
                               tr("seeding with %1").arg(tr("the changed configuration")));
}

// --- weighing

void KnobPane::weigh() {
  outcome_.reset();
  failure_.clear();
  more_ = false;
  weighing_.cancel();
  if (isChanged()) ask();
}

/// What is known stays in sight meanwhile, and what is measured stays so.
void KnobPane::weighAgain() {
  if (!of_ || !isChanged()) return;
  if (outcome_ && (outcome_->measured != 0 || !outcome_->impossible.empty())) return;
  if (weighing_.isBusy())
    more_ = true;
  else
    ask();
}

void KnobPane::ask() {
  weighing_.ask<ConfigOutcome>(
      [question = ConfigQuestion{document_.session().row().id, task_, config()}, file = file_,
       store = store_](const Job&) { return weighConfig(store->at(file), question); },
      [this](ConfigOutcome outcome) {
        outcome_ = std::move(outcome);
        failure_.clear();
        tell();
        if (std::exchange(more_, false)) weighAgain();
      },
      [this](const QString& why) {
        failure_ = why;
        more_ = false;
        tell();
      });
}

QString KnobPane::verdict() const {
  return verdict_->text();
}

void KnobPane::refresh() {
  if (!of_) return;
  filling_ = true;
  fill();
  filling_ = false;
  tell();
}

void KnobPane::fill() {
  const std::vector<Knob>& knobs = of_->space.knobs();
  if (rows_->rowCount() != static_cast<int>(knobs.size())) rows_->setRowCount(0);
  setColumns(*rows_,
             {{tr("Knob"), tr("A choice that the template leaves open.")},
              {tr("Value"), tr("Its value. Double-click or type to choose another; another colour "
                               "tells that it is not the record's.")},
              {tr("Of"), tr("How many values it may have.")}});
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const Knob& knob = knobs[i];
    QStringList choices;
    for (const Entity& value : knob.values)
      choices.append(qs(text(value)));
    const int row = static_cast<int>(i);
    const auto now = static_cast<qsizetype>(digits_[i]), was = static_cast<qsizetype>(base_[i]);
    auto* name = fixedItem(qs(knob.name));
    name->setToolTip(meaningOfValues(knob.values.front()));
    auto* value = new QStandardItem(choices[now]);
    value->setData(choices, ChoicesRole);
    value->setToolTip(tr("%1\nvalue %2 of %3; in the record %4")
                          .arg(meaningOfValues(knob.values.front()))
                          .arg(now + 1)
                          .arg(choices.size())
                          .arg(choices[was]));
    if (now != was) value->setForeground(colours().accent);
    auto* count = fixedItem(countText(std::ssize(knob.values)));
    count->setForeground(colours().dim);
    for (const auto& [column, item] :
         {std::pair{KnobColumn, name}, {ValueColumn, value}, {CountColumn, count}})
      rows_->setItem(row, column, item);
  }
  alignColumns(*rows_);
  QHeaderView* header = table_->horizontalHeader();
  header->setSectionResizeMode(KnobColumn, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(ValueColumn, QHeaderView::Stretch);
  header->setSectionResizeMode(CountColumn, QHeaderView::ResizeToContents);
  title_->setText(tr("%1 · configuration %2 of %3")
                      .arg(qs(of_->kind->name), countText(of_->space.indexOf(digits_)),
                           countText(of_->space.size())));
  title_->setToolTip(tr("The template, and the number of the configuration in its space, which "
                        "begins with 0."));
  title_->setFont(smallFont());
  setTextColour(title_, colours().dim);
}

bool KnobPane::isDemanded() const {
  return outcome_ && !demand_->program().empty() && demand_->program() == outcome_->programId;
}

QString KnobPane::verdictText() const {
  if (!isChanged()) return {};
  if (!failure_.isEmpty()) return tr("✗ %1").arg(failure_);
  if (!outcome_) return tr("Checking …");
  if (!outcome_->impossible.empty()) return tr("✗ No program: %1").arg(qs(outcome_->impossible));
  if (isDemanded())
    return demand_->state() == DemandWatch::State::Ended
               ? tr("✓ %1. Record %2 measured it.").arg(demand_->text()).arg(demand_->record()->id)
               : demand_->text();
  return outcome_->measured != 0 ? tr("✓ Record %1 measured it.").arg(outcome_->measured)
                                 : tr("✓ Makes a program that was not measured.");
}

QString KnobPane::whyNotMeasure() const {
  if (QString why = document_.steering().whyNotMeasure(); !why.isEmpty()) return why;
  if (!document_.session().task(task_))
    return tr("The program is of a task that this session does not have.");
  if (!isChanged()) return tr("It is the configuration of the record: nothing was changed.");
  if (!failure_.isEmpty() || (outcome_ && !outcome_->impossible.empty()))
    return tr("This configuration makes no program.");
  return outcome_ ? QString() : tr("The configuration is being checked.");
}

void KnobPane::tell() {
  if (!of_) return;
  const QString text = verdictText();
  verdict_->setText(text);
  verdict_->setVisible(!text.isEmpty());
  const bool bad = !failure_.isEmpty() || (outcome_ && !outcome_->impossible.empty()) ||
                   (isDemanded() && demand_->state() == DemandWatch::State::Refused);
  setTextColour(verdict_, bad && isChanged() ? colours().failed : colours().text);
  const QString why = whyNotMeasure();
  const bool underWay = isDemanded() && demand_->isUnderWay();
  measure_->setText(!underWay                                           ? tr("Measure")
                    : demand_->state() == DemandWatch::State::Measuring ? tr("Measuring …")
                                                                        : tr("Waiting …"));
  enableUnless(measure_, underWay ? demand_->text() : why);
  const QString noSeed = outcome_ ? whyNoSeed(outcome_->seed) : QString();
  enableUnless(seed_, why.isEmpty() ? noSeed : why);
  enableUnless(reset_, isChanged() ? QString() : tr("It is the configuration of the record."));
}

} // namespace nestwright::ui

#include "moc_knob_pane.cpp"
