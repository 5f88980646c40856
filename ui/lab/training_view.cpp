#include "ui/lab/training_view.h"

#include "core/learn/learner.h"
#include "core/training/training_files.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/dropped_files.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/lab_parts.h"
#include "ui/lab/training_curves.h"
#include "ui/lab/training_form.h"
#include "ui/lab/training_plots.h"
#include "ui/lab/training_words.h"

#include <nlohmann/json.hpp>

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Models of a folder that are read, the newest; any other can be added.
constexpr std::size_t kMostFound = 100;

/// How often those are looked at that another process may be at.
constexpr int kUnfinishedMilliseconds = 3000;

/// As their files say.
std::vector<Training> pastTrainings(const std::vector<std::string>& files, const Job& job) {
  std::vector<Training> trainings;
  for (const std::string& file : files) {
    job.check();
    PastTraining past = pastTraining(file);
    Training training;
    training.file = qs(file);
    training.wish = std::move(past.wish);
    training.course = std::move(past.course);
    trainings.push_back(std::move(training));
  }
  return trainings;
}

bool isTrainable(const Training& training) {
  const std::vector<std::string> models = trainableModels();
  return (training.isHere || training.course.state != TrainingState::Failed) &&
         std::ranges::find(models, training.wish.model) != models.end();
}

} // namespace

TrainingView::TrainingView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), list_(new TrainingList(this)),
      pages_(new QTabWidget(this)), desk_(*list_) {
  setAccessibleName(tr("Training of cost models"));
  setAcceptDrops(true);
  form_ = new TrainingForm(
      [this](const QString& file) {
        const int at = list_->rowOf(file);
        return at >= 0 && isUnderWay(list_->row(at));
      },
      this);
  form_->setMissingLearner(qs(missingLearner()));
  state_ = wordsLabel(this);
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(form_);
  pages_->setDocumentMode(true);
  const auto page = [this](QWidget* widget, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(widget, title), tip);
  };
  page(scroll, tr("Set Up"), tr("What is to be trained, on which data, and how."));
  page(buildTrainings(), tr("Trainings"), tr("Trainings under way and past, with their curves."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(state_);
  layout->addWidget(pages_, 1);
  layout->addStretch(0);
  connect(form_, &TrainingForm::startWanted, this, &TrainingView::begin);
  connect(&desk_, &TrainingDesk::progressed, this, &TrainingView::say);
  connect(&desk_, &TrainingDesk::ended, this, [this] {
    form_->bringUpToDate();
    say();
  });
  unfinishedTimer_.setInterval(kUnfinishedMilliseconds);
  connect(&unfinishedTimer_, &QTimer::timeout, this, &TrainingView::readUnfinished);
  unfinishedTimer_.start();
  connect(&reading_, &Background::busyChanged, this, &TrainingView::say);
  connect(&document, &Document::stateChanged, this, &TrainingView::followDocument);
  connect(&document.follower(), &SessionFollower::statusChanged, this,
          &TrainingView::followSession);
  connect(&Theme::instance(), &Theme::changed, this, &TrainingView::restyle);
  restyle();
  followDocument();
}

QWidget* TrainingView::buildBar() {
  auto* bar = new QWidget(this);
  stop_ =
      flatButton(bar, tr("Stop"),
                 tr("Stop the training. A network keeps its state after each epoch, and goes on "
                    "from there when it is resumed; trees keep nothing."));
  goOn_ = flatButton(bar, tr("Resume"),
                     tr("Go on with the training where it was stopped or lost: it ends in the same "
                        "network, to the last bit."));
  again_ = flatButton(bar, tr("Again With One Change …"),
                      tr("Fill the form with what this training was asked for, to change one thing "
                         "and train again."));
  compare_ = flatButton(bar, tr("Compare"),
                        tr("Put the model on the page Compare Models, beside others."));
  session_ = flatButton(bar, tr("New Session With It …"),
                        tr("Begin a session whose search has this model from the first round on."));
  add_ =
      flatButton(bar, tr("Add Models …"),
                 tr("Models that were trained elsewhere, to see their curves beside these. Those "
                    "of the document's folder are here already."));
  readAgain_ =
      flatButton(bar, tr("Read Again"),
                 tr("Look again for models and trainings in the document's folder, such as "
                    "those of the command line. Those that are not done are looked at "
                    "every few seconds anyway."));
  remove_ =
      flatButton(bar, tr("Remove"), tr("Take it out of the list. Its files stay where they are."));
  auto* flow = new FlowLayout(bar, 2);
  flow->setContentsMargins(4, 2, 4, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{stop_, goOn_, again_, compare_, session_,
                                                       add_, readAgain_, remove_})
    flow->addWidget(part);
  connect(stop_, &QToolButton::clicked, this, [this] {
    desk_.stop(row());
    say();
  });
  connect(goOn_, &QToolButton::clicked, this, [this] {
    desk_.goOn(row());
    say();
  });
  connect(again_, &QToolButton::clicked, this, &TrainingView::again);
  connect(compare_, &QToolButton::clicked, this, [this] { Q_EMIT compareWanted({chosen_}); });
  connect(session_, &QToolButton::clicked, this, [this] { Q_EMIT sessionWanted(chosen_); });
  connect(add_, &QToolButton::clicked, this, [this] {
    addModels(QFileDialog::getOpenFileNames(this, tr("Add Models"), Settings::folder(),
                                            tr("Trained models (*.nwm)")));
  });
  connect(readAgain_, &QToolButton::clicked, this, [this] { read(added_, folder_); });
  connect(remove_, &QToolButton::clicked, this, &TrainingView::removeChosen);
  return bar;
}

QWidget* TrainingView::buildTrainings() {
  table_ = new QTableView(this);
  table_->setModel(list_);
  table_->setAccessibleName(tr("Trainings, the newest first"));
  setUpTable(table_);
  table_->setItemDelegateForColumn(TrainingList::Shown, new CheckDelegate(table_));
  table_->setItemDelegateForColumn(TrainingList::State, new CellBarDelegate(table_));
  table_->setMinimumSize(200, 90);
  new ElasticColumn(table_, TrainingList::Name, QStringLiteral("mlp-ranknet-2.nwm"),
                    TrainingList::State);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) choose(list_->row(index.row()).file);
          });
  details_ = wordsLabel(this);
  details_->setAccessibleName(tr("The training that is looked at"));
  auto* upper = new QWidget(this);
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_, 1);
  column->addWidget(details_);
  auto* halves = new QSplitter(Qt::Vertical, this);
  halves->setHandleWidth(1);
  halves->setChildrenCollapsible(false);
  halves->addWidget(upper);
  halves->addWidget(plots_ = new TrainingPlots(*list_, halves));
  halves->setStretchFactor(0, 1);
  halves->setStretchFactor(1, 2);
  halves->setSizes({240, 400}); // tables ask for more than a few rows need
  found_ = halves;
  auto* page = new QWidget(this);
  auto* all = new QVBoxLayout(page);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(buildBar());
  all->addWidget(found_, 1);
  all->addStretch(0);
  return page;
}

void TrainingView::restyle() {
  setTextColour(state_, colours().dim);
  state_->setFont(smallFont());
  fitColumn(table_, TrainingList::Shown, QStringLiteral("x"));
  fitColumn(table_, TrainingList::Model, QStringLiteral("mlp · lambdarank"));
  fitColumn(table_, TrainingList::State, QStringLiteral("epoch 88 of 888, 88 min 88 s left"));
  for (const int number : {TrainingList::Loss, TrainingList::Validation, TrainingList::Top1,
                           TrainingList::Top5, TrainingList::Tested})
    fitColumn(table_, number, QStringLiteral("0.888"));
  fitColumn(table_, TrainingList::When, QStringLiteral("2026-11-20 23:04:11"));
  table_->viewport()->update();
}

// --- what is trained

void TrainingView::setChoice(const DataChoice& choice) {
  choice_ = choice;
  form_->setPageChoice(choice);
}

void TrainingView::followSession() {
  form_->setSessionRuns(document_.state() == DocumentState::Ready && document_.isTuned());
}

void TrainingView::followDocument() {
  if (document_.state() == DocumentState::Loading) return;
  const bool ready = document_.state() == DocumentState::Ready;
  enableUnless(form_, document_.whyNotReady());
  followSession();
  const QString folder = ready ? QFileInfo(document_.file().path()).absolutePath() : QString();
  if (folder != folder_) {
    folder_ = folder;
    list_->removePast();
    form_->setFolder(folder);
    if (!folder.isEmpty()) read(added_, folder);
  }
  say();
}

/// The models of a folder and others, beside the window.
void TrainingView::read(const QStringList& files, const QString& folder) {
  using Found = std::vector<Training>;
  std::vector<std::string> paths;
  for (const QString& file : files)
    paths.push_back(file.toStdString());
  reading_.ask<Found>(
      [paths = std::move(paths), folder = folder.toStdString()](const Job& job) {
        std::vector<std::string> all = paths;
        if (!folder.empty()) {
          std::vector<std::string> found = modelsIn(folder);
          if (found.size() > kMostFound) found.resize(kMostFound);
          all.insert(all.end(), found.begin(), found.end());
        }
        return pastTrainings(all, job);
      },
      [this](Found trainings) {
        list_->bringUpToDate(trainings);
        list_->addPast(std::move(trainings));
        if (list_->rowCount() > 0) choose(row() < 0 ? list_->row(0).file : QString(chosen_));
        say();
      },
      [this](const QString& why) { details_->setText(QStringLiteral("✗ ") + why); });
}

/// What another process may have changed since.
void TrainingView::readUnfinished() {
  if (!isVisible() || unfinished_.isBusy()) return;
  std::vector<std::string> files;
  for (const Training& training : list_->rows())
    if (!training.isHere && training.course.state != TrainingState::Finished)
      files.push_back(training.file.toStdString());
  if (files.empty()) return;
  using Found = std::vector<Training>;
  unfinished_.ask<Found>(
      [files = std::move(files)](const Job& job) { return pastTrainings(files, job); },
      [this](const Found& trainings) {
        list_->bringUpToDate(trainings);
        say();
      },
      [this](const QString& why) { details_->setText(QStringLiteral("✗ ") + why); });
}

void TrainingView::addModels(const QStringList& files) {
  QStringList fresh;
  for (const QString& file : files)
    if (const QString whole = QFileInfo(file).absoluteFilePath(); list_->rowOf(whole) < 0)
      fresh << whole;
  if (fresh.isEmpty()) return;
  added_ << fresh;
  showPage(Page::Trainings);
  // What was asked for before and is not read yet is asked for once more.
  read(added_, reading_.isBusy() ? folder_ : QString());
}

void TrainingView::begin() {
  const QString file = form_->file();
  desk_.begin(form_->wish(), file);
  showPage(Page::Trainings);
  choose(file);
}

void TrainingView::again() {
  const int at = row();
  if (at < 0) return;
  form_->showWish(list_->row(at).wish);
  showPage(Page::SetUp);
}

void TrainingView::removeChosen() {
  const int at = row();
  if (at < 0 || isUnderWay(list_->row(at))) return;
  added_.removeAll(chosen_);
  list_->remove(at);
  choose(list_->rowCount() > 0 ? list_->row(std::min(at, list_->rowCount() - 1)).file : QString());
}

// --- what is looked at

void TrainingView::choose(const QString& file) {
  chosen_ = file;
  const int at = row();
  if (at >= 0 && table_->currentIndex().row() != at) table_->selectRow(at);
  plots_->choose(file);
  say();
}

void TrainingView::showPage(Page page) {
  pages_->setCurrentIndex(int(page));
}

TrainingView::Page TrainingView::page() const {
  return Page(std::max(0, pages_->currentIndex()));
}

/// What there is and what can be done with it.
void TrainingView::say() {
  const bool ready = document_.state() == DocumentState::Ready;
  const int at = row();
  const Training* training = at >= 0 ? &list_->row(at) : nullptr;
  const bool underWay = training && isUnderWay(*training);
  const bool finished = training && training->course.state == TrainingState::Finished;
  const QString absent = training ? QString() : tr("No training is chosen.");
  const auto unless = [&absent](bool can, const QString& why) {
    return absent.isEmpty() && !can ? why : absent;
  };
  const bool stopping =
      underWay && training->course.state == TrainingState::Running && desk_.isStopping();
  const QString unfinished = unless(finished, tr("This training has no model yet."));
  const bool elsewhere = training && training->course.state == TrainingState::Elsewhere;
  enableUnless(
      stop_, stopping ? tr("It is stopping.")
                      : unless(underWay, elsewhere ? tr("Another process trains it: stop it there.")
                                                   : tr("This training is not under way.")));
  enableUnless(goOn_, unless(training && canGoOn(*training),
                             tr("Only a training that was stopped can go on.")));
  enableUnless(again_, !ready ? document_.whyNotReady()
                              : unless(training && isTrainable(*training),
                                       tr("How it was trained is not known.")));
  enableUnless(compare_, ready ? unfinished : document_.whyNotReady());
  enableUnless(session_, unfinished);
  enableUnless(readAgain_, document_.whyNotReady());
  enableUnless(remove_, unless(!underWay, tr("It is under way: stop it first.")));
  QString text;
  if (!ready)
    text = tr("Open a document to train cost models on its records.");
  else if (list_->rowCount() == 0)
    text = reading_.isBusy()
               ? tr("Looking for trained models beside the document …")
               : tr("No model was trained yet. Choose the data on the page Data Set, then set up "
                    "a training here. Models can be dropped here, too.");
  sayOrHide(state_, text);
  found_->setVisible(list_->rowCount() > 0);
  sayOrHide(details_, training ? trainingLines(*training).join(QLatin1Char('\n')) : QString());
}

QString TrainingView::words() const {
  QStringList all;
  for (const QLabel* label : {state_, details_})
    if (!label->isHidden()) all << label->text();
  return all.join(QLatin1Char('\n'));
}

// --- what is dropped

void TrainingView::dragEnterEvent(QDragEnterEvent* event) {
  if (document_.state() == DocumentState::Ready &&
      !(droppedFiles(event->mimeData(), QStringLiteral(".nwm")) +
        droppedFiles(event->mimeData(), QStringLiteral(".json")))
           .isEmpty())
    event->acceptProposedAction();
}

void TrainingView::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  const QStringList choices = droppedFiles(event->mimeData(), QStringLiteral(".json"));
  if (!choices.isEmpty()) {
    form_->openChoice(choices.first());
    return showPage(Page::SetUp);
  }
  addModels(droppedFiles(event->mimeData(), QStringLiteral(".nwm")));
}

// --- what it gives away and keeps

Exports TrainingView::exports() {
  Exports exports = seenOf(this);
  exports.text = words();
  if (page() == Page::SetUp) {
    exports.name = QStringLiteral("training-set-up");
    exports.title = tr("What is to be trained");
    exports.text = form_->words();
    return exports;
  }
  exports.name = QStringLiteral("trainings");
  exports.title = tr("Trainings of cost models");
  exports.tableName = tr("Trainings");
  exports.table = tableOf(table_);
  exports.more = {{tr("Curves of the trainings that are drawn"), curveTable(list_->rows())}};
  return exports;
}

nlohmann::json TrainingView::viewState() const {
  nlohmann::json state;
  state["wish"] = toJson(form_->wish());
  state["own_data"] = form_->hasOwnData();
  state["models"] = nlohmann::json::array();
  for (const QString& file : added_)
    state["models"].push_back(file.toStdString());
  state["chosen"] = chosen_.toStdString();
  state["page"] = pages_->currentIndex();
  return state;
}

void TrainingView::restoreViewState(const nlohmann::json& state) {
  ModelWish wish;
  if (const auto kept = state.find("wish"); kept != state.end()) try {
      wish = modelWishFromJson(*kept);
      wish.startFrom.clear(); // it may lie elsewhere by now
      wish.fineTune = false;
      settledOptions(wish);
    } catch (const InputError&) { // of another version, or edited: it begins as new
      wish = {};
    }
  if (!storedValue(state, "own_data", false)) wish.data = choice_;
  form_->showWish(wish);
  added_.clear();
  for (const std::string& model : storedValues<std::string>(state, "models"))
    added_ << qs(model);
  chosen_ = qs(storedText(state, "chosen"));
  pages_->setCurrentIndex(std::clamp(storedValue(state, "page", 0), 0, pages_->count() - 1));
  list_->removePast();
  if (!folder_.isEmpty()) read(added_, folder_);
  choose(chosen_);
}

} // namespace nestwright::ui

#include "moc_training_view.cpp"
