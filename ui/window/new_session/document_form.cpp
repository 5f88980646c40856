#include "ui/window/new_session/document_form.h"

#include "ui/document/free_name.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/window/new_session/sentences.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::ui {

DocumentForm::DocumentForm(QWidget* parent)
    : QGroupBox(tr("Document"), parent), path_(new QLineEdit(this)) {
  path_->setAccessibleName(tr("File to save to"));
  path_->setToolTip(tr("The document that the session and its records are kept in."));
  auto* browse = new QPushButton(tr("Save To …"), this);
  browse->setToolTip(tr("Chooses the document: a new file, or one that has sessions already."));
  problem_ = problemLabel(this);
  note_ = new QLabel(this);
  note_->setWordWrap(true);
  keepTextColour(note_, &Colours::dim);
  auto* row = new QHBoxLayout;
  row->addWidget(path_, 1);
  row->addWidget(browse);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  layout->addWidget(note_);
  layout->addWidget(problem_);
  connect(path_, &QLineEdit::textEdited, this, [this] { isOurs_ = false; });
  connect(path_, &QLineEdit::textChanged, this, &DocumentForm::changed);
  connect(browse, &QPushButton::clicked, this, &DocumentForm::browse);
}

void DocumentForm::browse() {
  QString file = QFileDialog::getSaveFileName(this, tr("Save Document"), path_->text(),
                                              tr("Nestwright documents (*.nwdb)"), nullptr,
                                              QFileDialog::DontConfirmOverwrite);
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".nwdb");
  setPath(file);
}

QString DocumentForm::path() const {
  return path_->text().trimmed();
}

void DocumentForm::setPath(const QString& path) {
  isOurs_ = false;
  path_->setText(path);
}

void DocumentForm::suggest(const QString& name) {
  if (!isOurs_) return;
  const QString stem = name.isEmpty() ? tr("session") : name;
  path_->setText(freeName(QDir(Settings::folder()).filePath(stem), QStringLiteral(".nwdb")));
}

QString DocumentForm::problem() const {
  const QString text = path();
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

void DocumentForm::tell() {
  const QString mistake = problem();
  sayOrHide(problem_, mistake);
  note_->setText(QFileInfo::exists(path_->text())
                     ? tr("The file exists; the session is added to it, nothing in it is lost.")
                     : tr("A new document; every measurement is saved as it is made."));
  note_->setVisible(mistake.isEmpty());
}

} // namespace nestwright::ui

#include "moc_document_form.cpp"
