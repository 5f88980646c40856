#include "ui/document/session_runner.h"

#include <functional>
#include <utility>

namespace nestwright::ui {

SessionRunner::SessionRunner(SessionFactory factory, WorkQueue& work, QObject* parent)
    : QObject(parent), factory_(std::move(factory)), work_(work) {}

SessionRunner::~SessionRunner() = default;

void SessionRunner::setSession(const QString& path, RowId session) {
  ++preparations_;
  path_ = path;
  id_ = session;
  waiting_.clear();
  preparing_ = false;
  if (!session_) listenTo(nullptr); // else it goes on, as the one that is meant
}

/// To this queue alone.
void SessionRunner::listenTo(std::shared_ptr<EventQueue> queue) {
  if (queue_) queue_->disconnect(this);
  queue_ = std::move(queue);
  if (queue_) connect(queue_.get(), &EventQueue::ready, this, &SessionRunner::takeEvents);
}

void SessionRunner::post(const Command& command) {
  if (session_) return session_->post(command);
  waiting_.push_back(command);
  if (std::exchange(preparing_, true)) return;
  // The last who lets go of it may be the session's own thread.
  listenTo(std::shared_ptr<EventQueue>(new EventQueue, std::mem_fn(&QObject::deleteLater)));
  // Preparing reads the file and starts a thread; the window goes on meanwhile.
  auto made = std::make_shared<std::unique_ptr<SessionPort>>();
  work_.run(
      this,
      [made, make = factory_, queue = queue_, file = path_.toStdString(), id = id_] {
        *made = make(file, id, [queue](const Event& event) { queue->push(event); });
      },
      [this, made, preparation = preparations_](const QString& error) {
        if (preparation == preparations_) prepared(std::move(*made), error);
      });
}

void SessionRunner::prepared(std::unique_ptr<SessionPort> session, const QString& error) {
  preparing_ = false;
  const auto commands = std::exchange(waiting_, {});
  if (!error.isEmpty()) {
    Q_EMIT failed(error);
    return;
  }
  session_ = std::move(session);
  for (const Command& command : commands)
    session_->post(command);
}

void SessionRunner::letGo() {
  if (!session_) return;
  auto ending = std::make_shared<std::unique_ptr<SessionPort>>(std::move(session_));
  work_.run(
      this, [ending] { ending->reset(); },
      [this, queue = queue_](const QString&) {
        if (queue == queue_) takeEvents();
      });
}

void SessionRunner::end(std::function<void()> then) {
  ++preparations_;
  preparing_ = false;
  waiting_.clear();
  const std::uint64_t end = ++ends_;
  if (!session_) return then();
  // Ending waits for the measurement in flight; that must not be seen in the window.
  auto ending = std::make_shared<std::unique_ptr<SessionPort>>(std::move(session_));
  work_.run(
      this, [ending] { ending->reset(); },
      [this, end, queue = queue_, then = std::move(then)](const QString&) {
        if (queue == queue_) takeEvents(); // its last words, while it is the one shown
        if (end == ends_) then();
      });
}

void SessionRunner::takeEvents() {
  const std::vector<Event> events = queue_ ? queue_->take() : std::vector<Event>{};
  if (!events.empty()) Q_EMIT told(events);
}

} // namespace nestwright::ui

#include "moc_session_runner.cpp"
