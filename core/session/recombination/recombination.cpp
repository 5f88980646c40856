#include "core/session/recombination/recombination.h"

#include "core/execute/fastest_definitions.h"
#include "core/execute/network_place.h"
#include "core/measure/worker_target.h"
#include "core/network/zoo/zoo.h"
#include "core/record/format/stored_json.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/recombination/recombination_run.h"
#include "core/session/run/actor.h"
#include "core/session/run/tuned_on.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/overloaded.h"
#include "core/support/version.h"
#include "core/target/target_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

namespace {

void checkNumbers(const RecombinationConfig& config) {
  const auto require = [](bool good, const char* what) {
    if (!good) throw UsageError(what);
  };
  require(config.k >= 1 && config.k <= 100, "k, the candidates of each task, must be 1 to 100");
  require(config.samples >= 1, "the number of samples must be positive");
  require(config.threads >= 0, "the number of threads must not be negative");
  require(config.repeats >= 1, "the number of repeats must be positive");
  require(config.maxSeconds > 0, "the time of a sample must be positive");
  require(config.baselineEvery >= 1,
          "the number of samples between two measurements of the per-task bests must be positive");
}

/// With the network's complete text, and where it runs.
RecombinationConfig completed(RecombinationConfig config, const RecordStore& store,
                              const Network& network) {
  config.network = specText(network);
  if (!config.target.empty()) return config;
  const TunedOn on = lastTunedOn(store, config.network);
  config.target = on.target;
  if (config.device.empty()) config.device = on.device;
  return config;
}

/// What its programs are for. Throws as backendToRunOn() and measuredTarget() do.
TargetFacts targetToRunOn(const RecombinationConfig& complete, const WorkerLaunch& launch) {
  backendToRunOn(complete.target); // refuses what no network runs on
  MeasureOptions options;
  options.threads = complete.threads;
  options.device = complete.device;
  return knownTarget(complete.target, options, launch);
}

} // namespace

template <class Io>
void fields(Io& io, RecombinationConfig& config) {
  io("network", config.network);
  io.orElse("target", config.target, std::string("llvm"));
  io.orElse("device", config.device, std::string());
  io("k", config.k);
  io("samples", config.samples);
  io("seed", config.seed);
  io("threads", config.threads);
  io("repeats", config.repeats);
  io("max_seconds", config.maxSeconds);
  io("baseline_every", config.baselineEvery);
  io.named("reference", config.reference, networkReferenceFromName);
  io.orElse("tf32", config.tf32, false);
  io.orElse("definitions", config.definitions, std::vector<int>());
}

json toJson(const RecombinationConfig& config) {
  return toFields(config);
}

RecombinationConfig recombinationConfigFromJson(const json& j) {
  try {
    RecombinationConfig config;
    readFields(j, config);
    return config;
  } catch (const json::exception& e) {
    throw InputError(fmt::format("damaged recombination: {}", e.what()));
  }
}

RecombinationConfig configOf(const RecombinationRow& row) {
  return recombinationConfigFromJson(
      storedJson(row.config, fmt::format("the settings of recombination {}", row.id)));
}

RowId createRecombination(RecordStore& store, const RecombinationConfig& config,
                          const WorkerLaunch& launch) {
  checkNumbers(config);
  launchForNetworks(launch); // or it throws, before anything is stored
  const Network network = parseNetworkSpec(config.network);
  RecombinationConfig complete = completed(config, store, network);
  const TargetFacts facts = targetToRunOn(complete, launch);
  const RowId target = targetRow(store, facts);
  const Partition partition = optimisedPartition(network, Alternatives::All);
  complete.definitions =
      fastestDefinitions(partition, store, {&facts, 1}, ProgramSource::Best, config.tf32);
  RecombinationState state{topCandidates(withAlternatives(partition, complete.definitions), store,
                                         target, config.k, config.tf32),
                           {}};
  if (state.candidates.empty() && !config.tf32 &&
      !topCandidates(withAlternatives(partition, complete.definitions), store, target, 1, true)
           .empty())
    throw InputError(fmt::format("what {} has of {}'s tasks for {} rounds float32 factors to TF32: "
                                 "recombine it with --tf32, or tune without",
                                 store.path(), network.name, facts.text()));
  if (state.candidates.empty())
    throw InputError(fmt::format("{} has no verified record of {}'s tasks for {}; tune it first: "
                                 "nestwright tune {} --target {} --db {}",
                                 store.path(), network.name, facts.text(), config.network,
                                 complete.target, store.path()));
  if (countChoices(state.candidates, {}, 2) < 2)
    throw InputError(fmt::format(
        "no task of {} has a second candidate, so there is only one "
        "combination; {}",
        network.name, config.k < 2 ? "take more candidates (k) than one" : "tune it longer first"));
  RecombinationRow row;
  row.network = store.networks().add({0, network.name, complete.network});
  row.target = target;
  row.config = toJson(complete).dump();
  row.state = toText(state);
  row.createdAt = row.updatedAt = nowMicroseconds();
  row.product = versionText();
  return store.recombinations().add(row);
}

std::optional<RowId> newestRecombination(const RecordStore& store,
                                         const RecombinationConfig& config,
                                         const WorkerLaunch& launch) {
  const RecombinationConfig complete = completed(config, store, parseNetworkSpec(config.network));
  const RowId network = networkRow(store, complete.network);
  const RowId target = targetRow(store, targetToRunOn(complete, launch));
  std::optional<RowId> newest;
  if (network == 0 || target == 0) return newest;
  for (const RecombinationRow& row : store.recombinations().all(network))
    if (row.target == target && configOf(row).tf32 == config.tf32) newest = row.id;
  return newest;
}

std::optional<RowId> resumableRecombination(const RecordStore& store,
                                            const RecombinationConfig& config,
                                            const WorkerLaunch& launch) {
  const std::optional<RowId> newest = newestRecombination(store, config, launch);
  const bool open =
      newest && store.recombinations().one(*newest)->status != SessionStatus::Finished;
  return open ? newest : std::nullopt;
}

void keepSample(RecordStore& store, RowId recombination, int sample) {
  const std::optional<RecombinationRow> row = store.recombinations().one(recombination);
  const std::vector<SampleRow> samples = store.recombinations().samples(recombination, sample - 1);
  if (!row || samples.empty() || samples.front().sample != sample)
    throw InputError(fmt::format("{} has no sample {} of a recombination {}", store.path(), sample,
                                 recombination));
  if (samples.front().verdict != Verdict::Ok)
    throw InputError(fmt::format("sample {} failed ({}), so a network cannot run with it", sample,
                                 name(samples.front().verdict)));
  const RecombinationState state = recombinationStateFromText(row->state);
  NetworkChoice choice{row->network, row->target, recombination, nowMicroseconds(), 1, {}};
  for (const WinnerClaim& claim : state.claims)
    if (claim.sample == sample && claim.verdict == ClaimVerdict::Confirmed)
      choice.gain = pairedGain(claim.pairs).ratio;
  for (std::size_t i = 0; i < state.candidates.size(); ++i) {
    const auto rank = static_cast<std::size_t>(samples.front().choice.at(i));
    choice.programs.push_back(
        {state.candidates[i].task, state.candidates[i].programs.at(rank).record});
  }
  store.choices().keep(choice);
}

std::optional<std::string> runningSession(const RecordStore& store) {
  for (const SessionRow& session : store.sessions().all()) {
    if (session.status != SessionStatus::Running) continue;
    // One that was killed still says that it runs.
    if (const std::optional<LockHolder> holder = sessionHolder(store.path(), session.id))
      return fmt::format("session {} ({}) is being tuned by {}", session.id, session.title,
                         holder->text);
  }
  return std::nullopt;
}

struct Recombination::Impl {
  Impl(std::string databasePath, RowId recombination, Observer observe, NetworkMeasure measureWith,
       WorkerLaunch launchWith)
      : path(std::move(databasePath)), id(recombination), observer(std::move(observe)),
        measure(std::move(measureWith)), launch(std::move(launchWith)),
        actor(storedStatus(), role()) {}

  SessionStatus storedStatus() const {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    const std::optional<RecombinationRow> row = store.recombinations().one(id);
    if (!row) throw InputError(fmt::format("{} has no recombination {}", path, id));
    // Whatever ran before has died with its process.
    return row->status == SessionStatus::Running ? SessionStatus::Paused : row->status;
  }

  Actor<RecombinationRun, RecombinationCommand>::Role role() {
    return {
        .name = fmt::format("recombination {}", id),
        .urgency =
            [](const RecombinationCommand& command) {
              return std::holds_alternative<Start>(command) ? Urgency::Starts : Urgency::Interrupts;
            },
        .own =
            [this] {
              return std::make_unique<SessionLock>(path, id, SessionLock::What::Recombination);
            },
        .load =
            [this] {
              return std::make_unique<RecombinationRun>(
                  RecordStore::open(path, OpenMode::ReadWrite), id, observer, measure, launch);
            },
        .obey = [this](RecombinationRun&, const RecombinationCommand& command) { obey(command); },
        .work = [this](RecombinationRun& run) { work(run); },
        .tell =
            [this](SessionStatus as, const std::string& why, PauseCause cause) {
              observer(RecombinationStatusChanged{as, why, cause});
            },
    };
  }

  void obey(const RecombinationCommand& command) {
    const auto enter = [&](bool applies, SessionStatus next, const char* reason) {
      const bool pauses = next == SessionStatus::Paused;
      if (applies) actor.enter(next, reason, pauses ? PauseCause::Asked : PauseCause::None);
    };
    const SessionStatus status = actor.status();
    std::visit(Overloaded{[&](const Start&) { enter(true, SessionStatus::Running, ""); },
                          [&](const Pause&) {
                            enter(status == SessionStatus::Running, SessionStatus::Paused,
                                  "paused by the user");
                          },
                          [&](const Stop&) {
                            enter(status != SessionStatus::Finished, SessionStatus::Finished,
                                  "stopped by the user");
                          }},
               command);
  }

  void work(RecombinationRun& run) {
    if (const std::optional<std::string> reason = run.finishedReason())
      actor.enter(SessionStatus::Finished, *reason);
    else
      run.step(actor.interrupt());
  }

  const std::string path;
  const RowId id;
  const Observer observer;
  const NetworkMeasure measure;
  const WorkerLaunch launch;
  Actor<RecombinationRun, RecombinationCommand> actor;
};

Recombination::Recombination(std::string databasePath, RowId recombination, Observer observer,
                             NetworkMeasure measure, WorkerLaunch launch)
    : impl_(std::make_unique<Impl>(std::move(databasePath), recombination, std::move(observer),
                                   std::move(measure), std::move(launch))) {}

Recombination::~Recombination() {
  impl_->actor.close(); // what it still tells may lead to commands
}

void Recombination::post(const RecombinationCommand& command) {
  impl_->actor.post(command);
}
SessionStatus Recombination::status() const {
  return impl_->actor.status();
}
RowId Recombination::id() const {
  return impl_->id;
}
SessionStatus Recombination::wait() {
  return impl_->actor.wait();
}

} // namespace nestwright
