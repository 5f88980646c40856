#include "ui/lab/choice_form.h"

#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/file_list.h"
#include "ui/lab/lab_parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

/// Entries of the box of targets that are no target.
const QString kOneTarget = QString();
const QString kAllTargets = QStringLiteral("*");

QLineEdit* line(QWidget* parent, const QString& name, const QString& empty, const QString& tip) {
  auto* edit = new QLineEdit(parent);
  edit->setAccessibleName(name);
  edit->setPlaceholderText(empty);
  edit->setToolTip(tip);
  edit->setClearButtonEnabled(true);
  edit->setMinimumWidth(90);
  return edit;
}

QDoubleSpinBox* shareBox(QWidget* parent, double low, double value, const QString& name,
                         const QString& tip) {
  auto* box = numberBox<QDoubleSpinBox>(parent, low, 90, value, name, tip);
  box->setDecimals(1);
  box->setSuffix(QStringLiteral(" %"));
  return box;
}

int bounded(std::uint64_t value) {
  return static_cast<int>(
      std::min<std::uint64_t>(value, std::uint64_t(std::numeric_limits<int>::max())));
}

} // namespace

ChoiceForm::ChoiceForm(QWidget* parent) : QWidget(parent) {
  files_ = new FileList(
      tr("Files that records are taken from"),
      tr("Record files (.nwdb) whose programs are put together, each once. Drop more here; Delete "
         "takes the selected ones out of the set, not off the disk."),
      this);
  remove_ = flatButton(this, tr("Remove"), tr("Take the selected files out of the data set."));
  tasks_ =
      flatButton(this, tr("All Tasks"), tr("The choice takes some tasks only; take all of them."));
  buildRecords();
  buildLearned();
  buildTested();

  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(8, 2, 8, 4);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(5);
  grid->setColumnStretch(1, 1);
  const auto row = [&](const QString& title, const std::vector<QWidget*>& controls) {
    const int at = grid->rowCount();
    grid->addWidget(rowHead(title, this), at, 0, Qt::AlignTop);
    auto* flow = new FlowLayout(nullptr, 4);
    for (QWidget* control : controls)
      flow->addWidget(control);
    grid->addLayout(flow, at, 1);
  };
  grid->addWidget(rowHead(tr("Files"), this), 0, 0, Qt::AlignTop);
  auto* filesRow = new QHBoxLayout;
  filesRow->setSpacing(4);
  filesRow->addWidget(files_, 1);
  filesRow->addWidget(remove_, 0, Qt::AlignTop);
  grid->addLayout(filesRow, 0, 1);
  row(tr("Records"), {labelled(filter_), labelled(target_), labelled(networks_), labelled(label_),
                      labelled(failures_), tasks_});
  row(tr("Learn"), {labelled(leastPrograms_), labelled(drawnTasks_), labelled(drawnPrograms_),
                    labelled(validation_), wholeTasks_});
  row(tr("Test"), {labelled(split_), labelled(testShare_), labelled(holdOut_),
                   labelled(testTarget_), labelled(seed_)});
  connectControls();
  connect(&Theme::instance(), &Theme::changed, this, &ChoiceForm::keepRoom);
  show();
}

void ChoiceForm::buildRecords() {
  filter_ = line(this, tr("Filter"), tr("all records"),
                 tr("Only records that this is true of, as in the filter of the Records panel: "
                    "latency<1ms -error:timeout."));
  target_ =
      narrowChoiceBox(this, tr("Target"),
                      tr("Whose measurements are taken. Times of several machines do not compare: "
                         "each is kept for itself."));
  networks_ = line(this, tr("Networks"), tr("all tasks"),
                   tr("Only tasks of these networks or sets of them, with blanks between: resnet18 "
                      "zoo_train."));
  label_ = choiceBox(this, {tr("median"), tr("mean")}, tr("Time"),
                     tr("The time of a record: the median of its repeats, as everywhere here, or "
                        "their mean, as the papers have it."));
  failures_ = choiceBox(this, {tr("label 0"), tr("dropped")}, tr("Failures"),
                        tr("Programs that did not run: learned as the slowest there is, as the "
                           "papers do, or left out."));
}

void ChoiceForm::buildLearned() {
  const int most = std::numeric_limits<int>::max();
  leastPrograms_ = numberBox(this, 1, most, 48, tr("Programs at least"),
                             tr("Tasks with fewer programs are not learned from: their best is "
                                "hardly the best there is."));
  drawnTasks_ = numberBox(this, 0, most, 0, tr("Tasks"),
                          tr("Learn from so many tasks, drawn by the seed. A smaller number takes "
                             "part of what a larger one takes."));
  drawnPrograms_ = numberBox(this, 0, most, 0, tr("Programs of each"),
                             tr("Learn from so many programs of each task, drawn by the seed."));
  for (QSpinBox* box : {drawnTasks_, drawnPrograms_})
    box->setSpecialValueText(tr("all"));
  validation_ = shareBox(this, 0, 10, tr("Validation"),
                         tr("Share of the training programs that says when a training is best; "
                            "they are not learned from. 0: none."));
  validation_->setSpecialValueText(tr("none"));
  wholeTasks_ = new QCheckBox(tr("of whole tasks"), this);
  wholeTasks_->setToolTip(
      tr("Validate with tasks that are not learned from, and not with programs of all tasks."));
}

void ChoiceForm::buildTested() {
  split_ = choiceBox(this,
                     {tr("on nothing"), tr("on a share of each task"), tr("on whole tasks"),
                      tr("on networks"), tr("on a target")},
                     tr("Test"),
                     tr("Which programs models are judged by. Networks: every task that one of "
                        "them has, by what it computes, is not learned from."));
  testShare_ = shareBox(this, 0.1, 10, tr("Share"), tr("Share of the programs that is tested on."));
  holdOut_ = line(this, tr("Held out"), tr("zoo_test"),
                  tr("Networks or sets of them that no model sees before it is judged, with blanks "
                     "between: resnet50 zoo_test."));
  testTarget_ =
      narrowChoiceBox(this, tr("Target to test on"),
                      tr("The machine whose programs are tested on; the others' are learned "
                         "from."));
  seed_ = numberBox(this, 0, std::numeric_limits<int>::max(), 0, tr("Seed"),
                    tr("Of all draws: the same seed gives the same parts."));
}

void ChoiceForm::connectControls() {
  for (QLineEdit* edit : {filter_, networks_, holdOut_})
    connect(edit, &QLineEdit::editingFinished, this, &ChoiceForm::take);
  for (QComboBox* box : {target_, label_, failures_, split_, testTarget_})
    connect(box, &QComboBox::activated, this, &ChoiceForm::take);
  for (QSpinBox* box : {leastPrograms_, drawnTasks_, drawnPrograms_, seed_}) {
    box->setKeyboardTracking(false);
    connect(box, &QSpinBox::valueChanged, this, &ChoiceForm::take);
  }
  for (QDoubleSpinBox* box : {validation_, testShare_}) {
    box->setKeyboardTracking(false);
    connect(box, &QDoubleSpinBox::valueChanged, this, &ChoiceForm::take);
  }
  connect(wholeTasks_, &QCheckBox::toggled, this, &ChoiceForm::take);
  connect(remove_, &QToolButton::clicked, this, &ChoiceForm::removeFiles);
  connect(tasks_, &QToolButton::clicked, this, [this] {
    choice_.tasks.clear();
    show();
    Q_EMIT changed();
  });
  connect(files_, &FileList::removalWanted, this, &ChoiceForm::removeFiles);
  connect(files_, &QListWidget::itemSelectionChanged, this, &ChoiceForm::offerRemoval);
}

// --- the value

void ChoiceForm::setChoice(DataChoice choice) {
  choice_ = std::move(choice);
  show();
}

void ChoiceForm::setDocument(const QString& path) {
  document_ = path;
  showFiles();
}

void ChoiceForm::offer(const DataStory& story) {
  if (!story.knownTargets.empty()) targets_ = story.knownTargets;
  QStringList names;
  for (const std::string& name : story.knownNetworks)
    names << qs(name);
  for (QLineEdit* edit : {networks_, holdOut_}) {
    auto* completer = new QCompleter(names, edit);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    delete edit->completer();
    edit->setCompleter(completer);
  }
  fillTargets();
}

void ChoiceForm::addFiles(const QStringList& files) {
  bool added = false;
  for (const QString& file : files) {
    const std::string path = QFileInfo(file).absoluteFilePath().toStdString();
    if (std::ranges::find(choice_.files, path) != choice_.files.end()) continue;
    choice_.files.push_back(path);
    added = true;
  }
  if (!added) return;
  showFiles();
  Q_EMIT changed();
}

void ChoiceForm::takeRecords(const QStringList& files, const QString& condition) {
  choice_.files.clear();
  for (const QString& file : files)
    choice_.files.push_back(file.toStdString());
  choice_.filter = condition.toStdString();
  show();
  Q_EMIT changed();
}

void ChoiceForm::removeFiles() {
  for (const QString& file : files_->selectedFiles())
    std::erase(choice_.files, file.toStdString());
  showFiles();
  Q_EMIT changed();
}

void ChoiceForm::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  keepRoom();
}

/// What does not fit is scrolled to, and not pressed together.
void ChoiceForm::keepRoom() {
  setMinimumHeight(layout()->heightForWidth(width()));
}

void ChoiceForm::showFiles() {
  QStringList files;
  for (const std::string& file : choice_.files)
    files << qs(file);
  files_->setFiles(files, [this](const QString& file) {
    const QFileInfo info(file);
    return file == document_ ? tr("%1 — this document").arg(info.fileName())
                             : QStringLiteral("%1 — %2").arg(info.fileName(), info.absolutePath());
  });
  offerRemoval();
}

void ChoiceForm::offerRemoval() {
  enableUnless(remove_, files_->selectedItems().isEmpty() ? tr("No file is selected.") : QString());
}

void ChoiceForm::fillTargets() {
  const auto fill = [this](QComboBox* box, const std::string& chosen) {
    for (const KnownTarget& target : targets_)
      box->addItem(target.text.empty() ? qs(target.id) : qs(target.text), qs(target.id));
    for (int i = 0; i < box->count(); ++i)
      box->setItemData(i, box->itemData(i).toString(), Qt::ToolTipRole);
    if (const QString wanted = qs(chosen); !wanted.isEmpty() && box->findData(wanted) < 0)
      box->addItem(wanted, wanted); // a part of an id or text, of a choice that was opened
    box->setCurrentIndex(std::max(0, box->findData(qs(chosen))));
  };
  const QSignalBlocker quiet(target_), quietToo(testTarget_);
  target_->clear();
  target_->addItem(tr("the one there is"), kOneTarget);
  if (targets_.size() > 1 || choice_.acrossTargets)
    target_->addItem(tr("all, each for itself"), kAllTargets);
  fill(target_, choice_.acrossTargets ? kAllTargets.toStdString() : choice_.target);
  testTarget_->clear();
  fill(testTarget_, choice_.testTarget);
}

void ChoiceForm::show() {
  std::vector<QSignalBlocker> quiet;
  for (QObject* control :
       std::initializer_list<QObject*>{label_, failures_, split_, leastPrograms_, drawnTasks_,
                                       drawnPrograms_, seed_, validation_, testShare_, wholeTasks_})
    quiet.emplace_back(control);
  showFiles();
  fillTargets();
  filter_->setText(qs(choice_.filter));
  networks_->setText(networkText(choice_.networks));
  holdOut_->setText(networkText(choice_.holdOut));
  label_->setCurrentIndex(int(choice_.label));
  failures_->setCurrentIndex(choice_.keepFailures ? 0 : 1);
  split_->setCurrentIndex(int(choice_.split));
  leastPrograms_->setValue(bounded(choice_.leastPrograms));
  drawnTasks_->setValue(bounded(choice_.drawnTasks));
  drawnPrograms_->setValue(bounded(choice_.drawnPrograms));
  seed_->setValue(bounded(choice_.seed));
  validation_->setValue(100 * choice_.validationShare);
  testShare_->setValue(100 * choice_.testShare);
  wholeTasks_->setChecked(choice_.validateWholeTasks);
  showRelevant();
}

void ChoiceForm::showRelevant() {
  const auto split = SplitKind(split_->currentIndex());
  testShare_->parentWidget()->setVisible(split == SplitKind::WithinTasks ||
                                         split == SplitKind::ByTask);
  holdOut_->parentWidget()->setVisible(split == SplitKind::ByNetwork);
  testTarget_->parentWidget()->setVisible(split == SplitKind::ByTarget);
  tasks_->setVisible(!choice_.tasks.empty());
  tasks_->setText(countedText(std::int64_t(choice_.tasks.size()), tr("One task only ✕"),
                              tr("%1 tasks only ✕")));
  enableUnless(wholeTasks_,
               choice_.validationShare > 0 ? QString() : tr("Nothing is kept for validation."));
  keepRoom();
}

void ChoiceForm::take() {
  DataChoice choice = choice_;
  choice.filter = filter_->text().trimmed().toStdString();
  choice.networks = networkNames(networks_->text());
  choice.label = LabelTime(label_->currentIndex());
  choice.keepFailures = failures_->currentIndex() == 0;
  choice.split = SplitKind(split_->currentIndex());
  const QString target = target_->currentData().toString();
  choice.acrossTargets = target == kAllTargets;
  choice.target = choice.acrossTargets ? std::string() : target.toStdString();
  choice.testTarget.clear();
  if (choice.split == SplitKind::ByTarget) {
    choice.acrossTargets = true; // it takes several
    choice.target.clear();
    choice.testTarget = testTarget_->currentData().toString().toStdString();
  }
  choice.holdOut.clear();
  if (choice.split == SplitKind::ByNetwork) {
    choice.holdOut = networkNames(holdOut_->text());
    if (choice.holdOut.empty()) choice.holdOut = {holdOut_->placeholderText().toStdString()};
  }
  choice.leastPrograms = std::size_t(leastPrograms_->value());
  choice.drawnTasks = std::size_t(drawnTasks_->value());
  choice.drawnPrograms = std::size_t(drawnPrograms_->value());
  // What a box shows rounded is kept as it was until it is changed.
  const auto kept = [](const QDoubleSpinBox* box, double share) {
    return std::abs(box->value() - 100 * share) < 0.051 ? share : box->value() / 100;
  };
  choice.validationShare = kept(validation_, choice_.validationShare);
  choice.testShare = kept(testShare_, choice_.testShare);
  choice.validateWholeTasks = wholeTasks_->isChecked();
  if (seed_->value() != bounded(choice_.seed)) choice.seed = std::uint64_t(seed_->value());
  if (choice == choice_) return showRelevant();
  choice_ = std::move(choice);
  show();
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_choice_form.cpp"
