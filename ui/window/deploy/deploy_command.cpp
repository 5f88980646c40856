#include "ui/window/deploy/deploy_command.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/actions.h"
#include "ui/window/deploy/deploy_dialog.h"
#include "ui/window/running_session.h"

#include <QAction>

namespace nestwright::ui {

DeployCommand::DeployCommand(Document& document, Actions& actions, QWidget* window)
    : QObject(window), document_(document), window_(window) {
  action_ = actions.add(
      tr("&Deploy …"), "", {},
      tr("Write the tuned network or operator as a library for C, C++, NumPy and PyTorch, "
         "which needs neither Nestwright nor LLVM."));
  action_->setObjectName(QStringLiteral("deploy"));
  connect(action_, &QAction::triggered, this, &DeployCommand::ask);
  const auto follow = [this] { enableUnless(action_, obstacle()); };
  connect(&document, &Document::stateChanged, this, follow);
  connect(&document.replayMode(), &ReplayMode::changed, this, follow);
  connect(&document.follower(), &SessionFollower::statusChanged, this, follow);
  follow();
}

QString DeployCommand::obstacle() const {
  if (document_.state() != DocumentState::Ready) return document_.whyNotReady();
  if (document_.replayMode().isOn())
    return tr("A replay is shown, and its records are not the file's last. End it first.");
  if (const QString running = runningText(document_); !running.isEmpty())
    return tr("%1 Pause it first: compiling would make its times longer.").arg(running);
  return {};
}

void DeployCommand::ask() {
  const std::vector<std::string>& subjects = document_.session().config().subjects;
  DeployDialog dialog(document_.file().path().toStdString(),
                      subjects.empty() ? std::string() : subjects.front(), window_);
  dialog.exec();
}

} // namespace nestwright::ui

#include "moc_deploy_command.cpp"
