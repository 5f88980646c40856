#include "ui/lab/models_view.h"

#include "core/session/run/row_contents.h"
#include "ui/charts/series_plot.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/dropped_files.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/agreement_plot.h"
#include "ui/lab/figure_table.h"
#include "ui/lab/file_list.h"
#include "ui/lab/lab_parts.h"
#include "ui/lab/learning_curves_page.h"
#include "ui/lab/order_plot.h"
#include "ui/lab/two_models_page.h"
#include "ui/lab/worst_tasks_page.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Of the intervals: enough for three digits, and quick for thousands of tasks.
constexpr std::size_t kResamples = 2000;

QString networksText(std::size_t count) {
  return count == 1 ? ModelsView::tr("1 network")
                    : ModelsView::tr("%1 networks").arg(countText(qint64(count)));
}

QStringList droppedModels(const QMimeData* data) {
  return droppedFiles(data, QStringLiteral(".nwm")) + droppedFiles(data, QStringLiteral(".nwdb"));
}

/// What is to be known of the judged models before their figures are.
QStringList notesOf(const Judgement& judgement) {
  const ModelEvaluation& evaluation = judgement.evaluation;
  QStringList notes;
  for (const RefusedModel& model : judgement.refused)
    notes << ModelsView::tr("✗ %1 is left out: %2").arg(modelTitle(model.name), qs(model.why));
  for (const UnseenSteps& unseen : judgement.unseen)
    notes << ModelsView::tr("⚠ %1: %2").arg(modelTitle(unseen.name), qs(unseen.what));
  for (std::size_t i = 0; i < evaluation.models.size(); ++i)
    if (evaluation.models[i].seen.value_or(1) > 0)
      notes << ModelsView::tr("⚠ %1: %2")
                   .arg(modelTitle(evaluation.models[i].name), knownText(evaluation, i));
  for (const TestedNetwork& network : evaluation.networks)
    if (network.tested < network.tasks && network.tasks > 0)
      notes << ModelsView::tr("%1: %2 of its %3 with records that ran; the rest is left out.")
                   .arg(qs(network.name), countText(network.tested), tasksText(network.tasks));
  if (evaluation.tasks.size() == 1)
    notes << ModelsView::tr("One task says nothing of others: there are no intervals.");
  if (evaluation.allFailed > 0)
    notes << ModelsView::tr("%1 left out: no program ran.").arg(tasksText(evaluation.allFailed));
  return notes;
}

} // namespace

ModelsView::ModelsView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), pages_(new QTabWidget(this)) {
  setAccessibleName(tr("Comparison of cost models"));
  setAcceptDrops(true);
  list_ = new FileList(tr("Models to compare"),
                       tr("Trained models: files (.nwm), or what sessions learned. Drop files "
                          "here; Delete takes the selected ones out. Random and oracle always "
                          "stand beside them."),
                       this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  auto* box = new QHBoxLayout;
  box->setContentsMargins(8, 0, 8, 2);
  box->addWidget(list_);
  layout->addLayout(box);
  state_ = wordsLabel(this);
  notes_ = wordsLabel(this);
  layout->addWidget(state_);
  layout->addWidget(notes_);
  pages_->setDocumentMode(true);
  const auto page = [this](QWidget* widget, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(widget, title), tip);
  };
  figures_ = new FigureTable(this);
  twoModels_ = new TwoModelsPage(this);
  worstTasks_ = new WorstTasksPage(this);
  learningCurves_ = new LearningCurvesPage(this);
  page(figures_, tr("Networks"), tr("What searches get from each model, network by network."));
  page(twoModels_, tr("Two Models"), tr("Two models against each other, task by task."));
  page(worstTasks_, tr("Worst Tasks"),
       tr("The tasks that the first model is worst on, and in which order it puts their "
          "programs."));
  page(learningCurves_, tr("Learning Curves"),
       tr("What more programs to learn from bring, of models that differ by little else."));
  layout->addWidget(pages_, 1);
  layout->addStretch(0);
  connect(twoModels_, &TwoModelsPage::modelsChosen, this, [this](std::size_t a, std::size_t b) {
    look_.a = a;
    look_.b = b;
    showLook();
  });
  connect(twoModels_, &TwoModelsPage::taskPicked, this, &ModelsView::chooseTask);
  connect(worstTasks_, &WorstTasksPage::taskPicked, this, &ModelsView::chooseTask);
  connect(&judging_, &Background::busyChanged, this, &ModelsView::say);
  connect(&judging_, &Background::progress, this, [this](const QString& what) {
    doing_ = what;
    say();
  });
  connect(&document, &Document::stateChanged, this, [this] {
    fillSessions();
    say();
  });
  connect(&Theme::instance(), &Theme::changed, this, &ModelsView::restyle);
  restyle();
  fillSessions();
  showList();
  say();
}

QWidget* ModelsView::buildBar() {
  auto* bar = new QWidget(this);
  add_ = flatButton(bar, tr("Add Models …"),
                    tr("Trained models: files that the page Training wrote, or documents whose "
                       "newest session learned one."));
  sessions_ = flatButton(bar, tr("Session's Model"),
                         tr("The cost model that a session of this document has learned."));
  sessionMenu_ = new QMenu(sessions_);
  sessions_->setMenu(sessionMenu_);
  sessions_->setPopupMode(QToolButton::InstantPopup);
  remove_ = flatButton(bar, tr("Remove"), tr("Take the selected models out of the comparison."));
  networks_ = new QLineEdit(bar);
  networks_->setAccessibleName(tr("Networks to score"));
  networks_->setPlaceholderText(tr("networks that are held out"));
  networks_->setToolTip(tr("Networks or sets of them by whose tasks and weights models are scored, "
                           "with blanks between; empty: those that the data set holds out, or else "
                           "those that the files' sessions tune."));
  networks_->setClearButtonEnabled(true);
  networks_->setMinimumWidth(150);
  k_ = choiceBox(bar, {}, tr("Favourites"),
                 tr("How many of a model's favourites of each task a search would measure."));
  for (const std::size_t k : JudgeWish().ks)
    k_->addItem(tr("top %1").arg(k));
  k_->setCurrentIndex(1);
  look_.k = std::size_t(k_->currentIndex());
  compare_ = textButton(bar, tr("Compare"),
                        tr("Ask every model for its order of the tested programs. Reads the data "
                           "set's test part, or all of it where nothing is kept to test on."));
  cancel_ = flatButton(bar, tr("Cancel"), tr("Stop comparing."));
  busy_ = busyBar(bar, tr("Comparing"), tr("The models are being asked."));
  auto* flow = new FlowLayout(bar, 3);
  flow->setContentsMargins(4, 2, 4, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{add_, sessions_, remove_, networks_, k_,
                                                       compare_, cancel_, busy_})
    flow->addWidget(part);
  connect(add_, &QToolButton::clicked, this, [this] {
    addModels(
        QFileDialog::getOpenFileNames(this, tr("Add Models"), Settings::folder(),
                                      tr("Models and documents (*.nwm *.nwdb);;All files (*)")));
  });
  connect(remove_, &QToolButton::clicked, this, &ModelsView::removeModels);
  connect(compare_, &QToolButton::clicked, this, &ModelsView::compare);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    judging_.cancel();
    problem_ = tr("The comparison was stopped.");
    say();
  });
  connect(networks_, &QLineEdit::editingFinished, this, [this] {
    if (networks_->isModified()) changed();
    networks_->setModified(false);
  });
  connect(k_, &QComboBox::currentIndexChanged, this, [this](int k) {
    look_.k = std::size_t(k);
    showLook();
  });
  connect(list_, &FileList::removalWanted, this, &ModelsView::removeModels);
  connect(list_, &QListWidget::itemSelectionChanged, this, &ModelsView::offerRemoval);
  return bar;
}

void ModelsView::restyle() {
  setTextColour(notes_, colours().dim);
  notes_->setFont(smallFont());
}

// --- what is compared

void ModelsView::setChoice(const DataChoice& choice) {
  if (choice == choice_) return;
  choice_ = choice;
  changed();
}

QStringList ModelsView::models() const {
  return models_;
}

void ModelsView::addModels(const QStringList& models) {
  bool added = false;
  for (const QString& model : models) {
    const QString file = model.section(QLatin1Char('#'), 0, 0);
    const QString whole = QFileInfo(file).absoluteFilePath() + model.mid(file.size());
    if (models_.contains(whole)) continue;
    models_ << whole;
    added = true;
  }
  if (!added) return;
  showList();
  changed();
}

void ModelsView::removeModels() {
  for (const QString& model : list_->selectedFiles())
    models_.removeAll(model);
  showList();
  changed();
}

void ModelsView::showList() {
  list_->setFiles(models_, [](const QString& model) {
    return QStringLiteral("%1 — %2").arg(modelTitle(model.toStdString()),
                                         QFileInfo(model.section(QLatin1Char('#'), 0, 0)).path());
  });
  list_->setVisible(!models_.isEmpty());
  offerRemoval();
}

void ModelsView::offerRemoval() {
  enableUnless(remove_, list_->selectedItems().isEmpty() ? tr("No model is selected.") : QString());
}

void ModelsView::fillSessions() {
  sessionMenu_->clear();
  if (document_.state() == DocumentState::Ready)
    for (const SessionRow& session : document_.session().contents().sessions) {
      if (isImport(session)) continue;
      const QString name = QStringLiteral("%1#%2").arg(document_.file().path()).arg(session.id);
      sessionMenu_->addAction(tr("Session %1 · %2").arg(session.id).arg(qs(session.title)), this,
                              [this, name] { addModels({name}); });
    }
  enableUnless(sessions_, sessionMenu_->isEmpty()
                              ? tr("The document has no session whose model could be compared.")
                              : QString());
}

void ModelsView::changed() {
  stale_ = true;
  problem_.clear();
  say();
}

void ModelsView::compare() {
  JudgeWish wish;
  wish.choice = choice_;
  for (const QString& model : models_)
    wish.models.push_back(model.toStdString());
  wish.networks = networkNames(networks_->text());
  wish.bootstrap.resamples = kResamples;
  wish.threads = 1;
  wish.passOver = true;
  wish.groupBySeeds = true;
  stale_ = false;
  problem_.clear();
  doing_.clear();
  judging_.ask<Judgement>(
      [wish](const Job& job) {
        return judgeModels(wish, {[&job](const std::string& what) { job.tell(qs(what)); },
                                  [&job] { job.check(); }});
      },
      [this](Judgement judgement) { take(std::move(judgement)); },
      [this](const QString& why) {
        problem_ = why;
        say();
      });
  say();
}

void ModelsView::take(Judgement judgement) {
  look_ = lookAt(std::make_shared<const Judgement>(std::move(judgement)), look_);
  showLook();
  say();
}

/// What there is, what is going on, and what to do.
void ModelsView::say() {
  const bool ready = document_.state() == DocumentState::Ready;
  const bool busy = judging_.isBusy();
  busy_->setVisible(busy);
  cancel_->setVisible(busy);
  for (QWidget* control : std::initializer_list<QWidget*>{add_, list_, networks_})
    enableUnless(control, document_.whyNotReady());
  const Judgement* judged = look_.judged.get();
  enableUnless(compare_, !ready                  ? document_.whyNotReady()
                         : busy                  ? tr("Models are being compared.")
                         : choice_.files.empty() ? tr("The data set has no file.")
                                                 : QString());
  QString text;
  if (!ready)
    text = tr("Open a document to compare cost models on its records.");
  else if (busy)
    text = doing_.isEmpty() ? tr("Comparing …") : tr("Comparing: %1 …").arg(doing_);
  else if (!problem_.isEmpty())
    text = QStringLiteral("✗ ") + problem_;
  else if (!judged)
    text = models_.isEmpty()
               ? tr("Add models to see how they do on the data set beside one that knows nothing "
                    "and one that knows all. A model is a file that the page Training wrote, or "
                    "what a session has learned.")
               : tr("Press Compare to ask the models for their order of the tested programs.");
  else if (stale_)
    text = tr("The models or the data have changed since. Press Compare to ask again.");
  else
    text =
        tr("%1 of %2, %3. In brackets 95 % by bootstrap over tasks.")
            .arg(programsText(judged->programs.size()), tasksText(judged->evaluation.tasks.size()),
                 networksText(judged->evaluation.networks.size()));
  state_->setText(text);
  sayOrHide(notes_, judged && !busy ? notesOf(*judged).join(QLatin1Char('\n')) : QString());
  pages_->setVisible(judged != nullptr);
}

QString ModelsView::words() const {
  return notes_->isHidden() ? state_->text() : state_->text() + QLatin1Char('\n') + notes_->text();
}

// --- what is shown

void ModelsView::showLook() {
  figures_->showLook(look_);
  twoModels_->showLook(look_);
  worstTasks_->showLook(look_);
  learningCurves_->showLook(look_);
}

void ModelsView::chooseTask(int task) {
  look_.task = task;
  showLook();
}

void ModelsView::showPage(Page page) {
  pages_->setCurrentIndex(int(page));
}

ModelsView::Page ModelsView::page() const {
  return Page(std::max(0, pages_->currentIndex()));
}

void ModelsView::dragEnterEvent(QDragEnterEvent* event) {
  if (document_.state() == DocumentState::Ready && !droppedModels(event->mimeData()).isEmpty())
    event->acceptProposedAction();
}

void ModelsView::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  addModels(droppedModels(event->mimeData()));
}

// --- what it gives away and keeps

Exports ModelsView::exports() {
  Exports exports = seenOf(this);
  exports.text = words();
  exports.more.clear();
  switch (page()) {
  case Page::Networks:
    exports.name = QStringLiteral("models-by-network");
    exports.title = tr("Cost models by network");
    exports.table = tableOf(figures_);
    break;
  case Page::TwoModels:
    exports.name = QStringLiteral("two-models");
    exports.title = twoModels_->difference();
    exports.text = twoModels_->difference();
    exports.table = twoModels_->agreement()->table();
    twoModels_->agreement()->exportPicture(exports);
    break;
  case Page::WorstTasks:
    exports.name = QStringLiteral("worst-tasks");
    exports.title = tr("Tasks by how well %1 does on them").arg(twoModels_->first()->currentText());
    exports.table = tableOf(worstTasks_->table());
    exports.tableName = tr("Tasks");
    exports.more = {{tr("Both orders of the task's programs"), worstTasks_->order()->table()}};
    break;
  case Page::LearningCurves:
    exports.name = QStringLiteral("learning-curves");
    exports.title = learningCurves_->title();
    exports.table = learningCurves_->table();
    learningCurves_->plot()->exportPicture(exports);
    break;
  }
  return exports;
}

nlohmann::json ModelsView::viewState() const {
  nlohmann::json state;
  state["models"] = nlohmann::json::array();
  for (const QString& model : models_)
    state["models"].push_back(model.toStdString());
  state["networks"] = networks_->text().toStdString();
  state["k"] = k_->currentIndex();
  state["page"] = pages_->currentIndex();
  return state;
}

void ModelsView::restoreViewState(const nlohmann::json& state) {
  judging_.cancel();
  models_.clear();
  for (const std::string& model : storedValues<std::string>(state, "models"))
    models_ << qs(model);
  networks_->setText(qs(storedText(state, "networks")));
  k_->setCurrentIndex(std::clamp(storedValue(state, "k", 1), 0, k_->count() - 1));
  pages_->setCurrentIndex(std::clamp(storedValue(state, "page", 0), 0, pages_->count() - 1));
  look_ = {};
  look_.k = std::size_t(k_->currentIndex());
  showLook();
  showList();
  changed();
}

} // namespace nestwright::ui

#include "moc_models_view.cpp"
