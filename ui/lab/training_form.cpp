#include "ui/lab/training_form.h"

#include "core/dataset/choice_file.h"
#include "core/feature/program_features.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/training/training_files.h"
#include "ui/document/free_name.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/lab_parts.h"
#include "ui/lab/option_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace nestwright::ui {
namespace {

/// What a trainable model is, or why it is not there.
QString meaningOf(const std::string& model) {
  try {
    return qs(costModelKind(model).purpose);
  } catch (const Error& missing) {
    return qs(missing.what());
  }
}

QString listOfFiles(const std::vector<std::string>& files) {
  if (files.empty()) return tr("no file");
  const QString first = QFileInfo(qs(files.front())).fileName();
  return files.size() == 1 ? first : tr("%1 and %2 more").arg(first).arg(files.size() - 1);
}

QString testText(const DataChoice& choice) {
  switch (choice.split) {
  case SplitKind::None:
    return tr("tested on nothing");
  case SplitKind::WithinTasks:
    return tr("tested on %1 of each task").arg(percentText(choice.testShare));
  case SplitKind::ByTask:
    return tr("tested on whole tasks, %1 of the programs").arg(percentText(choice.testShare));
  case SplitKind::ByNetwork:
    return tr("tested on %1").arg(networkText(choice.holdOut));
  case SplitKind::ByTarget:
    return tr("tested on the target %1").arg(qs(choice.testTarget));
  }
  return {};
}

} // namespace

TrainingForm::TrainingForm(std::function<bool(const QString&)> isTaken, QWidget* parent)
    : QWidget(parent), isTaken_(std::move(isTaken)), options_(new OptionModel(this)),
      table_(new QTableView(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(8, 4, 8, 4);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(5);
  grid->setColumnStretch(1, 1);
  int at = 0;
  const auto row = [&](const QString& title, QWidget* content) {
    grid->addWidget(rowHead(title, this), at, 0, Qt::AlignTop);
    grid->addWidget(content, at++, 1);
  };
  const auto flowOf = [&](const std::vector<QWidget*>& controls) {
    auto* box = new QWidget(this);
    auto* flow = new FlowLayout(box, 4);
    flow->setContentsMargins(0, 0, 0, 0);
    for (QWidget* control : controls)
      flow->addWidget(control);
    return box;
  };
  row(tr("Data"), buildData());
  buildModel();
  row(tr("Model"),
      flowOf({labelled(model_, tr("Model")), labelled(loss_, tr("Loss")),
              labelled(threads_, tr("Threads")), ofSteps_ = labelled(steps_, tr("Steps")),
              helping_ = flowOf(
                  {labelled(helpers_, tr("Helpers")), labelled(targetRecords_, tr("Labels"))})}));
  goingOn_ = new QWidget(this);
  auto* going = new QHBoxLayout(goingOn_);
  going->setContentsMargins(0, 0, 0, 0);
  going->setSpacing(4);
  going->addWidget(from_, 1);
  going->addWidget(browseFrom_);
  going->addWidget(fineTune_);
  row(tr("Go on from"), goingOn_);
  auto* optionBox = new QWidget(this);
  auto* column = new QVBoxLayout(optionBox);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(table_, 1);
  column->addWidget(reset_, 0, Qt::AlignLeft);
  row(tr("Options"), optionBox);
  grid->setRowStretch(at - 1, 1);
  buildPlace();
  auto* place = new QWidget(this);
  auto* placeRow = new QHBoxLayout(place);
  placeRow->setContentsMargins(0, 0, 0, 0);
  placeRow->setSpacing(4);
  placeRow->addWidget(path_, 1);
  placeRow->addWidget(browse_);
  placeRow->addWidget(start_);
  row(tr("Model file"), place);
  problem_ = wordsLabel(this);
  note_ = wordsLabel(this);
  problem_->setContentsMargins(0, 0, 0, 0);
  note_->setContentsMargins(0, 0, 0, 0);
  grid->addWidget(problem_, at++, 1);
  grid->addWidget(note_, at++, 1);
  connectControls();
  connect(&Theme::instance(), &Theme::changed, this, &TrainingForm::restyle);
  restyle();
  chooseModel();
}

QWidget* TrainingForm::buildData() {
  auto* box = new QWidget(this);
  data_ = wordsLabel(box);
  data_->setContentsMargins(0, 3, 0, 0);
  data_->setAccessibleName(tr("The data that is trained on"));
  openChoice_ = flatButton(box, tr("Other Choice …"),
                           tr("Take a choice of data that was saved on the page Data Set, in place "
                              "of what that page shows."));
  pageData_ = flatButton(box, tr("Data Set Page"),
                         tr("Take the data that the page Data Set shows, also when that changes."));
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(data_, 1);
  row->addWidget(pageData_, 0, Qt::AlignTop);
  row->addWidget(openChoice_, 0, Qt::AlignTop);
  return box;
}

void TrainingForm::buildModel() {
  model_ =
      choiceBox(this, {}, tr("Model to train"),
                tr("What learns. Networks need the learner; trees do not. Each entry says what "
                   "it is for."));
  for (const std::string& model : trainableModels()) {
    model_->addItem(qs(model), qs(model));
    model_->setItemData(model_->count() - 1, meaningOf(model), Qt::ToolTipRole);
  }
  loss_ = choiceBox(this, {}, tr("Loss"),
                    tr("What the training makes small. LambdaRank cares for the order of the "
                       "fastest programs, which a search needs; MSE for the times themselves."));
  threads_ = numberBox(this, 1, 1024, 1, tr("Threads"),
                       tr("Threads that learn. The result does not depend on their number."));
  steps_ =
      choiceBox(this, {tr("as published"), tr("fitted to the data")}, tr("Steps that are seen"),
                tr("How many steps of a program the model sees, and how many numbers of each: "
                   "25 of 22 on processors, as TLP has it, or what shows 99 % of the data's "
                   "programs and steps whole. A model of more takes longer."));
  helpers_ = new QLineEdit(this);
  helpers_->setAccessibleName(tr("Targets that help"));
  helpers_->setPlaceholderText(tr("targets"));
  helpers_->setToolTip(tr("Targets whose records help to learn for the data's own, with blanks "
                          "between: ids, or parts of them. Choose the own one on the page Data "
                          "Set."));
  helpers_->setMinimumWidth(110);
  targetRecords_ = numberBox(this, 0, std::numeric_limits<int>::max(), 0, tr("Labels"),
                             tr("So many programs keep their label of the data's target, drawn by "
                                "the seed: what few measurements would give."));
  targetRecords_->setSpecialValueText(tr("all"));
  from_ = new QLineEdit(this);
  from_->setAccessibleName(tr("Model to go on from"));
  from_->setPlaceholderText(tr("a fresh model"));
  from_->setToolTip(tr("The file of a trained network of the same kind; empty: a fresh one."));
  from_->setClearButtonEnabled(true);
  browseFrom_ = flatButton(this, tr("Browse …"), tr("Choose a trained model to go on from."));
  fineTune_ = new QCheckBox(tr("by few, short steps"), this);
  fineTune_->setToolTip(tr("Fine-tuning as TenSet adapts a model to new data: plain descent, with "
                           "clipped gradients."));
  table_->setModel(options_);
  table_->setAccessibleName(tr("Options of the training"));
  setUpTable(table_);
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                          QAbstractItemView::AnyKeyPressed);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setMinimumHeight(90);
  reset_ = flatButton(this, tr("As Published"), tr("Take back all changes of options."));
}

void TrainingForm::buildPlace() {
  path_ = new QLineEdit(this);
  path_->setAccessibleName(tr("File of the model"));
  path_->setToolTip(tr("Where the trained model is written (.nwm). A network that is stopped keeps "
                       "its state beside it."));
  browse_ = flatButton(this, tr("Browse …"), tr("Choose where the model is written."));
  start_ = textButton(this, tr("Start Training"),
                      tr("Train this model. It runs beside everything else, and is followed on the "
                         "page Trainings."));
}

void TrainingForm::connectControls() {
  connect(model_, &QComboBox::currentIndexChanged, this, &TrainingForm::chooseModel);
  connect(loss_, &QComboBox::currentIndexChanged, this, &TrainingForm::take);
  connect(steps_, &QComboBox::currentIndexChanged, this, &TrainingForm::chooseSteps);
  for (QSpinBox* box : {threads_, targetRecords_})
    connect(box, &QSpinBox::valueChanged, this, &TrainingForm::take);
  for (QLineEdit* line : {helpers_, from_})
    connect(line, &QLineEdit::textChanged, this, &TrainingForm::take);
  connect(fineTune_, &QCheckBox::toggled, this, &TrainingForm::take);
  connect(path_, &QLineEdit::textEdited, this, [this] { pathIsOurs_ = false; });
  connect(path_, &QLineEdit::textChanged, this, &TrainingForm::tell);
  connect(options_, &OptionModel::changed, this, [this] {
    refused_.clear();
    tell();
    Q_EMIT changed();
  });
  connect(options_, &OptionModel::refused, this, [this](const QString& why) {
    refused_ = why;
    tell();
  });
  connect(reset_, &QToolButton::clicked, this, [this] {
    ModelWish wish = options_->wish();
    wish.options = nlohmann::json::object();
    refused_.clear();
    unread_ = options_->show(wish);
    tell();
    Q_EMIT changed();
  });
  connect(openChoice_, &QToolButton::clicked, this, [this] {
    const QString file = askForChoice(this);
    if (!file.isEmpty()) openChoice(file);
  });
  connect(pageData_, &QToolButton::clicked, this, [this] {
    ownData_ = false;
    setPageChoice(pageChoice_);
  });
  connect(browseFrom_, &QToolButton::clicked, this, [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Model to Go On From"), folder_,
                                                      tr("Trained models (*.nwm)"));
    if (!file.isEmpty()) from_->setText(file);
  });
  connect(browse_, &QToolButton::clicked, this, [this] {
    QString file = QFileDialog::getSaveFileName(this, tr("File of the Model"), path_->text(),
                                                tr("Trained models (*.nwm)"), nullptr,
                                                QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".nwm");
    pathIsOurs_ = false;
    path_->setText(file);
  });
  connect(start_, &QToolButton::clicked, this, [this] {
    bringUpToDate();
    if (!problem().isEmpty()) return;
    Q_EMIT startWanted();
    pathIsOurs_ = true; // the next one goes elsewhere
    bringUpToDate();
  });
}

void TrainingForm::restyle() {
  setTextColour(problem_, colours().failed);
  setTextColour(note_, colours().dim);
  note_->setFont(smallFont());
  fitColumn(table_, OptionModel::Option, QStringLiteral("leastImprovement"));
  fitColumn(table_, OptionModel::Value, QStringLiteral("best-validation"));
  fitColumn(table_, OptionModel::Usual, QStringLiteral("best-validation"));
}

// --- the wish

const ModelWish& TrainingForm::wish() const {
  return options_->wish();
}

QString TrainingForm::file() const {
  const QString text = path_->text().trimmed();
  return text.isEmpty() ? QString() : QFileInfo(text).absoluteFilePath();
}

void TrainingForm::setPageChoice(const DataChoice& choice) {
  pageChoice_ = choice;
  if (ownData_) return tell();
  takeData(choice);
}

/// What the form says is read of it holds where the choice does not say.
void TrainingForm::takeData(const DataChoice& choice) {
  ModelWish wish = options_->wish();
  const std::string features = wish.data.features;
  wish.data = choice;
  if (wish.data.features.empty()) wish.data.features = features;
  unread_ = options_->show(wish);
  show();
  tell();
}

void TrainingForm::openChoice(const QString& file) {
  reading_.ask<DataChoice>([file](const Job&) { return readChoice(file.toStdString()); },
                           [this](const DataChoice& choice) {
                             ownData_ = true;
                             refused_.clear();
                             takeData(choice);
                             Q_EMIT changed();
                           },
                           [this](const QString& why) {
                             refused_ = why;
                             tell();
                           });
}

void TrainingForm::showWish(const ModelWish& wish) {
  ModelWish fresh = wish;
  DataChoice data = wish.data; // what is read of it is no other data
  data.features = pageChoice_.features;
  ownData_ = data != pageChoice_;
  if (fresh.loss.empty()) fresh.loss = usualLoss(fresh.model);
  fresh.options.erase("loss");
  fresh.resume = false;
  fresh.checkpoint.clear();
  fresh.keepEpochs = false; // which only the command line asks for
  refused_.clear();
  unread_ = options_->show(fresh);
  show();
  pathIsOurs_ = true;
  suggestFile();
  tell();
}

/// Puts the wish into the fields.
void TrainingForm::show() {
  const ModelWish& wish = options_->wish();
  const QSignalBlocker model(model_), loss(loss_), threads(threads_), steps(steps_),
      helpers(helpers_), records(targetRecords_), from(from_), tune(fineTune_);
  model_->setCurrentIndex(std::max(0, model_->findData(qs(wish.model))));
  loss_->clear();
  for (const std::string& name : lossesOf(wish.model))
    loss_->addItem(qs(name));
  loss_->setCurrentIndex(std::max(0, loss_->findText(qs(wish.loss))));
  threads_->setValue(wish.threads);
  steps_->setCurrentIndex(wish.data.features == kFittedSteps ? 1 : 0);
  helpers_->setText(networkText(wish.helpers));
  targetRecords_->setValue(
      int(std::min<std::size_t>(wish.targetRecords, std::numeric_limits<int>::max())));
  from_->setText(qs(wish.startFrom));
  fineTune_->setChecked(wish.fineTune);
}

/// Another model has other options: what was changed is kept where it has the same.
void TrainingForm::chooseModel() {
  ModelWish wish = options_->wish();
  wish.model = model_->currentData().toString().toStdString();
  const std::vector<std::string> losses = lossesOf(wish.model);
  if (std::ranges::find(losses, wish.loss) == losses.end()) wish.loss = losses.front();
  const nlohmann::json known = publishedOptions(wish.model, wish.loss);
  const nlohmann::json before = wish.options;
  for (const auto& [name, value] : before.items())
    if (!known.contains(name)) wish.options.erase(name);
  if (!isNetwork(wish.model)) wish.startFrom.clear(), wish.fineTune = false;
  if (!takesHelpers(wish.model)) wish.helpers.clear(), wish.targetRecords = 0;
  wish.data.features.clear(); // what it reads in its paper
  wish.threads = threads_->value();
  refused_.clear();
  unread_ = options_->show(wish);
  show();
  suggestFile();
  tell();
  Q_EMIT changed();
}

void TrainingForm::chooseSteps() {
  ModelWish wish = options_->wish();
  wish.data.features = steps_->currentIndex() == 1 ? std::string(kFittedSteps) : std::string();
  refused_.clear();
  unread_ = options_->show(wish);
  tell();
  Q_EMIT changed();
}

/// Puts the fields into the wish.
void TrainingForm::take() {
  ModelWish wish = options_->wish();
  wish.loss = loss_->currentText().toStdString();
  wish.threads = threads_->value();
  wish.helpers = networkNames(helpers_->text());
  wish.targetRecords = std::size_t(targetRecords_->value());
  wish.startFrom = from_->text().trimmed().toStdString();
  wish.fineTune = fineTune_->isChecked() && !wish.startFrom.empty();
  refused_.clear();
  unread_ = options_->show(wish);
  suggestFile();
  tell();
  Q_EMIT changed();
}

// --- where the model goes

void TrainingForm::setFolder(const QString& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  suggestFile();
  tell();
}

void TrainingForm::suggestFile() {
  if (!pathIsOurs_ || folder_.isEmpty()) return;
  const ModelWish& wish = options_->wish();
  QString name = qs(wish.model);
  if (wish.loss != usualLoss(wish.model)) name += QLatin1Char('-') + qs(wish.loss);
  const auto isFree = [this](const QString& path) {
    return !QFileInfo::exists(path) && !QFileInfo::exists(qs(checkpointOf(path.toStdString()))) &&
           !isTaken_(path);
  };
  path_->setText(freeName(folder_ + QLatin1Char('/') + name, QStringLiteral(".nwm"), isFree));
}

QString TrainingForm::fileProblem() const {
  const QString path = file();
  if (path.isEmpty()) return tr("Name the file that the model is written to.");
  if (isTaken_(path)) return tr("A training that runs or waits writes %1.").arg(path);
  if (QFileInfo::exists(qs(checkpointOf(path.toStdString()))))
    return tr("An interrupted training is kept beside %1: resume it on the page Trainings, or "
              "choose another name.")
        .arg(path);
  try {
    requireFreePlace(path.toStdString());
  } catch (const InputError& error) {
    return qs(error.what());
  }
  return {};
}

void TrainingForm::bringUpToDate() {
  suggestFile();
  tell();
}

// --- what is said

void TrainingForm::setMissingLearner(const QString& sentence) {
  missingLearner_ = sentence;
  tell();
}

void TrainingForm::setSessionRuns(bool runs) {
  if (runs == sessionRuns_) return;
  sessionRuns_ = runs;
  tell();
}

QString TrainingForm::problem() const {
  const ModelWish& wish = options_->wish();
  if (wish.data.files.empty())
    return tr("Choose data on the page Data Set, or open a choice of data.");
  if (!refused_.isEmpty()) return refused_;
  if (!unread_.isEmpty()) return unread_;
  if (!wish.startFrom.empty() && !QFileInfo::exists(qs(wish.startFrom)))
    return tr("There is no model %1 to go on from: choose it where it is now, or begin with a "
              "fresh one.")
        .arg(qs(wish.startFrom));
  if (isNetwork(wish.model) && !missingLearner_.isEmpty())
    return tr("%1. Trees (xgboost) need none.").arg(missingLearner_);
  return fileProblem();
}

QString TrainingForm::dataText() const {
  const DataChoice& choice = options_->wish().data;
  if (choice.files.empty()) return tr("none yet");
  QStringList parts{listOfFiles(choice.files)};
  if (!choice.filter.empty()) parts << tr("only %1").arg(qs(choice.filter));
  if (!choice.networks.empty()) parts << tr("tasks of %1").arg(networkText(choice.networks));
  parts << (choice.validationShare > 0
                ? tr("validated with %1").arg(percentText(choice.validationShare))
                : tr("not validated"))
        << testText(choice);
  return (ownData_ ? tr("A choice of its own: %1.") : tr("As on the page Data Set: %1."))
      .arg(parts.join(QStringLiteral(", ")));
}

void TrainingForm::tell() {
  const ModelWish& wish = options_->wish();
  data_->setText(dataText());
  data_->setToolTip(qs(datasetCommand(wish.data)));
  pageData_->setVisible(ownData_);
  helping_->setVisible(takesHelpers(wish.model));
  ofSteps_->setVisible(readsSteps(wish.model));
  enableUnless(steps_, wish.startFrom.empty()
                           ? QString()
                           : tr("It sees the same steps as the model that it goes on from."));
  enableUnless(goingOn_, isNetwork(wish.model) ? QString()
                                               : tr("Only a neural network goes on from another."));
  enableUnless(fineTune_,
               wish.startFrom.empty() ? tr("It begins from no other model.") : QString());
  enableUnless(loss_, loss_->count() > 1 ? QString() : tr("This model has one loss."));
  enableUnless(reset_, wish.options.empty() ? tr("No option was changed.") : QString());
  const QString why = problem();
  sayOrHide(problem_, why.isEmpty() ? QString() : QStringLiteral("✗ ") + why);
  enableUnless(start_, why);
  note_->setText(
      sessionRuns_
          ? tr("A session is running: until that ends a training takes one thread at low priority, "
               "and leaves the rest of the machine to the session.")
          : tr("It runs at low priority, and takes one thread while a session runs."));
}

QString TrainingForm::words() const {
  QStringList all{data_->text()};
  if (!problem_->isHidden()) all << problem_->text();
  return (all << note_->text()).join(QLatin1Char('\n'));
}

} // namespace nestwright::ui

#include "moc_training_form.cpp"
