#include "ui/window/new_session/machine_form.h"

#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/sentences.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace nestwright::ui {
namespace {

constexpr const char* kRecorded = "recorded:";

} // namespace

MachineForm::MachineForm(QWidget* parent) : SearchPart(parent) {
  machine_ =
      narrowChoiceBox(this, tr("Machine"),
                      tr("Who measures. A recorded file answers in the machine's place, thousands "
                         "of programs a second: for lessons, demonstrations and statistics. What "
                         "it gives never counts as measured."));
  machine_->addItem(tr("this one"), QString());
  machine_->addItem(tr("a recorded file"), qs(kRecorded));
  setToolTip(machine_->toolTip());
  file_ = new QLineEdit(this);
  file_->setAccessibleName(tr("Recorded file"));
  file_->setPlaceholderText(tr("recorded.nwdb"));
  file_->setToolTip(tr("The document whose records answer. It stays where it is as long as the "
                       "session goes on."));
  browse_ = new QPushButton(tr("Browse …"), this);
  browse_->setToolTip(tr("Chooses the document whose records answer."));
  row()->addWidget(machine_, 1);
  row()->addWidget(file_, 2);
  row()->addWidget(browse_);
  setFocusProxy(machine_);
  connect(machine_, &QComboBox::currentIndexChanged, this, &MachineForm::offerFile);
  connect(machine_, &QComboBox::currentIndexChanged, this, &MachineForm::edited);
  connect(file_, &QLineEdit::textChanged, this, &MachineForm::edited);
  connect(browse_, &QPushButton::clicked, this, &MachineForm::chooseFile);
  offerFile();
}

bool MachineForm::isRecorded() const {
  return machine_->currentData().toString() == QLatin1String(kRecorded);
}

QString MachineForm::path() const {
  return file_->text().trimmed();
}

void MachineForm::show(const SessionConfig& config) {
  const QSignalBlocker quiet(this);
  machine_->setCurrentIndex(machine_->findData(config.machine.empty() ? QString() : qs(kRecorded)));
  if (config.machine.empty()) return;
  // What is no recorded file stays as it is written, and is said to be none.
  QString file = qs(config.machine);
  if (file.startsWith(QLatin1String(kRecorded))) file = file.section(QLatin1Char(':'), 1);
  file_->setText(file);
}

void MachineForm::read(SessionConfig& config) const {
  config.machine = isRecorded() ? kRecorded + path().toStdString() : std::string();
}

QString MachineForm::problem(const std::optional<SearchSurvey>& survey) const {
  if (!isRecorded()) return {};
  if (path().isEmpty()) return tr("Choose the document whose records answer.");
  if (QString unread = fileProblem(path()); !unread.isEmpty()) return unread;
  return survey ? qs(survey->machineProblem) : QString();
}

QString MachineForm::found(const SearchSurvey& /*survey*/) const {
  return {};
}

void MachineForm::offerFile() {
  file_->setVisible(isRecorded());
  browse_->setVisible(isRecorded());
}

void MachineForm::chooseFile() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Recorded Machine"), Settings::folder(),
                                   tr("Nestwright documents (*.nwdb);;All files (*)"));
  if (!file.isEmpty()) file_->setText(file);
}

} // namespace nestwright::ui

#include "moc_machine_form.cpp"
