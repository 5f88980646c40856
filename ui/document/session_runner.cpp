#include "ui/document/session_runner.h"

#include <utility>

namespace nestwright::ui {

SessionRunner::SessionRunner(SessionFactory factory, WorkQueue& work, QObject* parent)
    : QObject(parent), factory_(std::move(factory)), work_(work) {
  connect(&queue_, &EventQueue::ready, this, &SessionRunner::takeEvents);
}

SessionRunner::~SessionRunner() = default;

void SessionRunner::setSession(const QString& path, RowId session) {
  ++visit_;
  path_ = path;
  id_ = session;
  waiting_.clear();
  preparing_ = false;
}

void SessionRunner::post(const Command& command) {
  if (session_) return session_->post(command);
  waiting_.push_back(command);
  if (std::exchange(preparing_, true)) return;
  // Preparing reads the file and starts a thread; the window goes on meanwhile.
  auto made = std::make_shared<std::unique_ptr<SessionPort>>();
  work_.run(
      [this, made, file = path_.toStdString(), id = id_] {
        *made = factory_(file, id, [this](const Event& event) { queue_.push(event); });
      },
      [this, made, visit = visit_](const QString& error) {
        if (visit == visit_) prepared(std::move(*made), error);
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

void SessionRunner::end(std::function<void()> then) {
  const std::uint64_t visit = ++visit_;
  if (!session_) return then();
  // Ending waits for the measurement in flight; that must not be seen in the window.
  auto ending = std::make_shared<std::unique_ptr<SessionPort>>(std::move(session_));
  work_.run([ending] { ending->reset(); },
            [this, visit, then = std::move(then)](const QString&) {
              takeEvents();
              if (visit == visit_) then();
            });
}

void SessionRunner::takeEvents() {
  const std::vector<Event> events = queue_.take();
  if (!events.empty()) Q_EMIT told(events);
}

} // namespace nestwright::ui
