#include "ui/document/session_follower.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/story/inherited_bests.h"
#include "core/story/replay_timeline.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay.h"
#include "ui/kit/text.h"

#include <chrono>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kWatchMilliseconds = 1000;

/// What the file says, read again.
constexpr LiveChanges kReadAgain{
    .status = true, .tasks = true, .progress = true, .history = true, .records = true};
constexpr LiveChanges kEverything{.status = true,
                                  .tasks = true,
                                  .progress = true,
                                  .history = true,
                                  .records = true,
                                  .round = true,
                                  .settings = true};

/// Whether the event may say that the session's own best is wrong. Bests of the file are compared
/// before they become that.
bool takesOwnBest(const Event& event, const LiveSession& session) {
  const auto* compared = std::get_if<AnswersCompared>(&event);
  return compared != nullptr && !compared->wrong.empty() && session.scope() == Scope::ThisSession;
}

} // namespace

SessionFollower::SessionFollower(Reader& reader, Notices& notices, std::function<bool()> ownIsThere,
                                 QObject* parent)
    : QObject(parent), reader_(reader), notices_(notices), ownIsThere_(std::move(ownIsThere)) {
  connect(&watchTimer_, &QTimer::timeout, this, &SessionFollower::watch);
  watchTimer_.start(kWatchMilliseconds);
}

// --- which session it is

void SessionFollower::adopt(LiveSession session) {
  const bool other = std::exchange(scope_, session.scope()) != session.scope();
  session_ = std::move(session);
  if (other) Q_EMIT scopeChanged();
}

void SessionFollower::begin() {
  // Whoever shows the tasks took them in when the document became ready.
  LiveChanges changes = kReadAgain;
  changes.tasks = false;
  announce(changes);
  loadImported();
  loadInherited();
  loadRound();
  watch();
}

void SessionFollower::forget() {
  session_ = {};
  rereading_ = false;
  tasksReadAgain_ = false;
  toldWhileRereading_.clear();
  elsewhere_ = {};
  isRefused_ = false;
}

void SessionFollower::setScope(Scope scope) {
  if (std::exchange(scope_, scope) == scope || replaying_) return;
  Q_EMIT scopeChanged();
  if (session_.isLoaded()) reread();
}

void SessionFollower::setReplaying(bool replaying) {
  const Scope before = scope();
  replaying_ = replaying;
  if (scope() != before) Q_EMIT scopeChanged();
}

// --- what it tells

void SessionFollower::take(const std::vector<Event>& events) {
  if (!session_.isLoaded() || replaying_) return;
  LiveChanges changes;
  for (const Event& event : events) {
    session_.apply(event, changes);
    if (rereading_) toldWhileRereading_.push_back(event);
    applySteering(event);
  }
  announce(changes);
  Q_EMIT eventsArrived(events);
}

/// What the session tells of steering, beside what it changes.
void SessionFollower::applySteering(const Event& event) {
  const auto* told = std::get_if<StateChanged>(&event);
  isRefused_ = told != nullptr && told->cause == PauseCause::InUse;
  if (std::holds_alternative<RecordsForgotten>(event) || takesOwnBest(event, session_)) {
    reread();
  } else if (const auto* refused = std::get_if<CommandRefused>(&event)) {
    notices_.warn(tr("That could not be done (%1): %2")
                      .arg(qs(words(refused->command)), qs(refused->reason)));
    reread(); // what was shown in advance is not so
  } else if (isRefused_) {
    notices_.warn(tr("Not started: %1.").arg(qs(told->reason)));
    watch();
  }
}

void SessionFollower::announce(const LiveChanges& changes) {
  if (changes.tasks) Q_EMIT tasksChanged();
  if (changes.status) Q_EMIT statusChanged();
  if (changes.progress) Q_EMIT progressChanged();
  if (changes.history) Q_EMIT historyChanged();
  if (changes.records) Q_EMIT recordsAdded();
  if (changes.round) Q_EMIT roundChanged();
  if (changes.settings) Q_EMIT settingsChanged();
}

LiveChanges SessionFollower::anticipate(const std::vector<Command>& commands) {
  LiveChanges all;
  for (const Command& command : commands) {
    const LiveChanges changes = session_.anticipate(command);
    all.tasks |= changes.tasks;
    all.settings |= changes.settings;
    all.progress |= changes.progress;
    all.status |= changes.status;
  }
  return all;
}

void SessionFollower::setPending(Pending pending) {
  session_.setPending(pending);
  Q_EMIT statusChanged();
}

// --- the past

void SessionFollower::takeReplayed(const Replay& replay, const std::vector<Event>& events,
                                   const std::vector<std::int64_t>& times) {
  LiveChanges changes;
  for (const Event& event : events)
    session_.apply(event, changes, true);
  session_.setProgress(replay.timeline()->progressAt(replay.position(), session_.progress(),
                                                     session_.config().maxSeconds));
  changes.progress = true;
  announce(changes);
  eventTimes_ = times;
  Q_EMIT eventsArrived(events);
  eventTimes_.clear();
}

void SessionFollower::jumpTo(Moment& moment) {
  session_.jumpTo(moment);
  announce(kEverything);
  Q_EMIT jumped();
}

// --- another program that tunes on the same file

bool SessionFollower::isAtRest() const {
  return !session_.isRunning() && session_.pending() == Pending::None && !replaying_;
}

void SessionFollower::watch() {
  if (!session_.isLoaded() || !isAtRest()) return;
  reader_.ask<FileLook>(
      this, Reader::Channel::Watch,
      [session = session_.row().id](const RecordStore& store) { return lookAt(store, session); },
      [this](FileLook look) {
        if (!isAtRest()) return;
        look.isOurs = look.isHeldHere && ownIsThere_() && !isRefused_;
        const Elsewhere::News news =
            elsewhere_.take(look, session_.progress().trials, session_.historyLoading());
        if (news.contents) refresh();
        if (news.status) Q_EMIT statusChanged();
      });
}

void SessionFollower::writerEnded() {
  elsewhere_.writerEnded();
  // The last records, and the state of their session.
  if (isAtRest()) refresh();
  Q_EMIT statusChanged();
}

void SessionFollower::refresh() {
  if (rereading_) return; // which reads all of it, and more
  reader_.ask<SessionContents>(
      this, Reader::Channel::Contents,
      [session = session_.row().id, scope = scope_](const RecordStore& store) {
        return readContents(store, session, scope);
      },
      [this](SessionContents contents) {
        if (!isAtRest()) return;
        session_.refresh(std::move(contents));
        announce(kReadAgain);
        loadHistory();
      });
}

// --- reading

void SessionFollower::reread() {
  rereading_ = true;
  toldWhileRereading_.clear(); // what was told before is in the file
  reader_.ask<SessionContents>(
      this, Reader::Channel::Contents,
      [session = session_.row().id, scope = scope_](const RecordStore& store) {
        return readContents(store, session, scope);
      },
      [this](SessionContents contents) { takeReread(std::move(contents)); },
      [this](const QString& error) {
        rereading_ = false;
        notices_.warn(error);
      });
}

void SessionFollower::takeReread(SessionContents contents) {
  rereading_ = false;
  // Where nothing was told meanwhile, the file also knows best how many trials there are.
  if (isAtRest() && toldWhileRereading_.empty()) session_.refresh(contents);
  session_.reread(std::move(contents), std::exchange(toldWhileRereading_, {}));
  announce(kReadAgain);
  Q_EMIT settingsChanged();
  Q_EMIT recordsReread();
  loadInherited();
}

void SessionFollower::loadImported() {
  reader_.ask<std::vector<FastestImported>>(
      this, Reader::Channel::Imported,
      [session = session_.row().id](const RecordStore& store) {
        return store.tasks().fastestImported(session);
      },
      [this, session = session_.row().id](const std::vector<FastestImported>& fastest) {
        if (fastest.empty() || session_.row().id != session) return;
        session_.setImported(fastest);
        Q_EMIT tasksChanged();
      },
      [this](const QString& error) { notices_.warn(error); });
}

void SessionFollower::loadInherited() {
  if (session_.scope() == Scope::ThisSession) return loadHistory();
  std::vector<RowId> tasks;
  for (const TaskEntry& task : session_.tasks())
    tasks.push_back(task.row.id);
  loadInherited(std::make_shared<const std::vector<RowId>>(std::move(tasks)), 0);
}

void SessionFollower::loadInherited(std::shared_ptr<const std::vector<RowId>> tasks,
                                    std::size_t from) {
  // A few tasks at a time: other questions get their turn in between.
  static constexpr std::chrono::milliseconds kTurn{30};
  using Answer = std::pair<InheritedBests, std::size_t>;
  reader_.ask<Answer>(
      this, Reader::Channel::History,
      [session = session_.row().id, tasks, from](const RecordStore& store) {
        Answer answer{{}, from};
        answer.first = readInherited(store, session, *tasks, answer.second, kTurn);
        return answer;
      },
      [this, tasks](Answer answer) {
        for (const auto& [task, bests] : answer.first)
          session_.curves().inherit(task, bests);
        if (answer.second < tasks->size()) return loadInherited(tasks, answer.second);
        loadHistory();
      },
      [this](const QString& error) {
        historyLoaded();
        notices_.warn(error);
      });
}

void SessionFollower::loadHistory() {
  // Page by page: other questions get their turn in between.
  static constexpr int kPage = 20'000;
  reader_.ask<std::vector<CurvePoint>>(
      this, Reader::Channel::History,
      [session = session_.row().id, after = session_.history().lastTrial()](
          const RecordStore& store) { return store.trials().curve(session, after, kPage); },
      [this](std::vector<CurvePoint> points) {
        for (const CurvePoint& point : points) {
          // The task came while others wrote: first it is read what tasks there are by now.
          if (!session_.history().find(point.task) && isAtRest() && !rereading_ &&
              !std::exchange(tasksReadAgain_, true))
            return refresh();
          session_.curves().add(point);
        }
        tasksReadAgain_ = false;
        if (points.size() < kPage) return historyLoaded();
        Q_EMIT historyChanged();
        loadHistory();
      },
      [this](const QString& error) {
        historyLoaded();
        notices_.warn(error);
      });
}

void SessionFollower::historyLoaded() {
  session_.finishCurves();
  Q_EMIT historyChanged();
}

void SessionFollower::loadRound() {
  reader_.ask<RoundStory>(
      this, Reader::Channel::Round,
      [session = session_.row().id](const RecordStore& store) {
        RoundStory story;
        for (const EventRow& row : store.events().newest(session, 100))
          if (const std::optional<Event> event = eventOf(row)) story.apply(*event);
        story.stepping = false; // of the program that ran then
        return story;
      },
      [this](RoundStory story) {
        if (session_.isRunning() || replaying_) return; // it tells itself
        session_.setRound(std::move(story));
        Q_EMIT roundChanged();
      });
}

} // namespace nestwright::ui

#include "moc_session_follower.cpp"
