#include "ui/window/new_session/seeds_form.h"

#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/sentences.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace nestwright::ui {
namespace {

/// How many are measured first, and which cannot be taken.
QString seedsText(const SessionSeeds& seeds) {
  QStringList leftOut;
  for (const std::string& line : unusableText(seeds))
    leftOut.append(SeedsForm::tr("Left out: %1.").arg(qs(line)));
  return (QStringList{countedText(std::int64_t(seeds.count()),
                                  SeedsForm::tr("One seed is measured first."),
                                  SeedsForm::tr("%1 seeds are measured first."))} +
          firstOf(leftOut))
      .join(QLatin1Char('\n'));
}

} // namespace

SeedsForm::SeedsForm(QWidget* parent) : SearchPart(parent), file_(new QLineEdit(this)) {
  file_->setAccessibleName(tr("Seeds"));
  file_->setPlaceholderText(tr("none"));
  file_->setToolTip(tr("A file with programs that are measured before any others, as the travel "
                       "map writes it. Those of other tasks, and those that are illegal on the "
                       "target, are left out."));
  setToolTip(file_->toolTip());
  auto* browse = new QPushButton(tr("Browse …"), this);
  browse->setToolTip(tr("Chooses a file with seeds."));
  browse->setAccessibleName(tr("Browse for seeds"));
  row()->addWidget(file_, 1);
  row()->addWidget(browse);
  setFocusProxy(file_);
  connect(file_, &QLineEdit::textChanged, this, &SeedsForm::edited);
  connect(browse, &QPushButton::clicked, this, &SeedsForm::chooseFile);
}

QString SeedsForm::path() const {
  return file_->text().trimmed();
}

void SeedsForm::show(const SessionConfig& config) {
  const QSignalBlocker quiet(this);
  file_->setText(qs(config.seeds));
}

void SeedsForm::read(SessionConfig& config) const {
  config.seeds = path().toStdString();
}

QString SeedsForm::problem(const std::optional<SearchSurvey>& survey) const {
  if (path().isEmpty()) return {};
  if (QString unread = fileProblem(path()); !unread.isEmpty() || !survey) return unread;
  // Without a machine nobody knows what is legal there.
  const std::string& problem =
      survey->machineProblem.empty() ? survey->seedsProblem : survey->machineProblem;
  return problem.empty() ? QString() : sentenceOf(problem);
}

QString SeedsForm::found(const SearchSurvey& survey) const {
  return path().isEmpty() ? QString() : seedsText(survey.seeds);
}

void SeedsForm::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Seeds"), Settings::folder(),
                                                    tr("Seeds (*.json);;All files (*)"));
  if (!file.isEmpty()) file_->setText(file);
}

} // namespace nestwright::ui

#include "moc_seeds_form.cpp"
