#pragma once
/// \file A thread that works on something in a file, and obeys messages between two pieces of its
/// work: what a session and a recombination have in common.

#include "core/session/run/events.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/trouble.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace nestwright {

/// What a message means for the work under way. Messages are obeyed in the order of posting.
enum class Urgency : std::uint8_t {
  Waits,      // for the end of the piece of work under way
  Starts,     // waits too; wait() does not return before it was obeyed
  Demands,    // waits too; then there is work to do whether it runs or not
  Interrupts, // ends the piece of work under way
};

/// `Run` is the work without its thread, which stores its status with setStatus(). It is made with
/// the first message and, with the lock on its part of the file, belongs to the actor's thread
/// until the actor ends or fails; a message after a failure makes a new one. post(), status() and
/// wait() may be called from any thread, all else from the actor's. The last member of its owner.
template <class Run, class Message>
class Actor {
 public:
  /// Called on the actor's thread, without any lock of its own being held, but for `urgency`. What
  /// throws ends the run: FileTrouble, SessionInUse and an absent device pause it, anything else is
  /// a failure.
  struct Role {
    std::string name; // "session 3", for the program's log
    std::function<Urgency(const Message&)> urgency;
    std::function<std::unique_ptr<SessionLock>()> own;
    std::function<std::unique_ptr<Run>()> load;
    std::function<void(Run&, const Message&)> obey;
    /// One piece; soon over when interrupt() becomes true.
    std::function<void(Run&)> work;
    /// Whether there is work left that was demanded.
    std::function<bool(const Run&)> hasDemands = [](const Run&) { return false; };
    /// Tells of an end that no run could store.
    std::function<void(SessionStatus, const std::string& reason, PauseCause)> tell;
  };

  Actor(SessionStatus status, Role role) : role_(std::move(role)), status_(status) {
    thread_ = std::thread([this] { main(); });
  }
  ~Actor() { close(); }
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  void post(Message message) {
    const Urgency urgency = role_.urgency(message);
    const std::lock_guard lock(mutex_);
    starting_ |= urgency == Urgency::Starts;
    demanded_ |= urgency == Urgency::Demands;
    if (urgency == Urgency::Interrupts) interrupt_ = true;
    queue_.push_back(std::move(message));
    changed_.notify_all();
  }

  /// Obeys what was posted, pauses what runs, and joins the thread.
  void close() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      quitting_ = interrupt_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  SessionStatus status() const { return status_; }

  /// Blocks until it is neither running nor about to, and nothing is demanded.
  SessionStatus wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return !starting_ && !demanded_ && status_ != SessionStatus::Running; });
    return status_;
  }

  /// Whether the piece of work under way is to end; it may say so itself.
  std::atomic<bool>& interrupt() { return interrupt_; }

  /// Stored and told before wait() returns, so that whoever waited finds it in the file.
  void enter(SessionStatus next, const std::string& reason = {},
             PauseCause cause = PauseCause::None) {
    run_->setStatus(next, reason, cause);
    publish(next);
  }

  /// What was demanded and obeyed so far stays in the file, and comes with the next start or the
  /// next demand.
  void giveUpDemands() {
    const std::lock_guard lock(mutex_);
    demanded_ = anyQueued(Urgency::Demands);
    changed_.notify_all();
  }

 private:
  void main() {
    const auto close = [this] {
      if (status_ == SessionStatus::Running)
        enter(SessionStatus::Paused, "the program was closed", PauseCause::Closed);
    };
    takeTurns([this] { return turn(); }, close,
              [this](SessionStatus as, const std::string& why, PauseCause cause) {
                end(as, why, cause);
              });
  }

  /// Obeys a message, or does one piece of work. False when the actor is to go.
  bool turn() {
    const bool demandsLeft = run_ && role_.hasDemands(*run_);
    std::optional<Message> message;
    {
      std::unique_lock lock(mutex_);
      if (queue_.empty() && !demandsLeft && std::exchange(demanded_, false)) changed_.notify_all();
      if (status_ != SessionStatus::Running && !demanded_)
        changed_.wait(lock, [this] { return quitting_ || !queue_.empty(); });
      if (queue_.empty() && quitting_) return false;
      if (!queue_.empty()) {
        message = std::move(queue_.front());
        queue_.pop_front();
      }
      interrupt_ = quitting_ || anyQueued(Urgency::Interrupts);
    }
    if (!message) {
      role_.work(*run_);
      return true;
    }
    if (!run_) {
      lock_ = role_.own();
      run_ = role_.load();
    }
    role_.obey(*run_, *message);
    // Also where it changed nothing: nobody waits for a start that is not to come.
    const std::lock_guard lock(mutex_);
    starting_ = anyQueued(Urgency::Starts);
    changed_.notify_all();
    return true;
  }

  bool anyQueued(Urgency urgency) const {
    return std::ranges::any_of(
        queue_, [&](const Message& message) { return role_.urgency(message) == urgency; });
  }

  void publish(SessionStatus next) {
    const std::lock_guard lock(mutex_);
    status_ = next;
    starting_ = anyQueued(Urgency::Starts);
    changed_.notify_all();
  }

  /// What cannot go on says so; what it stored stays, and a start tries again.
  void end(SessionStatus as, const std::string& reason, PauseCause cause) {
    spdlog::error("{}: {}", role_.name, reason);
    if (!storedEnd(as, reason, cause)) role_.tell(as, reason, cause);
    run_.reset();
    lock_.reset();
    giveUpDemands();
    publish(as);
  }

  bool storedEnd(SessionStatus as, const std::string& reason, PauseCause cause) {
    if (!run_) return false;
    try {
      run_->setStatus(as, reason, cause);
      return true;
    } catch (const std::exception& e) {
      // Of a disk that is full it is known already.
      if (as == SessionStatus::Failed)
        spdlog::error("{}: the failure cannot be stored: {}", role_.name, e.what());
      return false;
    }
  }

  const Role role_;
  std::unique_ptr<SessionLock> lock_; // held while there is a run
  std::unique_ptr<Run> run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> queue_;
  std::atomic<SessionStatus> status_;
  bool starting_ = false; // a start is posted that has not taken effect
  bool demanded_ = false; // there is work to do although it does not run
  bool quitting_ = false;
  std::atomic<bool> interrupt_{false};
  std::thread thread_;
};

} // namespace nestwright
