#pragma once
/// \file What a round's phases brought, in words and as what is kept of them.

#include "core/record/rows/evolution_row.h"
#include "core/search/search_policy.h"
#include "core/session/run/events.h"

#include <string>
#include <vector>

namespace nestwright {

/// Programs that are kept of each generation beside the ancestors of the selected ones.
inline constexpr std::size_t kKeptBest = 24, kKeptSample = 40;

/// What is kept of the generations: of each the best and an even sample of the others, and all
/// ancestors of the programs that evolution found best. Depends on the log alone.
EvolutionRow keptGenerations(const SearchLog& log);

std::string sketchesSentence(const std::vector<Sketch>& sketches);
std::string samplingSentence(const SearchLog& log);
std::string evolutionSentence(const SearchLog& log);
/// Why there was no evolution.
std::string noEvolutionSentence(bool hasModel, bool onTemplates);
/// What an annealing brought.
std::string planSentence(const PlanLog& plan);
/// What was chosen to be measured, and why it is less than was asked for.
std::string selectionSentence(const Proposal& proposal, int asked);

std::vector<SelectedCandidate> selectedCandidates(const std::vector<Candidate>& candidates);

} // namespace nestwright
