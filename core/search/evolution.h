#pragma once
/// \file Evolutionary search over complete programs, guided by a cost model (handbook/ansor.md 4).

#include "core/search/search_policy.h"
#include "core/support/random.h"

#include <array>
#include <optional>
#include <vector>

namespace nestwright {

/// Streams of random numbers that belong to one draw of a proposal: more than any population has.
inline constexpr std::uint64_t kStreamsPerDraw = std::uint64_t{1} << 20;

struct EvolutionOptions {
  int population = 2048;
  int generations = 4;
  double mutationProbability = 0.85;
  /// The paper's fifth operator, which TVM v0.11.1 lacks; at the share that its prototype had,
  /// taken from the parents that go on unchanged (0.10 instead of 0.15).
  double crossoverProbability = 0.05;
  /// Shares of the mutations: tile size, parallel, unroll, compute location
  /// (handbook/ansor.md 4.3); on a GPU, which has no parallel loops, and whose sketches place
  /// everything.
  std::array<double, 4> mutationWeights = {0.90, 0.01, 0.04, 0.05};
  std::array<double, 4> gpuMutationWeights = {0.90, 0, 0.10, 0};
  /// Of a GPU's mutations of tile sizes those that choose anew what is decided about a kernel
  /// instead, with draws of our own.
  double kernelMutationShare = 0.15;
  /// Draws for one child before its parent goes on unchanged: a program that no mutation suits must
  /// not hold the generation up. (The public implementation draws until the generation is full.)
  int attemptsPerChild = 8;
};

/// Which of the paper's five operations makes the next child, by the probabilities and the shares
/// of the target; nothing when its parent goes on unchanged.
std::optional<Origin> drawOperation(const EvolutionOptions& options, Random& random,
                                    bool isForGpu = false);

/// A program of a generation and how it came to be.
struct Individual {
  State state; // ranges known
  std::string programId;
  double score = 0;
  Origin origin = Origin::RandomSample;
  std::vector<std::string> parents; // programIds
  int sketch = -1;                  // its index; -1: of none
};

/// Breeds from the initial population and returns the `count` best-scored programs ever seen that
/// are not known, best first, no two equal. A pure function of its arguments, whatever the number
/// of threads. Adds its generations to the context's log.
std::vector<Individual> evolve(std::vector<Individual> initial, std::size_t count,
                               const SearchContext& context, const EvolutionOptions& options);

} // namespace nestwright
