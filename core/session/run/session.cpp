#include "core/session/run/session.h"

#include "core/record/sql/file_trouble.h"
#include "core/session/run/phase_gate.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/session_rows.h"
#include "core/session/run/trouble.h"
#include "core/session/run/tuning_run.h"
#include "core/support/error.h"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace nestwright {

struct Session::Impl {
  struct Start {};
  struct Pause {};
  struct Stop {};
  struct Quit {};
  /// A change of the run, between two rounds.
  struct Steer {
    std::string what;
    std::function<void(TuningRun&)> apply;
    bool demands = false; // a measurement, whether the session runs or not
  };
  struct GoOneStep {};
  using Command = std::variant<Start, Pause, Stop, Quit, Steer, GoOneStep>;

  /// Commands that must not wait for the round under way.
  static bool interrupts(const Command& command) {
    return std::holds_alternative<Pause>(command) || std::holds_alternative<Stop>(command) ||
           std::holds_alternative<Quit>(command);
  }

  Impl(std::string databasePath, RowId session, Observer observe, MeasureFunction measureWith,
       WorkerLaunch launchWith)
      : path(std::move(databasePath)), id(session), observer(std::move(observe)),
        measure(std::move(measureWith)), launch(std::move(launchWith)) {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    const SessionStatus stored = sessionRow(store, id).status;
    // Whatever ran before has died with its process.
    status = stored == SessionStatus::Running ? SessionStatus::Paused : stored;
    thread = std::thread([this] { main(); });
  }

  void post(Command command) {
    const std::lock_guard lock(mutex);
    if (std::holds_alternative<Start>(command) || std::holds_alternative<GoOneStep>(command))
      starting = true;
    if (interrupts(command)) interrupt = true;
    if (const auto* steer = std::get_if<Steer>(&command)) demanded |= steer->demands;
    commands.push_back(std::move(command));
    changed.notify_all();
  }

  /// The next command; waits for one unless the session runs.
  std::optional<Command> nextCommand() {
    std::unique_lock lock(mutex);
    if (commands.empty() && demanded && !(run && run->hasDemands())) {
      demanded = false;
      changed.notify_all();
    }
    if (status != SessionStatus::Running && !demanded)
      changed.wait(lock, [this] { return !commands.empty(); });
    if (commands.empty()) {
      interrupt = false; // whatever it was for is over
      return std::nullopt;
    }
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
                                      measure, launch);
  }

  /// For the log, behind how much is to be done: times by another command are not those of this
  /// machine's own workers.
  std::string howMeasured(const std::string& howMuch = {}) const {
    if (launch.command.empty()) return howMuch;
    return fmt::format("{}{}programs are measured by: {}", howMuch, howMuch.empty() ? "" : "; ",
                       toText(launch));
  }

  void requireNoImport() const {
    if (const std::optional<std::string> holder = importHolder(path))
      throw FileTrouble(fmt::format("records are being imported into {} by {}, and kernels that "
                                    "are timed beside that would seem slow",
                                    path, *holder));
  }

  void handle(const Command& command) {
    if (!run) load();
    if (std::holds_alternative<Start>(command)) {
      gate.forgetNext();
      requireNoImport();
      enter(SessionStatus::Running, howMeasured());
    } else if (std::holds_alternative<GoOneStep>(command)) {
      requireNoImport();
      enter(SessionStatus::Running, howMeasured("one step"));
    } else if (std::holds_alternative<Pause>(command)) {
      giveUpDemands();
      if (status == SessionStatus::Running) enter(SessionStatus::Paused, "paused by the user");
    } else if (std::holds_alternative<Stop>(command)) {
      giveUpDemands();
      if (status != SessionStatus::Finished) enter(SessionStatus::Finished, "stopped by the user");
    } else if (const auto* steer = std::get_if<Steer>(&command)) {
      try {
        steer->apply(*run);
      } catch (const InputError& error) {
        observer(CommandRefused{steer->what, error.what()});
      }
    }
  }

  /// They stay in the file, and come with the next round or the next demand.
  void giveUpDemands() {
    const std::lock_guard lock(mutex);
    demanded = false;
    changed.notify_all();
  }

  void steer(std::string what, std::function<void(TuningRun&)> apply, bool demands = false) {
    post(Steer{std::move(what), std::move(apply), demands});
  }

  /// One piece of work: measurements that were asked for, or a round.
  void work() {
    if (run->hasDemands())
      run->measureDemands(interrupt);
    else if (const std::optional<TuningRun::Ending> ending = run->ending())
      enter(ending->status, ending->reason);
    else
      round();
  }

  void round() {
    run->round(interrupt, gate);
    if (const std::optional<SearchPhase> phase = run->stoppedAfter())
      enter(SessionStatus::Paused, fmt::format("after the phase \"{}\"", name(*phase)));
  }

  /// False when the session is to go.
  bool turn() {
    const std::optional<Command> command = nextCommand();
    if (!command)
      work();
    else if (std::holds_alternative<Quit>(*command))
      return false;
    else
      handle(*command);
    return true;
  }

  void main() {
    const auto close = [this] {
      if (status == SessionStatus::Running) enter(SessionStatus::Paused, "the program was closed");
    };
    takeTurns([this] { return turn(); }, close,
              [this](SessionStatus as, const std::string& why) { endRun(as, why); });
  }

  /// A session that cannot go on says so; what it measured stays, and start() tries again.
  void endRun(SessionStatus end, const std::string& reason) {
    spdlog::error("session {}: {}", id, reason);
    try {
      if (!run) observer(StateChanged{end, reason}); // nobody else tells
      enter(end, reason);
    } catch (const std::exception& e) {
      // Of a disk that is full it is known already.
      if (end == SessionStatus::Failed)
        spdlog::error("session {}: the failure cannot be stored: {}", id, e.what());
      observer(StateChanged{end, reason});
      const std::lock_guard lock(mutex);
      status = end;
      starting = false;
      changed.notify_all();
    }
    giveUpDemands();
    run.reset();
    ownership.reset();
  }

  const std::string path;
  const RowId id;
  const Observer observer;
  const MeasureFunction measure;
  const WorkerLaunch launch;
  std::unique_ptr<SessionLock> ownership; // held while there is a run
  std::unique_ptr<TuningRun> run;         // touched by the thread only
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Command> commands;
  std::atomic<SessionStatus> status{SessionStatus::Ready};
  bool starting = false; // a start() that has not taken effect
  bool demanded = false; // measurements are to be made although the session does not run
  std::atomic<bool> interrupt{false};
  PhaseGate gate;
  std::thread thread;
};

Session::Session(std::string databasePath, RowId session, Observer observer,
                 MeasureFunction measure, WorkerLaunch launch)
    : impl_(std::make_unique<Impl>(std::move(databasePath), session, std::move(observer),
                                   std::move(measure), std::move(launch))) {}

Session::~Session() {
  impl_->post(Impl::Quit{});
  impl_->thread.join();
}

void Session::start() {
  impl_->post(Impl::Start{});
}
void Session::pause() {
  impl_->post(Impl::Pause{});
}
void Session::stop() {
  impl_->post(Impl::Stop{});
}
void Session::setImportance(RowId task, double importance) {
  impl_->steer("change a weight", [=](TuningRun& run) { run.setImportance(task, importance); });
}
void Session::setTaskMode(RowId task, TaskMode mode) {
  impl_->steer("pause or pin a task", [=](TuningRun& run) { run.setTaskMode(task, mode); });
}
void Session::setTrialBudget(std::int64_t trials) {
  impl_->steer("change the trial budget", [=](TuningRun& run) { run.setTrialBudget(trials); });
}
void Session::setTimeBudget(double seconds) {
  impl_->steer("change the time budget", [=](TuningRun& run) { run.setTimeBudget(seconds); });
}
void Session::setObjective(Objective objective) {
  impl_->steer("change the objective",
               [objective = std::move(objective)](TuningRun& run) { run.setObjective(objective); });
}
void Session::setSearchOptions(SearchOptions options) {
  impl_->steer("change search options",
               [options = std::move(options)](TuningRun& run) { run.setSearchOptions(options); });
}
void Session::measureNow(RowId task, NamedProgram program) {
  impl_->steer(
      "measure a program",
      [task, program = std::move(program)](TuningRun& run) { run.demand(task, program); }, true);
}
void Session::setSeed(RowId task, NamedProgram program, bool added) {
  impl_->steer("seed the search", [=, program = std::move(program)](TuningRun& run) {
    run.setSeed(task, program, added);
  });
}
void Session::forget(std::vector<RowId> records, bool forgotten) {
  impl_->steer("forget records", [records = std::move(records), forgotten](TuningRun& run) {
    run.forget(records, forgotten);
  });
}

void Session::pauseAfterPhase(bool on) {
  impl_->gate.stopAfterEach(on);
  impl_->steer("pause after phases", [on](TuningRun& run) { run.setStepping(on); });
}
void Session::step(std::optional<SearchPhase> until) {
  impl_->gate.stopAfterNext(until);
  impl_->post(Impl::GoOneStep{});
}

SessionStatus Session::status() const {
  return impl_->status;
}
RowId Session::id() const {
  return impl_->id;
}

SessionStatus Session::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] {
    return !impl_->starting && !impl_->demanded && impl_->status != SessionStatus::Running;
  });
  return impl_->status;
}

} // namespace nestwright
