#include "ui/window/new_session/memory_form.h"

#include "ui/document/dropped_files.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/known_tasks_model.h"
#include "ui/window/new_session/sentences.h"

#include <fmt/ranges.h>

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kAskMilliseconds = 300; // who types on is not yet asked for
constexpr int kTasksShown = 7;

/// All that the answer depends on.
std::string memoryQuestion(const SessionConfig& config, const std::vector<std::string>& memory,
                           const QString& own) {
  if (config.subjects.empty() || memory.empty() || config.space == SearchSpace::Templates)
    return {};
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", fmt::join(config.subjects, "\t"),
                     config.target, config.measure.device, config.measure.threads, config.rules,
                     config.tf32, fmt::join(memory, "\t"), own.toStdString());
}

QString fileNameOf(const QString& file) {
  return QFileInfo(file).fileName();
}

QString remarkText(const MemoryFile& file) {
  if (!file.remark.empty()) return sentenceOf(file.remark);
  return file.tasks == 1 ? MemoryForm::tr("one task, on this target")
                         : MemoryForm::tr("%1 tasks, %2 of them on this target")
                               .arg(countText(std::int64_t(file.tasks)),
                                    countText(std::int64_t(file.onTarget)));
}

/// By the person's own worker, as that is now.
MemoryForm::Survey usualSurvey() {
  return [command = Settings::workerCommand().toStdString()](
             const SessionConfig& config, const std::string& own, const auto& check) {
    return surveyMemory(config, own, workerLaunchFromText(command), check);
  };
}

} // namespace

MemoryForm::MemoryForm(QWidget* parent, Survey survey)
    // Reading cannot be interrupted everywhere: who goes on does not wait for it.
    : QGroupBox(tr("Memory"), parent), surveying_(survey ? std::move(survey) : usualSurvey()),
      own_(new QCheckBox(tr("Remember what its own &document knows"), this)),
      summary_(sentenceLabel(this)), problem_(problemLabel(this)),
      model_(new KnownTasksModel(this)), table_(new QTreeView(this)),
      reading_(nullptr, sharedThreads()) {
  setAcceptDrops(true);
  own_->setChecked(true);
  own_->setToolTip(
      tr("Programs of earlier sessions in the document that this one is saved to are "
         "re-fitted to its tasks and tried first, and its cost model learns from their "
         "records. What is found is kept with the session."));
  offer_ = textButton(this, {}, tr("Adds the document that is open in the window."));
  auto* add = textButton(this, tr("Add Files …"),
                         tr("Documents whose programs are remembered, too. You can also drop them "
                            "here."));
  auto* row = new QHBoxLayout;
  row->addWidget(own_);
  row->addStretch();
  row->addWidget(offer_);
  row->addWidget(add);
  files_ = new QWidget(this);
  auto* files = new QVBoxLayout(files_);
  files->setContentsMargins(0, 0, 0, 0);
  files->setSpacing(2);
  more_ = flatToggle(this, tr("What is known"),
                     tr("Shows what is known of each task, and which programs would be tried."));
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_->setArrowType(Qt::RightArrow);
  auto* line = new QHBoxLayout;
  line->addWidget(summary_, 1);
  line->addWidget(more_, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  layout->addWidget(files_);
  layout->addWidget(problem_);
  layout->addLayout(line);
  layout->addWidget(table_);
  table_->setModel(model_);
  table_->setAccessibleName(tr("What is known of the tasks"));
  table_->setUniformRowHeights(true);
  // What it was measured on is long, and the least of it: its end is cut before others scroll away.
  table_->header()->setStretchLastSection(false);
  table_->header()->setSectionResizeMode(KnownTasksModel::Target, QHeaderView::Stretch);
  table_->setAllColumnsShowFocus(true);
  table_->setMinimumHeight(table_->sizeHintForRow(0) + tableRowHeight() * kTasksShown);
  addCopying(table_);
  table_->hide();
  keepTextColour(summary_, &Colours::dim);
  pause_.setSingleShot(true);
  connect(&pause_, &QTimer::timeout, this, &MemoryForm::begin);
  connect(own_, &QCheckBox::toggled, this, &MemoryForm::edited);
  connect(add, &QToolButton::clicked, this, &MemoryForm::chooseFiles);
  connect(offer_, &QToolButton::clicked, this, [this] { addFile(offered_); });
  connect(more_, &QToolButton::toggled, this, [this](bool on) {
    more_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    table_->setVisible(on);
  });
  tell();
}

// --- the files

std::vector<std::string> MemoryForm::memory() const {
  std::vector<std::string> memory;
  if (own_->isChecked()) memory.emplace_back(kOwnMemory);
  for (const QString& file : further_)
    memory.push_back(file.toStdString());
  return memory;
}

void MemoryForm::setMemory(const std::vector<std::string>& memory) {
  further_.clear();
  for (const std::string& file : memory)
    if (file != kOwnMemory) further_.append(qs(file));
  const QSignalBlocker quiet(own_);
  own_->setChecked(std::ranges::find(memory, kOwnMemory) != memory.end());
  edited();
}

void MemoryForm::offerFile(const QString& file) {
  offered_ = file;
  tell();
}

void MemoryForm::addFile(const QString& file) {
  if (file.isEmpty() || further_.contains(file)) return;
  further_.append(file);
  edited();
}

void MemoryForm::chooseFiles() {
  for (const QString& file :
       QFileDialog::getOpenFileNames(this, tr("Documents to Remember"), Settings::folder(),
                                     tr("Nestwright documents (*.nwdb);;All files (*)")))
    addFile(file);
}

void MemoryForm::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedFiles(event->mimeData(), QStringLiteral(".nwdb")).isEmpty())
    event->acceptProposedAction();
}

void MemoryForm::dropEvent(QDropEvent* event) {
  for (const QString& file : droppedFiles(event->mimeData(), QStringLiteral(".nwdb")))
    addFile(file);
}

// --- what they know

void MemoryForm::setSession(SessionConfig config, const QString& own) {
  config_ = std::move(config);
  ownFile_ = own;
  ask();
  tell();
}

void MemoryForm::edited() {
  ask();
  tell();
  Q_EMIT changed();
}

void MemoryForm::ask() {
  const std::string question = memoryQuestion(config_, memory(), ownFile_);
  if (question == asked_) return;
  asked_ = question;
  found_.reset();
  reading_.cancel();
  model_->show({});
  if (question.empty())
    pause_.stop();
  else
    pause_.start(kAskMilliseconds);
}

void MemoryForm::begin() {
  config_.memory = memory();
  reading_.ask<MemorySurvey>(
      [survey = surveying_, config = config_, own = ownFile_.toStdString()](const Job& job) {
        return survey(config, own, [&job] { job.check(); });
      },
      [this](MemorySurvey survey) { take(std::move(survey)); },
      [this](const QString& why) {
        MemorySurvey failed;
        failed.problem = why.toStdString();
        take(std::move(failed));
      });
}

void MemoryForm::take(MemorySurvey survey) {
  found_ = std::move(survey);
  model_->show(found_->known);
  for (int i = 0; i < model_->rowCount(); ++i) { // reasons are sentences
    const QModelIndex task = model_->index(i, 0);
    for (int k = 0; k < model_->rowCount(task); ++k)
      table_->setFirstColumnSpanned(k, task, true);
  }
  for (int column = 0; column < KnownTasksModel::Target; ++column)
    table_->resizeColumnToContents(column);
  tell();
  Q_EMIT changed();
}

const MemoryFile* MemoryForm::known(const QString& file) const {
  if (!found_) return nullptr;
  const auto found = std::ranges::find(found_->files, file.toStdString(), &MemoryFile::file);
  return found == found_->files.end() ? nullptr : &*found;
}

QString MemoryForm::problem() const {
  for (const QString& file : further_)
    if (QString unread = fileProblem(file); !unread.isEmpty()) return unread;
  if (!found_) return {};
  const std::string problem = found_->fileProblem();
  return problem.empty() ? QString() : sentenceOf(problem);
}

QString MemoryForm::summaryText() const {
  if (config_.space == SearchSpace::Templates)
    return tr("A search over templates has no use for it: programs of sketches are remembered.");
  if (memory().empty()) return tr("Off: it begins as if nothing was ever tuned.");
  if (asked_.empty()) return {};
  if (!found_) return tr("Reading what is known of the tasks …");
  if (!found_->problem.empty())
    return tr("What is known cannot be told. %1").arg(sentenceOf(found_->problem));
  if (found_->files.empty()) return tr("The document is a new one: it knows nothing yet.");
  QStringList parts;
  const auto add = [&parts](const QString& text, std::size_t count) {
    if (count > 0) parts.append(text.arg(countText(std::int64_t(count))));
  };
  add(tr("%1 exact"), found_->count(MemorySource::SameTask));
  add(tr("%1 exact, but on another target or compiled otherwise"),
      found_->count(MemorySource::SameMachine) + found_->count(MemorySource::OtherTarget));
  add(tr("%1 similar"), found_->count(MemorySource::SameKind));
  add(tr("%1 not known"), found_->count(std::nullopt));
  return countedText(std::int64_t(found_->known.tasks.size()), tr("Of the one task:"),
                     tr("Of %1 tasks:")) +
         QLatin1Char(' ') + parts.join(QStringLiteral("; ")) + QStringLiteral(". ") +
         countedText(std::int64_t(found_->programs()), tr("One program is there to begin with."),
                     tr("%1 programs are there to begin with."));
}

void MemoryForm::listFiles() {
  qDeleteAll(files_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
  for (const QString& file : further_) {
    auto* line = new QWidget(files_);
    auto* name = new QLabel(fileNameOf(file), line);
    name->setTextFormat(Qt::PlainText);
    name->setToolTip(file);
    auto* note = sentenceLabel(line);
    const MemoryFile* survey = known(file);
    const QString unread = fileProblem(file);
    if (!unread.isEmpty() || (survey && !survey->problem.empty())) {
      note->setText(unread.isEmpty() ? sentenceOf(survey->problem) : unread);
      keepTextColour(note, &Colours::failed);
    } else {
      keepTextColour(note, &Colours::dim);
      if (survey) note->setText(remarkText(*survey));
    }
    auto* drop = flatButton(line, tr("Remove"),
                            tr("Does not remember what %1 knows.").arg(fileNameOf(file)));
    drop->setAccessibleName(tr("Remove %1").arg(fileNameOf(file)));
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(name);
    row->addWidget(note, 1);
    row->addWidget(drop, 0, Qt::AlignTop);
    files_->layout()->addWidget(line);
    line->show();
    connect(drop, &QToolButton::clicked, this, [this, file] {
      // The button that was pressed goes with its line.
      QMetaObject::invokeMethod(
          this,
          [this, file] {
            further_.removeAll(file);
            edited();
          },
          Qt::QueuedConnection);
    });
  }
  files_->setVisible(!further_.isEmpty());
}

void MemoryForm::tell() {
  listFiles();
  const bool canOffer = !offered_.isEmpty() && offered_ != ownFile_ && !further_.contains(offered_);
  offer_->setVisible(canOffer);
  if (canOffer) offer_->setText(tr("Add %1").arg(fileNameOf(offered_)));
  // What is wrong with a further file stands beside it.
  const MemoryFile* own = known(ownFile_);
  sayOrHide(problem_, own && !own->problem.empty() ? sentenceOf(own->problem) : QString());
  sayOrHide(summary_, summaryText());
  const bool isThere = found_ && !found_->files.empty() && !found_->known.tasks.empty();
  more_->setVisible(isThere);
  table_->setVisible(isThere && more_->isChecked());
  enableUnless(own_, config_.space == SearchSpace::Templates
                         ? tr("Programs of sketches are remembered, and this session searches "
                              "templates.")
                         : QString());
}

} // namespace nestwright::ui

#include "moc_memory_form.cpp"
