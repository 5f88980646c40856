#include "core/session/run/tuning/tuning_run.h"

#include "core/search/decisions/polish.h"
#include "core/search/draft/draft_score.h"
#include "core/search/seed_candidates.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/recorded_machine.h"
#include "core/session/run/round_phases.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/sketch_answers.h"
#include "core/session/run/task_failure.h"
#include "core/session/run/tuning/kept_proposal.h"
#include "core/session/run/tuning/nothing_left.h"
#include "core/session/run/tuning/policy_memory.h"
#include "core/session/run/tuning/session_records.h"
#include "core/session/run/tuning/task_pauses.h"
#include "core/space/sketch_of.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>
#include <utility>

namespace nestwright {

TuningRun::TuningRun(RecordStore store, RowId session, RunLog::Observer observer,
                     MeasureFunction measure, WorkerLaunch launch, PolicyLaunch policy)
    : log_(std::move(store), session, std::move(observer)), settings_(log_.row()),
      tasks_(log_, settings_),
      measurer_(settings_.config.measure, settings_.target, std::move(launch),
                machineOr(std::move(measure)), log_.parts()),
      learner_(log_, tasks_, settings_), answers_(log_, tasks_, measurer_, settings_),
      naive_(log_, tasks_, measurer_), claims_(log_, tasks_, measurer_, settings_),
      progress_(log_, tasks_, settings_), recorder_(log_, tasks_, progress_, settings_),
      given_(log_.store(), settings_.again), phases_(log_), polish_(log_, tasks_, settings_),
      inputs_(log_, settings_, tasks_, learner_, given_),
      ahead_(log_, tasks_, settings_, learner_, inputs_, polish_),
      changes_(log_, settings_, tasks_, learner_, progress_) {
  settings_.setTarget(log_.store(), tasks_.tasks().front().row, measurer_.launch());
  tasks_.countTrials();
  settings_.launch = std::move(policy);
  settings_.makePolicies();
  learner_.follow();
}

MeasureFunction TuningRun::machineOr(MeasureFunction given) {
  const std::optional<std::string> file = recordedFile(settings_.config.machine);
  if (given || !file) return given;
  const TargetFacts target = targetOf(log_.store(), tasks_.tasks().front().row);
  std::vector<ComputeDag> tasks;
  for (const TunedTask& task : tasks_.tasks())
    tasks.push_back(task.dag);
  const auto machine = std::make_shared<RecordedMachine>(
      *file, target, settings_.config.measure.evaluator, std::move(tasks));
  log_.store().commitWithoutFlushing(); // the recording says it again
  return [machine, this](const auto& requests, const auto& onResult, const auto* stop) {
    const auto pass = [&](const MeasureResult& result) {
      log_.advance(result.buildSeconds + result.runSeconds);
      onResult(result);
    };
    machine->measure(requests, pass, stop);
  };
}

std::optional<TuningRun::Ending> TuningRun::ending() const {
  const auto finished = [](std::string reason) {
    return Ending{SessionStatus::Finished, std::move(reason)};
  };
  if (phases_.isBehind(SearchPhase::Measuring)) return std::nullopt; // still to be learned from
  const SessionConfig& config = settings_.config;
  const std::optional<OpenRound>& open = log_.state().open;
  // A round that was interrupted behind its last trial is still to be judged and learned from.
  if (!open && log_.searchTrials() >= config.trials)
    return finished(fmt::format("the budget of {} is used", quantity(config.trials, "trial")));
  if (config.maxSeconds > 0 && log_.wallSeconds() >= config.maxSeconds)
    return finished(fmt::format("the budget of {} is used", formatBudget(config.maxSeconds)));
  // A round that is open asks the policy as long as its candidates are not known.
  const bool asksPolicy =
      open ? !open->made && !open->polish && open->proposal.empty() : !naive_.hasRetries();
  if (std::string why = asksPolicy ? settings_.policy->obstacle() : std::string(); !why.empty())
    return Ending{SessionStatus::Paused, std::move(why), PauseCause::Policy};
  if (open || naive_.hasRetries()) return std::nullopt;
  if (log_.state().policyFailures >= kMostPolicyFailures)
    return Ending{
        SessionStatus::Paused,
        fmt::format("the policy {} gave no program in {} rounds in a row, which were drawn "
                    "at random; the session pauses before more of its budget is. What it "
                    "said is in the log: mend it and go on, or choose another policy",
                    config.policy, kMostPolicyFailures),
        PauseCause::Policy};
  if (tasks_.failed().size() == tasks_.tasks().size())
    return Ending{SessionStatus::Failed,
                  fmt::format("none of the session's tasks can be tuned\n{}",
                              inWords(untunedTasks(log_.store(), log_.session())))};
  const std::string searchEnded = searchEnd();
  if (searchEnded.empty()) return std::nullopt;
  std::string noPolish;
  if (config.polish > 0 && polish_.next(noPolish) >= 0) return std::nullopt;
  std::vector<TaskProgress> tasks = tasks_.progress();
  // With paused tasks there is something left to do.
  bool paused = false;
  for (TaskProgress& task : tasks)
    if (std::exchange(task.mode, TaskMode::Free) == TaskMode::Paused) paused |= takesTrials(task);
  if (paused && std::ranges::none_of(tasks_.progress(), takesTrials))
    return Ending{SessionStatus::Paused, pausedText(log_)};
  return finished(config.polish > 0 ? fmt::format("{}; {}", searchEnded, noPolish) : searchEnded);
}

std::string TuningRun::searchEnd() const {
  if (!log_.state().searchEnded.empty()) return log_.state().searchEnded;
  if (polish_.isDue()) return polish_.whyDue();
  const double least = settings_.config.stopGain;
  if (least > 0 && asksAfter(log_.state().round))
    if (const std::optional<double> gain =
            expectedGain(log_, tasks_, settings_.config.trials - log_.searchTrials());
        gain && *gain < least)
      return fmt::format("done: {:.1f} % left to gain, stopping", 100 * *gain);
  const TaskChoice choice = settings_.scheduler->next(tasks_.progress(), log_.state().round + 1);
  return choice.index >= 0 ? std::string() : choice.reason;
}

void TuningRun::round(std::atomic<bool>& interrupt, PhaseGate& gate) {
  phases_.obey(gate);
  const std::optional<OpenRound>& open = log_.state().open;
  if (!open && naive_.hasRetries()) return naive_.retry(interrupt);
  if (!open && !beginRound()) return;
  TunedTask& task = tasks_.of(open->task);
  if (!hasSpace(task)) return;
  RoundWork work;
  if (task.naiveSeconds == 0 && !naive_.measure(task, interrupt, work)) return;
  if (!open) return; // the task failed
  const std::vector<Record> before =
      recordsOfRound(log_.store(), log_.session(), *open, log_.counts().trials);
  std::optional<Proposal> proposal = chooseCandidates(task, before, interrupt, work);
  if (!proposal) return;
  if (!phases_.isBehind(SearchPhase::Measuring) &&
      !(measureCandidates(task, *proposal, before, interrupt, work) &&
        (open->polish ? claims_.settleAll(task, interrupt, work) &&
                            claims_.findSuccessor(task, polish_.incumbentOf(task), interrupt, work)
                      : claims_.settleBoldest(task, interrupt, work)) &&
        phases_.finishMeasuring(task, work))) {
    if (phases_.stoppedAfter()) waiting_ = {std::move(*proposal), changes_.count()};
    return;
  }
  if (!answers_.compareBack(task, interrupt, work)) return;
  endRound(task, *proposal, work);
}

bool TuningRun::hasSpace(TunedTask& task) {
  if (!settings_.onTemplates() || tasks_.templateOf(task).of) return true;
  TaskMemory& memory = tasks_.memoryOf(task);
  memory.lacksTemplate = true;
  memory.exhausted = tasks_.templateOf(task).whyNone;
  log_.state().open.reset(); // the round is over before it began
  log_.saveAndTell({TaskExhausted{task.row.id, memory.exhausted}});
  return false;
}

RoundSize TuningRun::sizeOfRound(const TunedTask& task) const {
  const SessionConfig& config = settings_.config;
  return roundSize({.budget = config.trials,
                    .used = log_.searchTrials() + polish_.budget(),
                    .tasks = tasks_.tasks().size(),
                    .largest = config.trialsPerRound,
                    .room = tasks_.roomOf(task)});
}

bool TuningRun::beginRound() {
  TuningState& state = log_.state();
  if (std::string ended = searchEnd(); !ended.empty()) {
    if (settings_.config.polish == 0) return false;
    ahead_.drop(ended);
    if (!polish_.isDue()) state.searchEnded = std::move(ended); // for good
    return beginPolish();
  }
  if (std::optional<AheadRound> next = ahead_.take()) return openAhead(std::move(*next));
  const TaskChoice choice = settings_.scheduler->next(tasks_.progress(), state.round + 1);
  if (choice.index < 0) return false;
  const TunedTask& task = tasks_.tasks()[choice.index];
  const RoundSize size = sizeOfRound(task);
  return openRound({.task = task.row.id,
                    .reason = choice.reason,
                    .terms = choice.terms,
                    .byGradient = choice.byGradient,
                    .amongPinned = choice.amongPinned,
                    .trials = size.trials,
                    .whyFewer = size.whyFewer},
                   {});
}

bool TuningRun::beginPolish() {
  std::string reason;
  for (int index = polish_.next(reason); index >= 0; index = polish_.next(reason)) {
    const TunedTask& task = tasks_.tasks()[index];
    if (!polish_.begin(task)) continue;
    return openRound({.task = task.row.id,
                      .reason = reason,
                      .terms = {},
                      .trials = polish_.roundSize(),
                      .whyFewer = kPolishIsSmall},
                     {.polish = true});
  }
  return false;
}

bool TuningRun::openAhead(AheadRound next) {
  TaskChosen chosen = choiceOf(next);
  return openRound(std::move(chosen),
                   {.proposal = std::move(next.proposal), .made = std::move(next.made)});
}

bool TuningRun::openRound(TaskChosen chosen, OpenRound open) {
  TuningState& state = log_.state();
  const TunedTask& task = tasks_.of(chosen.task);
  open.task = chosen.task;
  open.count = chosen.trials;
  open.firstDraw = tasks_.memoryOf(task).nextDraw;
  open.firstTrial = log_.counts().trials + 1;
  if (std::isfinite(task.bestSeconds)) open.bestSeconds = task.bestSeconds;
  chosen.round = ++state.round;
  if (chosen.trials >= settings_.config.trialsPerRound) chosen.whyFewer.clear();
  const bool searches = !open.polish;
  state.open = std::move(open);
  if (searches) ahead_.choose(task, chosen.trials);
  log_.saveAndTell({chosen});
  return true;
}

std::optional<Proposal> TuningRun::chooseCandidates(TunedTask& task,
                                                    const std::vector<Record>& before,
                                                    const std::atomic<bool>& interrupt,
                                                    RoundWork& work) {
  const ScoringTime scoring = learner_.scoringTime();
  phases_.startTimer();
  std::optional<Waiting> waiting = std::exchange(waiting_, std::nullopt);
  Proposal proposal = waiting && waiting->changes == changes_.count()
                          ? std::move(waiting->proposal)
                          : propose(task, before, interrupt);
  if (proposal.stopped) return std::nullopt;
  for (Candidate& candidate : proposal.candidates)
    if (candidate.trace.predictedScore && !log_.state().open->made)
      candidate.trace.ranking = learner_.ranking(task);
  if (const std::optional<MadeAhead>& made = log_.state().open->made) work.beside = made->seconds;
  if (!phases_.finishSelection(proposal)) {
    waiting_ = {std::move(proposal), changes_.count()};
    return std::nullopt;
  }
  work.scoring = learner_.scoringTime() - scoring;
  return proposal;
}

Proposal TuningRun::propose(TunedTask& task, const std::vector<Record>& before,
                            const std::atomic<bool>& interrupt) {
  const OpenRound& open = *log_.state().open;
  const std::vector<Sketch>& sketches = tasks_.sketchesOf(task);
  const std::optional<TaskTemplate>& of = tasks_.templateOf(task).of;
  if (!phases_.finishSketches(of ? templateSentence(*of) : sketchesSentence(sketches)))
    return stoppedProposal();
  if (open.made) return proposedAhead(task);
  // What this very round measured before an interruption must be proposed again, not skipped.
  std::unordered_set<std::string> ofThisRound;
  for (const Record& record : before)
    ofThisRound.insert(record.program);
  ProposalInputs inputs = inputs_.gather(task, open.count, open.firstDraw, ofThisRound);
  SearchContext& context = inputs.context;
  context.known = [&](const std::string& program) {
    return task.measured.contains(program) && !ofThisRound.contains(program);
  };
  SearchLog search;
  context.log = &search;
  context.afterPhase = [&](SearchPhase phase) {
    return phases_.finishProposing(phase, search, learner_.learns(), of.has_value());
  };
  context.stop = &interrupt;
  if (open.polish) {
    context.measuredBest = {polish_.incumbentOf(task).steps};
    return PolishPolicy().propose(open.count, context);
  }
  if (!settings_.policy->isRepeatable()) return proposeOnce(task, inputs.first, context);
  Proposal proposal = proposeBehind(inputs.first, *settings_.policy, open.count, context);
  tasks_.addReasons(task, proposal.candidates);
  return proposal;
}

Proposal TuningRun::proposeOnce(TunedTask& task, const std::vector<Steps>& first,
                                SearchContext& context) {
  TuningState& state = log_.state();
  Proposal proposal;
  if (!state.open->proposal.empty()) {
    proposal = proposalFromText(state.open->proposal, task.dag, settings_.space);
  } else {
    context.round = state.round;
    context.measuredSince = [&](std::int64_t after) {
      return measuredPrograms(log_.store(), log_.session(), task.row.id, after);
    };
    context.talks = [&] { return earlierTalks(log_.store(), log_.session(), task.row.id); };
    SearchContext asked = context;
    asked.afterPhase = nullptr; // it is stored before anybody can pause there
    proposal = proposeBehind(first, *settings_.policy, state.open->count, asked);
    if (proposal.stopped) return proposal;
    tasks_.addReasons(task, proposal.candidates);
    for (Candidate& candidate : proposal.candidates)
      if (candidate.trace.sketch < 0)
        candidate.trace.sketch = sketchOf(*context.sketches, candidate.steps);
    state.open->proposal = toText(proposal);
    std::vector<Event> events;
    if (proposal.talk) {
      if (proposal.talk->asked > 0)
        state.policyFailures = proposal.talk->given > 0 ? 0 : state.policyFailures + 1;
      events.emplace_back(PolicyTalked{task.row.id, *proposal.talk});
    }
    log_.saveAndTell(events);
  }
  proposal.stopped =
      !context.goesOnAfter(SearchPhase::Sampling) || !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

Proposal TuningRun::proposedAhead(const TunedTask& task) {
  const OpenRound& open = *log_.state().open;
  Proposal proposal = proposalFromText(open.proposal, task.dag, settings_.space);
  proposal.stopped = !phases_.finishMadeAhead(*open.made);
  return proposal;
}

std::vector<MeasureRequest> TuningRun::requestsOf(TunedTask& task, const Proposal& proposal,
                                                  const std::vector<Record>& before) {
  const OpenRound& open = *log_.state().open;
  // After a change of the settings in between, the rest of the round is of other candidates, and
  // the budget may be used up already.
  const std::int64_t left =
      std::max<std::int64_t>(settings_.config.trials - log_.searchTrials(), 0);
  const std::int64_t room = std::min<std::int64_t>(open.count - std::ssize(before), left);
  // As when the round began, but for a best that was forgotten since.
  const double best = open.bestSeconds > 0 ? std::max(open.bestSeconds, task.bestSeconds) : 0;
  const std::vector<bool> compare =
      answersToCompare(proposal.candidates, tasks_.sketchesOf(task), tasks_.memoryOf(task).answers,
                       settings_.config.seed, settings_.config.checkShare);
  std::vector<MeasureRequest> requests;
  for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
    const Candidate& candidate = proposal.candidates[i];
    if (task.measured.contains(candidate.programId)) continue; // before the interruption
    if (std::ssize(requests) >= room) break;
    const ProgramText program = programText(task.row, candidate);
    requests.push_back(programRequest(program, best));
    requests.back().id = i;
    if (compare[i]) requests.back().checkBelowSeconds = 0;
  }
  return requests;
}

bool TuningRun::measureCandidates(TunedTask& task, const Proposal& proposal,
                                  const std::vector<Record>& before, std::atomic<bool>& interrupt,
                                  RoundWork& work) {
  const double maxSeconds = settings_.config.maxSeconds;
  bool complete = true;
  ahead_.begin(task, proposal, before);
  const struct Leaving {
    RoundsAhead& ahead;
    ~Leaving() { ahead.abandon(); }
  } leaving{ahead_};
  BesideMeasuring beside;
  beside.beforeTiming = [&] { ahead_.keep(interrupt); };
  beside.nextBuilds = [&] {
    if (!ahead_.isProposed() || !ahead_.keep(interrupt)) return std::vector<MeasureRequest>();
    return ahead_.requests();
  };
  measurer_.measure(
      requestsOf(task, proposal, before),
      [&](const MeasureResult& result) {
        if (result.verdict == Verdict::Cancelled)
          complete = false;
        else
          recorder_.record(task, proposal.candidates[result.id], result, work);
        if (maxSeconds > 0 && log_.wallSeconds() >= maxSeconds) interrupt = true;
      },
      interrupt, beside);
  work.compile += measurer_.buildPhaseSeconds();
  return complete && ahead_.keep(interrupt);
}

void TuningRun::endRound(TunedTask& task, const Proposal& proposal, const RoundWork& work) {
  TuningState& state = log_.state();
  TaskMemory& memory = tasks_.memoryOf(task);
  const bool ofPolish = state.open->polish;
  if (!ofPolish) { // a polish draws nothing, and leaves what the policy knows as it is
    memory.nextDraw = proposal.nextDraw;
    memory.policyState = proposal.policyState;
    memory.statePolicy = settings_.policy->name();
  }
  ++memory.rounds;
  // A collection's state would grow with every round, and is stored with each.
  if (settings_.programsPerTask == 0) {
    memory.history.push_back(task.bestSeconds);
    memory.roundEnds.push_back(log_.counts().newestRecord);
  }
  const int asked = state.open->count;
  if (!ofPolish && static_cast<int>(proposal.candidates.size()) < asked)
    memory.exhausted = proposal.shortage;
  const std::vector<Record> ofRound =
      recordsOfRound(log_.store(), log_.session(), *state.open, log_.counts().trials);
  if (ofPolish)
    polish_.endRound(task, ofRound, proposal.shortage);
  else
    tasks_.dropMeasuredFirst(task, ofRound);
  const bool anew = answers_.note(task, ofRound);
  std::vector<Event> events;
  PhaseFinished trained{task.row.id,        state.round, SearchPhase::Training,
                        !learner_.learns(), 0,           "left out: this policy has no cost model"};
  if (learner_.learns()) {
    const ModelUpdated update = learner_.learn(task, ofRound, anew);
    trained.seconds = update.seconds;
    trained.sentence =
        fmt::format("the cost model learned from {} in all ({})",
                    quantity(std::int64_t(update.programs), "program"), update.reason);
    events.push_back(update);
  }
  events.push_back(trained);
  if (!settings_.policy->isRepeatable())
    settings_.policy->learn(
        task.row.key,
        measuredPrograms(log_.store(), log_.session(), task.row.id, state.open->firstTrial - 1));
  state.open.reset();
  const std::optional<TaskModeChanged> paused =
      pauseIfFailing(log_, tasks_, task, settings_.config);
  log_.storeAndTell([&] {
    log_.save();
    learner_.store(anew);
    events.push_back(roundFinished(task.row.id, state.round, proposal, work, log_.parts()));
    log_.parts().restart(); // what passes from here on is the next round's
    if (!memory.exhausted.empty()) events.push_back(TaskExhausted{task.row.id, memory.exhausted});
    if (paused) events.push_back(*paused);
    return events;
  });
  // Without a cost model the round ends with its measurements, where it stopped already.
  if (learner_.learns()) phases_.goesOnAfter(SearchPhase::Training);
  progress_.tell();
}

bool TuningRun::hasDemands() const {
  const TuningState& state = log_.state();
  return !state.demands.empty() || state.demandClaim.record != 0;
}

void TuningRun::measureDemands(const std::atomic<bool>& interrupt) {
  while (hasDemands() && !interrupt) {
    if (log_.state().demandClaim.record == 0)
      measureDemand(interrupt);
    else if (!claims_.settleDemanded(interrupt))
      break;
  }
  log_.parts().restart(); // no part of a round
  progress_.tell();
  if (!log_.isRunning()) measurer_.release();
}

void TuningRun::measureDemand(const std::atomic<bool>& interrupt) {
  const Demand demand = log_.state().demands.front();
  TunedTask& task = tasks_.of(demand.task);
  Candidate candidate;
  RecordProgram meant = meantProgram(demand.program, task.row, task.dag, log_.store());
  candidate.programId = programId(meant.dag, meant.steps);
  if (demand.program.trace)
    candidate.trace = *demand.program.trace;
  else
    candidate.trace.origin = Origin::OnDemand;
  candidate.trace.config = meant.config;
  if (meant.config) candidate.variant = std::move(meant.dag);
  candidate.steps = std::move(meant.steps);
  const ProgramText program = programText(task.row, candidate);
  measurer_.measure(
      {programRequest(program, task.bestSeconds)},
      [&](const MeasureResult& result) {
        if (result.verdict != Verdict::Cancelled) recorder_.recordDemanded(task, candidate, result);
      },
      interrupt);
}

void TuningRun::setStatus(SessionStatus status, const std::string& reason, PauseCause cause) {
  const bool begins =
      status == SessionStatus::Running && log_.row().status != SessionStatus::Running;
  log_.enter(status);
  runs_ = status == SessionStatus::Running ? holdForSession() : QuietHold();
  if (status != SessionStatus::Running) {
    measurer_.release();
    settings_.policy->rest();
    // Whoever starts it again gives it another chance.
    if (log_.state().policyFailures >= kMostPolicyFailures) log_.state().policyFailures = 0;
  }
  std::vector<Event> events;
  if (begins) {
    naive_.noteFailed();
    events = freePausedThemselves(log_, tasks_);
  }
  events.emplace(events.begin(), StateChanged{status, reason, cause});
  // With somebody else's measuring this machine's state says nothing.
  if (begins && measurer_.isOurs()) events.push_back(EnvironmentChecked{measurer_.environment()});
  log_.saveAndTell(events);
  progress_.tell();
}

} // namespace nestwright
