#include "core/session/session.h"

#include "core/session/session_lock.h"
#include "core/session/tuning_run.h"
#include "core/support/error.h"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace nestwright {

namespace {

struct Start {};
struct Pause {};
struct Stop {};
struct Quit {};
struct SetImportance {
  RowId task;
  double importance;
};
struct SetTrialBudget {
  std::int64_t trials;
};
using Command = std::variant<Start, Pause, Stop, Quit, SetImportance, SetTrialBudget>;

/// Commands that must not wait for the round under way.
bool interrupts(const Command& command) {
  return std::holds_alternative<Pause>(command) || std::holds_alternative<Stop>(command) ||
         std::holds_alternative<Quit>(command);
}

} // namespace

struct Session::Impl {
  Impl(std::string databasePath, RowId session, Observer observe, MeasureFunction measureWith)
      : path(std::move(databasePath)), id(session), observer(std::move(observe)),
        measure(std::move(measureWith)) {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    const std::optional<SessionRow> row = store.session(id);
    if (!row) throw InputError(fmt::format("{} has no session {}", path, id));
    // Whatever ran before has died with its process.
    status = row->status == SessionStatus::Running ? SessionStatus::Paused : row->status;
    thread = std::thread([this] { main(); });
  }

  void post(Command command) {
    const std::lock_guard lock(mutex);
    if (std::holds_alternative<Start>(command)) starting = true;
    if (interrupts(command)) interrupt = true;
    commands.push_back(std::move(command));
    changed.notify_all();
  }

  /// The next command; waits for one unless the session runs.
  std::optional<Command> nextCommand() {
    std::unique_lock lock(mutex);
    if (status != SessionStatus::Running) changed.wait(lock, [this] { return !commands.empty(); });
    if (commands.empty()) return std::nullopt;
    Command command = std::move(commands.front());
    commands.pop_front();
    interrupt = std::any_of(commands.begin(), commands.end(), interrupts);
    return command;
  }

  void enter(SessionStatus next, const std::string& reason = {}) {
    // Stored and told before wait() returns, so that whoever waited finds it in the file.
    if (run) run->setStatus(next, reason);
    const std::lock_guard lock(mutex);
    status = next;
    starting = false;
    changed.notify_all();
  }

  /// From here on the session belongs to this process: what it knows of the file stays true.
  void load() {
    ownership = std::make_unique<SessionLock>(path, id);
    run = std::make_unique<TuningRun>(RecordStore::open(path, OpenMode::ReadWrite), id, observer,
                                      measure);
  }

  void handle(const Command& command) {
    if (!run) load();
    if (std::holds_alternative<Start>(command)) {
      enter(SessionStatus::Running);
    } else if (std::holds_alternative<Pause>(command)) {
      if (status == SessionStatus::Running) enter(SessionStatus::Paused, "paused by the user");
    } else if (std::holds_alternative<Stop>(command)) {
      if (status != SessionStatus::Finished) enter(SessionStatus::Finished, "stopped by the user");
    } else if (const auto* set = std::get_if<SetImportance>(&command)) {
      run->setImportance(set->task, set->importance);
    } else if (const auto* budget = std::get_if<SetTrialBudget>(&command)) {
      run->setTrialBudget(budget->trials);
    }
  }

  void main() {
    while (true) {
      const std::optional<Command> command = nextCommand();
      try {
        if (command) {
          if (std::holds_alternative<Quit>(*command)) break;
          handle(*command);
        } else if (const std::optional<std::string> reason = run->finishedReason()) {
          enter(SessionStatus::Finished, *reason);
        } else {
          run->round(interrupt);
        }
      } catch (const std::exception& e) {
        fail(e.what());
      }
    }
    try {
      if (status == SessionStatus::Running) enter(SessionStatus::Paused, "the program was closed");
    } catch (const std::exception& e) {
      fail(e.what()); // a full disk, say: no reason to take the program down
    }
  }

  /// A session that cannot go on says so; what it measured stays, and start() tries again.
  void fail(const std::string& reason) {
    spdlog::error("session {}: {}", id, reason);
    try {
      if (!run) observer(StateChanged{SessionStatus::Failed, reason}); // nobody else tells
      enter(SessionStatus::Failed, reason);
    } catch (const std::exception& e) {
      spdlog::error("session {}: the failure cannot be stored: {}", id, e.what());
      observer(StateChanged{SessionStatus::Failed, reason});
      const std::lock_guard lock(mutex);
      status = SessionStatus::Failed;
      starting = false;
      changed.notify_all();
    }
    run.reset();
    ownership.reset();
  }

  const std::string path;
  const RowId id;
  const Observer observer;
  const MeasureFunction measure;
  std::unique_ptr<SessionLock> ownership; // held while there is a run
  std::unique_ptr<TuningRun> run;         // touched by the thread only
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Command> commands;
  std::atomic<SessionStatus> status{SessionStatus::Ready};
  bool starting = false; // a start() that has not taken effect
  std::atomic<bool> interrupt{false};
  std::thread thread;
};

Session::Session(std::string databasePath, RowId session, Observer observer,
                 MeasureFunction measure)
    : impl_(std::make_unique<Impl>(std::move(databasePath), session, std::move(observer),
                                   std::move(measure))) {}

Session::~Session() {
  impl_->post(Quit{});
  impl_->thread.join();
}

void Session::start() {
  impl_->post(Start{});
}
void Session::pause() {
  impl_->post(Pause{});
}
void Session::stop() {
  impl_->post(Stop{});
}
void Session::setImportance(RowId task, double importance) {
  impl_->post(SetImportance{task, importance});
}
void Session::setTrialBudget(std::int64_t trials) {
  impl_->post(SetTrialBudget{trials});
}

SessionStatus Session::status() const {
  return impl_->status;
}
RowId Session::id() const {
  return impl_->id;
}

SessionStatus Session::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(
      lock, [this] { return !impl_->starting && impl_->status != SessionStatus::Running; });
  return impl_->status;
}

} // namespace nestwright
