#include "ui/cost_model/cost_model_view.h"

#include "core/plugin/plugin.h"
#include "ui/charts/point_figures.h"
#include "ui/cost_model/importance_model.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/quality_plot.h"
#include "ui/cost_model/surprise_model.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/program_drag.h"
#include "ui/document/replay_mode.h"
#include "ui/document/replayed_program.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright::ui {
namespace {

/// A running session saves its model with every round; between looks at it this much passes.
constexpr int kModelMilliseconds = 700;
constexpr int kSelectionMilliseconds = 60;
constexpr std::size_t kSurprises = 20;
constexpr std::array<int, 3> kBefore{0, 7, 1'000'000}; // rounds before the one shown

} // namespace

CostModelView::CostModelView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), history_(document),
      predictionPlot_(new PredictionPlot(this)), qualityPlot_(new QualityPlot(this)),
      waterfall_(new WaterfallPlot(this)), surprises_(new SurpriseModel(this)),
      sortedSurprises_(new QSortFilterProxyModel(this)), surpriseTable_(new QTableView(this)),
      importance_(new ImportanceModel(this)), importanceTable_(new QTableView(this)) {
  setAccessibleName(tr("Cost model"));
  pages_ = new QTabWidget(this);
  pages_->setDocumentMode(true);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(predictionPage(), tr("Predictions"),
      tr("What the model expected of programs, against what was measured."));
  add(qualityPlot_, tr("Ranking over Rounds"),
      tr("How well the model put each round's programs in order, before it learned from them."));
  add(featurePage(), tr("Features"), tr("What the model looks at."));
  add(explanationPage(), tr("Explanation"),
      tr("Why the model gives the selected program its score."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(toolBar());
  layout->addWidget(pages_, 1);

  modelTimer_.setSingleShot(true);
  connect(&modelTimer_, &QTimer::timeout, this, &CostModelView::askModel);
  connect(&history_, &PredictionHistory::changed, this, &CostModelView::refresh);
  connect(predictionPlot_, &PredictionPlot::picked, this, &CostModelView::pick);
  connect(predictionPlot_, &PredictionPlot::dragged, this, [this](RowId task, RowId record) {
    dragPrograms(predictionPlot_, {{document_.file().path(), task, record, false, {}}});
  });
  connect(qualityPlot_, &QualityPlot::picked, this, &CostModelView::showRound);
  connect(pages_, &QTabWidget::currentChanged, this, &CostModelView::followSelection);
  connect(&document.selection(), &SharedSelection::changed, this, &CostModelView::followSelection);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &CostModelView::refresh);
  connect(&document.notes(), &NoteBook::changed, this, &CostModelView::refresh);
  connect(&document.follower(), &SessionFollower::settingsChanged, this, &CostModelView::refresh);
  connect(&document, &Document::stateChanged, this, [this] {
    followsNewest_ = true;
    round_ = 0;
    model_ = {};
    scheduleModel();
  });
  connect(&document.follower(), &SessionFollower::recordsReread, this,
          &CostModelView::scheduleModel);
  // In a replay the selected record comes and goes.
  for (const auto signal : {&SessionFollower::jumped, &SessionFollower::recordsAdded})
    connect(&document.follower(), signal, this, [this] {
      if (document_.replayMode().isOn() && explained() != explained_) scheduleModel();
    });
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [this](const std::vector<Event>& events) {
            if (std::ranges::any_of(events, [](const Event& event) {
                  return std::holds_alternative<ModelUpdated>(event);
                }))
              scheduleModel();
          });
  connect(&Theme::instance(), &Theme::changed, this, &CostModelView::restyle);
  restyle();
  refresh();
}

// --- what is shown

void CostModelView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  history_.setWanted(true);
  refresh();
  followSelection();
}

void CostModelView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  history_.setWanted(false);
}

RowId CostModelView::scope() const {
  return allTasks_->isChecked() ? 0 : document_.selection().current().task;
}

std::size_t CostModelView::bestCount() const {
  return kBestCounts[static_cast<std::size_t>(std::max(0, best_->currentIndex()))];
}

QString CostModelView::taskName(RowId id) const {
  const TaskEntry* task = document_.session().task(id);
  return task ? QStringLiteral("T%1 %2").arg(task->row.index).arg(taskTitle(task->row.name))
              : tr("a task");
}

QString CostModelView::emptyText() const {
  if (document_.state() != DocumentState::Ready)
    return tr("Predictions are shown once a document is open.");
  if (history_.isReading()) return tr("Reading the predictions …");
  if (!learnsModel(document_.session().config().policy))
    return tr("This session draws its programs at random and trains no cost model.\n"
              "Choose the policy “evolutionary” for a new session, or under Plan in the Scheduler "
              "panel for this one.");
  if (!history_.predictions().empty())
    return tr("No program of this task was measured under a trained model yet.\n“All tasks” shows "
              "the rounds of the others.");
  if (document_.replayMode().isOn())
    return tr("At this moment of the session the cost model had not learned enough to predict.");
  return tr("No predictions yet. The first rounds are drawn at random, until more than %1 programs "
            "ran and the model has learned from them.")
      .arg(document_.session().config().warmup);
}

void CostModelView::refresh() {
  if (!isVisible()) return;
  const std::vector<int> rounds = history_.predictions().rounds(scope());
  if (followsNewest_ || std::ranges::find(rounds, round_) == rounds.end())
    round_ = rounds.empty() ? 0 : rounds.back();
  followsNewest_ = followsNewest_ || rounds.empty() || round_ == rounds.back();
  const auto at = std::ranges::find(rounds, round_) - rounds.begin();
  place_->setText(rounds.empty() ? tr("no rounds")
                                 : tr("Round %1 (%2 of %3)")
                                       .arg(round_)
                                       .arg(countText(at + 1), countText(std::ssize(rounds))));
  place_->setToolTip(history_.isCut()
                         ? tr("Rounds among the newest %1 trials of the session; older ones are "
                              "left out.")
                               .arg(countText(PredictionHistory::kMaxTrials))
                         : tr("Rounds in which the model had predicted the measured programs."));
  back_->setEnabled(at > 0);
  forward_->setEnabled(at + 1 < std::ssize(rounds));
  newest_->setEnabled(!rounds.empty());
  newest_->setChecked(followsNewest_ && !rounds.empty());
  refreshRound(rounds);
  refreshRanking(rounds);
}

void CostModelView::setListed(const ListedRecords& listed) {
  listed_ = listed;
  refresh();
}

void CostModelView::refreshRound(const std::vector<int>& rounds) {
  const Predictions& predictions = history_.predictions();
  const auto name = [this](RowId task) { return taskName(task); };
  PredictionScene scene;
  scene.round = round_;
  scene.k = bestCount();
  scene.selected = document_.selection().current().record;
  scene.taskName = name;
  scene.notes = document_.notes().all();
  scene.listed = listed_;
  scene.message = emptyText();
  std::vector<const PredictedProgram*> listed;
  QString text;
  if (!rounds.empty()) {
    scene.programs = predictions.between(round_, round_, scope());
    const auto at = std::ranges::find(rounds, round_) - rounds.begin();
    const auto first = std::max<std::ptrdiff_t>(
        0, at - kBefore[static_cast<std::size_t>(std::max(0, before_->currentIndex()))]);
    listed = predictions.between(rounds[static_cast<std::size_t>(first)], round_, scope());
    for (const PredictedProgram* program : listed)
      if (program->round != round_) scene.before.push_back(program);
    const RoundQuality quality = qualityOf(scene.programs, scene.k);
    if (allTasks_->isChecked()) text = tr("%1: ").arg(taskName(scene.programs.front()->task));
    text += quality.programs == 0
                ? tr("too few programs ran to tell how well the model put them in order.")
                : tr("%1 programs ran, %2 of their pairs in the right order, rank correlation %3")
                      .arg(quality.programs)
                      .arg(percentText(quality.accuracy), signedText(quality.correlation));
    if (quality.programs > scene.k)
      text += tr(", %1 of the %2 fastest among the %2 best predicted")
                  .arg(std::lround(quality.recall * static_cast<double>(scene.k)))
                  .arg(scene.k);
  }
  if (listed_.has) {
    std::vector<double> seconds;
    std::int64_t failed = 0;
    for (const PredictedProgram* program : scene.programs)
      if (listed_.lists(program->record) && program->failed())
        ++failed;
      else if (listed_.lists(program->record))
        seconds.push_back(program->seconds);
    if (!text.isEmpty()) text += QStringLiteral(". ");
    text += tr("Listed by %1: %2").arg(listed_.filter, pointFigures(std::move(seconds), failed));
  }
  summary_->setText(text);
  summary_->setVisible(!text.isEmpty());
  predictionPlot_->show(std::move(scene));
  surpriseTable_->setColumnHidden(SurpriseModel::Task, !allTasks_->isChecked());
  surpriseTable_->setColumnHidden(SurpriseModel::Round, before_->currentIndex() == 0);
  surprises_->show(worstSurprises(listed, kSurprises), [this](RowId id) {
    const TaskEntry* task = document_.session().task(id);
    return task ? QStringLiteral("T%1").arg(task->row.index) : QString();
  });
  const int row = surprises_->rowOf(document_.selection().current().record);
  if (row < 0)
    surpriseTable_->clearSelection();
  else
    surpriseTable_->selectRow(sortedSurprises_->mapFromSource(surprises_->index(row, 0)).row());
}

void CostModelView::refreshRanking(const std::vector<int>& rounds) {
  quality_.clear();
  for (const int round : rounds) {
    if (round == 0) continue; // of a file that does not say which programs were measured together
    const RoundQuality quality =
        qualityOf(history_.predictions().between(round, round, scope()), bestCount());
    if (quality.programs > 0) quality_.push_back(quality);
  }
  qualityPlot_->show(quality_, bestCount(), round_,
                     rounds.empty() ? emptyText()
                                    : tr("No round has two programs that ran and were predicted."),
                     [this](RowId task) { return taskName(task); });
}

void CostModelView::followSelection() {
  const bool predictions = page() == Page::Predictions, ranking = page() == Page::Ranking;
  bar_->setVisible(predictions || ranking);
  before_->setVisible(predictions);
  layouts_->setVisible(predictions);
  if (!isVisible()) return;
  refresh();
  if (modelStale_ || !model_.score || model_.score->record != explained()) {
    modelStale_ = true;
    if (!modelTimer_.isActive()) modelTimer_.start(kSelectionMilliseconds);
  }
}

void CostModelView::pick(RowId record) {
  const PredictedProgram* program = history_.predictions().find(record);
  if (program) document_.selection().select({program->task, record});
}

void CostModelView::showRound(int round) {
  const std::vector<int> rounds = history_.predictions().rounds(scope());
  followsNewest_ = !rounds.empty() && round == rounds.back();
  round_ = round;
  refresh();
}

void CostModelView::setAllTasks(bool all) {
  allTasks_->setChecked(all);
}

void CostModelView::showPage(Page page) {
  pages_->setCurrentIndex(static_cast<int>(page));
}

CostModelView::Page CostModelView::page() const {
  return static_cast<Page>(std::max(0, pages_->currentIndex()));
}

QString CostModelView::summary() const {
  return summary_->text().isEmpty() ? emptyText() : summary_->text();
}

QString CostModelView::modelNote() const {
  return modelNote_->text() + QLatin1Char('\n') + scoreNote_->text();
}

// --- the model

RowId CostModelView::explained() const {
  const Selection& selection = document_.selection().current();
  if (selection.record != 0) return isLater(document_, selection.record) ? 0 : selection.record;
  const TaskEntry* task = document_.session().task(selection.task);
  return task ? task->summary.bestRecord : 0;
}

void CostModelView::scheduleModel() {
  modelStale_ = true;
  if (isVisible() && !modelTimer_.isActive()) modelTimer_.start(kModelMilliseconds);
}

void CostModelView::askModel() {
  if (!isVisible() || !modelStale_) return;
  if (document_.state() != DocumentState::Ready) return takeModel({});
  modelStale_ = false;
  explained_ = explained();
  background_.ask<ModelStory>(
      [store = store_, path = document_.file().path(), session = document_.session().row().id,
       record = explained_](const Job&) {
        return readModelStory(store->at(path), session, record);
      },
      [this](ModelStory story) { takeModel(std::move(story)); },
      [this](const QString& why) {
        ModelStory none;
        none.problem = why;
        takeModel(std::move(none));
      });
}

void CostModelView::takeModel(ModelStory story) {
  model_ = std::move(story);
  const bool has = model_.problem.isEmpty() && document_.state() == DocumentState::Ready;
  importance_->show(model_.features);
  const QString none = document_.state() != DocumentState::Ready ? emptyText()
                       : !learnsModel(document_.session().config().policy)
                           ? emptyText()
                           : tr("There is no cost model to ask yet: %1.").arg(model_.problem);
  const QString then = document_.replayMode().isOn()
                           ? tr(" In a replay too it is the model of the session's end: earlier "
                                "ones are not kept.")
                           : QString();
  modelNote_->setText(
      has ? tr("%1 features have splits in the model's trees, the most important first.")
                    .arg(countText(std::ssize(model_.features))) +
                then
          : none);
  importanceTable_->setVisible(has);
  if (has && model_.score) {
    scoreNote_->setText(
        tr("Program %1: the model as it is now expects %2 of the fastest program's throughput. "
           "Each bar is what one feature adds (to the right) or takes away (to the left).")
            .arg(model_.score->program)
            .arg(model_.score->score, 0, 'f', 3) +
        then);
    waterfall_->show(*model_.score);
  } else {
    scoreNote_->clear();
    waterfall_->showMessage(!has                             ? none
                            : !model_.scoreProblem.isEmpty() ? model_.scoreProblem
                            : document_.selection().current().record != 0
                                ? laterTitle(document_.selection().current().record) +
                                      QStringLiteral(".\n") + laterText()
                                : tr("Select a program to see what "
                                     "its score is made of."));
  }
  scoreNote_->setVisible(!scoreNote_->text().isEmpty());
  Q_EMIT modelShown();
}

} // namespace nestwright::ui
