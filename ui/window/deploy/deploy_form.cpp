#include "ui/window/deploy/deploy_form.h"

#include "core/deploy/onnxruntime_op.h"
#include "core/plugin/target_named.h"
#include "ui/document/free_name.h"
#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/deploy/processor_choice.h"
#include "ui/window/new_session/sentences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kMostCores = 4096;

QString threadingText(Threading threading) {
  switch (threading) {
  case Threading::OpenMp:
    return DeployForm::tr("OpenMP, as while tuning");
  case Threading::Serial:
    return DeployForm::tr("nobody (serial)");
  case Threading::Callback:
    break;
  }
  return DeployForm::tr("the application (callback)");
}

/// A label before a control, with its tip.
QLabel* before(QWidget* control, const QString& text) {
  auto* label = new QLabel(text, control->parentWidget());
  label->setBuddy(control);
  label->setToolTip(control->toolTip());
  return label;
}

/// A field over what is wrong with it.
QWidget* over(QLayout* field, QLabel* problem, QWidget* parent) {
  auto* both = new QWidget(parent);
  auto* layout = new QVBoxLayout(both);
  layout->setContentsMargins({});
  layout->setSpacing(2);
  layout->addLayout(field);
  layout->addWidget(problem);
  return both;
}

QHBoxLayout* rowOf(std::initializer_list<QWidget*> widgets) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins({});
  for (QWidget* widget : widgets)
    row->addWidget(widget);
  return row;
}

} // namespace

DeployForm::DeployForm(QWidget* parent) : QWidget(parent) {
  subject_ = choiceBox(this, {}, tr("Library of"),
                       tr("What the sessions of this document tuned: a whole network, or an "
                          "operator as a single function."));
  subject_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  subject_->setMinimumContentsLength(24);
  name_ = new QLineEdit(this);
  name_->setAccessibleName(tr("Name"));
  name_->setToolTip(tr("Of the library, and the beginning of its functions' names: a letter, then "
                       "letters, digits and _."));
  nameProblem_ = problemLabel(this);
  auto* form = new QFormLayout(this);
  form->setContentsMargins({});
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setLabelAlignment(Qt::AlignLeft);
  form->addRow(before(subject_, tr("&Library of")), subject_);
  form->addRow(before(name_, tr("&Name")), over(rowOf({name_}), nameProblem_, this));
  QWidget* place = buildPlace();
  form->addRow(before(folder_, tr("&Folder")), place);
  QWidget* processors = buildProcessors();
  form->addRow(before(processors_, tr("&Processor")), processors);
  QWidget* loops = buildLoops();
  form->addRow(before(cores_, tr("&Cores")), loops);
  form->addRow(QString(), buildWishes());
  onnxRuntime_ = new QCheckBox(tr("An operator of &ONNX Runtime, too"), this);
  onnxRuntime_->setToolTip(tr("Also writes the ONNX file anew, so that ONNX Runtime calls the "
                              "library for all that is between its inputs and outputs."));
  form->addRow(QString(), onnxRuntime_);
  connect(subject_, &QComboBox::currentIndexChanged, this, &DeployForm::followSubject);
  connect(name_, &QLineEdit::textEdited, this, [this] { isNameOurs_ = false; });
  connect(name_, &QLineEdit::textChanged, this, &DeployForm::followName);
  connect(folder_, &QLineEdit::textEdited, this, [this] { isFolderOurs_ = false; });
  connect(folder_, &QLineEdit::textChanged, this, &DeployForm::lookAtFolder);
  connect(threads_, &QComboBox::currentIndexChanged, this, &DeployForm::tell);
  connect(processors_, &ProcessorChoice::changed, this, &DeployForm::tell);
  for (QSpinBox* box : {cores_, least_})
    connect(box, &QSpinBox::valueChanged, this, &DeployForm::tell);
  for (QCheckBox* box : {replace_, embed_, onnxRuntime_, naive_})
    connect(box, &QCheckBox::toggled, this, &DeployForm::tell);
  tell();
}

QWidget* DeployForm::buildPlace() {
  folder_ = new QLineEdit(this);
  folder_->setAccessibleName(tr("Folder"));
  folder_->setToolTip(tr("The folder that is written: a new one, whole or not at all."));
  auto* browse = new QPushButton(tr("Browse …"), this);
  browse->setToolTip(tr("Chooses where the new folder is made."));
  replace_ = new QCheckBox(tr("&Replace the library that is there"), this);
  replace_->setToolTip(tr("Only a folder that was deployed before is replaced, once the new one is "
                          "complete."));
  folderProblem_ = problemLabel(this);
  connect(browse, &QPushButton::clicked, this, &DeployForm::browse);
  QWidget* place = over(rowOf({folder_, browse}), folderProblem_, this);
  place->layout()->addWidget(replace_);
  return place;
}

QWidget* DeployForm::buildProcessors() {
  processors_ = new ProcessorChoice(this);
  processorProblem_ = problemLabel(this);
  return over(rowOf({processors_}), processorProblem_, this);
}

QWidget* DeployForm::buildLoops() {
  cores_ = numberBox(this, 0, kMostCores, 0, tr("Cores"),
                     tr("How many threads the programs were tuned for: their records are taken."));
  cores_->setSpecialValueText(tr("all"));
  QStringList threadings;
  for (const std::string& name : threadingNames())
    threadings.append(threadingText(threadingFromName(name)));
  threads_ = choiceBox(this, threadings, tr("Loops run by"),
                       tr("Who runs the parallel loops: libgomp, the caller's one thread, or the "
                          "application, which gives a function for that."));
  threads_->setCurrentIndex(int(DeployOptions().threading));
  auto* row = rowOf({cores_, before(threads_, tr("Loops run &by")), threads_});
  row->addStretch();
  auto* loops = new QWidget(this);
  loops->setLayout(row);
  return loops;
}

QWidget* DeployForm::buildWishes() {
  embed_ = new QCheckBox(tr("Constants &inside the library"), this);
  embed_->setToolTip(tr("A network's constants are part of the library, in place of a file beside "
                        "it that is mapped."));
  naive_ = new QCheckBox(tr("&Untuned programs too, with at least"), this);
  naive_->setToolTip(tr("Tasks without a record of this target are shipped with a program that "
                        "nobody tuned. Otherwise every task has to be tuned."));
  least_ = numberBox(this, 0, 100, 0, tr("Least tuned"),
                     tr("So many of the searched tasks have to be tuned for this target."));
  least_->setSuffix(tr(" %"));
  auto* row = rowOf({embed_, naive_, least_, before(least_, tr("&tuned"))});
  row->setSpacing(6);
  row->insertSpacing(1, 12);
  row->addStretch();
  auto* wishes = new QWidget(this);
  wishes->setLayout(row);
  return wishes;
}

void DeployForm::setSubjects(std::vector<TunedSubject> subjects, const std::string& chosen) {
  subjects_ = std::move(subjects);
  {
    const QSignalBlocker quiet(subject_);
    subject_->clear();
    for (const TunedSubject& subject : subjects_)
      subject_->addItem(namesGpu(subject.target)
                            ? tr("%1, for a GPU (%2)").arg(qs(subject.spec), qs(subject.target))
                            : qs(subject.spec));
    const auto wanted = std::ranges::find(subjects_, chosen, &TunedSubject::spec);
    subject_->setCurrentIndex(wanted != subjects_.end() ? int(wanted - subjects_.begin())
                              : subjects_.empty()       ? -1
                                                        : 0);
  }
  followSubject();
}

const TunedSubject* DeployForm::subject() const {
  const auto at = static_cast<std::size_t>(subject_->currentIndex());
  return at < subjects_.size() ? &subjects_[at] : nullptr;
}

bool DeployForm::isForGpu() const {
  return subject() && namesGpu(subject()->target);
}

void DeployForm::followSubject() {
  if (!subject()) return tell();
  processors_->choose({subject()->instructionSet});
  cores_->setValue(subject()->cores);
  if (isNameOurs_) name_->setText(qs(subject()->name));
  tell();
}

void DeployForm::followName() {
  if (isFolderOurs_ && nameProblem().isEmpty())
    folder_->setText(freeName(QDir(Settings::folder()).filePath(name_->text()), {}));
  tell();
}

void DeployForm::browse() {
  const QString in =
      QFileDialog::getExistingDirectory(this, tr("Make the Folder In"), Settings::folder());
  if (in.isEmpty()) return;
  isFolderOurs_ = false;
  folder_->setText(QDir(in).filePath(name_->text()));
}

QString DeployForm::folder() const {
  const QString text = folder_->text().trimmed();
  return text.isEmpty() ? text : QDir::cleanPath(QFileInfo(text).absoluteFilePath());
}

DeployWish DeployForm::wish() const {
  DeployWish wish;
  if (subject()) wish.subject = subject()->spec, wish.target = subject()->target;
  wish.folder = folder().toStdString();
  wish.options.name = name_->text().toStdString();
  if (!isForGpu()) { // whose threads run all loops
    wish.options.instructionSets = processors_->chosen();
    wish.options.threading = static_cast<Threading>(threads_->currentIndex());
    wish.cores = cores_->value();
  }
  wish.options.embed = embed_->isChecked();
  wish.options.onnxRuntime = whyNotOnnx().isEmpty() && onnxRuntime_->isChecked();
  wish.options.allowNaive = naive_->isChecked();
  if (naive_->isChecked() && least_->value() > 0)
    wish.options.requireTuned = least_->value() / 100.0;
  wish.force = taken_ == PlaceTaken::Library && replace_->isChecked();
  return wish;
}

QString DeployForm::whyNotOnnx() const {
  if (isForGpu()) return tr("An operator of ONNX Runtime is code for processors.");
  if (!subject() || !isOnnxFile(subject()->spec))
    return tr("Only a whole ONNX file can be rewritten for ONNX Runtime.");
  return {};
}

QString DeployForm::nameProblem() const {
  const std::string problem = identifierProblem(name_->text().toStdString());
  return problem.empty() ? QString() : sentenceOf(problem);
}

QString DeployForm::folderProblem() const {
  const QString wanted = folder();
  if (wanted.isEmpty()) return tr("Name the folder to write.");
  if (taken_ == PlaceTaken::Other)
    return tr("%1 is there already and is no library of deploy's: it is never replaced. Name "
              "another folder.")
        .arg(wanted);
  if (taken_ == PlaceTaken::Library && !replace_->isChecked())
    return tr("A library is there already. Replace it, or name another folder.");
  const QFileInfo above(QFileInfo(wanted).absolutePath());
  if (!above.isDir()) return tr("There is no folder %1.").arg(above.filePath());
  if (!above.isWritable()) return tr("No folder can be made in %1.").arg(above.filePath());
  return {};
}

QString DeployForm::processorProblem() const {
  return !isForGpu() && processors_->chosen().empty() ? tr("Choose at least one processor.")
                                                      : QString();
}

QString DeployForm::problem() const {
  for (const QString& one : {nameProblem(), folderProblem(), processorProblem()})
    if (!one.isEmpty()) return one;
  return {};
}

void DeployForm::lookAtFolder() {
  const QString wanted = folder();
  taken_ = wanted.isEmpty() ? PlaceTaken::Free : placeTaken(wanted.toStdString());
  tell();
}

void DeployForm::tell() {
  sayOrHide(nameProblem_, nameProblem());
  sayOrHide(folderProblem_, folderProblem());
  sayOrHide(processorProblem_, processorProblem());
  replace_->setVisible(taken_ == PlaceTaken::Library);
  const QString ofGpu = isForGpu() ? tr("The library is for a GPU.") : QString();
  for (QWidget* ofProcessors : std::initializer_list<QWidget*>{processors_, cores_, threads_})
    enableUnless(ofProcessors, ofGpu);
  enableUnless(onnxRuntime_, whyNotOnnx());
  enableUnless(least_, naive_->isChecked() ? QString() : tr("Every task has to be tuned."));
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_deploy_form.cpp"
