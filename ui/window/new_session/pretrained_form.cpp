#include "ui/window/new_session/pretrained_form.h"

#include "core/session/run/pretrained/model_named.h"
#include "core/session/run/pretrained/model_update.h"
#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/sentences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace nestwright::ui {

PretrainedForm::PretrainedForm(QWidget* parent) : SearchPart(parent) {
  file_ = narrowChoiceBox(
      this, tr("Trained model"),
      tr("The file of a trained cost model, as the page Training writes it, or a session that "
         "learned one, as old.nwdb#2. It scores from the first round on, so there is no warm-up; "
         "and it says itself which cost model it is and what it reads. The session keeps a "
         "copy."));
  file_->setEditable(true);
  file_->setInsertPolicy(QComboBox::NoInsert);
  file_->addItems(Settings::recentModels());
  file_->setCurrentIndex(-1);
  file_->lineEdit()->setPlaceholderText(tr("none"));
  file_->lineEdit()->setAccessibleName(file_->accessibleName());
  browse_ = new QPushButton(tr("Browse …"), this);
  browse_->setToolTip(tr("Chooses the file of a trained model."));
  browse_->setAccessibleName(tr("Browse for a trained model"));
  update_ = choiceBox(this, {}, tr("Update of the trained model"),
                      tr("What becomes of the trained model in this session. Its entries say what "
                         "they do."));
  const QString words[] = {tr("none"), tr("local"), tr("fine-tune"), tr("retrain")};
  for (const std::string& name : modelUpdateNames()) {
    const auto at = static_cast<std::size_t>(update_->count());
    update_->addItem(at < std::size(words) ? words[at] : qs(name), qs(name));
    update_->setItemData(update_->count() - 1, qs(purpose(*modelUpdateFromName(name))),
                         Qt::ToolTipRole);
  }
  perTask_ = new QCheckBox(tr("one a task"), this);
  perTask_->setToolTip(tr("A difference model for each task, in place of one for all: it learns "
                          "what is special about a task, and later, for each has to have records "
                          "of its own. Goes with the update local."));
  auto* label = new QLabel(tr("Upd&ate"), this);
  label->setBuddy(update_);
  label->setToolTip(update_->toolTip());
  row()->addWidget(file_, 1);
  for (QWidget* field : std::initializer_list<QWidget*>{browse_, label, update_, perTask_})
    row()->addWidget(field);
  setToolTip(file_->toolTip());
  setFocusProxy(file_);
  connect(file_, &QComboBox::editTextChanged, this, &PretrainedForm::edited);
  connect(update_, &QComboBox::currentIndexChanged, this, &PretrainedForm::edited);
  connect(perTask_, &QCheckBox::toggled, this, &PretrainedForm::edited);
  connect(browse_, &QPushButton::clicked, this, &PretrainedForm::chooseFile);
}

QString PretrainedForm::path() const {
  return file_->currentText().trimmed();
}

void PretrainedForm::show(const SessionConfig& config) {
  const QSignalBlocker quiet(this);
  file_->setEditText(qs(config.pretrained));
  update_->setCurrentIndex(update_->findData(qs(config.update)));
  perTask_->setChecked(config.localPerTask);
}

void PretrainedForm::read(SessionConfig& config) const {
  config.pretrained = path().toStdString();
  if (update_->currentIndex() >= 0) config.update = update_->currentData().toString().toStdString();
  config.localPerTask = perTask_->isChecked() && !config.pretrained.empty() &&
                        config.update == name(ModelUpdate::Local);
}

QString PretrainedForm::problem(const std::optional<SearchSurvey>& survey) const {
  if (path().isEmpty()) return {};
  if (QString unread = fileProblem(qs(fileNamed(path().toStdString()))); !unread.isEmpty())
    return unread;
  return survey && !survey->pretrainedProblem.empty() ? sentenceOf(survey->pretrainedProblem)
                                                      : QString();
}

void PretrainedForm::offer(bool isAsked) {
  const bool isThere = !path().isEmpty();
  const QString unasked =
      isAsked || isThere ? QString()
                         : tr("A trained model goes with sketches and a policy that asks one.");
  const QString absent = isThere ? QString() : tr("No trained model is chosen.");
  for (QWidget* field : std::initializer_list<QWidget*>{file_, browse_})
    enableUnless(field, unasked);
  enableUnless(update_, absent);
  const bool local = update_->currentData().toString() == name(ModelUpdate::Local);
  enableUnless(perTask_,
               isThere && !local ? tr("Only the update “local” has a model a task.") : absent);
}

QString PretrainedForm::found(const SearchSurvey& survey) const {
  return survey.knowledge ? sentenceOf(sentence(*survey.knowledge)) : QString();
}

void PretrainedForm::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Trained Model"), Settings::folder(),
                                                    tr("Trained models (*.nwm);;All files (*)"));
  if (!file.isEmpty()) file_->setEditText(file);
}

} // namespace nestwright::ui

#include "moc_pretrained_form.cpp"
