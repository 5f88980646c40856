#include "ui/inspector/phases_view.h"

#include "ui/document/choice_text.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/document/words/program_words.h"
#include "ui/inspector/knob_subject.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>

namespace nestwright::ui {
namespace {

enum PhaseColumn { Name, Outcome, Time };
enum PickColumn { Number, Program, Origin, Reason, Predicted };

QString stateText(PhaseStory::State state) {
  switch (state) {
  case PhaseStory::State::Waiting:
    return QStringLiteral("○ ");
  case PhaseStory::State::Active:
    return QStringLiteral("▶ ");
  case PhaseStory::State::Done:
    return QStringLiteral("✓ ");
  case PhaseStory::State::Skipped:
    return QStringLiteral("– ");
  case PhaseStory::State::Untold:
    return QStringLiteral("? ");
  }
  return {};
}

QString stateInWords(PhaseStory::State state) {
  switch (state) {
  case PhaseStory::State::Waiting:
    return PhasesView::tr("still to come");
  case PhaseStory::State::Active:
    return PhasesView::tr("under way, or next");
  case PhaseStory::State::Done:
    return PhasesView::tr("done");
  case PhaseStory::State::Skipped:
    return PhasesView::tr("left out");
  case PhaseStory::State::Untold:
    return PhasesView::tr("not recorded");
  }
  return {};
}

} // namespace

QString phaseTitle(SearchPhase phase, bool onTemplates) {
  const QString titles[] = {onTemplates ? PhasesView::tr("Template") : PhasesView::tr("Sketches"),
                            PhasesView::tr("Sampling"),
                            onTemplates ? PhasesView::tr("Planning") : PhasesView::tr("Evolution"),
                            PhasesView::tr("Selection"),
                            PhasesView::tr("Measuring"),
                            PhasesView::tr("Training")};
  return titles[static_cast<std::size_t>(phase)];
}

namespace {

QString explanationOnTemplates(SearchPhase phase) {
  const QString texts[] = {
      PhasesView::tr(
          "A template is a way to build the task's program that a person wrote. What it leaves "
          "open are its knobs: how loops are cut into tiles, their order, what is unrolled and "
          "vectorised. A configuration is a value for each knob, and all of them are the space "
          "that is searched. The template that fits the task is found once."),
      PhasesView::tr(
          "Configurations are drawn at random, each knob by itself. Until there is a cost model "
          "they are all that is measured; later they are the share of a plan that shows the model "
          "what it does not know."),
      PhasesView::tr(
          "Simulated annealing looks for the configurations of which the cost model expects most. "
          "Many chains walk through the space side by side: each step changes one knob, a better "
          "configuration is always taken, and a worse one the more rarely the lower the "
          "temperature is. The best ones that any chain saw become the plan. Nothing is run on the "
          "machine in this phase. Policies without a cost model plan nothing."),
      PhasesView::tr(
          "The next configurations to be measured are taken from the plan, those that were "
          "measured before left out. A share of them, ε, is at random; with a diversity some are "
          "there for values of knobs that the others do not have."),
      PhasesView::tr(
          "Each configuration's program is compiled, checked against the naive program on the same "
          "inputs, and timed on the machine with nothing else running; an adaptive evaluator stops "
          "when the times are steady. A program that seems to beat the best is measured again in "
          "turns with it before it may be called best."),
      PhasesView::tr(
          "The task's own cost model learns the measured times together with what it reads of the "
          "configurations: loops, knobs, or curves. Its predictions lead the next plan, and a "
          "forest also says how sure it is of each.")};
  return texts[static_cast<std::size_t>(phase)];
}

} // namespace

QString phaseExplanation(SearchPhase phase, bool onTemplates) {
  if (onTemplates) return explanationOnTemplates(phase);
  const QString texts[] = {
      PhasesView::tr(
          "Rules derive sketches from the mathematics of the task: which loops are cut "
          "into tiles, which stages are computed inside which, what is kept in a cache. "
          "A sketch is the structure of a program without its numbers. The rules ask the "
          "same questions in every round, so this is done once for a task."),
      PhasesView::tr("Sketches become complete programs: tile sizes, parallel loops, vectors and "
                     "unrolling are drawn at random. Most of these programs are mediocre, but they "
                     "reach every corner of the space. Programs that break a limit of the machine "
                     "are thrown away. The fastest programs measured so far join them."),
      PhasesView::tr(
          "Good programs become parents. A child takes over its parent's steps with one "
          "change (a tile size, an unroll limit, the number of parallel loops, the place "
          "where a stage is computed), or takes each stage from one of two parents. A "
          "program is chosen as parent in proportion to the score that the cost model "
          "predicts, which takes microseconds where measuring takes a second. Nothing is "
          "run on the machine in this phase."),
      PhasesView::tr("The programs with the best predicted scores that were never measured are "
                     "picked. A few more are picked at random (ε-greedy): they show the cost model "
                     "what it does not know, and keep the search from running in circles."),
      PhasesView::tr("Each picked program is compiled, checked against the naive program on the "
                     "same inputs, and timed several times on the machine with nothing else "
                     "running. A program that seems to beat the best is measured again in turns "
                     "with it before it may be called best."),
      PhasesView::tr("The cost model learns the measured times together with the features of the "
                     "programs. Its predictions guide the next round: a better model means that "
                     "evolution goes the right way more often.")};
  return texts[static_cast<std::size_t>(phase)];
}

PhasesView::PhasesView(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  headline_ = new QLabel(this);
  headline_->setWordWrap(true);
  headline_->setMinimumWidth(1);
  choice_ = new QLabel(this);
  choice_->setWordWrap(true);
  choice_->setMinimumWidth(1);
  phases_ = new QTreeWidget(this);
  phases_->setAccessibleName(tr("Phases of the round"));
  addCopying(phases_);
  phases_->setHeaderLabels({tr("Phase"), tr("What came out"), tr("Time")});
  phases_->headerItem()->setToolTip(
      0, tr("The parts of a round in their order, from the structure of programs to training the "
            "cost model."));
  phases_->headerItem()->setToolTip(1, tr("What the phase left for the next one, in numbers."));
  phases_->headerItem()->setToolTip(Time, tr("How long the phase took."));
  phases_->setRootIsDecorated(false);
  phases_->setAllColumnsShowFocus(true);
  for (const SearchPhase phase : kSearchPhases)
    phases_->addTopLevelItem(new QTreeWidgetItem({phaseTitle(phase, false)}));
  phases_->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  explanation_ = new QLabel(this);
  explanation_->setWordWrap(true);
  explanation_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  explanation_->setMargin(8);
  explanation_->setMinimumWidth(1);
  explanation_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  picks_ = new QTreeWidget(this);
  picks_->setAccessibleName(tr("Programs that this round measures"));
  addCopying(picks_);
  picks_->setHeaderLabels(
      {tr("#"), tr("Program"), tr("Made by"), tr("Picked as"), tr("Predicted")});
  picks_->headerItem()->setToolTip(
      1, tr("Beginning of the program's hash: equal programs have equal ones."));
  picks_->headerItem()->setToolTip(
      2, tr("What made the program: sampling, a plan, a mutation, or a crossover."));
  picks_->headerItem()->setToolTip(Number, tr("Order of measuring."));
  picks_->headerItem()->setToolTip(Reason, tr("The best predicted ones exploit what the model "
                                              "knows; random ones explore what it does not."));
  picks_->headerItem()->setToolTip(Predicted, tr("The cost model's score; higher is better."));
  picks_->header()->setStretchLastSection(false);
  picks_->setRootIsDecorated(false);
  picks_->setUniformRowHeights(true);
  auto* lower = new QSplitter(Qt::Horizontal, this);
  lower->addWidget(explanation_);
  lower->addWidget(picks_);
  lower->setStretchFactor(0, 1);
  lower->setStretchFactor(1, 1);
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->addWidget(phases_);
  parts->addWidget(lower);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(8, 6, 8, 4);
  head->addWidget(headline_);
  head->addWidget(choice_);
  head->addWidget(makeButtons());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(parts, 1);

  connect(phases_, &QTreeWidget::currentItemChanged, this, &PhasesView::explain);
  connect(&document.follower(), &SessionFollower::roundChanged, this, &PhasesView::refresh);
  connect(&document, &Document::stateChanged, this, &PhasesView::refresh);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &PhasesView::refresh);
  connect(&document.replayMode(), &ReplayMode::changed, this, &PhasesView::refresh);
  connect(&document.follower(), &SessionFollower::historyChanged, this,
          &PhasesView::refreshButtons);
  connect(&Theme::instance(), &Theme::changed, this, &PhasesView::refresh);
  refresh();
}

QWidget* PhasesView::makeButtons() {
  auto* bar = new QWidget(this);
  auto* row = new FlowLayout(bar, 6);
  row->setContentsMargins(0, 0, 0, 0);
  step_ = new QPushButton(tr("Step"), bar);
  runTo_ = new QToolButton(bar);
  runTo_->setText(tr("Run to"));
  runTo_->setPopupMode(QToolButton::InstantPopup);
  runTo_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(runTo_);
  for (const SearchPhase phase : kSearchPhases)
    menu->addAction(QString(), this,
                    [this, phase] { document_.steering().steer(RunPhase{phase}); });
  runTo_->setMenu(menu);
  refreshMenu();
  goOn_ = new QPushButton(tr("Go On"), bar);
  pausing_ = new QCheckBox(tr("Pause after each phase"), bar);
  step_->setToolTip(tr("Go on until the next phase has ended, and pause there (F10)."));
  runTo_->setToolTip(tr("Go on until a phase of this kind has ended, and pause there."));
  goOn_->setToolTip(tr("Go on without pausing after phases."));
  pausing_->setToolTip(tr("The session pauses whenever a phase has ended."));
  for (QWidget* widget : std::initializer_list<QWidget*>{step_, runTo_, goOn_, pausing_})
    row->addWidget(widget);
  connect(step_, &QPushButton::clicked, this, [this] { document_.steering().steer(RunPhase{}); });
  connect(goOn_, &QPushButton::clicked, this, &PhasesView::goOn);
  connect(pausing_, &QCheckBox::clicked, &document_,
          [this](bool on) { document_.steering().steer(PauseAfterPhases{on}); });
  return bar;
}

/// Its entries are the phases in their order.
void PhasesView::refreshMenu() {
  const QList<QAction*> entries = runTo_->menu()->actions();
  for (std::size_t i = 0; i < kSearchPhases.size(); ++i)
    entries[static_cast<qsizetype>(i)]->setText(
        tr("The End of %1").arg(phaseTitle(kSearchPhases[i], isOnTemplates(document_))));
}

/// Without pauses from here on.
void PhasesView::goOn() {
  document_.steering().steer(PauseAfterPhases{false});
  document_.steering().start();
}

QString PhasesView::headline() const {
  return headline_->text();
}
QString PhasesView::explanation() const {
  return explanation_->text();
}

void PhasesView::refreshButtons() {
  const Steering& steering = document_.steering();
  const QString noStep = steering.canPause() ? QString() : steering.whyNotStart();
  enableUnless(step_, noStep);
  enableUnless(runTo_, noStep);
  enableUnless(goOn_, steering.whyNotStart());
  enableUnless(pausing_, steering.whyNotChange());
  const QSignalBlocker quiet(pausing_);
  pausing_->setChecked(document_.session().round().stepping);
}

void PhasesView::refresh() {
  refreshButtons();
  refreshMenu();
  const bool onTemplates = isOnTemplates(document_);
  const RoundStory& story = document_.session().round();
  const bool ready = document_.state() == DocumentState::Ready;
  const TaskEntry* task = document_.session().task(story.task);
  QFont font = this->font();
  font.setPointSizeF(font.pointSizeF() * 1.2);
  font.setBold(true);
  headline_->setFont(font);
  if (!ready || story.round == 0) {
    headline_->setText(!ready ? tr("No document") : tr("No round has begun"));
    choice_->setText(onTemplates
                         ? tr("A round takes one task through six phases: from its template to "
                              "measured configurations, and to a cost model that learned from "
                              "them. Step goes through them one by one.")
                         : tr("A round takes one task through six phases: from sketches of "
                              "programs to measured ones, and to a cost model that learned from "
                              "them. Step goes through them one by one."));
  } else {
    headline_->setText(
        tr("Round %1: %2").arg(story.round).arg(task ? taskTitle(task->row.name) : QString()));
    choice_->setText(story.choice
                         ? tr("Why this task: %1")
                               .arg(choiceText(*story.choice, taskNames(document_),
                                               document_.session().config().objective.kind))
                         : QString());
  }
  choice_->setVisible(!choice_->text().isEmpty());
  int active = -1;
  for (std::size_t i = 0; i < kSearchPhases.size(); ++i) {
    const PhaseStory& phase = story.phases[i];
    QTreeWidgetItem* item = phases_->topLevelItem(static_cast<int>(i));
    if (phase.state == PhaseStory::State::Active) active = static_cast<int>(i);
    item->setText(Name, stateText(phase.state) + phaseTitle(kSearchPhases[i], onTemplates));
    item->setText(Outcome, phase.sentence.empty() ? stateInWords(phase.state) : qs(phase.sentence));
    item->setText(Time,
                  phase.state == PhaseStory::State::Done ? timeText(phase.seconds) : QString());
    item->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(Name, stateInWords(phase.state));
    item->setToolTip(Outcome, item->text(Outcome));
    QFont bold = phases_->font();
    bold.setBold(phase.state == PhaseStory::State::Active);
    item->setFont(Name, bold);
    const bool quiet = phase.state == PhaseStory::State::Waiting ||
                       phase.state == PhaseStory::State::Skipped ||
                       phase.state == PhaseStory::State::Untold;
    for (const int column : {int(Name), int(Outcome), int(Time)})
      item->setForeground(column, quiet                                      ? colours().faint
                                  : phase.state == PhaseStory::State::Active ? colours().accent
                                                                             : colours().text);
  }
  phases_->header()->resizeSection(Name, fontMetrics().horizontalAdvance("▶ Measuring mm") + 24);
  phases_->setMinimumHeight(phases_->header()->sizeHint().height() +
                            7 * (fontMetrics().height() + 4)); // all six, always
  phases_->header()->setStretchLastSection(false);
  phases_->header()->setSectionResizeMode(Outcome, QHeaderView::Stretch);
  phases_->header()->resizeSection(Time, fontMetrics().horizontalAdvance("000.0 ms mm"));
  // Who reads about another phase keeps it until the round goes on.
  if (active != active_ && active >= 0) phases_->setCurrentItem(phases_->topLevelItem(active));
  if (!phases_->currentItem()) phases_->setCurrentItem(phases_->topLevelItem(0));
  active_ = active;
  explain();
  refreshPicks();
}

void PhasesView::explain() {
  const int row = phases_->indexOfTopLevelItem(phases_->currentItem());
  if (row < 0) return;
  const SearchPhase phase = kSearchPhases[static_cast<std::size_t>(row)];
  explanation_->setText(QStringLiteral("<b>%1.</b> %2")
                            .arg(phaseTitle(phase, isOnTemplates(document_)),
                                 phaseExplanation(phase, isOnTemplates(document_))));
}

void PhasesView::refreshPicks() {
  picks_->clear();
  const std::vector<SelectedCandidate>& selected = document_.session().round().selected;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const SelectedCandidate& pick = selected[i];
    auto* item = new QTreeWidgetItem(
        {QString::number(i + 1), shortName(pick.program), qs(name(pick.origin)),
         qs(name(pick.selection)), pick.score ? QString::number(*pick.score, 'f', 3) : noValue()});
    item->setTextAlignment(Number, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(Predicted, Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(Program, qs(pick.program));
    item->setToolTip(Origin, originInWords(pick.origin));
    picks_->addTopLevelItem(item);
  }
  for (const int column : {int(Number), int(Program), int(Origin), int(Reason), int(Predicted)})
    picks_->resizeColumnToContents(column);
  picks_->setVisible(!selected.empty());
}

} // namespace nestwright::ui

#include "moc_phases_view.cpp"
