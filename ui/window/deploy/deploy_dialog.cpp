#include "ui/window/deploy/deploy_dialog.h"

#include "core/deploy/tuned_subjects.h"
#include "core/record/store/store.h"
#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/window/deploy/deploy_contents.h"
#include "ui/window/deploy/deploy_form.h"
#include "ui/window/deploy/deployed_page.h"
#include "ui/window/new_session/sentences.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {
namespace {

QString doingText(const DeployProgress& progress) {
  switch (progress.stage) {
  case DeployStage::Plan:
    return DeployDialog::tr("Choosing the programs …");
  case DeployStage::Compile:
    return DeployDialog::tr("Compiling kernel %1 of %2 …")
        .arg(progress.begun + 1)
        .arg(progress.all);
  case DeployStage::Constants:
    return DeployDialog::tr("Packing the constants …");
  case DeployStage::Link:
    break;
  }
  return DeployDialog::tr("Linking …");
}

} // namespace

DeployDialog::DeployDialog(std::string database, std::string chosen, QWidget* parent, Maker maker)
    : QDialog(parent), database_(std::move(database)), maker_(std::move(maker)),
      form_(new DeployForm(this)), contents_(new DeployContents(this)),
      result_(new DeployedPage(this)), choice_(new QWidget(this)),
      pages_(new QStackedWidget(this)) {
  setWindowTitle(tr("Deploy"));
  auto* what = sentenceLabel(this);
  what->setText(
      tr("Writes a library that needs neither Nestwright nor LLVM: for C, C++, NumPy and PyTorch, "
         "with the programs that were tuned. It may be used under any terms."));
  auto* choice = new QVBoxLayout(choice_);
  choice->setContentsMargins({});
  choice->setSpacing(12);
  choice->addWidget(what);
  choice->addWidget(form_);
  choice->addWidget(contents_, 1);
  pages_->addWidget(choice_);
  pages_->addWidget(result_);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(12);
  layout->addWidget(pages_, 1);
  buildBottom(layout);
  connect(form_, &DeployForm::changed, this, [this] {
    ended_.clear();
    follow();
  });
  connect(contents_, &DeployContents::changed, this, &DeployDialog::tell);
  connect(&making_, &Background::progress, this, [this](const QString& doing) {
    if (stop_ && !*stop_) doing_->setText(doing);
  });
  resize(fontMetrics().averageCharWidth() * 140, fontMetrics().height() * 50);
  lookUp(std::move(chosen));
  setMaking(false);
}

/// What of the document can be deployed.
void DeployDialog::lookUp(std::string chosen) {
  if (database_.empty()) {
    nothing_ = tr("No document is open.");
    return;
  }
  isLooking_ = true;
  looking_.ask<std::vector<TunedSubject>>(
      [file = database_](const Job&) {
        return tunedSubjects(RecordStore::open(file, OpenMode::ReadOnly));
      },
      [this, chosen = std::move(chosen)](std::vector<TunedSubject> subjects) {
        offer(std::move(subjects), chosen);
      },
      [this](const QString& why) {
        isLooking_ = false;
        nothing_ = why;
        setMaking(false);
      });
}

void DeployDialog::buildBottom(QLayout* layout) {
  said_ = problemLabel(this);
  doing_ = new QLabel(this);
  busy_ = busyBar(this, tr("Progress"), tr("The library is being made."));
  auto* buttons = new QDialogButtonBox(this);
  another_ = buttons->addButton(tr("Deploy Another"), QDialogButtonBox::ResetRole);
  another_->setToolTip(tr("Back to what is to be deployed."));
  deploy_ = buttons->addButton(tr("Deploy"), QDialogButtonBox::AcceptRole);
  deploy_->setToolTip(tr("Compiles the programs, and writes the folder."));
  deploy_->setDefault(true);
  cancel_ = buttons->addButton(QDialogButtonBox::Cancel);
  close_ = buttons->addButton(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::accepted, this, &DeployDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &DeployDialog::reject);
  connect(another_, &QPushButton::clicked, this, [this] { showResult(false); });
  auto* bottom = new QWidget(this);
  auto* row = new QHBoxLayout(bottom);
  row->setContentsMargins({});
  row->addWidget(busy_);
  row->addWidget(doing_, 1);
  row->addWidget(buttons);
  layout->addWidget(said_);
  layout->addWidget(bottom);
  sayOrHide(said_, {});
  another_->hide();
  close_->hide();
}

void DeployDialog::offer(std::vector<TunedSubject> subjects, const std::string& chosen) {
  isLooking_ = false;
  if (subjects.empty())
    nothing_ = tr("No session of this document tuned a network or an operator.");
  setMaking(false);
  form_->setSubjects(std::move(subjects), chosen);
}

DeployWish DeployDialog::wish() const {
  DeployWish wish = form_->wish();
  wish.database = database_;
  return wish;
}

QString DeployDialog::problem() const {
  if (isLooking_) return tr("What can be deployed is being looked up.");
  if (!nothing_.isEmpty()) return nothing_;
  const QString mistake = form_->problem();
  return mistake.isEmpty() ? contents_->problem() : mistake;
}

void DeployDialog::follow() {
  contents_->setWish(nothing_.isEmpty() ? wish() : DeployWish());
  tell();
}

void DeployDialog::tell() {
  const QString why = isMaking() ? tr("The library is being made.") : problem();
  enableUnless(deploy_, why);
  if (!nothing_.isEmpty())
    sayOrHide(said_, nothing_);
  else
    sayOrHide(said_, ended_);
}

void DeployDialog::setMaking(bool making) {
  stop_ = making ? std::make_shared<std::atomic<bool>>(false) : nullptr;
  enableUnless(form_, making               ? tr("The library is being made.")
                      : nothing_.isEmpty() ? QString()
                                           : nothing_);
  busy_->setVisible(making);
  doing_->setText({});
  enableUnless(cancel_, {});
  tell();
}

void DeployDialog::accept() {
  form_->lookAtFolder(); // what is there now
  if (isMaking() || !problem().isEmpty()) return;
  ended_.clear();
  setMaking(true);
  making_.ask<std::optional<DeployedLibrary>>(
      [wish = wish(), maker = maker_,
       stop = stop_](const Job& job) -> std::optional<DeployedLibrary> {
        try {
          return maker(wish, [&](const DeployProgress& progress) {
            if (*stop || job.isStopped()) throw Stopped();
            job.tell(doingText(progress));
          });
        } catch (const Stopped&) { // all that was written is cleared away
          return std::nullopt;
        }
      },
      [this](const std::optional<DeployedLibrary>& library) { made(library); },
      [this](const QString& why) { failed(why); });
}

void DeployDialog::reject() {
  if (!isMaking()) return QDialog::reject();
  *stop_ = true;
  doing_->setText(tr("Clearing away what was begun …"));
  enableUnless(cancel_, tr("It is being cancelled."));
}

void DeployDialog::made(const std::optional<DeployedLibrary>& library) {
  setMaking(false);
  if (!library) {
    doing_->setText(tr("Cancelled; nothing was written."));
    return;
  }
  Settings::setFolder(QFileInfo(qs(library->folder)).absolutePath());
  result_->show(*library);
  showResult(true);
}

void DeployDialog::failed(const QString& why) {
  ended_ = tr("Nothing was written. %1").arg(sentenceOf(why.toStdString()));
  setMaking(false);
}

void DeployDialog::showResult(bool shown) {
  pages_->setCurrentWidget(shown ? static_cast<QWidget*>(result_) : choice_);
  deploy_->setVisible(!shown);
  cancel_->setVisible(!shown);
  another_->setVisible(shown);
  close_->setVisible(shown);
  (shown ? close_ : deploy_)->setDefault(true);
  if (shown)
    close_->setFocus();
  else
    form_->lookAtFolder();
}

} // namespace nestwright::ui

#include "moc_deploy_dialog.cpp"
