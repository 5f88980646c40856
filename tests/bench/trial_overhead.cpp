#include "tests/bench/trial_overhead.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/bench/temporary_database.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace nestwright::bench {
namespace {

void add(TrialOverhead& sum, const RoundFinished& round) {
  sum.kernels += round.kernelSeconds;
  sum.evolve += round.evolutionSeconds;
  sum.features += round.featureSeconds;
  sum.predict += round.predictSeconds;
  sum.sample +=
      round.samplingSeconds - round.evolutionSeconds - round.featureSeconds - round.predictSeconds;
  sum.train += round.trainSeconds;
  sum.compile += round.compileSeconds;
  sum.measure += round.measureSeconds - round.compileSeconds - round.kernelSeconds;
  sum.store += round.storeSeconds;
  sum.beside += round.besideSeconds;
  sum.longRound = std::max(sum.longRound, round.wallSeconds - round.kernelSeconds);
}

} // namespace

double TrialOverhead::perTrial() const {
  return trials > 0 ? (wall - kernels) / static_cast<double>(trials) : 0;
}

TrialOverhead trialOverhead(const std::string& task, const OverheadOptions& options) {
  const TemporaryDatabase database("trial_overhead");
  SessionConfig config;
  config.subjects = {task};
  config.policy = options.policy;
  config.ahead = kAheadNames.find(options.ahead).value();
  config.draft = options.draft;
  config.target = options.target;
  config.measure.builders = options.builders;
  config.trials = options.trials;
  config.trialsPerRound = options.trialsPerRound;
  config.seed = 1;
  config.measure.threads = static_cast<int>(options.threads);
  config.measure.minRepeatSeconds = options.repeatSeconds;
  RecordStore store = RecordStore::open(database.path(), OpenMode::Create);
  const RowId id = createSession(store, config);

  TrialOverhead result;
  std::string reason;
  const auto start = std::chrono::steady_clock::now();
  const auto observe = [&](const Event& event) {
    if (const auto* round = std::get_if<RoundFinished>(&event))
      add(result, *round);
    else if (const auto* state = std::get_if<StateChanged>(&event))
      reason = state->reason;
  };
  Session session(database.path(), id, observe, nullptr, {{NESTWRIGHT_PROGRAM, "worker"}});
  session.post(Start{});
  const SessionStatus status = session.wait();
  result.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status != SessionStatus::Finished)
    throw SystemError(fmt::format("the session of {} did not finish: {}", task, reason));
  const SessionSummary sums = store.sessions().summary(id);
  result.trials = sums.trials;
  result.errors = sums.errors;
  result.rest = result.wall - result.kernels - result.sample - result.evolve - result.features -
                result.predict - result.train - result.compile - result.measure - result.store;
  return result;
}

nlohmann::json toJson(const TrialOverhead& o) {
  return {{"trials", o.trials},
          {"errors", o.errors},
          {"wall_seconds", o.wall},
          {"kernel_seconds", o.kernels},
          {"overhead_per_trial_seconds", o.perTrial()},
          {"sample_seconds", o.sample},
          {"evolve_seconds", o.evolve},
          {"feature_seconds", o.features},
          {"predict_seconds", o.predict},
          {"train_seconds", o.train},
          {"compile_seconds", o.compile},
          {"measure_seconds", o.measure},
          {"store_seconds", o.store},
          {"rest_seconds", o.rest},
          {"beside_seconds", o.beside},
          {"longest_round_overhead_seconds", o.longRound}};
}

} // namespace nestwright::bench
