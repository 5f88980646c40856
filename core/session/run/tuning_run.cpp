#include "core/session/run/tuning_run.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/sketch_answers.h"
#include "core/session/run/task_failure.h"
#include "core/session/schedule/network_totals.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/tensor/compulsory_bytes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

/// The rate shown is that of the last half minute: long enough to be calm, short enough to be true.
constexpr std::chrono::seconds kRateWindow{30};
constexpr std::chrono::milliseconds kProgressInterval{200};

/// The task's first measurement of what the record is of; 0 for one of another machine's task.
RowId originalOf(const RecordStore& store, RowId id, RowId task) {
  const std::optional<Record> record = id != 0 ? store.records().one(id) : std::nullopt;
  if (!record || record->task != task) return 0;
  return record->original != 0 ? record->original : id;
}

} // namespace

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
  if (state_.open || !retries_.empty()) return std::nullopt;
  if (allFailed())
    return Ending{SessionStatus::Failed, fmt::format("none of the session's tasks can be tuned\n{}",
                                                     inWords(untunedTasks(store_, row_.id)))};
  std::vector<TaskProgress> tasks = progress();
  const TaskChoice choice = scheduler_->next(tasks, state_.round + 1);
  if (choice.index >= 0) return std::nullopt;
  // With paused tasks there is something left to do.
  bool paused = false;
  for (TaskProgress& task : tasks)
    if (std::exchange(task.mode, TaskMode::Free) == TaskMode::Paused) paused |= takesTrials(task);
  if (paused && std::ranges::none_of(progress(), takesTrials))
    return Ending{SessionStatus::Paused, pausedText()};
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
  if (std::isfinite(task.bestSeconds)) state_.open->bestSeconds = task.bestSeconds;
  ++state_.round;
  storeAndTell({TaskChosen{task.row.id, state_.round, choice.reason, choice.terms}},
               [&] { save(); });
  return state_.open;
}

void TuningRun::round(std::atomic<bool>& interrupt, PhaseGate& gate) {
  gate_ = &gate;
  stoppedAfter_.reset();
  RoundWork work;
  if (!state_.open && !retries_.empty()) return retryFailed(interrupt);
  const std::optional<OpenRound> open = state_.open ? state_.open : beginRound();
  if (!open) return;
  Task& task = taskOf(open->task);
  if (task.naiveSeconds == 0 && !measureNaive(task, interrupt, work)) return;
  if (!state_.open) return; // the task failed
  const ScoringTime before = learner_ ? learner_->scoringTime() : ScoringTime{};
  phaseStart_ = Clock::now();
  Proposal proposal =
      waiting_ ? *std::exchange(waiting_, std::nullopt) : propose(task, *open, interrupt);
  if (proposal.stopped) return;
  if (!finishSelection(proposal)) {
    waiting_ = std::move(proposal);
    return;
  }
  if (learner_) work.scoring = learner_->scoringTime() - before;
  if (!isBehind(SearchPhase::Measuring) &&
      !(measureCandidates(task, proposal, interrupt, work) && settleClaims(task, interrupt, work) &&
        finishMeasuring(task, work))) {
    if (stoppedAfter_) waiting_ = std::move(proposal);
    return;
  }
  if (!compareBack(task, interrupt, work)) return;
  endRound(task, proposal, work);
}

ModelUpdated TuningRun::learn(bool anew) {
  const InPart training(parts_, RoundPart::Training);
  const Clock::time_point start = Clock::now();
  ModelUpdated event;
  event.round = state_.round;
  event.trained = learner_->trained();
  const RankQuality quality = learner_->quality(roundPrograms_);
  event.ranked = quality.programs;
  event.rankAccuracy = quality.rankAccuracy;
  event.rankCorrelation = quality.rankCorrelation;
  if (anew) loadLearner(false);
  learner_->add(roundPrograms_);
  const UpdateReport report = learner_->update();
  event.programs = report.programs;
  event.kind = name(report.kind);
  event.reason = report.reason;
  event.seconds = secondsSince(start);
  return event;
}

MeasureRequest TuningRun::requestFor(const Task& task, const Candidate& candidate,
                                     double bestSeconds) {
  MeasureRequest request;
  request.dag = task.row.dag;
  request.steps = candidate.steps;
  request.check = true;
  request.checkBelowSeconds = std::isfinite(bestSeconds) ? bestSeconds : 0;
  return request;
}

bool TuningRun::measureCandidates(Task& task, const Proposal& proposal,
                                  std::atomic<bool>& interrupt, RoundWork& work) {
  // After a change of the settings in between, the rest of the round is of other candidates.
  const int room = state_.open->count - measuredInRound_;
  std::vector<MeasureRequest> requests;
  // As when the round began, but for a best that was forgotten since.
  const double best =
      state_.open->bestSeconds > 0 ? std::max(state_.open->bestSeconds, task.bestSeconds) : 0;
  const std::vector<bool> compare =
      answersToCompare(proposal.candidates, sketchesOf(task), memoryOf(task).answers, config_.seed,
                       config_.checkShare);
  for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
    const Candidate& candidate = proposal.candidates[i];
    if (task.measured.contains(candidate.programId)) continue; // before the interruption
    if (static_cast<int>(requests.size()) >= room) break;
    requests.push_back(requestFor(task, candidate, best));
    requests.back().id = i;
    if (compare[i]) requests.back().checkBelowSeconds = 0;
  }
  bool complete = true;
  measure(
      requests,
      [&](const MeasureResult& result) {
        if (result.verdict == Verdict::Cancelled)
          complete = false;
        else
          storeResult(task, proposal.candidates[result.id], result, work);
        if (config_.maxSeconds > 0 && wallSeconds() >= config_.maxSeconds) interrupt = true;
      },
      interrupt);
  if (measurer_) work.compile += measurer_->buildPhaseSeconds();
  return complete;
}

void TuningRun::measure(const std::vector<MeasureRequest>& requests,
                        const std::function<void(const MeasureResult&)>& onResult,
                        const std::atomic<bool>& interrupt) {
  const InPart measuring(parts_, RoundPart::Measuring);
  if (measure_) return measure_(requests, onResult, &interrupt);
  if (!measurer_) measurer_ = std::make_unique<Measurer>(config_.measure, launch_);
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
                            RoundWork& work, const Demand* demand) {
  const InPart storing(parts_, RoundPart::Storing);
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
  work.kernel += result.runSeconds;
  work.build += result.buildSeconds;
  ++work.trials;
  recentTrials_.push_back(Clock::now());
  if (learner_ && !demand) roundPrograms_.push_back(measuredProgram(record));

  record.wallSeconds = wallSeconds();
  store_.transaction([&] {
    record.id = store_.records().add(record); // the record is its own event in the file
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
  emitProgress();
}

RoundFinished TuningRun::roundFinished(const Task& task, const Proposal& proposal,
                                       const RoundWork& work) {
  RoundFinished event{task.row.id, state_.round, work.trials};
  event.samplingSeconds = parts_.of(RoundPart::Choosing);
  event.measureSeconds = parts_.of(RoundPart::Measuring);
  event.trainSeconds = parts_.of(RoundPart::Training);
  event.storeSeconds = parts_.of(RoundPart::Storing);
  event.wallSeconds = event.samplingSeconds + event.measureSeconds + event.trainSeconds +
                      event.storeSeconds; // what passes meanwhile is the next round's
  event.kernelSeconds = work.kernel;
  event.buildSeconds = work.build;
  event.compileSeconds = std::min(work.compile, event.measureSeconds);
  event.featureSeconds = work.scoring.features;
  event.predictSeconds = work.scoring.predict;
  // The proposal's own time has what was stored of it meanwhile.
  const double thinking = std::min(proposal.evolutionSeconds, event.samplingSeconds);
  event.evolutionSeconds = std::max(0.0, thinking - work.scoring.features - work.scoring.predict);
  parts_.restart();
  return event;
}

void TuningRun::endRound(Task& task, const Proposal& proposal, const RoundWork& work) {
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
  const bool anew = noteAnswers(task);
  std::vector<Event> events;
  PhaseFinished trained{task.row.id,
                        state_.round,
                        SearchPhase::Training,
                        !learner_,
                        0,
                        "left out: this policy has no cost model"};
  if (learner_) {
    const ModelUpdated update = learn(anew);
    trained.seconds = update.seconds;
    trained.sentence = fmt::format("the cost model learned from {} programs in all ({})",
                                   update.programs, update.reason);
    events.push_back(update);
  }
  events.push_back(trained);
  state_.open.reset();
  const std::optional<TaskModeChanged> paused = pausedBy(task);
  storeAndTell([&] {
    save();
    if (learner_ && learner_->trained())
      store_.models().save(row_.id, config_.model, learner_->save());
    else if (anew)
      store_.models().drop(row_.id);
    events.push_back(roundFinished(task, proposal, work));
    if (!memory.exhausted.empty()) events.push_back(TaskExhausted{task.row.id, memory.exhausted});
    if (paused) events.push_back(*paused);
    return events;
  });
  // Without a cost model the round ends with its measurements, where it stopped already.
  if (learner_) stopsAfter(SearchPhase::Training);
  emitProgress(true);
}

void TuningRun::setStatus(SessionStatus status, const std::string& reason, PauseCause cause) {
  if (status == SessionStatus::Running && !runningSince_) {
    runningSince_ = Clock::now();
    parts_.restart();
  } else if (status != SessionStatus::Running && runningSince_) {
    row_.wallSeconds = wallSeconds();
    runningSince_.reset();
    measurer_.reset(); // idle workers hold memory; starting them again takes milliseconds
  }
  const bool begins = status == SessionStatus::Running && row_.status != status;
  row_.status = status;
  std::vector<Event> events;
  if (begins) {
    retries_ = failedTasks();
    events = freePausedThemselves();
  }
  events.emplace(events.begin(), StateChanged{status, reason, cause});
  // With somebody else's measuring this machine's state says nothing.
  if (begins && !measure_) events.push_back(EnvironmentChecked{checkEnvironment()});
  storeAndTell(events, [&] { save(); });
  emitProgress(true);
}

void TuningRun::save() {
  const InPart storing(parts_, RoundPart::Storing);
  row_.updatedAt = nowMicroseconds();
  row_.schedulerState = toText(state_);
  SessionRow row = row_;
  row.wallSeconds = wallSeconds();
  store_.sessions().update(row);
}

void TuningRun::storeAndTell(const std::vector<Event>& events,
                             const std::function<void()>& alsoStore) {
  storeAndTell([&] {
    alsoStore();
    return events;
  });
}

void TuningRun::storeAndTell(const std::function<std::vector<Event>()>& store) {
  const InPart storing(parts_, RoundPart::Storing);
  std::vector<Event> events;
  store_.transaction([&] {
    events = store();
    if (obeying_) events.insert(events.begin(), *obeying_);
    for (const Event& event : events)
      store_.events().add({0, row_.id, nowMicroseconds(), kind(event), toJson(event).dump(),
                           trials_, wallSeconds()});
  });
  obeying_.reset();
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
