#include "ui/cost_model/cost_model_view.h"

#include "core/plugin/plugin.h"
#include "ui/cost_model/cost_model_export.h"
#include "ui/cost_model/explanation_page.h"
#include "ui/cost_model/importance_page.h"
#include "ui/cost_model/learning_page.h"
#include "ui/cost_model/prediction_page.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/quality_plot.h"
#include "ui/cost_model/round_bar.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/policy_offer.h"
#include "ui/document/program_drag.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {

CostModelView::CostModelView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), history_(document), model_(document),
      course_(document, Reader::Channel::ModelCourse), rounds_(new RoundBar(this)),
      pages_(new QTabWidget(this)), predictions_(new PredictionPage(document, *rounds_, this)),
      qualityPlot_(new QualityPlot(this)), importance_(new ImportancePage(this)),
      explanation_(new ExplanationPage(this)), learning_(new LearningPage(this)) {
  setAccessibleName(tr("Cost model"));
  connect(explanation_, &ExplanationPage::stepPicked, this, [this](int step) {
    const auto& score = model_.story().score;
    if (!score) return;
    document_.selection().select({score->task, score->record});
    Q_EMIT stepPicked(score->record, step);
  });
  pages_->setDocumentMode(true);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(predictions_, tr("Predictions"),
      tr("What the model expected of programs, against what was measured."));
  add(qualityPlot_, tr("Ranking over Rounds"),
      tr("How well the model put each round's programs in order, before it learned from them."));
  add(importance_, tr("Features"), tr("What the model looks at."));
  add(explanation_, tr("Explanation"), tr("Why the model gives the selected program its score."));
  add(learning_, tr("Learning"),
      tr("Whether the model is as sure as it should be, how well it fits, and what it leaves to "
         "chance."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(rounds_);
  layout->addWidget(new PolicyOffer(document, this));
  layout->addWidget(pages_, 1);

  connect(&history_, &PredictionHistory::changed, this, &CostModelView::refresh);
  connect(&course_, &CourseReader::changed, this, &CostModelView::refreshLearning);
  connect(&model_, &ModelReader::asked, this, &CostModelView::showModel);
  connect(rounds_, &RoundBar::changed, this, &CostModelView::refresh);
  connect(predictions_, &PredictionPage::picked, this, &CostModelView::pick);
  connect(predictionPlot(), &PredictionPlot::dragged, this, [this](RowId task, RowId record) {
    dragPrograms(predictionPlot(), {{document_.file().path(), task, record, false, {}}});
  });
  connect(qualityPlot_, &QualityPlot::picked, rounds_, &RoundBar::showRound);
  connect(learning_, &LearningPage::picked, rounds_, &RoundBar::showRound);
  connect(pages_, &QTabWidget::currentChanged, this, &CostModelView::followSelection);
  connect(&document.selection(), &SharedSelection::changed, this, &CostModelView::followSelection);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &CostModelView::refresh);
  connect(&document.notes(), &NoteBook::changed, this, &CostModelView::refresh);
  connect(&document.follower(), &SessionFollower::settingsChanged, this, &CostModelView::refresh);
  connect(&document, &Document::stateChanged, rounds_, &RoundBar::follow);
  refresh();
}

PredictionPlot* CostModelView::predictionPlot() const {
  return predictions_->plot();
}

WaterfallPlot* CostModelView::waterfall() const {
  return explanation_->waterfall();
}

// --- what is shown

void CostModelView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  history_.setWanted(true);
  model_.setWanted(true);
  refresh();
  followSelection();
}

void CostModelView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  history_.setWanted(false);
  model_.setWanted(false);
  course_.setWanted(false);
}

RowId CostModelView::scope() const {
  return rounds_->allTasks() ? 0 : document_.selection().current().task;
}

QString CostModelView::emptyText() const {
  if (document_.state() != DocumentState::Ready)
    return tr("Predictions are shown once a document is open.");
  if (history_.isReading()) return tr("Reading the predictions …");
  if (!learnsModel(document_.session().config().policy))
    return document_.session().config().space == SearchSpace::Templates
               ? tr("The policy “%1” trains no cost model.\nChoose “annealing” or “contextual” for "
                    "a new session, or switch this one.")
                     .arg(qs(document_.session().config().policy))
               : tr("This session draws its programs at random and trains no cost model.\n"
                    "Choose the policy “evolutionary” for a new session, or switch this one.");
  if (!history_.predictions().empty())
    return tr("No program of this task was measured under a trained model yet.\n“All tasks” shows "
              "the rounds of the others.");
  if (document_.replayMode().isOn())
    return tr("At this moment of the session the cost model had not learned enough to predict.");
  return tr("No predictions yet. The first rounds are drawn at random, until more than %1 programs "
            "ran and the model has learned from them.")
      .arg(document_.session().config().warmup);
}

void CostModelView::setListed(const FilteredRecords& listed) {
  predictions_->setListed(listed);
  refresh();
}

void CostModelView::refresh() {
  if (!isVisible()) return;
  rounds_->setRounds(history_.predictions().rounds(scope()), history_.isCut());
  predictions_->show(history_.predictions(), scope(), emptyText());
  refreshRanking();
  refreshLearning();
}

void CostModelView::refreshLearning() {
  if (!isVisible() || page() != Page::Learning) return;
  LearningScene scene;
  scene.calibrations = calibrations(history_.predictions(), scope());
  scene.rounds = course_.course().of(scope());
  scene.config = document_.session().config();
  scene.predicted = !rounds_->rounds().empty();
  scene.selectedRound = rounds_->round();
  scene.empty = emptyText();
  learning_->show(std::move(scene));
}

void CostModelView::refreshRanking() {
  quality_.clear();
  for (const int round : rounds_->rounds()) {
    if (round == 0) continue; // of a file that does not say which programs were measured together
    const RoundQuality quality =
        qualityOf(history_.predictions().between(round, round, scope()), rounds_->bestCount());
    if (quality.programs > 0) quality_.push_back(quality);
  }
  qualityPlot_->show(quality_, rounds_->bestCount(), rounds_->round(),
                     rounds_->rounds().empty()
                         ? emptyText()
                         : tr("No round has two programs that ran and were predicted."),
                     [this](RowId task) { return taskName(document_, task); });
}

void CostModelView::followSelection() {
  const bool predictions = page() == Page::Predictions;
  rounds_->setVisible(predictions || page() == Page::Ranking || page() == Page::Learning);
  rounds_->showOfOneRound(predictions);
  course_.setWanted(isVisible() && page() == Page::Learning);
  if (!isVisible()) return;
  refresh();
  model_.follow();
}

void CostModelView::pick(RowId record) {
  const PredictedProgram* program = history_.predictions().find(record);
  if (program) document_.selection().select({program->task, record});
}

void CostModelView::showPage(Page page) {
  pages_->setCurrentIndex(static_cast<int>(page));
}

CostModelView::Page CostModelView::page() const {
  return static_cast<Page>(std::max(0, pages_->currentIndex()));
}

void CostModelView::showModel() {
  const ModelStory& story = model_.story();
  const bool ready = document_.state() == DocumentState::Ready;
  if (!ready || !story.problem.isEmpty()) {
    const QString none = !ready || !learnsModel(document_.session().config().policy)
                             ? emptyText()
                             : tr("There is no cost model to ask yet: %1.").arg(story.problem);
    importance_->showMessage(none);
    explanation_->showMessage(none, {});
    Q_EMIT explained({});
    return;
  }
  const QString then = document_.replayMode().isOn()
                           ? tr(" In a replay too it is the model of the session's end: earlier "
                                "ones are not kept.")
                           : QString();
  if (story.splits == ModelStory::Splits::None)
    importance_->showMessage(featuresNote(story));
  else
    importance_->show(story.features, featuresNote(story) + then);
  const RowId selected = document_.selection().current().record;
  if (story.score)
    explanation_->show(*story.score, then);
  else
    explanation_->showMessage(!story.scoreProblem.isEmpty() ? story.scoreProblem
                              : selected != 0
                                  ? laterTitle(selected) + QStringLiteral(".\n") + laterText()
                                  : tr("Select a program to see what its score is made of."),
                              {});
  Q_EMIT explained(story.score.value_or(ScoreStory()));
}

// --- what it gives away and keeps

Exports CostModelView::exports() {
  Exports exports;
  const QString of = qs(document_.session().contents().network);
  switch (page()) {
  case Page::Predictions:
    exports.name = QStringLiteral("predictions");
    exports.title = tr("Predicted against measured, round %1 of %2").arg(rounds_->round()).arg(of);
    exports.text = predictions_->summary();
    exports.table = predictionTable(document_, history_.predictions(), scope());
    predictionPlot()->exportPicture(exports);
    break;
  case Page::Ranking:
    exports.name = QStringLiteral("ranking-over-rounds");
    exports.title = tr("Ranking by the cost model of %1").arg(of);
    exports.table = rankingTable(document_, quality_, rounds_->bestCount());
    qualityPlot_->exportPicture(exports);
    break;
  case Page::Features:
    exports = seenOf(this);
    exports.name = QStringLiteral("feature-importance");
    exports.title = tr("Features in the cost model of %1").arg(of);
    exports.table = tableOf(importance_->table());
    break;
  case Page::Explanation:
    exports = explanation_->exports();
    break;
  case Page::Learning:
    exports.name = QStringLiteral("learning");
    exports.title = tr("How the search of %1 learned").arg(of);
    exports.text = learning_->note();
    exports.table = learning_->table();
    learning_->exportPicture(exports);
    break;
  }
  return exports;
}

nlohmann::json CostModelView::viewState() const {
  nlohmann::json state = rounds_->state();
  state["page"] = pages_->currentIndex();
  state["attention"] = explanation_->attentionButton()->isChecked();
  return state;
}

void CostModelView::restoreViewState(const nlohmann::json& state) {
  pages_->setCurrentIndex(std::clamp(storedValue(state, "page", 0), 0, pages_->count() - 1));
  explanation_->attentionButton()->setChecked(storedValue(state, "attention", false));
  rounds_->restore(state);
}

std::vector<PaletteItem> CostModelView::paletteItems(const QString&) {
  std::vector<PaletteItem> items;
  const auto add = [&](const QString& title, Page page) {
    items.push_back({title, tr("Command"), {}, [this, page] { showPage(page); }});
  };
  add(tr("Cost Model: Predicted against Measured"), Page::Predictions);
  add(tr("Cost Model: Ranking over Rounds"), Page::Ranking);
  add(tr("Cost Model: Feature Importance"), Page::Features);
  add(tr("Cost Model: Explain the Selected Program's Score"), Page::Explanation);
  add(tr("Cost Model: How the Search Learned"), Page::Learning);
  return items;
}

} // namespace nestwright::ui

#include "moc_cost_model_view.cpp"
