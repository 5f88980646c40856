#include "app/cli/run_session.h"

#include "app/cli/ended_well.h"
#include "app/cli/output.h"
#include "core/support/units.h"

#include <fmt/format.h>

#include <mutex>

namespace nestwright::cli {

namespace {

std::string progressText(const Progress& p) {
  return fmt::format("{}/{} programs  {:.1f}/s  {} errors  {} left", p.trials, p.budget,
                     p.trialsPerSecond, p.errors, formatDuration(p.secondsLeft));
}

} // namespace

SessionStatus runToItsEnd(const std::string& database, RowId id, const WorkerLaunch& launch,
                          PauseOnSignal& signals) {
  std::mutex mutex;
  std::string reason;
  PauseCause cause = PauseCause::None;
  ProgressLine line;
  const auto observe = [&](const Event& event) {
    const std::lock_guard lock(mutex);
    if (const auto* progress = std::get_if<Progress>(&event))
      line.show(double(progress->trials), double(progress->budget), progressText(*progress));
    else if (const auto* state = std::get_if<StateChanged>(&event))
      reason = state->reason, cause = state->cause;
  };
  Session session(database, id, observe, nullptr, launch);
  signals.watch([&session] { session.post(Pause{}, Sender::Signal); });
  session.post(Start{}, Sender::CommandLine);
  const SessionStatus status = session.wait();
  const std::lock_guard lock(mutex);
  line.clear();
  requireEndedWell(status, cause, reason);
  return status;
}

} // namespace nestwright::cli
