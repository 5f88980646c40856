#include "ui/window/end_notice.h"

#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/window/desktop_notice.h"

#include <cmath>
#include <utility>

namespace nestwright::ui {

EndNotice::EndNotice(Document& document, DesktopNotice& notice, QObject* parent)
    : QObject(parent), document_(document), notice_(notice) {
  connect(&document, &Document::stateChanged, this, &EndNotice::look);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &EndNotice::look);
}

void EndNotice::look() {
  const LiveSession& session = document_.session();
  const SessionStatus before = std::exchange(seen_, session.status());
  const bool failed = session.needsHelp();
  const bool ended =
      before == SessionStatus::Running && (session.status() == SessionStatus::Finished || failed);
  if (ended && document_.state() == DocumentState::Ready) show(failed);
}

void EndNotice::show(bool failed) {
  const LiveSession& session = document_.session();
  const double best = bestTotal(session.tasks());
  const QString text = failed ? qs(session.statusReason())
                              : tr("%1 trials, best total %2")
                                    .arg(countText(session.progress().trials),
                                         std::isfinite(best) ? timeText(best) : noValue());
  const QString what = !failed                                     ? tr("Tuning %1 has finished")
                       : session.status() == SessionStatus::Paused ? tr("Tuning %1 has paused")
                                                                   : tr("Tuning %1 failed");
  notice_.tell(what.arg(qs(session.contents().network)), text);
}

} // namespace nestwright::ui

#include "moc_end_notice.cpp"
