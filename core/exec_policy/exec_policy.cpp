#include "core/exec_policy/exec_policy.h"

#include "core/exec_policy/policy_conversation.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/search/mutation.h"
#include "core/search/random_policy.h"
#include "core/search/seed_candidates.h"
#include "core/support/clock.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

namespace nestwright {

namespace {

constexpr std::size_t kMostProcesses = 8;
constexpr double kFarewellSeconds = 1; // of all of them together: somebody waits for the pause
constexpr int kMostAsks = 4;           // of a round: the first, and for what was refused
/// Candidates of an answer that are looked at, for each that was asked for, and some.
constexpr std::size_t kLooksForEach = 4, kLooks = 16;
constexpr std::size_t kKeptRemarks = 5;
constexpr const char* kInPlace = "drawn at random in the place of one that the policy did not give";

/// One round: what is asked, what is refused, and what was said of it.
class Round {
 public:
  Round(int count, const SearchContext& context) : context_(context), missing_(count) {
    talk_.round = context.round;
    talk_.asked = count;
    proposal_.nextDraw = context.firstDraw;
  }

  PolicyTalk& talk() { return talk_; }
  Proposal& proposal() { return proposal_; }
  int missing() const { return missing_; }
  bool isTaken(const std::string& program) const { return taken_.contains(program); }
  void take(const std::string& program) { taken_.insert(program); }

  void converse(PolicyConversation& process) {
    talk_.name = process.name();
    const std::vector<ToldProgram> news = context_.measuredSince
                                              ? context_.measuredSince(talk_.toldTrial)
                                              : std::vector<ToldProgram>();
    if (!news.empty()) {
      talk_.lines.push_back({false, tellLine(news, context_)});
      process.tell(talk_.lines.back().text);
      talk_.toldTrial = news.back().trial;
    }
    for (int asks = 0; asks < kMostAsks && missing_ > 0; ++asks) {
      const std::string question = askLine(context_.round, missing_, talk_.problems);
      const std::string answer = process.ask(question, context_);
      const std::vector<ProposedProgram> programs = candidatesIn(answer);
      talk_.lines.push_back({false, question});
      talk_.lines.push_back({true, answer});
      talk_.problems = toText(judge(programs));
      if (programs.empty()) {
        talk_.remarks.emplace_back("it had nothing to propose");
        break;
      }
    }
    if (refused_ > kKeptRemarks)
      talk_.remarks.push_back(quantity(std::int64_t(refused_ - kKeptRemarks), "more candidate") +
                              " refused");
  }

  /// What the process did not give.
  void fill() {
    SearchContext rest = context_;
    rest.log = nullptr;
    rest.afterPhase = nullptr;
    rest.scorer = nullptr;
    rest.draft = {};
    rest.seeds.clear();
    rest.firstDraw = proposal_.nextDraw;
    rest.known = [&](const std::string& program) {
      return isTaken(program) || (context_.known && context_.known(program));
    };
    Proposal random = RandomPolicy().propose(missing_, rest);
    for (Candidate& candidate : random.candidates) {
      candidate.trace.reason = kInPlace;
      proposal_.candidates.push_back(std::move(candidate));
    }
    proposal_.nextDraw = random.nextDraw;
    proposal_.attempts += random.attempts;
    proposal_.failures.merge(random.failures);
    proposal_.shortage = std::move(random.shortage);
    proposal_.stopped = random.stopped;
    if (context_.log) {
      context_.log->drawn = random.attempts;
      context_.log->legal = random.candidates.size();
    }
  }

 private:
  std::vector<PolicyProblem> judge(const std::vector<ProposedProgram>& programs) {
    const std::size_t most = static_cast<std::size_t>(missing_) * kLooksForEach + kLooks;
    std::vector<PolicyProblem> problems;
    for (std::size_t i = 0; i < programs.size() && !context_.isStopped(); ++i) {
      if (missing_ == 0 || i == most) {
        problems.push_back({i, missing_ == 0 ? "there are as many as were asked for without this "
                                               "one and those behind it"
                                             : "so many candidates are not looked at"});
        break;
      }
      if (std::string why = accept(programs[i]); !why.empty()) {
        if (refused_++ < kKeptRemarks) talk_.remarks.push_back("refused: " + why);
        problems.push_back({i, std::move(why)});
      }
    }
    return problems;
  }

  /// Why it is refused; empty where it is taken.
  std::string accept(const ProposedProgram& program) {
    if (!program.problem.empty()) return program.problem;
    // A refused program has used its draw up: made with it again, it would be the same.
    const std::uint64_t draw = proposal_.nextDraw++;
    Candidate candidate;
    candidate.trace.origin = Origin::Proposed;
    candidate.trace.reason = program.label;
    candidate.trace.draw = draw;
    ++proposal_.attempts;
    if (program.steps) {
      std::string why;
      const std::optional<State> state =
          legalProgram(*context_.dag, *program.steps, context_.space, &why);
      if (!state) return why;
      candidate.trace.sketch = -1;
      candidate.steps = *program.steps;
    } else {
      if (program.sketch < 0 || std::cmp_greater_equal(program.sketch, context_.sketches->size()))
        return fmt::format("there is no sketch {}: they are 0 to {}", program.sketch,
                           context_.sketches->size() - 1);
      const auto& sketch = (*context_.sketches)[static_cast<std::size_t>(program.sketch)];
      Random random = Random::stream(context_.seed, context_.taskKey + "#exec", draw);
      const SampledProgram decided =
          decidedProgram(sketch, context_.space, program.decisions, random);
      if (!decided.state) return decided.failure;
      candidate.trace.sketch = static_cast<int>(program.sketch);
      candidate.steps = decided.state->steps();
    }
    candidate.programId = programId(*context_.dag, candidate.steps);
    if (isTaken(candidate.programId)) return "it is in this round already";
    if (context_.known && context_.known(candidate.programId)) return "it was measured before";
    take(candidate.programId);
    proposal_.candidates.push_back(std::move(candidate));
    ++talk_.given;
    --missing_;
    return {};
  }

  const SearchContext& context_;
  int missing_;
  PolicyTalk talk_;
  Proposal proposal_;
  std::set<std::string> taken_;
  std::size_t refused_ = 0;
};

} // namespace

struct ExecPolicy::Processes {
  /// A task's process, with what is needed to tell it about programs.
  struct Running {
    std::string taskKey;
    std::unique_ptr<PolicyConversation> process;
    ComputeDag dag;
    std::vector<Sketch> sketches;
    SpaceOptions space;
    PolicyTalk last; // what is kept of it from one round to the next
  };

  std::deque<Running> running; // the task of the last round comes last

  std::deque<Running>::iterator of(const std::string& taskKey) {
    return std::ranges::find(running, taskKey, &Running::taskKey);
  }

  /// That of the task, or a new one that is told of the rounds `before`.
  Running& obtain(const PolicyLaunch& launch, const SearchContext& context,
                  const std::vector<PolicyTalk>& before, PolicyTalk& talk) {
    if (const auto found = of(context.taskKey); found != running.end()) {
      std::rotate(found, found + 1, running.end());
      return running.back();
    }
    while (running.size() >= kMostProcesses) {
      running.front().process->sayBye();
      running.front().process->finish(kFarewellSeconds);
      running.pop_front();
    }
    std::unique_ptr<PolicyConversation> process;
    try {
      process = std::make_unique<PolicyConversation>(launch, context);
    } catch (const SystemError& error) {
      throw PolicyFailure(error.what());
    }
    running.push_back(
        {context.taskKey, std::move(process), *context.dag, *context.sketches, context.space, {}});
    bool others = false;
    running.back().process->repeat(before, context, others);
    if (others)
      talk.remarks.emplace_back(
          "asked again what it was asked before, it answered otherwise: it is "
          "not deterministic, and the rounds from here on may not be what "
          "they would have been");
    return running.back();
  }

  void drop(const std::string& taskKey) {
    if (const auto found = of(taskKey); found != running.end()) running.erase(found);
  }
};

std::string whyNotAsked(const std::string& policy, const PolicyLaunch& launch) {
  if (launch.command.empty())
    return fmt::format(
        "the programs of this session are proposed by a program of yours, {}; say "
        "which it is, as in --policy \"exec:python3 my_policy.py\": what a file says "
        "is not run",
        policy);
  if (const std::string given = execPolicyName(launch.command); given != policy)
    return fmt::format("the programs of this session are proposed by {}, and what was given is {}: "
                       "give that one, or change the session's policy",
                       policy, given);
  return {};
}

ExecPolicy::ExecPolicy(PolicyLaunch launch, std::string name)
    : launch_(std::move(launch)), name_(std::move(name)),
      processes_(std::make_unique<Processes>()) {}

ExecPolicy::~ExecPolicy() = default;

Proposal ExecPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.dag && context.sketches, "a proposal needs a compute DAG and its sketches");
  if (const std::string why = obstacle(); !why.empty()) throw UsageError(why);
  std::vector<Candidate> seeds = seedCandidates(count, context);
  Round round(count - static_cast<int>(seeds.size()), context);
  for (const Candidate& seed : seeds)
    round.take(seed.programId);
  PolicyTalk& talk = round.talk();
  const auto known = processes_->of(context.taskKey);
  const bool isNew = known == processes_->running.end();
  std::vector<PolicyTalk> before;
  if (isNew && context.talks) before = context.talks();
  const PolicyTalk& last = !isNew ? known->last : before.empty() ? talk : before.back();
  talk.toldTrial = last.toldTrial;
  talk.problems = last.problems;
  talk.name = last.name;
  try {
    Processes::Running& running = processes_->obtain(launch_, context, before, talk);
    round.converse(*running.process);
    talk.printed = running.process->takePrinted();
    running.last.name = talk.name;
    running.last.toldTrial = talk.toldTrial;
    running.last.problems = talk.problems;
  } catch (const PolicyStopped&) {
    processes_->drop(context.taskKey); // it would answer what nobody waits for
    return stoppedProposal();
  } catch (const PolicyFailure& failure) {
    talk.failure = failure.what();
    talk.printed = failure.printed();
    if (const auto found = processes_->of(context.taskKey); found != processes_->running.end())
      talk.printed = found->process->takePrinted();
    processes_->drop(context.taskKey);
  }
  if (round.missing() > 0 && !context.isStopped()) round.fill();
  Proposal proposal = std::move(round.proposal());
  if (proposal.stopped || context.isStopped()) { // and the process heard what nobody will know of
    processes_->drop(context.taskKey);
    return stoppedProposal();
  }
  proposal.candidates.insert(proposal.candidates.begin(), std::make_move_iterator(seeds.begin()),
                             std::make_move_iterator(seeds.end()));
  proposal.talk = std::move(talk);
  return proposal;
}

void ExecPolicy::learn(const std::string& taskKey, std::vector<ToldProgram> measured) const {
  const auto found = processes_->of(taskKey);
  if (found == processes_->running.end() || measured.empty()) return;
  SearchContext context;
  context.dag = &found->dag;
  context.sketches = &found->sketches;
  context.space = found->space;
  found->process->setLastWords(tellLine(measured, context));
}

void ExecPolicy::rest() const {
  const auto start = std::chrono::steady_clock::now();
  for (const Processes::Running& of : processes_->running)
    of.process->sayBye();
  for (const Processes::Running& of : processes_->running)
    of.process->finish(std::max(0.0, kFarewellSeconds - secondsSince(start)));
  processes_->running.clear();
}

} // namespace nestwright
