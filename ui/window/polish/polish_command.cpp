#include "ui/window/polish/polish_command.h"

#include "core/session/run/finish/polish_session.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/document/steering.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"
#include "ui/window/polish/polish_dialog.h"
#include "ui/window/running_session.h"

#include <QAction>

namespace nestwright::ui {

PolishCommand::PolishCommand(Document& document, Actions& actions, QWidget* window)
    : QObject(window), document_(document), window_(window), looking_(this), making_(this) {
  action_ = actions.add(tr("Polis&h …"), "", {},
                        tr("Try every other choice for each decision of the shown program, a step "
                           "away, and take what is faster beyond noise. A session of its own does "
                           "so."));
  action_->setObjectName(QStringLiteral("polish"));
  connect(action_, &QAction::triggered, this, &PolishCommand::ask);
  connect(&document, &Document::stateChanged, this, &PolishCommand::follow);
  connect(&document.selection(), &SharedSelection::changed, this, &PolishCommand::follow);
  connect(&document.replayMode(), &ReplayMode::changed, this, &PolishCommand::follow);
  for (const auto signal : {&SessionFollower::tasksChanged, &SessionFollower::statusChanged})
    connect(&document.follower(), signal, this, &PolishCommand::follow);
  follow();
}

QString PolishCommand::obstacle() const {
  if (document_.state() != DocumentState::Ready) return document_.whyNotReady();
  return document_.steering().whyNotMeasure();
}

void PolishCommand::follow() {
  RowId shown = 0;
  if (document_.state() == DocumentState::Ready) {
    const ProgramRef ref = selectedAsShown(document_).ref;
    // Of a program of another file nothing is known here.
    if (!ref.naive && ref.file == document_.file().path()) shown = ref.record;
  } else {
    looking_.leave();
  }
  if (shown != record_) {
    record_ = shown;
    isKnown_ = false;
    whyNot_.clear();
    looking_.cancel();
    if (shown != 0) {
      PolishWish wish;
      wish.record = shown;
      looking_.ask<std::string>(
          [wish, file = document_.file().path(), store = looking_.connection(),
           command = Settings::workerCommand().toStdString()](const Job&) {
            return whyNotPolish(store->at(file), wish, workerLaunchFromText(command));
          },
          [this](const std::string& why) {
            isKnown_ = true;
            whyNot_ = why.empty() ? QString() : sentenceOf(why);
            tell();
          },
          [this](const QString& why) {
            isKnown_ = true;
            whyNot_ = why;
            tell();
          });
    }
  }
  tell();
}

void PolishCommand::tell() {
  QString why = obstacle();
  if (why.isEmpty() && record_ == 0) why = tr("No record is selected, and the task has no best.");
  if (why.isEmpty() && !isKnown_) why = tr("Looking whether the program can be polished …");
  if (why.isEmpty() && making_.isBusy()) why = tr("The session that polishes is being made.");
  enableUnless(action_, why.isEmpty() ? whyNot_ : why);
}

void PolishCommand::ask() {
  PolishDialog dialog(record_, runningText(document_), window_);
  if (dialog.exec() == QDialog::Accepted) make(dialog.wish());
}

/// The session that is shown stays until the new one is there.
void PolishCommand::make(const PolishWish& wish) {
  making_.ask<RowId>(
      [wish, file = document_.file().path().toStdString(),
       command = Settings::workerCommand().toStdString()](const Job&) {
        RecordStore store = RecordStore::open(file, OpenMode::ReadWrite);
        return createPolishSession(store, wish, workerLaunchFromText(command));
      },
      [this, file = document_.file().path()](RowId session) {
        if (document_.file().path() == file) document_.open(file, true, session);
        tell();
      },
      [this](const QString& why) {
        document_.notices().warn(tr("The program cannot be polished. %1").arg(why));
        tell();
      });
  tell();
}

} // namespace nestwright::ui

#include "moc_polish_command.cpp"
