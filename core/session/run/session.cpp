#include "core/session/run/session.h"

#include "core/session/run/actor.h"
#include "core/session/run/how_measured.h"
#include "core/session/run/no_import.h"
#include "core/session/run/phase_gate.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning/tuning_run.h"
#include "core/support/error.h"
#include "core/support/overloaded.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

Urgency urgencyOf(const Command& command) {
  return std::visit(Overloaded{[](const Start&) { return Urgency::Starts; },
                               [](const RunPhase&) { return Urgency::Starts; },
                               [](const Pause&) { return Urgency::Interrupts; },
                               [](const Stop&) { return Urgency::Interrupts; },
                               [](const MeasureProgram&) { return Urgency::Demands; },
                               [](const auto&) { return Urgency::Waits; }},
                    command);
}

} // namespace

struct Session::Impl {
  struct Message {
    Command command;
    Sender sender;
    /// Of a RunPhase that was posted to a running session: what PhaseGate::stopAfterNext() gave.
    std::optional<int> stops = {};
  };

  Impl(std::string databasePath, RowId session, Observer observe, MeasureFunction measureWith,
       WorkerLaunch launchWith, PolicyLaunch policyWith)
      : path(std::move(databasePath)), id(session), observer(std::move(observe)),
        measure(std::move(measureWith)), launch(std::move(launchWith)),
        policy(std::move(policyWith)), actor(storedStatus(), role()) {}

  SessionStatus storedStatus() const {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    const SessionStatus stored = sessionRow(store, id).status;
    // Whatever ran before has died with its process.
    return stored == SessionStatus::Running ? SessionStatus::Paused : stored;
  }

  Actor<TuningRun, Message>::Role role() {
    return {
        .name = fmt::format("session {}", id),
        .urgency = [](const Message& message) { return urgencyOf(message.command); },
        // From here on the session belongs to this process: what it knows of the file stays true.
        .own = [this] { return std::make_unique<SessionLock>(path, id); },
        .load =
            [this] {
              return std::make_unique<TuningRun>(RecordStore::open(path, OpenMode::ReadWrite), id,
                                                 observer, measure, launch, policy);
            },
        .obey = [this](TuningRun& run, const Message& message) { obey(run, message); },
        .work = [this](TuningRun& run) { work(run); },
        .hasDemands = [](const TuningRun& run) { return run.hasDemands(); },
        .tell =
            [this](SessionStatus as, const std::string& why, PauseCause cause) {
              observer(StateChanged{as, why, cause});
            },
    };
  }

  void post(Message message) {
    // The round under way asks the gate at the end of each of its phases.
    if (const auto* pauses = std::get_if<PauseAfterPhases>(&message.command))
      gate.stopAfterEach(pauses->on);
    const auto* phase = std::get_if<RunPhase>(&message.command);
    if (phase && actor.status() == SessionStatus::Running)
      message.stops = gate.stopAfterNext(phase->until);
    actor.post(std::move(message));
  }

  /// The one place where commands are obeyed. What the session alone can do stands here, all else
  /// in SessionChanges.
  void obey(TuningRun& run, const Message& message) {
    const auto obeyed = [&] {
      std::visit(Overloaded{[&](const Start&) {
                              gate.forgetNext();
                              goOn();
                            },
                            [&](const RunPhase& phase) {
                              if (message.stops && gate.hasStoppedSince(*message.stops)) return;
                              gate.stopAfterNext(phase.until);
                              goOn("one step");
                            },
                            [&](const Pause&) {
                              actor.giveUpDemands();
                              if (actor.status() == SessionStatus::Running)
                                actor.enter(SessionStatus::Paused, "paused by the user",
                                            PauseCause::Asked);
                            },
                            [&](const Stop&) {
                              actor.giveUpDemands();
                              if (actor.status() != SessionStatus::Finished)
                                actor.enter(SessionStatus::Finished, "stopped by the user");
                            },
                            [&](const auto& change) {
                              try {
                                run.changes().apply(change);
                              } catch (const InputError& error) {
                                run.log().refuse(change, error.what());
                              }
                            }},
                 message.command);
    };
    run.log().obey({message.command, message.sender}, obeyed);
  }

  void goOn(const std::string& howMuch = {}) {
    requireNoImport(path);
    actor.enter(SessionStatus::Running, howMeasured(howMuch, launch, policy));
  }

  /// One piece of work: measurements that were asked for, or a round.
  void work(TuningRun& run) {
    if (run.hasDemands())
      run.measureDemands(actor.interrupt());
    else if (const std::optional<TuningRun::Ending> ending = run.ending())
      actor.enter(ending->status, ending->reason, ending->cause);
    else
      round(run);
  }

  void round(TuningRun& run) {
    run.round(actor.interrupt(), gate);
    if (const std::optional<SearchPhase> phase = run.stoppedAfter())
      actor.enter(SessionStatus::Paused, fmt::format("after the phase \"{}\"", name(*phase)),
                  PauseCause::Asked);
  }

  const std::string path;
  const RowId id;
  const Observer observer;
  const MeasureFunction measure;
  const WorkerLaunch launch;
  const PolicyLaunch policy;
  PhaseGate gate;
  Actor<TuningRun, Message> actor;
};

Session::Session(std::string databasePath, RowId session, Observer observer,
                 MeasureFunction measure, WorkerLaunch launch, PolicyLaunch policy)
    : impl_(std::make_unique<Impl>(std::move(databasePath), session, std::move(observer),
                                   std::move(measure), std::move(launch), std::move(policy))) {}

Session::~Session() {
  impl_->actor.close(); // what it still tells may lead to commands
}

void Session::post(Command command, Sender sender) {
  impl_->post({std::move(command), sender});
}

SessionStatus Session::status() const {
  return impl_->actor.status();
}
RowId Session::id() const {
  return impl_->id;
}
SessionStatus Session::wait() {
  return impl_->actor.wait();
}

} // namespace nestwright
