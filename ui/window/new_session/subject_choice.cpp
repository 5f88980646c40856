#include "ui/window/new_session/subject_choice.h"

#include "core/session/insight/subject_preview.h"
#include "core/support/command_words.h"
#include "core/support/error.h"
#include "core/support/text.h"
#include "ui/document/dropped_files.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/preview_form.h"
#include "ui/window/new_session/sentences.h"
#include "ui/window/new_session/subgraph_form.h"
#include "ui/window/new_session/subject_form.h"

#include <QButtonGroup>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

/// The part before the parameters.
QString nameOf(const QString& subject) {
  return subject.section(QLatin1Char(':'), 0, 0);
}

/// Quotes keep the blanks of a path. While one is open it is a letter like any other.
QStringList wordsOf(const QLineEdit* line) {
  QStringList words;
  try {
    for (const std::string& word : commandWords(line->text().toStdString(), "session"))
      words.append(qs(word));
  } catch (const UsageError&) {
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    words = line->text().split(spaces, Qt::SkipEmptyParts);
  }
  return words;
}

} // namespace

bool isModelFile(const QString& path) {
  return path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
         path.endsWith(QLatin1String(".dag"), Qt::CaseInsensitive);
}

QString droppedModel(const QMimeData* data) {
  const QStringList files = droppedFiles(data);
  return files.size() == 1 && isModelFile(files.first()) ? files.first() : QString();
}

SubjectChoice::SubjectChoice(Catalogue catalogue, QWidget* parent)
    : QGroupBox(tr("What to tune"), parent), catalogue_(std::move(catalogue)) {
  // Tab goes through the fields in the order in which they are made.
  kinds_[Network] = new QRadioButton(tr("&Network"), this);
  kinds_[File] = new QRadioButton(tr("&File"), this);
  kinds_[Operator] = new QRadioButton(tr("&Operator"), this);
  kinds_[Network]->setToolTip(tr("A network that comes with the workbench."));
  kinds_[File]->setToolTip(
      tr("An ONNX model, or an operator written as a compute DAG. You can also "
         "drop the file here."));
  kinds_[Operator]->setToolTip(tr("A single operator with the shapes you choose."));
  auto* group = new QButtonGroup(this);
  auto* row = new QHBoxLayout;
  for (QRadioButton* kind : kinds_) {
    group->addButton(kind);
    row->addWidget(kind);
  }
  row->addStretch();
  network_ = new SubjectForm(catalogue_.networks, tr("Network"), this);
  operator_ = new SubjectForm(catalogue_.operators, tr("Operator"), this);
  pages_ = {network_, buildFilePage(), operator_};
  problem_ = problemLabel(this);
  further_ = new QLineEdit(this);
  further_->setPlaceholderText(tr("further networks, separated by spaces: bert_base mobilenet_v2"));
  further_->setAccessibleName(tr("Together with"));
  further_->setToolTip(tr("Networks, files or operators, written as on the command line, that the "
                          "same session tunes. A task that two of them share is tuned once."));
  auto* label = new QLabel(tr("Together &with"), this);
  label->setBuddy(further_);
  auto* together = new QHBoxLayout;
  together->addWidget(label);
  together->addWidget(further_, 1);
  subgraphs_ = new SubgraphForm(this);
  preview_ = new PreviewForm(this);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  for (QWidget* page : pages_)
    layout->addWidget(page);
  layout->addLayout(together);
  layout->addWidget(problem_);
  layout->addWidget(subgraphs_);
  layout->addWidget(preview_);
  setKind(Network);
  connect(further_, &QLineEdit::textChanged, this, &SubjectChoice::changed);
  for (const Kind kind : {Network, File, Operator})
    connect(kinds_[kind], &QRadioButton::toggled, this, [this, kind](bool on) {
      if (on) setKind(kind);
    });
  for (SubjectForm* form : {network_, operator_})
    connect(form, &SubjectForm::changed, this, &SubjectChoice::changed);
  connect(preview_, &PreviewForm::changed, this, &SubjectChoice::offerSubgraphs);
  connect(subgraphs_, &SubgraphForm::filesWritten, this,
          [this](const std::vector<std::string>& files) {
            std::vector<std::string> all = files;
            for (const QString& further : wordsOf(further_))
              all.push_back(further.toStdString());
            setSubjects(all);
          });
}

QWidget* SubjectChoice::buildFilePage() {
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
  keepTextColour(hint, &Colours::dim);
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
  connect(model_, &QLineEdit::textChanged, this, &SubjectChoice::changed);
  return page;
}

void SubjectChoice::setKind(Kind kind) {
  kinds_[kind]->setChecked(true);
  // A stack of widgets would always be as tall as its tallest page.
  for (std::size_t i = 0; i < pages_.size(); ++i)
    pages_[i]->setVisible(i == kind);
  Q_EMIT changed();
}

SubjectChoice::Kind SubjectChoice::kind() const {
  return kinds_[File]->isChecked() ? File : kinds_[Operator]->isChecked() ? Operator : Network;
}

QString SubjectChoice::subject() const {
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

std::vector<std::string> SubjectChoice::subjects() const {
  std::vector<std::string> subjects{subject().toStdString()};
  for (const QString& text : wordsOf(further_))
    subjects.push_back(text.toStdString());
  return subjects;
}

void SubjectChoice::setSubjects(const std::vector<std::string>& subjects) {
  QStringList texts;
  for (const std::string& subject : subjects)
    texts.append(texts.isEmpty() ? qs(subject) : qs(shellWord(subject)));
  if (!texts.isEmpty()) setSubject(texts.takeFirst());
  further_->setText(texts.join(QLatin1Char(' ')));
}

void SubjectChoice::setSubject(const QString& subject) {
  const QString name = nameOf(subject);
  if (isModelFile(name)) {
    setKind(File);
    model_->setText(subject);
    return;
  }
  const bool isOperator = std::any_of(catalogue_.operators.begin(), catalogue_.operators.end(),
                                      [&](const Subject& known) { return qs(known.name) == name; });
  setKind(isOperator ? Operator : Network);
  (isOperator ? operator_ : network_)->setText(subject);
}

QString SubjectChoice::documentName() const {
  QString name = kind() == File ? QFileInfo(subject()).completeBaseName() : nameOf(subject());
  for (const QString& more : wordsOf(further_))
    name += QLatin1Char('+') + QFileInfo(nameOf(more)).completeBaseName();
  return name;
}

void SubjectChoice::look(PreviewWish wish) {
  if (fieldsProblem().isEmpty())
    wish.subjects = subjects();
  else
    wish = {};
  preview_->setWish(wish);
  sayOrHide(problem_, problem());
}

void SubjectChoice::offerSubgraphs() {
  const std::optional<SubjectPreview>& known = preview_->preview();
  const bool isPartly = kind() == File && fieldsProblem().isEmpty() && known &&
                        known->unsupportedIn == subject().toStdString();
  subgraphs_->setModel(isPartly ? subject() : QString());
}

QString SubjectChoice::problem() const {
  const QString mistake = fieldsProblem();
  return mistake.isEmpty() ? preview_->problem() : mistake;
}

TaskCount SubjectChoice::count() const {
  if (!fieldsProblem().isEmpty()) return {};
  const std::optional<SubjectPreview>& known = preview_->preview();
  if (known && known->problem.empty()) return {known->tasks.size(), known->secondsPerTrial};
  // An operator is a task, which nobody has to look for.
  if (kind() == Operator && wordsOf(further_).isEmpty()) return {1, 0};
  return {};
}

QString SubjectChoice::subjectProblem() const {
  const QString text = subject();
  if (kind() != File) return catalogue_.problem(text.toStdString());
  if (text.isEmpty()) return tr("Choose an ONNX model or a compute DAG.");
  // The text behind a colon sets dimensions, unless it is part of the path.
  const QString file = QFileInfo::exists(text) ? text : text.section(QLatin1Char(':'), 0, -2);
  return fileProblem(file.isEmpty() ? text : file);
}

QString SubjectChoice::furtherProblem() const {
  QStringList seen{subject()};
  for (const QString& text : wordsOf(further_)) {
    if (seen.contains(text)) return tr("%1 is named twice.").arg(text);
    seen.append(text);
    const QString file = nameOf(text);
    if (isModelFile(file)) {
      if (!QFileInfo(file).isReadable()) return tr("%1 cannot be read.").arg(file);
    } else if (QString problem = catalogue_.problem(text.toStdString()); !problem.isEmpty()) {
      return problem;
    }
  }
  return {};
}

QString SubjectChoice::fieldsProblem() const {
  const QString problem = subjectProblem();
  return problem.isEmpty() ? furtherProblem() : problem;
}

} // namespace nestwright::ui

#include "moc_subject_choice.cpp"
