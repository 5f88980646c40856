#pragma once
/// \file Search policies: which programs of a task to measure next, and how each came to be.

#include "core/schedule/state.h"
#include "core/search/config_scorer.h"
#include "core/search/draft/draft_score.h"
#include "core/search/draft/draft_use.h"
#include "core/search/exec/policy_launch.h"
#include "core/search/origin.h"
#include "core/search/pick_reason.h"
#include "core/search/plan_choices.h"
#include "core/search/policy_talk.h"
#include "core/search/search_log.h"
#include "core/search/search_phase.h"
#include "core/search/search_space.h"
#include "core/space/sketch.h"
#include "core/support/row_id.h"
#include "core/template/task_template.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// How a candidate came to be; stored with its record.
struct Trace {
  Origin origin = Origin::Unknown;
  std::vector<std::string> parents; // programIds
  std::uint64_t draw = 0;           // index of the random draw that made it
  int sketch = -1;                  // index of its sketch; -1: of none
  std::optional<double> predictedScore;
  PickReason selection = PickReason::None;
  int round = 0;    // of the session that measured it; 0 where that is not known
  RowId source = 0; // of a program that is measured again: the record that it comes from
  /// Of the score, from cost models that know it.
  std::optional<double> predictedDeviation = {};
  /// Which parts of the cost model it is from (CostModel::ranking).
  std::string ranking = {};
  /// Of a template's program: what it is made from.
  std::optional<TemplateConfig> config = {};
  /// Of a seed: why it is one, a sentence of whoever gave it; likewise of a program that a policy
  /// in a process of its own proposed, or that was drawn in the place of one. Empty where nobody
  /// said.
  std::string reason = {};
  /// Of a polish: which decision of its parent is another one (PolishDecision::name).
  std::string decision = {};
  friend bool operator==(const Trace&, const Trace&) = default;
};
nlohmann::json toJson(const Trace& trace);
Trace traceFromJson(const nlohmann::json& json);

/// A program proposed for measurement.
struct Candidate {
  Steps steps;
  std::string programId;
  Trace trace;
  /// Of a template's program: the task in the layouts that it is for, on which the steps replay.
  std::optional<ComputeDag> variant = {};
};

/// A program that is there already, and its record.
struct GivenProgram {
  Steps steps;
  RowId record = 0;
  std::optional<TemplateConfig> config = {}; // of a template's program
  std::optional<ComputeDag> variant = {};    // as of a Candidate
  std::string problem = {};                  // why it cannot be measured; empty when it can
};

/// A configuration of the task's template that was measured.
struct MeasuredConfig {
  std::int64_t config = 0;
  double seconds = 0; // infinity when it failed
  std::string programId;
};

/// What a policy asks of a cost model. Scores are comparable within a task only; higher is better,
/// and a program that cannot be scored gets minus infinity.
class CostScorer {
 public:
  virtual ~CostScorer() = default;
  /// One score for each program; ranges must be known.
  virtual std::vector<double> score(std::span<const State> programs) const = 0;
  /// The parts of a program's score by stage name, for node-based crossover.
  virtual std::map<std::string, double> stageScores(const State& program) const = 0;
};

/// What a policy proposes from. Everything that may influence a proposal is here or in the policy's
/// own deterministic state.
struct SearchContext {
  const ComputeDag* dag = nullptr;
  std::string taskKey;
  const std::vector<Sketch>* sketches = nullptr;
  SpaceOptions space;
  std::uint64_t seed = 0;
  /// Index of the first random draw to use; draws below it belong to earlier proposals.
  std::uint64_t firstDraw = 0;
  /// True for programs that must not be proposed again (measured before, or in this batch).
  std::function<bool(const std::string& programId)> known;
  /// A trained cost model, or null while there is none: then policies draw at random.
  const CostScorer* scorer = nullptr;
  ProgramDraft draft; // needs no cost model
  DraftUse draftUse = DraftUse::Off;
  /// The fastest programs measured so far, fastest first: they may be parents. For policies that
  /// climb; for those that learn, too, once there is a scorer.
  std::vector<Steps> measuredBest;
  /// Programs that the user wants the search to start from: parents with a scorer, else candidates
  /// that come first. Each replays on `dag`.
  std::vector<Steps> seeds;
  /// The template whose configurations are searched; null where sketches are.
  const TaskTemplate* taskTemplate = nullptr;
  /// What was measured of them, oldest first, and by which model others are judged: null while
  /// there is none.
  std::vector<MeasuredConfig> measuredConfigs;
  const ConfigScorer* configScorer = nullptr;
  /// Those that the user wants to be measured first.
  std::vector<std::int64_t> seedConfigs;
  /// Proposal::policyState of the task's proposal before; empty for the first one.
  std::string policyState;
  /// Up to `count` of the programs that are to be measured, from a position in their list; fewer
  /// at its end. For GivenPolicy alone.
  std::function<std::vector<GivenProgram>(std::uint64_t first, int count)> given;
  int round = 0; // of the session; 0 where there is none
  /// Programs of the task that the session measured after its trial `after`, oldest first, and what
  /// was said in earlier rounds of the task. For policies in processes of their own.
  std::function<std::vector<ToldProgram>(std::int64_t after)> measuredSince;
  std::function<std::vector<PolicyTalk>()> talks;
  unsigned threads = 0; // 0: all cores; never changes the proposal
  /// Filled on the way, if set.
  SearchLog* log = nullptr;
  /// Called after sampling, evolution and selection; false ends the proposal there. A phase that a
  /// policy does not have is left out.
  std::function<bool(SearchPhase)> afterPhase;
  /// When it becomes true the proposal is not wanted any more, and ends within a phase.
  const std::atomic<bool>* stop = nullptr;
  bool isStopped() const { return stop && *stop; }
  /// After a phase: whether the next one is wanted. Of a phase that was cut short nothing is told.
  bool goesOnAfter(SearchPhase phase) const {
    return !isStopped() && (!afterPhase || afterPhase(phase));
  }
};

struct Proposal {
  std::vector<Candidate> candidates; // in the order of their draws
  std::uint64_t nextDraw = 0;        // firstDraw of the next proposal
  std::string policyState;           // of the next proposal; text that the policy understands
  std::uint64_t attempts = 0;
  std::map<std::string, std::uint64_t> failures; // reason in one sentence: how often
  /// "no valid program: N tried, top reasons ..." when fewer than asked for were found.
  std::string shortage;
  /// `afterPhase` or `stop` ended it: there is nothing to measure, and the same call proposes it
  /// again.
  bool stopped = false;
  std::optional<PolicyTalk> talk; // of a policy in a process of its own
  /// Where the time went: drawing programs at random, and evolving them (scoring included).
  double samplingSeconds = 0, evolutionSeconds = 0;
};

/// That which was ended from outside.
Proposal stoppedProposal();

class SearchPolicy {
 public:
  virtual ~SearchPolicy() = default;
  virtual std::string name() const = 0;
  /// Up to `count` new programs. A pure function of the context (C25, C35): the same for every
  /// thread count.
  virtual Proposal propose(int count, const SearchContext& context) const = 0;
  /// Why it cannot be asked on this machine, a sentence; empty where it can.
  virtual std::string obstacle() const { return {}; }
  /// Whether the same call gives the same proposal again. A proposal of another policy is stored
  /// before it is measured.
  virtual bool isRepeatable() const { return true; }
  /// What was measured of a round, for those that keep somebody running who wants to know.
  virtual void learn(const std::string& /*taskKey*/, std::vector<ToldProgram> /*measured*/) const {}
  /// Ends whatever it keeps running; the next proposal begins it anew.
  virtual void rest() const {}
};

/// What people choose of a policy; a policy takes what concerns it.
struct PolicyOptions {
  std::string name = {};    // as it was chosen
  PolicyLaunch launch = {}; // of one that is a process of its own: the person's program
  double epsilon = 0.05;
  int population = 2048, generations = 4;
  int plan = 64;             // configurations that are chosen at once
  int chains = 128;          // of an annealing
  double diversity = 0;      // weight of new values of knobs beside the score; 0: scores alone
  double diversityRatio = 2; // of the configurations to choose from to those that are chosen
  int beam = 32;             // incomplete programs that a beam search keeps
  /// Of the contextual policy.
  ImprovementScale energy = ImprovementScale::Relative;
  Exploration exploration = Exploration::Contextual;
};

/// A policy that people choose by its name. Plugins may bring one (core/plugin/plugin.h).
struct SearchPolicyKind {
  std::string name;         // in options, and stored with a session
  std::string purpose = {}; // one sentence, for lists
  bool learns = false;      // it asks a cost model, which the session trains for it
  bool climbs = false; // it starts from the fastest programs: SearchContext::measuredBest is filled
  /// Which spaces it can search.
  bool onSketches = true, onTemplates = false;
  bool wantsDeviation = false; // the model that it asks is to say how sure it is
  bool makesPlans = false;     // of configurations, by annealing: SearchLog::plan is told
  bool byImprovement = false;  // what it anneals is the improvement that is expected, not the score
  bool ownShare = false;       // it sets itself which share is drawn at random
  bool forGpus = true;         // it finds programs for GPUs, too
  std::unique_ptr<SearchPolicy> (*make)(const PolicyOptions& options) = nullptr;
};
bool searches(const SearchPolicyKind& kind, SearchSpace space);
/// "random" and "evolutionary", and those over the configurations of templates.
const std::vector<SearchPolicyKind>& builtInSearchPolicies();

} // namespace nestwright
