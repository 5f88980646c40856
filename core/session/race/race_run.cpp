#include "core/session/race/race_run.h"

#include "core/session/race/race_turns.h"
#include "core/session/run/how_measured.h"
#include "core/session/run/no_import.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/trouble.h"
#include "core/session/run/tuning/tuning_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace nestwright {

namespace {

RaceBudget budgetOf(const Race& race, const RaceStart& start) {
  return {start.trials.value_or(race.budget.trials),
          start.maxSeconds.value_or(race.budget.maxSeconds)};
}

/// One of a heat's sessions. It is loaded with its first turn, when what the others found out about
/// the naive program is in the file.
class Lane {
 public:
  using Observe = std::function<void(const Event&)>;

  Lane(const std::string& path, const RaceSession& session, RaceBudget budget,
       const RaceStart& start, Observe observe)
      : path_(path), session_(session), budget_(budget), start_(start),
        observe_(std::move(observe)) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const RaceSession& session() const { return session_; }
  const std::optional<TuningRun::Ending>& end() const { return end_; }

  TurnTaker taker() const {
    TurnTaker taker{end_.has_value()};
    if (!run_) return taker;
    const TuningState& state = run_->log().state();
    taker.hasOpenRound = state.open.has_value();
    taker.rounds = state.round;
    taker.used = used();
    return taker;
  }

  /// Of its budget; 1 when it has ended.
  double used() const {
    if (end_ && end_->status != SessionStatus::Paused) return 1;
    if (!run_) return 0;
    const RunLog& log = run_->log();
    const SessionConfig config = sessionConfigFromJson(nlohmann::json::parse(log.row().config));
    const double share =
        config.maxSeconds > 0
            ? log.wallSeconds() / config.maxSeconds
            : double(log.searchTrials()) / double(std::max<std::int64_t>(1, config.trials));
    return std::min(1.0, share);
  }

  /// Reads the session, and begins or goes on. Throws what keeps it from that.
  void begin() {
    requireNoImport(path_);
    const RowId id = session_.session;
    lock_ = std::make_unique<SessionLock>(path_, id);
    const auto policy = start_.policies.find(session_.entry.racer);
    const PolicyLaunch launch = policy == start_.policies.end() ? PolicyLaunch() : policy->second;
    run_ = std::make_unique<TuningRun>(RecordStore::open(path_, OpenMode::ReadWrite), id, observe_,
                                       start_.measure, start_.launch, launch);
    if (session_.budget.trials != budget_.trials) obey(SetTrialBudget{budget_.trials});
    if (session_.budget.maxSeconds != budget_.maxSeconds) obey(SetTimeBudget{budget_.maxSeconds});
    run_->log().obey({Start{}, Sender::CommandLine}, [&] {
      run_->setStatus(SessionStatus::Running, howMeasured({}, start_.launch, launch));
    });
    run_->log().hold();
  }

  bool isLoaded() const { return run_ != nullptr; }

  /// One round, or its end.
  void turn(std::atomic<bool>& interrupt) {
    const auto work = [&] {
      if (done_) return false;
      done_ = true;
      run_->log().goOn();
      if (std::optional<TuningRun::Ending> ending = run_->ending()) {
        run_->setStatus(ending->status, ending->reason, ending->cause);
        end_ = std::move(ending);
      } else {
        run_->round(interrupt, gate_);
      }
      run_->log().hold();
      return true;
    };
    done_ = false;
    takeTurns(
        work, [] {},
        [&](SessionStatus as, const std::string& why, PauseCause cause) {
          try {
            run_->setStatus(as, why, cause);
          } catch (const std::exception&) { // of a disk that is full it is known already
          }
          end_ = TuningRun::Ending{as, why, cause};
        });
  }

  void pause(const std::string& reason, PauseCause cause) {
    if (!run_ || end_) return;
    end_ = TuningRun::Ending{SessionStatus::Paused, reason, cause};
    run_->setStatus(SessionStatus::Paused, reason, cause);
  }

 private:
  void obey(const auto& command) {
    run_->log().obey({command, Sender::CommandLine}, [&] { run_->changes().apply(command); });
  }

  const std::string& path_;
  const RaceSession& session_;
  const RaceBudget budget_;
  const RaceStart& start_;
  const Observe observe_;
  std::unique_ptr<SessionLock> lock_;
  std::unique_ptr<TuningRun> run_;
  PhaseGate gate_;
  bool done_ = false; // this turn
  std::optional<TuningRun::Ending> end_;
};

/// Until all have ended, or one of them is paused.
RaceEnd takeAllTurns(std::deque<Lane>& lanes, const std::atomic<bool>& stopped,
                     std::atomic<bool>& interrupt) {
  // What an interruption left open comes first, as if it had not been.
  for (Lane& lane : lanes)
    if (lane.session().status != SessionStatus::Ready) lane.begin();
  for (;;) {
    interrupt = false; // a session's own time ends its round by it
    if (stopped) return {SessionStatus::Paused, "paused by the user", PauseCause::Asked};
    std::vector<TurnTaker> takers;
    for (const Lane& lane : lanes)
      takers.push_back(lane.taker());
    const int next = nextTurn(takers);
    if (next < 0) return {};
    Lane& lane = lanes[static_cast<std::size_t>(next)];
    if (!lane.isLoaded()) lane.begin();
    lane.turn(interrupt);
    if (const auto& end = lane.end(); end && end->status == SessionStatus::Paused)
      return {SessionStatus::Paused, fmt::format("{}: {}", lane.session().entry.racer, end->reason),
              end->cause};
  }
}

} // namespace

RaceRun::RaceRun(std::string path, Race race, RaceStart start, Observer observer)
    : path_(std::move(path)), race_(std::move(race)), start_(std::move(start)),
      observer_(std::move(observer)) {}

void RaceRun::stop() {
  stopped_ = true;
  interrupt_ = true;
}

RaceEnd RaceRun::run() {
  const std::vector<RaceSession>& sessions = race_.sessions;
  const auto heatOf = [&](std::size_t at) {
    return std::pair(sessions[at].entry.seedNumber, sessions[at].entry.taskNumber);
  };
  moment_.heats = race_.seeds.size() * race_.tasks.size();
  for (std::size_t first = 0; first < sessions.size();) {
    std::size_t last = first;
    while (last < sessions.size() && heatOf(last) == heatOf(first))
      ++last;
    ++moment_.heat;
    if (RaceEnd end = heat(first, last); end.status == SessionStatus::Paused) return end;
    behind_ += double(last - first);
    first = last;
  }
  return {};
}

RaceEnd RaceRun::heat(std::size_t first, std::size_t last) {
  const RaceBudget budget = budgetOf(race_, start_);
  std::deque<Lane> lanes;
  const auto tell = [&](const RaceSession& session, const Event& event) {
    moment_.session = &session;
    double used = behind_ + double(last - first - lanes.size()); // the others have ended before
    for (const Lane& lane : lanes)
      used += lane.used();
    moment_.share = used / double(race_.sessions.size());
    observer_(moment_, event);
  };
  for (std::size_t i = first; i < last; ++i) {
    const RaceSession& session = race_.sessions[i];
    if (session.status == SessionStatus::Finished && session.budget == budget) continue;
    lanes.emplace_back(path_, session, budget, start_,
                       [&tell, &session](const Event& event) { tell(session, event); });
  }
  const auto pause = [&](const RaceEnd& end) {
    for (Lane& lane : lanes)
      lane.pause(end.reason, end.cause);
    return end;
  };
  try {
    return pause(
        takeAllTurns(lanes, stopped_, interrupt_)); // after its end nothing is to be paused
  } catch (...) {
    try {
      pause({SessionStatus::Paused, "the race cannot go on", PauseCause::Trouble});
    } catch (const std::exception&) { // whoever opens the file finds them paused all the same
    }
    throw;
  }
}

} // namespace nestwright
