#include "ui/window/end_notice.h"

#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QApplication>
#include <QSystemTrayIcon>
#include <QWidget>

#include <cmath>
#include <utility>

namespace nestwright::ui {

EndNotice::EndNotice(Document& document, QWidget* window)
    : QObject(window), document_(document), window_(window) {
  connect(&document, &Document::stateChanged, this, &EndNotice::look);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &EndNotice::look);
}

void EndNotice::look() {
  const LiveSession& session = document_.session();
  const SessionStatus before = std::exchange(seen_, session.status());
  const bool failed = session.needsHelp();
  const bool ended =
      before == SessionStatus::Running && (session.status() == SessionStatus::Finished || failed);
  if (ended && document_.state() == DocumentState::Ready && !window_->isActiveWindow())
    show(failed);
}

void EndNotice::show(bool failed) {
  QApplication::alert(window_);
  if (!QSystemTrayIcon::isSystemTrayAvailable()) return;
  const LiveSession& session = document_.session();
  const double best = session.bestTotal();
  const QString text = failed ? qs(session.statusReason())
                              : tr("%1 trials, best total %2")
                                    .arg(countText(session.progress().trials),
                                         std::isfinite(best) ? timeText(best) : noValue());
  if (!tray_) {
    tray_ = new QSystemTrayIcon(window_->windowIcon(), this);
    connect(tray_, &QSystemTrayIcon::messageClicked, window_, [this] {
      window_->raise();
      window_->activateWindow();
    });
  }
  tray_->show();
  const QString what = !failed                                     ? tr("Tuning %1 has finished")
                       : session.status() == SessionStatus::Paused ? tr("Tuning %1 has paused")
                                                                   : tr("Tuning %1 failed");
  tray_->showMessage(what.arg(qs(session.contents().network)), text, window_->windowIcon());
}

} // namespace nestwright::ui
