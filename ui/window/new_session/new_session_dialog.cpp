#include "ui/window/new_session/new_session_dialog.h"

#include "core/plugin/plugin.h"
#include "ui/document/dropped_files.h"
#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/scheduler/objective_form.h"
#include "ui/window/new_session/preview_form.h"
#include "ui/window/new_session/search_form.h"
#include "ui/window/new_session/sentences.h"
#include "ui/window/new_session/subject_form.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>
#include <QThread>
#include <QVBoxLayout>

#include <climits>
#include <initializer_list>
#include <utility>

namespace nestwright::ui {
namespace {

QLabel* problemLabel(QWidget* parent) {
  QLabel* label = sentenceLabel(parent);
  setTextColour(label, colours().failed);
  return label;
}

/// A network file that we can read.
bool isModelFile(const QString& path) {
  return path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
         path.endsWith(QLatin1String(".dag"), Qt::CaseInsensitive);
}

QString droppedModel(const QMimeData* data) {
  const QStringList files = droppedFiles(data);
  return files.size() == 1 && isModelFile(files.first()) ? files.first() : QString();
}

QStringList furtherTexts(const QLineEdit* line) {
  static const QRegularExpression spaces(QStringLiteral("\\s+"));
  return line->text().split(spaces, Qt::SkipEmptyParts);
}

} // namespace

NewSessionDialog::NewSessionDialog(Catalogue catalogue, QWidget* parent, TargetForm::Survey survey)
    : QDialog(parent), catalogue_(std::move(catalogue)) {
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
  auto* layout = new QVBoxLayout(fields_);
  layout->setContentsMargins({});
  layout->setSpacing(12);
  layout->addWidget(buildSubject());
  layout->addWidget(buildBudget(std::move(survey)));
  search_ = new SearchForm(this);
  layout->addWidget(search_);
  layout->addWidget(buildDocument());
  layout->addStretch();
  start_ = new QCheckBox(tr("Start tuning at once"), this);
  start_->setChecked(true);
  start_->setToolTip(tr("Otherwise the session is made and waits for Start."));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = buttons->addButton(tr("Create"), QDialogButtonBox::AcceptRole);
  accept_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &NewSessionDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(start_);
  bottom->addStretch();
  bottom->addWidget(buttons);
  auto* all = new QVBoxLayout(this);
  all->setSpacing(12);
  all->addWidget(scroll, 1);
  all->addWidget(buildPlace());
  all->addWidget(buildMaking());
  all->addWidget(makingProblem_);
  all->addLayout(bottom);
  setKind(Network);
  resize(fontMetrics().averageCharWidth() * 100, 0);
  fields_->installEventFilter(this);
  showAllFields();
  suggestPath();
  connect(target_, &TargetForm::changed, this, &NewSessionDialog::followTarget);
  connect(search_, &SearchForm::changed, this, &NewSessionDialog::followSearch);
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

QWidget* NewSessionDialog::buildSubject() {
  auto* box = new QGroupBox(tr("What to tune"), this);
  kinds_[Network] = new QRadioButton(tr("&Network"), box);
  kinds_[File] = new QRadioButton(tr("&File"), box);
  kinds_[Operator] = new QRadioButton(tr("&Operator"), box);
  kinds_[Network]->setToolTip(tr("A network that comes with the workbench."));
  kinds_[File]->setToolTip(
      tr("An ONNX model, or an operator written as a compute DAG. You can also "
         "drop the file here."));
  kinds_[Operator]->setToolTip(tr("A single operator with the shapes you choose."));
  auto* group = new QButtonGroup(box);
  auto* row = new QHBoxLayout;
  for (QRadioButton* kind : kinds_) {
    group->addButton(kind);
    row->addWidget(kind);
  }
  row->addStretch();
  network_ = new SubjectForm(catalogue_.networks, tr("Network"), box);
  operator_ = new SubjectForm(catalogue_.operators, tr("Operator"), box);
  pages_ = new QStackedWidget(box);
  pages_->addWidget(network_);
  pages_->addWidget(buildFilePage());
  pages_->addWidget(operator_);
  subjectProblem_ = problemLabel(box);
  auto* layout = new QVBoxLayout(box);
  layout->addLayout(row);
  layout->addWidget(pages_);
  auto* together = new QHBoxLayout;
  further_ = new QLineEdit(box);
  further_->setPlaceholderText(tr("further networks, separated by spaces: bert_base mobilenet_v2"));
  further_->setAccessibleName(tr("Together with"));
  further_->setToolTip(tr("Networks, files or operators, written as on the command line, that the "
                          "same session tunes. A task that two of them share is tuned once."));
  auto* label = new QLabel(tr("Together &with"), box);
  label->setBuddy(further_);
  together->addWidget(label);
  together->addWidget(further_, 1);
  layout->addLayout(together);
  layout->addWidget(subjectProblem_);
  preview_ = new PreviewForm(box);
  layout->addWidget(preview_);
  connect(preview_, &PreviewForm::changed, this, [this] {
    const QString kept = makingProblem_->text(); // no field was changed
    validate();
    sayOrHide(makingProblem_, kept);
  });
  connect(further_, &QLineEdit::textChanged, this, [this] {
    suggestPath();
    validate();
  });
  for (const Kind kind : {Network, File, Operator})
    connect(kinds_[kind], &QRadioButton::toggled, this, [this, kind](bool on) {
      if (on) setKind(kind);
    });
  for (SubjectForm* form : {network_, operator_})
    connect(form, &SubjectForm::changed, this, [this] {
      suggestPath();
      validate();
    });
  return box;
}

QWidget* NewSessionDialog::buildFilePage() {
  auto* page = new QWidget(this);
  model_ = new QLineEdit(page);
  model_->setPlaceholderText(tr("model.onnx or operator.dag"));
  model_->setAccessibleName(tr("Model file"));
  model_->setToolTip(tr("An ONNX model, or an operator that is written down as a compute DAG."));
  auto* browse = new QPushButton(tr("Browse …"), page);
  browse->setToolTip(tr("Chooses the file of a model or an operator."));
  auto* hint =
      new QLabel(tr("Drop a file here. Free dimensions of an ONNX model can be set behind a "
                    "colon: model.onnx:batch=1."),
                 page);
  hint->setWordWrap(true);
  setTextColour(hint, colours().dim);
  auto* row = new QHBoxLayout;
  row->addWidget(model_, 1);
  row->addWidget(browse);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(hint);
  layout->addStretch();
  connect(browse, &QPushButton::clicked, this, [this] {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open Model"), Settings::folder(),
        tr("Models (*.onnx *.dag);;ONNX models (*.onnx);;Compute DAGs (*.dag);;All files (*)"));
    if (!file.isEmpty()) model_->setText(file);
  });
  connect(model_, &QLineEdit::textChanged, this, [this] {
    suggestPath();
    validate();
  });
  return page;
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
  connect(objective_, &ObjectiveForm::changed, this, &NewSessionDialog::validate);
  const auto followTrials = [this] { preview_->setTrials(trials_->value()); };
  connect(trials_, &QSpinBox::valueChanged, preview_, followTrials);
  followTrials();
  connect(preview_, &PreviewForm::suggestionTaken, this, [this](std::int64_t trials) {
    trials_->setValue(int(std::min<std::int64_t>(trials, INT_MAX)));
  });
  // The records of a file are of a number of threads.
  connect(threads_, &QSpinBox::valueChanged, this, &NewSessionDialog::validate);
  return box;
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
  validate();
}

QWidget* NewSessionDialog::buildDocument() {
  auto* box = new QGroupBox(tr("Document"), this);
  path_ = new QLineEdit(box);
  path_->setAccessibleName(tr("File to save to"));
  path_->setToolTip(tr("The document that the session and its records are kept in."));
  auto* browse = new QPushButton(tr("Save To …"), box);
  browse->setToolTip(tr("Chooses the document: a new file, or one that has sessions already."));
  pathProblem_ = problemLabel(box);
  pathNote_ = new QLabel(box);
  pathNote_->setWordWrap(true);
  setTextColour(pathNote_, colours().dim);
  auto* row = new QHBoxLayout;
  row->addWidget(path_, 1);
  row->addWidget(browse);
  auto* layout = new QVBoxLayout(box);
  layout->addLayout(row);
  layout->addWidget(pathNote_);
  layout->addWidget(pathProblem_);
  connect(path_, &QLineEdit::textEdited, this, [this] { pathIsOurs_ = false; });
  connect(path_, &QLineEdit::textChanged, this, &NewSessionDialog::validate);
  connect(browse, &QPushButton::clicked, this, [this] {
    QString file = QFileDialog::getSaveFileName(this, tr("Save Document"), path_->text(),
                                                tr("Nestwright documents (*.nwdb)"), nullptr,
                                                QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".nwdb");
    setPath(file);
  });
  return box;
}

/// Where it is opened while another session runs; not there without one.
QWidget* NewSessionDialog::buildPlace() {
  place_ = new QWidget(this);
  running_ = sentenceLabel(place_);
  ownWindow_ = new QRadioButton(tr("Open in a new window"), place_);
  ownWindow_->setToolTip(
      tr("The session here goes on. Two that measure at once on one machine make "
         "each other's times longer, so start the new one when this one is "
         "done."));
  here_ = new QRadioButton(tr("Pause it, and open here"), place_);
  here_->setToolTip(tr("The session here pauses. Everything that was measured is in its file."));
  ownWindow_->setChecked(true);
  auto* row = new QHBoxLayout;
  for (QRadioButton* choice : {ownWindow_, here_})
    row->addWidget(choice);
  row->addStretch();
  auto* layout = new QVBoxLayout(place_);
  layout->setContentsMargins({});
  layout->addWidget(running_);
  layout->addLayout(row);
  place_->hide();
  connect(here_, &QRadioButton::toggled, start_, &QCheckBox::setChecked);
  return place_;
}

/// That the session is being made, and what stood in the way.
QWidget* NewSessionDialog::buildMaking() {
  making_ = new QWidget(this);
  auto* row = new QHBoxLayout(making_);
  row->setContentsMargins({});
  row->addWidget(new QLabel(tr("Dividing the network into tasks …"), making_));
  row->addWidget(busyBar(making_, tr("Making the session"),
                         tr("The session is being made; Cancel leaves the dialog.")),
                 1);
  making_->hide();
  makingProblem_ = problemLabel(this);
  makingProblem_->hide();
  return making_;
}

void NewSessionDialog::setRunning(const QString& text) {
  running_->setText(text);
  place_->setVisible(!text.isEmpty());
  if (!text.isEmpty()) start_->setChecked(here_->isChecked());
}

bool NewSessionDialog::inOwnWindow() const {
  return !running_->text().isEmpty() && ownWindow_->isChecked();
}

void NewSessionDialog::setKind(Kind kind) {
  kinds_[kind]->setChecked(true);
  pages_->setCurrentIndex(kind);
  suggestPath();
  validate();
}

NewSessionDialog::Kind NewSessionDialog::kind() const {
  return kinds_[File]->isChecked() ? File : kinds_[Operator]->isChecked() ? Operator : Network;
}

QString NewSessionDialog::subject() const {
  switch (kind()) {
  case File:
    return model_->text().trimmed();
  case Operator:
    return operator_->text();
  case Network:
    return network_->text();
  }
  return {};
}

std::vector<std::string> NewSessionDialog::subjects() const {
  std::vector<std::string> subjects{subject().toStdString()};
  for (const QString& text : furtherTexts(further_))
    subjects.push_back(text.toStdString());
  return subjects;
}

void NewSessionDialog::setSubject(const QString& subject) {
  const QString name = subject.section(QLatin1Char(':'), 0, 0);
  if (isModelFile(name)) {
    setKind(File);
    model_->setText(subject);
    return;
  }
  const auto isOperator = [&] {
    for (const Subject& known : catalogue_.operators)
      if (qs(known.name) == name) return true;
    return false;
  };
  setKind(isOperator() ? Operator : Network);
  (kind() == Operator ? operator_ : network_)->setText(subject);
}

void NewSessionDialog::setPath(const QString& path) {
  pathIsOurs_ = false;
  path_->setText(path);
}

/// A new file named after the subject, in the folder used last.
void NewSessionDialog::suggestPath() {
  if (!pathIsOurs_ || !path_) return;
  QString stem = kind() == File ? QFileInfo(subject()).completeBaseName()
                                : subject().section(QLatin1Char(':'), 0, 0);
  for (const QString& more : furtherTexts(further_))
    stem += QLatin1Char('+') + QFileInfo(more.section(QLatin1Char(':'), 0, 0)).completeBaseName();
  if (stem.isEmpty()) stem = tr("session");
  const QDir folder(Settings::folder());
  QString file = folder.filePath(stem + QStringLiteral(".nwdb"));
  for (int i = 2; QFileInfo::exists(file); ++i)
    file = folder.filePath(QStringLiteral("%1-%2.nwdb").arg(stem).arg(i));
  path_->setText(file);
}

QString NewSessionDialog::subjectProblem() const {
  const QString text = subject();
  if (kind() != File) return catalogue_.problem(text.toStdString());
  if (text.isEmpty()) return tr("Choose an ONNX model or a compute DAG.");
  // The text behind a colon sets dimensions, unless it is part of the path.
  const QString file = QFileInfo::exists(text) ? text : text.section(QLatin1Char(':'), 0, -2);
  return fileProblem(file.isEmpty() ? text : file);
}

QString NewSessionDialog::pathProblem() const {
  const QString text = path_->text().trimmed();
  if (text.isEmpty()) return tr("Name the file that keeps the session.");
  const QFileInfo file(text);
  if (file.isDir()) return tr("%1 is a folder; name a file in it.").arg(text);
  if (file.exists() && !file.isWritable()) return tr("%1 cannot be written.").arg(text);
  const QFileInfo folder(file.absolutePath());
  if (!folder.isDir()) return tr("There is no folder %1.").arg(file.absolutePath());
  if (!file.exists() && !folder.isWritable())
    return tr("No file can be made in %1.").arg(file.absolutePath());
  return {};
}

QString NewSessionDialog::furtherProblem() const {
  QStringList seen{subject()};
  for (const QString& text : furtherTexts(further_)) {
    if (seen.contains(text)) return tr("%1 is named twice.").arg(text);
    seen.append(text);
    const QString file = text.section(QLatin1Char(':'), 0, 0);
    if (isModelFile(file)) {
      if (!QFileInfo(file).isReadable()) return tr("%1 cannot be read.").arg(file);
    } else if (QString problem = catalogue_.problem(text.toStdString()); !problem.isEmpty()) {
      return problem;
    }
  }
  return {};
}

QString NewSessionDialog::fieldsProblem() const {
  const QString subject = subjectProblem();
  return subject.isEmpty() ? furtherProblem() : subject;
}

void NewSessionDialog::setMemory(const QString& document) {
  memory_ = document;
  validate();
}

QString NewSessionDialog::problem() const {
  for (const QString& problem :
       {fieldsProblem(), preview_->problem(), target_->problem(), search_->problem(),
        objective_->problem(subjects()), pathProblem()})
    if (!problem.isEmpty()) return problem;
  return {};
}

void NewSessionDialog::validate() {
  if (!accept_) return;
  showProblem({});
  QString subject = fieldsProblem();
  preview_->setWish(subject.isEmpty() ? previewWish() : PreviewWish());
  if (subject.isEmpty()) subject = preview_->problem();
  search_->setSubjects(subject.isEmpty() ? subjects() : std::vector<std::string>(),
                       target_->target(), measuringThreads());
  const QString path = pathProblem(), objective = objective_->problem(subjects());
  objectiveProblem_->setText(objective);
  objectiveProblem_->setVisible(!objective.isEmpty());
  subjectProblem_->setText(subject);
  subjectProblem_->setVisible(!subject.isEmpty());
  pathProblem_->setText(path);
  pathProblem_->setVisible(!path.isEmpty());
  pathNote_->setText(QFileInfo::exists(path_->text())
                         ? tr("The file exists; the session is added to it, nothing in it is lost.")
                         : tr("A new document; every measurement is saved as it is made."));
  pathNote_->setVisible(path.isEmpty());
  enableUnless(accept_, making_->isHidden() ? problem() : tr("The session is being made."));
}

PreviewWish NewSessionDialog::previewWish() const {
  PreviewWish wish;
  wish.subjects = subjects();
  wish.target = target_->target();
  wish.measure.device = target_->device();
  wish.measure.threads = measuringThreads();
  QStringList files{memory_};
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
  search_->setConfig(config);
  QStringList texts;
  for (const std::string& subject : config.subjects)
    texts.append(qs(subject));
  if (!texts.isEmpty()) setSubject(texts.takeFirst());
  further_->setText(texts.join(QLatin1Char(' ')));
  trials_->setValue(int(std::min<std::int64_t>(config.trials, INT_MAX)));
  seed_->setValue(int(std::min<std::uint64_t>(config.seed, INT_MAX)));
  target_->setTarget(config.target);
  target_->setDevice(config.measure.device);
  threads_->setValue(config.measure.threads);
  objective_->setObjective(config.objective, config.subjects);
}

SessionConfig NewSessionDialog::config() const {
  SessionConfig config = search_->config();
  config.subjects = subjects();
  config.objective = objective_->objective(config.subjects);
  config.trials = trials_->value();
  config.seed = static_cast<std::uint64_t>(seed_->value());
  config.target = target_->target();
  config.measure.device = target_->device();
  config.measure.threads = measuringThreads();
  return config;
}

void NewSessionDialog::accept() {
  if (!making_->isHidden()) return;
  if (!maker_) return made({});
  setMaking(true);
  // Whoever cancels meanwhile hears no more of it.
  maker_([dialog = QPointer(this)](const QString& problem) {
    if (dialog) dialog->made(problem);
  });
}

void NewSessionDialog::showProblem(const QString& problem) {
  sayOrHide(makingProblem_,
            problem.isEmpty() ? QString() : tr("The session could not be made: %1").arg(problem));
}

void NewSessionDialog::setMaking(bool making) {
  making_->setVisible(making);
  showProblem({});
  for (QWidget* part : std::initializer_list<QWidget*>{fields_, place_, start_})
    enableUnless(part, making ? tr("The session is being made.") : QString());
  if (making)
    enableUnless(accept_, tr("The session is being made."));
  else
    followTarget(); // what of it can be set
}

void NewSessionDialog::made(const QString& problem) {
  if (!making_->isHidden()) setMaking(false);
  if (!problem.isEmpty()) return showProblem(problem);
  if (const std::string& model = search_->config().pretrained; !model.empty())
    Settings::addRecentModel(qs(model));
  QDialog::accept();
}

QString NewSessionDialog::path() const {
  return path_->text().trimmed();
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
