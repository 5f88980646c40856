#include "core/session/recombination/recombination_run.h"

#include "core/network/pass/passes.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace nestwright {

namespace {

/// Samples that are measured again, fastest first, until one is confirmed. Each has a chance of one
/// in a thousand to be confirmed by noise.
constexpr std::size_t kMaxClaims = 3;
constexpr std::chrono::milliseconds kWaitForMachine{250};

NetworkMeasureOptions measureOptions(const RecombinationConfig& config,
                                     const WorkerLaunch& launch) {
  NetworkMeasureOptions options;
  options.network = config.network;
  options.target = config.target;
  options.device = config.device;
  options.threads = config.threads;
  options.definitions = config.definitions;
  options.latency.repeats = config.repeats;
  options.latency.maxSeconds = config.maxSeconds;
  options.reference = config.reference;
  options.workerCommand = launchForNetworks(launch).command;
  if (config.tf32 || hasNarrowProducts(parseNetworkSpec(config.network)))
    options.tolerance = kNarrowNetworkTolerance;
  return options;
}

RecombinationRow rowOf(const RecordStore& store, RowId recombination) {
  if (std::optional<RecombinationRow> row = store.recombinations().one(recombination)) return *row;
  throw InputError(
      fmt::format("{}: there is no recombination {} in the file", store.path(), recombination));
}

} // namespace

RecombinationRun::RecombinationRun(RecordStore store, RowId recombination,
                                   Recombination::Observer observer, NetworkMeasure measure,
                                   const WorkerLaunch& launch)
    : store_(std::move(store)), observer_(std::move(observer)), row_(rowOf(store_, recombination)),
      config_(configOf(row_)), state_(recombinationStateFromText(row_.state)),
      samples_(store_.recombinations().samples(recombination)), measure_(std::move(measure)) {
  if (measure_) return;
  measurer_ = std::make_unique<NetworkMeasurer>(
      measureOptions(config_, launch),
      [this](const std::string& phase) { observer_(RecombinationPhase{phase}); });
  measure_ = [this](const NetworkRequest& request, const std::atomic<bool>* stop) {
    return measurer_->measure(request, stop);
  };
}

// --- what comes next

std::optional<DrawnChoice> RecombinationRun::nextDraw() const {
  std::set<Choice> known{bests()};
  std::int64_t next = 0, drawn = 0;
  for (const SampleRow& sample : samples_) {
    known.insert(sample.choice);
    next = std::max(next, sample.draw + 1);
    drawn += !isBaseline(sample);
  }
  if (drawn >= config_.samples) return std::nullopt;
  const std::set<CandidateId> excluded = culprits(samples_);
  const auto measured = static_cast<std::int64_t>(known.size());
  if (countChoices(state_.candidates, excluded, measured + 1) <= measured && excluded.empty())
    return std::nullopt;
  return drawChoice(state_.candidates, excluded, known, config_.seed, next);
}

bool RecombinationRun::baselineIsDue() const {
  int since = 0;
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample, ++since)
    if (isBaseline(*sample)) return since >= config_.baselineEvery;
  return true;
}

std::optional<WinnerClaim> RecombinationRun::nextClaim() const {
  std::set<int> lookedInto;
  for (const WinnerClaim& claim : state_.claims) {
    if (claim.verdict == ClaimVerdict::Open) return claim;
    if (claim.verdict == ClaimVerdict::Confirmed) return std::nullopt;
    lookedInto.insert(claim.sample);
  }
  if (lookedInto.size() >= kMaxClaims) return std::nullopt;
  const double baseline = summarise(samples_, {}).baselineSeconds;
  const SampleRow* fastest = nullptr;
  for (const SampleRow& sample : samples_)
    if (!isBaseline(sample) && !lookedInto.contains(sample.sample) &&
        secondsOf(sample) < (fastest ? secondsOf(*fastest) : baseline))
      fastest = &sample;
  if (!fastest) return std::nullopt;
  WinnerClaim claim;
  claim.sample = fastest->sample;
  return claim;
}

std::optional<std::string> RecombinationRun::finishedReason() const {
  if (samples_.empty() || nextDraw() || nextClaim()) return std::nullopt;
  const RecombinationSummary summary = summarise(samples_, state_.claims);
  const std::string measured =
      fmt::format("{} measured{}", quantity(summary.samples, "combination"),
                  summary.samples < config_.samples ? ", there are no more" : "");
  if (summary.winner)
    return fmt::format("{}; sample {} is {:.1f} % faster than the per-task bests", measured,
                       *summary.winner, 100 * (1 - 1 / summary.gain->ratio));
  return fmt::format("{}; none is significantly faster than the per-task bests", measured);
}

// --- doing it

void RecombinationRun::step(const std::atomic<bool>& interrupt) {
  if (!waitForMachine(interrupt)) return;
  const std::optional<DrawnChoice> draw = nextDraw();
  if (baselineIsDue() && (draw || samples_.empty()))
    sample(bests(), -1, interrupt);
  else if (draw)
    sample(draw->choice, draw->draw, interrupt);
  else if (const std::optional<WinnerClaim> claim = nextClaim())
    confirm(*claim, interrupt);
}

bool RecombinationRun::waitForMachine(const std::atomic<bool>& interrupt) {
  bool told = false;
  while (const std::optional<std::string> session = runningSession(store_)) {
    if (!std::exchange(told, true))
      observer_(RecombinationPhase{fmt::format("waits, because {}", *session)});
    if (interrupt) return false;
    std::this_thread::sleep_for(kWaitForMachine);
  }
  if (told) observer_(RecombinationPhase{""});
  return true;
}

const Steps& RecombinationRun::stepsOf(RowId record) {
  const auto known = steps_.find(record);
  if (known != steps_.end()) return known->second;
  const std::optional<Record> row = store_.records().one(record);
  if (!row)
    throw InputError(fmt::format("{}: record {}, a candidate of this recombination, is there no "
                                 "more; start a new one",
                                 store_.path(), record));
  return steps_[record] = row->steps;
}

NetworkPrograms RecombinationRun::programsOf(const Choice& choice) {
  NetworkPrograms programs;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const TaskCandidates& task = state_.candidates.at(i);
    const RankedProgram& program = task.programs.at(static_cast<std::size_t>(choice[i]));
    programs.push_back({task.position, program.program, stepsOf(program.record)});
  }
  return programs;
}

NetworkResult RecombinationRun::measured(const NetworkRequest& request,
                                         const std::atomic<bool>& interrupt) {
  NetworkResult result = measure_(request, &interrupt);
  // A session that began meanwhile had the machine too: these times say nothing.
  if (result.verdict == Verdict::Ok && runningSession(store_)) result.verdict = Verdict::Cancelled;
  return result;
}

void RecombinationRun::sample(const Choice& choice, std::int64_t draw,
                              const std::atomic<bool>& interrupt) {
  const NetworkResult result = measured({{programsOf(choice)}}, interrupt);
  if (result.verdict == Verdict::Cancelled) return;
  if (draw < 0 && result.verdict != Verdict::Ok)
    throw SystemError(fmt::format("the network of the per-task bests cannot be measured ({}): {}",
                                  nestwright::name(result.verdict), result.error));
  SampleRow row;
  row.recombination = row_.id;
  row.sample = static_cast<int>(samples_.size());
  row.draw = draw;
  row.choice = choice;
  row.verdict = result.verdict;
  row.error = result.error;
  if (result.verdict == Verdict::Ok) row.seconds = result.seconds.at(0).at(0);
  row.wallSeconds = wallSeconds();
  store_.recombinations().addSample(row);
  samples_.push_back(row);
  observer_(SampleMeasured{row});
}

void RecombinationRun::confirm(WinnerClaim claim, const std::atomic<bool>& interrupt) {
  const int have = static_cast<int>(claim.pairs.best.size());
  const int wanted = std::ranges::upper_bound(kClaimStages, have, {}, &ClaimStage::pairs)->pairs;
  observer_(RecombinationPhase{
      fmt::format("measuring sample {} in turns with the per-task bests: pairs {} to {}",
                  claim.sample, have + 1, wanted)});
  NetworkRequest request;
  request.networks = {programsOf(samples_.at(static_cast<std::size_t>(claim.sample)).choice),
                      programsOf(bests())};
  request.rounds = wanted - have;
  // Where a process's memory happens to lie is part of the noise.
  request.freshProcess = true;
  const NetworkResult result = measured(request, interrupt);
  if (result.verdict == Verdict::Cancelled) return;
  if (result.verdict == Verdict::Ok) {
    for (const std::vector<double>& repeats : result.seconds.at(0))
      claim.pairs.claimant.push_back(median(repeats));
    for (const std::vector<double>& repeats : result.seconds.at(1))
      claim.pairs.best.push_back(median(repeats));
    claim.verdict = judgeClaim(claim.pairs);
  } else {
    claim.verdict = ClaimVerdict::Rejected; // what no longer runs well cannot be the winner
  }
  const auto known = std::ranges::find(state_.claims, claim.sample, &WinnerClaim::sample);
  if (known == state_.claims.end())
    state_.claims.push_back(claim);
  else
    *known = claim;
  save();
  observer_(ClaimJudged{claim});
}

// --- bookkeeping

double RecombinationRun::wallSeconds() const {
  return row_.wallSeconds + (runningSince_ ? secondsSince(*runningSince_) : 0);
}

void RecombinationRun::save() {
  RecombinationRow row = row_;
  row.state = toText(state_);
  row.wallSeconds = wallSeconds();
  row.updatedAt = nowMicroseconds();
  store_.recombinations().update(row);
}

void RecombinationRun::setStatus(SessionStatus status, const std::string& reason,
                                 PauseCause cause) {
  row_.wallSeconds = wallSeconds();
  row_.status = status;
  runningSince_.reset();
  if (status == SessionStatus::Running) runningSince_ = std::chrono::steady_clock::now();
  save();
  observer_(RecombinationStatusChanged{status, reason, cause});
}

} // namespace nestwright
