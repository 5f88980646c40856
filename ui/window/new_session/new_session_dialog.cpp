#include "ui/window/new_session/new_session_dialog.h"

#include "core/plugin/plugin.h"
#include "core/session/insight/subject_preview.h"
#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/scheduler/objective_form.h"
#include "ui/window/new_session/document_form.h"
#include "ui/window/new_session/effort_form.h"
#include "ui/window/new_session/making_note.h"
#include "ui/window/new_session/memory_form.h"
#include "ui/window/new_session/place_form.h"
#include "ui/window/new_session/preview_form.h"
#include "ui/window/new_session/search_form.h"
#include "ui/window/new_session/sentences.h"
#include "ui/window/new_session/subject_choice.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScreen>
#include <QScrollArea>
#include <QSpinBox>
#include <QStyle>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <utility>

namespace nestwright::ui {

NewSessionDialog::NewSessionDialog(Catalogue catalogue, QWidget* parent, TargetForm::Survey survey)
    : QDialog(parent) {
  setWindowTitle(tr("New Session"));
  setAcceptDrops(true);
  // Tab goes through the fields in the order in which they are made.
  // What is folded out may be taller than a small screen.
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidgetResizable(true);
  fields_ = new QWidget(scroll);
  scroll->setWidget(fields_);
  subjects_ = new SubjectChoice(std::move(catalogue), this);
  effort_ = new EffortForm(this);
  memory_ = new MemoryForm(this);
  QWidget* budget = buildBudget(std::move(survey));
  search_ = new SearchForm(this);
  document_ = new DocumentForm(this);
  auto* layout = new QVBoxLayout(fields_);
  layout->setContentsMargins({});
  layout->setSpacing(12);
  for (QWidget* form :
       std::initializer_list<QWidget*>{subjects_, effort_, memory_, budget, search_, document_})
    layout->addWidget(form);
  layout->addStretch();
  start_ = new QCheckBox(tr("Start tuning at once"), this);
  start_->setChecked(true);
  start_->setToolTip(tr("Otherwise the session is made and waits for Start."));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = buttons->addButton(tr("Create"), QDialogButtonBox::AcceptRole);
  accept_->setDefault(true);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(start_);
  bottom->addStretch();
  bottom->addWidget(buttons);
  place_ = new PlaceForm(this);
  making_ = new MakingNote(this);
  auto* all = new QVBoxLayout(this);
  all->setSpacing(12);
  all->addWidget(scroll, 1);
  all->addWidget(place_);
  all->addWidget(making_);
  all->addLayout(bottom);
  followSubjects();
  resize(fontMetrics().averageCharWidth() * 120, 0);
  fields_->installEventFilter(this);
  showAllFields();
  connect(buttons, &QDialogButtonBox::accepted, this, &NewSessionDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(place_, &PlaceForm::pauseChosen, start_, &QCheckBox::setChecked);
  connect(subjects_, &SubjectChoice::changed, this, &NewSessionDialog::followSubjects);
  connect(subjects_->preview(), &PreviewForm::changed, this, [this] {
    const QString kept = making_->problem(); // no field was changed
    validate();
    making_->setProblem(kept);
  });
  connect(objective_, &ObjectiveForm::changed, this, &NewSessionDialog::validate);
  // The records of a file are of a number of threads.
  connect(threads_, &QSpinBox::valueChanged, this, &NewSessionDialog::validate);
  connect(document_, &DocumentForm::changed, this, &NewSessionDialog::validate);
  connect(memory_, &MemoryForm::changed, this, &NewSessionDialog::validate);
  connect(target_, &TargetForm::changed, this, &NewSessionDialog::followTarget);
  connect(search_, &SearchForm::changed, this, &NewSessionDialog::followSearch);
  connect(search_, &SearchForm::methodChosen, this,
          [this] { showTrials(effort_->ownTrials()); }); // no effort's any more
  connect(effort_, &EffortForm::settled, this, &NewSessionDialog::followEffort);
  connect(trials_, &QSpinBox::valueChanged, this, [this](int trials) {
    if (!following_) effort_->setTrials(trials);
  });
  followEffort();
  followTarget();
  followSearch();
}

bool NewSessionDialog::eventFilter(QObject* watched, QEvent* event) {
  if (watched == fields_ && event->type() == QEvent::LayoutRequest) showAllFields();
  return QDialog::eventFilter(watched, event);
}

void NewSessionDialog::showAllFields() {
  constexpr int kWindowFrame = 48; // title and border, roughly
  auto* scroll = fields_->parentWidget()->parentWidget();
  scroll->setMinimumWidth(fields_->minimumSizeHint().width() +
                          style()->pixelMetric(QStyle::PM_ScrollBarExtent));
  const int around = layout()->sizeHint().height() - scroll->sizeHint().height();
  const int room = screen()->availableSize().height() - kWindowFrame;
  const int needed = std::min(around + fields_->sizeHint().height(), room);
  if (height() < needed) resize(width(), needed);
}

QWidget* NewSessionDialog::buildBudget(TargetForm::Survey survey) {
  auto* box = new QGroupBox(tr("How"), this);
  target_ = new TargetForm(std::move(survey), box);
  trials_ = new QSpinBox(box);
  trials_->setRange(1, INT_MAX);
  trials_->setValue(1000);
  trials_->setSingleStep(100);
  trials_->setGroupSeparatorShown(true);
  trials_->setToolTip(tr("How many programs to measure over all tasks. More can be added later."));
  seed_ = new QSpinBox(box);
  seed_->setRange(0, INT_MAX);
  seed_->setToolTip(tr("The same seed and the same measurements give the same candidates."));
  threads_ = new QSpinBox(box);
  threads_->setRange(0, 1024);
  threads_->setToolTip(tr("Threads of the tuned kernels. Another number is another search space, "
                          "whatever the seed."));
  threads_->setSpecialValueText(tr("all %1 cores").arg(QThread::idealThreadCount()));
  for (const auto& [field, text] :
       {std::pair{trials_, tr("Trials")}, {seed_, tr("Seed")}, {threads_, tr("Threads")}})
    field->setAccessibleName(text);
  auto* layout = new QVBoxLayout(box);
  layout->addWidget(target_);
  auto* row = new QHBoxLayout;
  layout->addLayout(row);
  const auto add = [box](QHBoxLayout* line, const QString& text, QWidget* field, int stretch) {
    auto* label = new QLabel(text, box);
    label->setBuddy(field);
    line->addWidget(label);
    line->addWidget(field, stretch);
    line->addSpacing(8);
  };
  add(row, tr("&Trials"), trials_, 1);
  add(row, tr("&Seed"), seed_, 1);
  add(row, tr("T&hreads"), threads_, 1);
  objective_ = new ObjectiveForm(box);
  objectiveProblem_ = problemLabel(box);
  layout->addWidget(objective_);
  layout->addWidget(objectiveProblem_);
  PreviewForm* preview = subjects_->preview();
  connect(trials_, &QSpinBox::valueChanged, preview, &PreviewForm::setTrials);
  preview->setTrials(trials_->value());
  connect(preview, &PreviewForm::suggestionTaken, this, [this](std::int64_t trials) {
    trials_->setValue(int(std::min<std::int64_t>(trials, INT_MAX)));
  });
  return box;
}

void NewSessionDialog::followSubjects() {
  document_->suggest(subjects_->documentName());
  validate();
}

void NewSessionDialog::followTarget() {
  const bool gpu = target_->isGpu();
  enableUnless(threads_, gpu ? tr("A GPU's programs have the blocks and threads that the search "
                                  "gives them: there is nothing to choose.")
                             : QString());
  search_->setGpu(gpu);
  enableUnless(start_, target_->canMeasure()
                           ? QString()
                           : tr("Programs for this target cannot be measured here: the session is "
                                "made, to be looked at."));
  validate();
}

/// Taking turns follows no objective, and a recorded machine needs no GPU.
void NewSessionDialog::followSearch() {
  target_->setRecorded(!search_->config().machine.empty());
  enableUnless(objective_, followsObjective(search_->config().scheduler)
                               ? QString()
                               : tr("Taking turns follows no objective."));
  if (!following_) {
    SessionConfig config = search_->config();
    config.trials = trials_->value();
    effort_->follow(config);
    search_->setByEffort(effort_->effort().has_value());
  }
  validate();
}

void NewSessionDialog::followEffort() {
  SessionConfig config = effort_->config();
  showTrials(config.trials);
  const SessionConfig& shown = search_->config();
  config.trials = shown.trials;
  config.subjects = shown.subjects;
  config.target = shown.target;
  config.measure.threads = shown.measure.threads;
  {
    const QScopedValueRollback following(following_, true);
    // Else what is being typed there would be gone.
    if (config != shown) search_->setConfig(config);
    search_->setByEffort(effort_->effort().has_value());
  }
  validate();
}

void NewSessionDialog::showTrials(std::int64_t trials) {
  const QScopedValueRollback following(following_, true);
  trials_->setValue(int(std::min<std::int64_t>(trials, INT_MAX)));
}

void NewSessionDialog::setRunning(const QString& text) {
  place_->setRunning(text);
}

bool NewSessionDialog::inOwnWindow() const {
  return place_->inOwnWindow();
}

void NewSessionDialog::setSubject(const QString& subject) {
  subjects_->setSubject(subject);
}

void NewSessionDialog::setPath(const QString& path) {
  document_->setPath(path);
}

void NewSessionDialog::setOpenDocument(const QString& document) {
  openDocument_ = document;
  memory_->offerFile(document);
  validate();
}

QString NewSessionDialog::problem() const {
  for (const QString& problem :
       {subjects_->problem(), memory_->problem(), target_->problem(), search_->problem(),
        objective_->problem(subjects_->subjects()), document_->problem(), effort_->problem()})
    if (!problem.isEmpty()) return problem;
  return {};
}

void NewSessionDialog::validate() {
  making_->setProblem({});
  subjects_->look(previewWish());
  effort_->setCount(subjects_->count());
  const std::vector<std::string> subjects = subjects_->subjects();
  search_->setSubjects(subjects_->problem().isEmpty() ? subjects : std::vector<std::string>(),
                       target_->target(), measuringThreads());
  SessionConfig searched = search_->config();
  searched.measure.device = target_->device();
  memory_->setSession(std::move(searched), path());
  sayOrHide(objectiveProblem_, objective_->problem(subjects));
  document_->tell();
  enableUnless(accept_, making_->isMaking() ? tr("The session is being made.") : problem());
}

PreviewWish NewSessionDialog::previewWish() const {
  PreviewWish wish;
  wish.target = target_->target();
  wish.measure.device = target_->device();
  wish.measure.threads = measuringThreads();
  wish.launch = workerLaunchFromText(Settings::workerCommand().toStdString());
  wish.isElsewhere = target_->measuresElsewhere() || !Settings::workerCommand().isEmpty();
  QStringList files{openDocument_};
  for (const std::string& file : memory_->memory())
    if (file != kOwnMemory && QFileInfo(qs(file)).isFile()) files.append(qs(file));
  if (QFileInfo(path()).isFile()) files.append(QFileInfo(path()).absoluteFilePath());
  files.removeAll(QString());
  files.removeDuplicates();
  for (const QString& file : files)
    wish.memory.push_back(file.toStdString());
  return wish;
}

/// Of the processor that a GPU's session does not use it says nothing.
int NewSessionDialog::measuringThreads() const {
  return target_->isGpu() ? givenThreads_ : threads_->value();
}

void NewSessionDialog::setConfig(const SessionConfig& config) {
  givenThreads_ = config.measure.threads;
  const QScopedValueRollback following(following_, true); // until all is shown
  effort_->setConfig(config);
  memory_->setMemory(config.memory);
  search_->setConfig(config);
  subjects_->setSubjects(config.subjects);
  showTrials(config.trials);
  seed_->setValue(int(std::min<std::uint64_t>(config.seed, INT_MAX)));
  target_->setTarget(config.target);
  target_->setDevice(config.measure.device);
  threads_->setValue(config.measure.threads);
  objective_->setObjective(config.objective, config.subjects);
  search_->setByEffort(effort_->effort().has_value());
  validate();
}

SessionConfig NewSessionDialog::config() const {
  SessionConfig config = search_->config();
  config.memory = memory_->memory();
  config.subjects = subjects_->subjects();
  config.objective = objective_->objective(config.subjects);
  config.trials = trials_->value();
  config.seed = static_cast<std::uint64_t>(seed_->value());
  config.target = target_->target();
  config.tf32 = config.tf32 && target_->isGpu();
  config.measure.device = target_->device();
  config.measure.threads = measuringThreads();
  return config;
}

void NewSessionDialog::accept() {
  if (making_->isMaking()) return;
  if (!maker_) return made({});
  setMaking(true);
  // Whoever cancels meanwhile hears no more of it.
  maker_([dialog = QPointer(this)](const QString& problem) {
    if (dialog) dialog->made(problem);
  });
}

void NewSessionDialog::showProblem(const QString& problem) {
  making_->setProblem(problem);
}

void NewSessionDialog::setMaking(bool making) {
  making_->setMaking(making);
  for (QWidget* part : std::initializer_list<QWidget*>{fields_, place_, start_})
    enableUnless(part, making ? tr("The session is being made.") : QString());
  if (making)
    enableUnless(accept_, tr("The session is being made."));
  else
    followTarget(); // what of it can be set
}

void NewSessionDialog::made(const QString& problem) {
  if (making_->isMaking()) setMaking(false);
  if (!problem.isEmpty()) return showProblem(problem);
  if (const std::string& model = search_->config().pretrained; !model.empty())
    Settings::addRecentModel(qs(model));
  QDialog::accept();
}

QString NewSessionDialog::path() const {
  return document_->path();
}

void NewSessionDialog::setStart(bool start) {
  start_->setChecked(start);
}

bool NewSessionDialog::startNow() const {
  return start_->isEnabled() && start_->isChecked();
}

void NewSessionDialog::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedModel(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void NewSessionDialog::dropEvent(QDropEvent* event) {
  setSubject(droppedModel(event->mimeData()));
}

} // namespace nestwright::ui

#include "moc_new_session_dialog.cpp"
