/// \file The document while a session's past is replayed: the same state from the same events.

#include "core/record/store/event_rows.h"
#include "core/session/run/session_rows.h"
#include "core/support/error.h"
#include "ui/document/document.h"
#include "ui/document/replay.h"

#include <limits>
#include <utility>

namespace nestwright::ui {

bool Document::refusesInReplay() {
  if (!isReplaying()) return false;
  Q_EMIT warning(tr("This is a replay, and the past cannot be changed. End the replay to go on "
                    "with the session."));
  return true;
}

bool Document::canReplay() const {
  return state_ == DocumentState::Ready && !isReplaying() && !historyLoading_ && !isRunning() &&
         pending_ == Pending::None && !isBusyElsewhere() && progress_.trials > 0;
}

RowId Document::newestRecord() const {
  if (!replay_) return std::numeric_limits<RowId>::max();
  const auto past = replay_->timeline();
  if (!past) return std::numeric_limits<RowId>::max(); // the present is still shown
  const Timeline& timeline = past->events();
  const RowId last = timeline.lastRecord(replay_->position());
  if (last != 0 || timeline.records().empty()) return last;
  return timeline.records().front().record - 1; // what earlier sessions left was there
}

std::shared_ptr<const OtherMarks> Document::otherMarks() const {
  const auto past = replay_ ? replay_->timeline() : nullptr;
  return past ? past->marksAt(replay_->position()) : nullptr;
}

void Document::startReplay() {
  if (!canReplay()) return;
  replay_ = std::make_unique<Replay>(path_, contents_);
  connect(replay_.get(), &Replay::advanced, this, &Document::followReplay);
  connect(replay_.get(), &Replay::jumped, this, &Document::jumpTo);
  connect(replay_.get(), &Replay::changed, this, &Document::progressChanged);
  connect(replay_.get(), &Replay::failed, this, &Document::warning);
  // A past that cannot be read leaves the document as it was.
  connect(
      replay_.get(), &Replay::failed, this,
      [this] {
        if (replay_ && !replay_->isReady()) endReplay();
      },
      Qt::QueuedConnection);
  Q_EMIT replayChanged();
  Q_EMIT statusChanged();
}

void Document::endReplay() {
  if (!isReplaying()) return;
  const Selection selection = selection_;
  const RowId session = contents_.session.id;
  replay_->pause();
  // The present comes back from the file, as when the document was opened.
  forget();
  selection_ = selection;
  setState(DocumentState::Loading, tr("Going back to the present …"));
  load(session, false);
}

void Document::followReplay(const std::vector<Event>& events,
                            const std::vector<std::int64_t>& times) {
  for (const Event& event : events)
    apply(event);
  progress_ =
      replay_->timeline()->progressAt(replay_->position(), progress_, contents_.config.maxSeconds);
  changes_.progress = true;
  announce(std::exchange(changes_, {}));
  eventTimes_ = times;
  Q_EMIT eventsArrived(events);
  eventTimes_.clear();
}

void Document::jumpTo(Moment& moment) {
  contents_.tasks = std::move(moment.tasks);
  history_ = std::move(moment.history);
  progress_ = moment.progress;
  status_ = moment.status;
  statusReason_ = moment.statusReason;
  pauseCause_ = moment.pauseCause;
  round_ = std::move(moment.round);
  contents_.config = std::move(moment.config);
  announce({true, true, true, true, true, true, true});
  Q_EMIT jumped();
}

void Document::loadRound() {
  reader_.ask<RoundStory>(
      Reader::Channel::Round,
      [session = contents_.session.id](const RecordStore& store) {
        RoundStory story;
        for (const EventRow& row : store.events().newest(session, 100))
          if (const std::optional<Event> event = eventOf(row)) story.apply(*event);
        story.stepping = false; // of the program that ran then
        return story;
      },
      [this](RoundStory story) {
        if (isRunning() || isReplaying()) return; // it tells itself
        round_ = std::move(story);
        Q_EMIT roundChanged();
      });
}

} // namespace nestwright::ui
