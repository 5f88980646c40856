#include "core/session/run/round_phases.h"

#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace nestwright {

namespace {

constexpr std::size_t kQuantiles = 64;

/// A generation's different programs, best first; equal scores in the order of the population.
std::vector<const SeenProgram*> ranked(const SeenGeneration& generation) {
  std::vector<const SeenProgram*> programs;
  std::unordered_set<std::string_view> seen;
  for (const SeenProgram& program : generation)
    if (seen.insert(program.programId).second) programs.push_back(&program);
  std::ranges::stable_sort(programs, std::ranges::greater{}, &SeenProgram::score);
  return programs;
}

std::vector<float> quantilesOf(const std::vector<const SeenProgram*>& programs) {
  const auto finite = static_cast<std::size_t>(std::ranges::count_if(
      programs, [](const SeenProgram* program) { return std::isfinite(program->score); }));
  std::vector<float> quantiles;
  const std::size_t count = std::min(finite, kQuantiles);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (finite - 1) / (count - 1);
    quantiles.push_back(static_cast<float>(programs[at]->score));
  }
  return quantiles;
}

/// All programs of the log by name, each as it was first seen, and the generation of that.
struct FirstSeen {
  const SeenProgram* program;
  int born;
};
using Index = std::unordered_map<std::string_view, FirstSeen>;

Index indexOf(const SearchLog& log) {
  Index index;
  for (std::size_t g = 0; g < log.generations.size(); ++g)
    for (const SeenProgram& program : log.generations[g])
      index.try_emplace(program.programId, FirstSeen{&program, static_cast<int>(g)});
  return index;
}

/// The programs that evolution found best, and all from which they came.
std::unordered_set<std::string_view> lineage(const SearchLog& log, const Index& index) {
  std::unordered_set<std::string_view> members;
  std::vector<std::string_view> open(log.best.begin(), log.best.end());
  while (!open.empty()) {
    const std::string_view program = open.back();
    open.pop_back();
    const auto found = index.find(program);
    if (found == index.end() || !members.insert(found->first).second) continue;
    for (const std::string& parent : found->second.program->parents)
      open.push_back(parent);
  }
  return members;
}

bool isKept(std::size_t rank, std::size_t count) {
  if (rank < kKeptBest) return true;
  // Evenly over the ranks behind the best.
  const std::size_t rest = count - kKeptBest, at = rank - kKeptBest;
  return rest <= kKeptSample || at * kKeptSample / rest != (at + 1) * kKeptSample / rest;
}

} // namespace

EvolutionRow keptGenerations(const SearchLog& log) {
  EvolutionRow row;
  const Index index = indexOf(log);
  const std::unordered_set<std::string_view> always = lineage(log, index);
  const std::unordered_set<std::string_view> best(log.best.begin(), log.best.end());
  std::unordered_map<std::string_view, int> kept;
  for (std::size_t g = 0; g < log.generations.size(); ++g) {
    const std::vector<const SeenProgram*> programs = ranked(log.generations[g]);
    EvolvedGeneration generation;
    generation.size = static_cast<int>(log.generations[g].size());
    generation.distinct = static_cast<int>(programs.size());
    generation.quantiles = quantilesOf(programs);
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      const SeenProgram& program = *programs[rank];
      const FirstSeen& first = index.at(program.programId);
      ++generation.operations[first.born == static_cast<int>(g) ? name(first.program->origin)
                                                                : "survived"];
      if (!isKept(rank, programs.size()) && !always.contains(program.programId)) continue;
      const auto [place, isNew] =
          kept.try_emplace(program.programId, static_cast<int>(row.programs.size()));
      if (isNew)
        row.programs.push_back({program.programId, first.program->steps, program.score,
                                name(first.program->origin), first.program->parents,
                                first.program->sketch, first.born,
                                best.contains(program.programId)});
      generation.places.push_back({place->second, static_cast<int>(rank)});
    }
    row.generations.push_back(std::move(generation));
  }
  return row;
}

std::string sketchesSentence(const std::vector<Sketch>& sketches) {
  return fmt::format("the rules give {} sketch{}", sketches.size(),
                     sketches.size() == 1 ? "" : "es");
}

std::string samplingSentence(const SearchLog& log) {
  std::string text = fmt::format("{} drawn at random, {} of them legal and new",
                                 quantity(log.drawn, "program"), log.legal);
  if (log.measuredParents > 0)
    text += fmt::format("; joined by the {}",
                        quantity(log.measuredParents, "fastest measured program"));
  return text;
}

std::string evolutionSentence(const SearchLog& log) {
  if (log.generations.empty()) return "there was no program to breed from";
  const auto bestOf = [](const SeenGeneration& generation) {
    double best = -kInfinity;
    for (const SeenProgram& program : generation)
      best = std::max(best, program.score);
    return best;
  };
  return fmt::format("{} bred from the first; the best predicted score is {:.3f} in "
                     "the first and {:.3f} in the last, and the best of all of them are kept",
                     quantity(std::ssize(log.generations) - 1, "generation"),
                     bestOf(log.generations.front()), bestOf(log.generations.back()));
}

std::string noEvolutionSentence(bool hasModel, bool onTemplates) {
  if (onTemplates) return "left out: nothing had to be planned";
  return hasModel ? "left out: the cost model has not learned enough yet to tell good programs "
                    "from bad ones"
                  : "left out: this policy has no cost model under which programs are bred";
}

std::string planSentence(const PlanLog& plan) {
  std::string text =
      fmt::format("{} annealed what the cost model expects in {}; {} planned for that",
                  quantity(plan.chains, "chain"), quantity(plan.steps, "step"),
                  quantity(plan.byScore + plan.byDiversity, "configuration"));
  if (plan.byDiversity > 0)
    text += fmt::format(" ({} of them for values that the others lack)", plan.byDiversity);
  return text + fmt::format(", {} at random ({:.1f} %)", plan.atRandom, 100 * plan.epsilon);
}

namespace {

std::string pickedSentence(const std::vector<Candidate>& candidates) {
  std::size_t best = 0, greedy = 0, unchosen = 0, drafted = 0;
  for (const Candidate& candidate : candidates) {
    best += candidate.trace.selection == PickReason::BestPredicted ||
                    candidate.trace.selection == PickReason::Diversity
                ? 1
                : 0;
    unchosen += candidate.trace.selection == PickReason::None ? 1 : 0;
    greedy += candidate.trace.selection == PickReason::EpsilonGreedy ? 1 : 0;
    drafted += candidate.trace.selection == PickReason::Drafted ? 1 : 0;
  }
  const std::string given = unchosen > 0 ? fmt::format(", {} given", unchosen) : std::string();
  const std::string programs = quantity(std::ssize(candidates), "program");
  if (drafted > 0)
    return fmt::format("{}: {} drafted, {} at random{}", programs, drafted,
                       candidates.size() - drafted - unchosen, given);
  if (unchosen > 0 && best + greedy == 0) return programs;
  if (best == 0) return programs + " picked at random";
  return fmt::format("{}: {} predicted best, {} at random to explore, {} at random for "
                     "lack of better ones{}",
                     programs, best, greedy, candidates.size() - best - greedy - unchosen, given);
}

} // namespace

std::string selectionSentence(const Proposal& proposal, int asked) {
  std::string picked = pickedSentence(proposal.candidates);
  if (static_cast<int>(proposal.candidates.size()) >= asked || proposal.shortage.empty())
    return picked;
  return fmt::format("{}; {} were asked for: {}", picked, asked, proposal.shortage);
}

std::vector<SelectedCandidate> selectedCandidates(const std::vector<Candidate>& candidates) {
  std::vector<SelectedCandidate> selected;
  for (const Candidate& candidate : candidates)
    selected.push_back({candidate.programId, candidate.trace.origin, candidate.trace.selection,
                        candidate.trace.predictedScore});
  return selected;
}

} // namespace nestwright
