#include "ui/window/new_session/history_form.h"

#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/sentences.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace nestwright::ui {
namespace {

constexpr char kBetweenFiles = ';';

/// What is taught of which tasks.
QString taughtText(const HistorySurvey& history) {
  QStringList lines;
  for (const TaughtTask& of : history.tasks)
    lines.append(
        (of.isEnough()
             ? countedText(of.records,
                           HistoryForm::tr("%1 (%2) begins with a record of another task."),
                           HistoryForm::tr("%3 (%4) begins with %1 records of other tasks."))
             : countedText(of.records,
                           HistoryForm::tr("%1 (%2) begins without: there is one record "
                                           "for it, too few."),
                           HistoryForm::tr("%3 (%4) begins without: there are %1 records "
                                           "for it, too few.")))
            .arg(qs(of.task), qs(of.searched)));
  return firstOf(lines).join(QLatin1Char('\n'));
}

} // namespace

HistoryForm::HistoryForm(QWidget* parent)
    : SearchPart(parent), files_(new QLineEdit(this)),
      browse_(new QPushButton(tr("Browse …"), this)) {
  files_->setAccessibleName(tr("History"));
  files_->setPlaceholderText(tr("none"));
  files_->setToolTip(
      tr("Documents with measurements of other tasks by the same templates, on this target: the "
         "cost model autotvm learns from them before the session begins, and plans from the "
         "beginning. At least %1 of them; several files are separated by semicolons.")
          .arg(kLeastHistory));
  setToolTip(files_->toolTip());
  browse_->setToolTip(tr("Adds documents to learn from."));
  browse_->setAccessibleName(tr("Browse for a history"));
  row()->addWidget(files_, 1);
  row()->addWidget(browse_);
  setFocusProxy(files_);
  connect(files_, &QLineEdit::textChanged, this, &HistoryForm::edited);
  connect(browse_, &QPushButton::clicked, this, &HistoryForm::chooseFiles);
}

QStringList HistoryForm::files() const {
  QStringList files;
  for (const QString& file : files_->text().split(QLatin1Char(kBetweenFiles)))
    if (const QString name = file.trimmed(); !name.isEmpty()) files.append(name);
  return files;
}

void HistoryForm::show(const SessionConfig& config) {
  const QSignalBlocker quiet(this);
  QStringList files;
  for (const std::string& file : config.history)
    files.append(qs(file));
  files_->setText(files.join(QLatin1Char(kBetweenFiles)));
}

void HistoryForm::read(SessionConfig& config) const {
  config.history.clear();
  for (const QString& file : files())
    config.history.push_back(file.toStdString());
}

QString HistoryForm::problem(const std::optional<SearchSurvey>& survey) const {
  const QStringList all = files();
  for (const QString& file : all)
    if (QString unread = fileProblem(file); !unread.isEmpty()) return unread;
  return all.isEmpty() || !survey || survey->historyProblem.empty()
             ? QString()
             : sentenceOf(survey->historyProblem);
}

void HistoryForm::offer(bool isAsked) {
  const bool isThere = !files().isEmpty();
  const QString unasked = isAsked || isThere
                              ? QString()
                              : tr("A history goes with templates and a policy that learns.");
  for (QWidget* field : std::initializer_list<QWidget*>{files_, browse_})
    enableUnless(field, unasked);
}

QString HistoryForm::found(const SearchSurvey& survey) const {
  return files().isEmpty() ? QString() : taughtText(survey.history);
}

void HistoryForm::chooseFiles() {
  const QStringList chosen =
      QFileDialog::getOpenFileNames(this, tr("Documents to Learn From"), Settings::folder(),
                                    tr("Nestwright documents (*.nwdb);;All files (*)"));
  if (!chosen.isEmpty()) files_->setText((files() + chosen).join(QLatin1Char(kBetweenFiles)));
}

} // namespace nestwright::ui

#include "moc_history_form.cpp"
