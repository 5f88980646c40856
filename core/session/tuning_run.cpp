#include "core/session/tuning_run.h"

#include "core/session/network_totals.h"
#include "core/support/error.h"
#include "core/tensor/compulsory_bytes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The rate shown is that of the last half minute: long enough to be calm, short enough to be true.
constexpr std::chrono::seconds kRateWindow{30};
constexpr std::chrono::milliseconds kProgressInterval{200};

std::int64_t nowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The task's first measurement of what the record is of; 0 for one of another machine's task.
RowId originalOf(const RecordStore& store, RowId id, RowId task) {
  const std::optional<Record> record = id != 0 ? store.record(id) : std::nullopt;
  if (!record || record->task != task) return 0;
  return record->original != 0 ? record->original : id;
}

} // namespace

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TuningRun::Task& TuningRun::taskOf(RowId id) {
  const auto task = std::find_if(tasks_.begin(), tasks_.end(),
                                 [&](const Task& candidate) { return candidate.row.id == id; });
  if (task == tasks_.end())
    throw InputError(fmt::format("task {} does not belong to session {}", id, row_.id));
  return *task;
}

std::vector<TaskProgress> TuningRun::progress() const {
  std::vector<TaskProgress> result;
  for (const Task& task : tasks_) {
    const auto found = state_.tasks.find(task.row.id);
    const TaskMemory memory = found == state_.tasks.end() ? TaskMemory{} : found->second;
    TaskProgress progress;
    progress.task = task.row.id;
    progress.weights = task.weights;
    progress.importance = memory.importance;
    progress.mode = memory.mode;
    progress.rounds = memory.rounds;
    progress.trials = task.trials;
    progress.bestSeconds = task.bestSeconds;
    progress.naiveSeconds = task.naiveSeconds;
    progress.history = memory.history;
    progress.flops = task.row.flops;
    progress.similarityTag = task.similarityTag;
    progress.exhausted = !memory.exhausted.empty() || roomOf(task) == 0;
    result.push_back(std::move(progress));
  }
  return result;
}

std::optional<TuningRun::Ending> TuningRun::ending() const {
  const auto finished = [](std::string reason) {
    return Ending{SessionStatus::Finished, std::move(reason)};
  };
  if (isBehind(SearchPhase::Measuring)) return std::nullopt; // still to be learned from
  if (searchTrials() >= config_.trials)
    return finished(fmt::format("the budget of {} trials is used", config_.trials));
  if (config_.maxSeconds > 0 && wallSeconds() >= config_.maxSeconds)
    return finished(fmt::format("the budget of {} s is used", config_.maxSeconds));
  if (state_.open) return std::nullopt;
  std::vector<TaskProgress> tasks = progress();
  const TaskChoice choice = scheduler_->next(tasks, state_.round + 1);
  if (choice.index >= 0) return std::nullopt;
  // With paused tasks there is something left to do.
  bool paused = false;
  for (TaskProgress& task : tasks)
    if (std::exchange(task.mode, TaskMode::Free) == TaskMode::Paused) paused |= takesTrials(task);
  if (paused && std::ranges::none_of(progress(), takesTrials))
    return Ending{SessionStatus::Paused, "every task that could take trials is paused"};
  return finished(choice.reason);
}

int TuningRun::roundSize(const Task& task) const {
  const int size =
      roundTrials(config_.trials, searchTrials(), tasks_.size(), config_.trialsPerRound);
  return static_cast<int>(std::min<std::int64_t>(size, roomOf(task)));
}

std::int64_t TuningRun::roomOf(const Task& task) const {
  if (programsPerTask_ == 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, programsPerTask_ - task.trials);
}

std::optional<OpenRound> TuningRun::beginRound() {
  const TaskChoice choice = scheduler_->next(progress(), state_.round + 1);
  if (choice.index < 0) return std::nullopt;
  const Task& task = tasks_[choice.index];
  state_.open = OpenRound{task.row.id, memoryOf(task).nextDraw, roundSize(task), {}, trials_ + 1};
  ++state_.round;
  storeAndTell({TaskChosen{task.row.id, state_.round, choice.reason, choice.terms}},
               [&] { save(); });
  return state_.open;
}

void TuningRun::round(std::atomic<bool>& interrupt, PhaseGate& gate) {
  gate_ = &gate;
  stoppedAfter_.reset();
  RoundClock clock;
  const std::optional<OpenRound> open = state_.open ? state_.open : beginRound();
  if (!open) return;
  Task& task = taskOf(open->task);
  if (task.naiveSeconds == 0 && !measureNaive(task, interrupt, clock)) return;
  if (!state_.open) return; // the task was given up
  const ScoringTime before = learner_ ? learner_->scoringTime() : ScoringTime{};
  phaseStart_ = Clock::now();
  Proposal proposal =
      waiting_ ? *std::exchange(waiting_, std::nullopt) : propose(task, *open, interrupt);
  if (proposal.stopped) return;
  if (!finishSelection(proposal)) {
    waiting_ = std::move(proposal);
    return;
  }
  if (learner_) clock.scoring = learner_->scoringTime() - before;
  clock.sampling = secondsSince(clock.start) - clock.measure - clock.store;
  if (!isBehind(SearchPhase::Measuring) &&
      !(measureCandidates(task, proposal, interrupt, clock) &&
        settleClaims(task, interrupt, clock) && finishMeasuring(task, clock))) {
    if (stoppedAfter_) waiting_ = std::move(proposal);
    return;
  }
  endRound(task, proposal, clock);
}

ModelUpdated TuningRun::learn() {
  const Clock::time_point start = Clock::now();
  ModelUpdated event;
  event.round = state_.round;
  event.trained = learner_->trained();
  const RankQuality quality = learner_->quality(roundPrograms_);
  event.ranked = quality.programs;
  event.rankAccuracy = quality.rankAccuracy;
  event.rankCorrelation = quality.rankCorrelation;
  learner_->add(roundPrograms_);
  const UpdateReport report = learner_->update();
  event.programs = report.programs;
  event.kind = name(report.kind);
  event.reason = report.reason;
  event.seconds = secondsSince(start);
  return event;
}

bool TuningRun::measureNaive(Task& task, const std::atomic<bool>& interrupt, RoundClock& clock) {
  const Clock::time_point start = Clock::now();
  MeasureRequest request;
  request.dag = task.row.dag;
  request.naive = true;
  MeasureResult naive;
  measure(
      {request}, [&](const MeasureResult& result) { naive = result; }, interrupt);
  clock.measure += secondsSince(start);
  clock.kernel += naive.runSeconds;
  kernelSeconds_ += naive.runSeconds;
  if (naive.verdict == Verdict::Cancelled) return false;
  if (naive.verdict != Verdict::Ok) {
    const std::string why =
        fmt::format("the naive program of task \"{}\" cannot be measured ({}): {}", task.row.name,
                    name(naive.verdict), naive.error);
    if (programsPerTask_ == 0) throw SystemError(why);
    // One task of a collection's thousands must not end the others.
    memoryOf(task).exhausted = why;
    state_.open.reset();
    storeAndTell({TaskExhausted{task.row.id, why}}, [&] { save(); });
    return true;
  }
  task.naiveSeconds = naive.median();
  storeAndTell({NaiveMeasured{task.row.id, task.naiveSeconds}},
               [&] { store_.setNaiveSeconds(task.row.id, task.naiveSeconds); });
  return true;
}

MeasureRequest TuningRun::requestFor(const Task& task, const Candidate& candidate) {
  MeasureRequest request;
  request.dag = task.row.dag;
  request.steps = candidate.steps;
  request.check = true;
  request.checkBelowSeconds = std::isfinite(task.bestSeconds) ? task.bestSeconds : 0;
  return request;
}

bool TuningRun::measureCandidates(Task& task, const Proposal& proposal,
                                  std::atomic<bool>& interrupt, RoundClock& clock) {
  // After a change of the settings in between, the rest of the round is of other candidates.
  const int room = state_.open->count - measuredInRound_;
  std::vector<MeasureRequest> requests;
  for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
    const Candidate& candidate = proposal.candidates[i];
    if (task.measured.contains(candidate.programId)) continue; // before the interruption
    if (static_cast<int>(requests.size()) >= room) break;
    requests.push_back(requestFor(task, candidate));
    requests.back().id = i;
  }
  bool complete = true;
  const Clock::time_point start = Clock::now();
  const double storedBefore = clock.store;
  measure(
      requests,
      [&](const MeasureResult& result) {
        if (result.verdict == Verdict::Cancelled)
          complete = false;
        else
          storeResult(task, proposal.candidates[result.id], result, clock);
        if (config_.maxSeconds > 0 && wallSeconds() >= config_.maxSeconds) interrupt = true;
      },
      interrupt);
  clock.measure += secondsSince(start) - (clock.store - storedBefore);
  if (measurer_) clock.compile += measurer_->buildPhaseSeconds();
  return complete;
}

void TuningRun::measure(const std::vector<MeasureRequest>& requests,
                        const std::function<void(const MeasureResult&)>& onResult,
                        const std::atomic<bool>& interrupt) {
  if (measure_) return measure_(requests, onResult, &interrupt);
  if (!measurer_) measurer_ = std::make_unique<Measurer>(config_.measure);
  measurer_->measure(requests, onResult, &interrupt);
}

Record TuningRun::resultRecord(const Task& task, const Candidate& candidate,
                               const MeasureResult& result) const {
  Record record;
  record.session = row_.id;
  record.task = task.row.id;
  record.program = candidate.programId;
  record.steps = candidate.steps;
  record.result = result;
  record.verified = result.checked;
  Trace trace = candidate.trace;
  trace.round = state_.round;
  record.trace = toJson(trace).dump();
  const double seconds = result.median();
  record.implausible =
      result.verdict == Verdict::Ok &&
      seconds < physicalFloorSeconds(target_, task.row.flops, compulsoryBytes(task.dag));
  const double previous = task.bestSeconds;
  const bool below =
      result.verdict == Verdict::Ok && record.verified && !record.implausible && seconds < previous;
  record.contested = below && config_.confirmBest && std::isfinite(previous) &&
                     !isClearlyFaster(result.seconds, previous);
  record.best = below && !record.contested;
  return record;
}

void TuningRun::storeResult(Task& task, const Candidate& candidate, const MeasureResult& result,
                            RoundClock& clock, const Demand* demand) {
  const Clock::time_point start = Clock::now();
  Record record = resultRecord(task, candidate, result);
  record.trial = ++trials_;
  record.onDemand = demand != nullptr;
  if (demand) record.original = originalOf(store_, demand->program.record, task.row.id);
  const double seconds = result.median(), previous = task.bestSeconds;
  if (!demand) ++task.trials;
  task.measured.insert(candidate.programId);
  if (result.verdict != Verdict::Ok) {
    ++task.errors;
    ++errors_;
  }
  if (record.best) task.bestSeconds = seconds;
  kernelSeconds_ += result.runSeconds;
  clock.kernel += result.runSeconds;
  clock.build += result.buildSeconds;
  ++clock.trials;
  recentTrials_.push_back(start);
  if (learner_ && !demand) roundPrograms_.push_back(measuredProgram(record));

  record.wallSeconds = wallSeconds();
  store_.transaction([&] {
    record.id = store_.addRecord(record); // the record is its own event in the file
    if (!demand) return;
    state_.demands.pop_front();
    ++state_.demandedTrials;
    if (record.contested) state_.demandClaim = {record.id, {}, {}};
    save();
  });
  newestRecord_ = record.id;
  if (record.contested && !demand) claims_.push_back(record);
  observer_(Measured{record.id, task.row.id, record.trial, result.verdict, seconds,
                     record.wallSeconds,
                     result.verdict == Verdict::Ok ? std::string() : oneSentence(result),
                     record.onDemand, record.original});
  if (record.best)
    storeAndTell({NewBest{task.row.id, record.id, record.trial, seconds, previous, totalSeconds(),
                          record.wallSeconds}},
                 [] {});
  clock.store += secondsSince(start);
  emitProgress();
}

RoundFinished TuningRun::roundFinished(const Task& task, const Proposal& proposal,
                                       const RoundClock& clock, double training) const {
  RoundFinished event{task.row.id,   state_.round, clock.trials, clock.sampling,
                      clock.measure, clock.kernel, clock.build,  clock.store};
  event.trainSeconds = training;
  event.featureSeconds = clock.scoring.features;
  event.predictSeconds = clock.scoring.predict;
  event.evolutionSeconds =
      std::max(0.0, proposal.evolutionSeconds - clock.scoring.features - clock.scoring.predict);
  event.compileSeconds = clock.compile;
  event.wallSeconds = secondsSince(clock.start);
  return event;
}

void TuningRun::endRound(Task& task, const Proposal& proposal, const RoundClock& clock) {
  TaskMemory& memory = memoryOf(task);
  memory.nextDraw = proposal.nextDraw;
  ++memory.rounds;
  // A collection's state would grow with every round, and is stored with each.
  if (programsPerTask_ == 0) {
    memory.history.push_back(task.bestSeconds);
    memory.roundEnds.push_back(newestRecord_);
  }
  const int asked = state_.open->count;
  if (static_cast<int>(proposal.candidates.size()) < asked) memory.exhausted = proposal.shortage;
  std::vector<Event> events;
  double training = 0;
  PhaseFinished trained{task.row.id,
                        state_.round,
                        SearchPhase::Training,
                        !learner_,
                        0,
                        "left out: this policy has no cost model"};
  if (learner_) {
    const ModelUpdated update = learn();
    training = trained.seconds = update.seconds;
    trained.sentence = fmt::format("the cost model learned from {} programs in all ({})",
                                   update.programs, update.reason);
    events.push_back(update);
  }
  events.push_back(trained);
  state_.open.reset();
  events.push_back(roundFinished(task, proposal, clock, training));
  if (!memory.exhausted.empty()) events.push_back(TaskExhausted{task.row.id, memory.exhausted});
  storeAndTell(events, [&] {
    save();
    if (learner_ && learner_->trained()) store_.saveModel(row_.id, config_.model, learner_->save());
  });
  // Without a cost model the round ends with its measurements, where it stopped already.
  if (learner_) stopsAfter(SearchPhase::Training);
  emitProgress(true);
}

void TuningRun::setStatus(SessionStatus status, const std::string& reason) {
  if (status == SessionStatus::Running && !runningSince_) {
    runningSince_ = Clock::now();
  } else if (status != SessionStatus::Running && runningSince_) {
    row_.wallSeconds = wallSeconds();
    runningSince_.reset();
    measurer_.reset(); // idle workers hold memory; starting them again takes milliseconds
  }
  const bool begins = status == SessionStatus::Running && row_.status != status;
  row_.status = status;
  std::vector<Event> events{StateChanged{status, reason}};
  // With somebody else's measuring this machine's state says nothing.
  if (begins && !measure_) events.push_back(EnvironmentChecked{checkEnvironment()});
  storeAndTell(events, [&] { save(); });
  emitProgress(true);
}

void TuningRun::save() {
  row_.updatedAt = nowMicroseconds();
  row_.schedulerState = toText(state_);
  SessionRow row = row_;
  row.wallSeconds = wallSeconds();
  store_.updateSession(row);
}

void TuningRun::storeAndTell(const std::vector<Event>& events,
                             const std::function<void()>& alsoStore) {
  storeAndTell([&] {
    alsoStore();
    return events;
  });
}

void TuningRun::storeAndTell(const std::function<std::vector<Event>()>& store) {
  std::vector<Event> events;
  store_.transaction([&] {
    events = store();
    for (const Event& event : events)
      store_.addEvent({0, row_.id, nowMicroseconds(), kind(event), toJson(event).dump(), trials_,
                       wallSeconds()});
  });
  for (const Event& event : events)
    observer_(event);
}

void TuningRun::emitProgress(bool always) {
  const Clock::time_point now = Clock::now();
  if (!always && now - lastProgress_ < kProgressInterval) return;
  lastProgress_ = now;
  while (!recentTrials_.empty() && now - recentTrials_.front() > kRateWindow)
    recentTrials_.pop_front();
  Progress progress;
  progress.trials = trials_;
  progress.errors = errors_;
  progress.budget = config_.trials + state_.demandedTrials; // those come on top
  progress.wallSeconds = wallSeconds();
  progress.kernelSeconds = kernelSeconds_;
  if (runningSince_ && recentTrials_.size() > 1)
    progress.trialsPerSecond =
        static_cast<double>(recentTrials_.size()) /
        std::max(1e-3, std::min<double>(kRateWindow.count(), secondsSince(recentTrials_.front())));
  progress.secondsLeft =
      progress.trialsPerSecond > 0
          ? static_cast<double>(config_.trials - searchTrials()) / progress.trialsPerSecond
          : kInfinity;
  if (config_.maxSeconds > 0)
    progress.secondsLeft =
        std::min(progress.secondsLeft, std::max(0.0, config_.maxSeconds - progress.wallSeconds));
  progress.totalSeconds = totalSeconds();
  const std::vector<NetworkTotals> totals = networkTotals(this->progress());
  for (const NetworkTotals& network : totals) {
    progress.networks.push_back({network.best, network.naive, network.present});
    progress.naiveTotalSeconds += network.naive;
  }
  progress.objective = presentValue(config_.objective, totals);
  observer_(progress);
}

double TuningRun::wallSeconds() const {
  return row_.wallSeconds + (runningSince_ ? secondsSince(*runningSince_) : 0);
}

double TuningRun::totalSeconds() const {
  double total = 0;
  for (const Task& task : tasks_)
    total += task.row.weight * task.bestSeconds;
  return total;
}

} // namespace nestwright
