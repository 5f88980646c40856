#include "ui/document/replay/replay_mode.h"

#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"

#include <limits>

namespace nestwright::ui {

ReplayMode::ReplayMode(const DocumentFile& file, SessionFollower& follower, Notices& notices,
                       QObject* parent)
    : QObject(parent), file_(file), follower_(follower), notices_(notices) {}

QString ReplayMode::whyNotStart() const {
  const LiveSession& session = follower_.session();
  if (!session.isLoaded()) return tr("No document is open.");
  if (isOn()) return tr("The replay is shown already.");
  if (session.isRunning() || session.pending() != Pending::None)
    return tr("The session is running: pause it first.");
  if (follower_.elsewhere().isBusy()) return tr("Another program is tuning this session.");
  if (session.historyLoading()) return tr("The session is being read.");
  if (session.progress().trials == 0) return tr("The session has no past yet.");
  return {};
}

RowId ReplayMode::newestRecord() const {
  if (!replay_) return std::numeric_limits<RowId>::max();
  const auto past = replay_->timeline();
  if (!past) return std::numeric_limits<RowId>::max(); // the present is still shown
  const Timeline& timeline = past->events();
  const RowId last = timeline.lastRecord(replay_->position());
  if (last != 0 || timeline.records().empty()) return last;
  return timeline.records().front().record - 1; // what earlier sessions left was there
}

std::shared_ptr<const OtherMarks> ReplayMode::otherMarks() const {
  const auto past = replay_ ? replay_->timeline() : nullptr;
  return past ? past->marksAt(replay_->position()) : nullptr;
}

void ReplayMode::start() {
  if (!canStart()) return;
  replay_ = std::make_unique<Replay>(file_.path(), follower_.session().completeContents());
  follower_.setReplaying(true);
  Replay* replay = replay_.get();
  connect(replay, &Replay::advanced, &follower_,
          [this, replay](const std::vector<Event>& events, const std::vector<std::int64_t>& times) {
            follower_.takeReplayed(*replay, events, times);
          });
  connect(replay, &Replay::jumped, &follower_, &SessionFollower::jumpTo);
  connect(replay, &Replay::changed, &follower_, &SessionFollower::progressChanged);
  connect(replay, &Replay::failed, &notices_, &Notices::warn);
  // A past that cannot be read leaves the document as it was.
  connect(
      replay, &Replay::failed, this,
      [this] {
        if (replay_ && !replay_->isReady()) end();
      },
      Qt::QueuedConnection);
  Q_EMIT changed();
  follower_.announce({.status = true});
}

void ReplayMode::end() {
  if (!isOn()) return;
  replay_->pause();
  Q_EMIT presentWanted();
}

void ReplayMode::leave() {
  if (!isOn()) return;
  replay_.reset();
  follower_.setReplaying(false);
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_replay_mode.cpp"
