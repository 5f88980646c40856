#pragma once
/// \file Simulated annealing over a template's configurations (handbook/cost-models.md 3.5).

#include "core/template/config_space.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace nestwright {

struct AnnealingOptions {
  int chains = 128; // no more than the space has configurations
  int steps = 500;
  /// Ends after so many steps in which the best ones did not change.
  int patience = 50;
};

/// Of each configuration how much it is wanted: any finite number, higher is better; minus infinity
/// for one that is not.
using ConfigEnergy = std::function<std::vector<double>(std::span<const std::int64_t> configs)>;

struct ValuedConfig {
  std::int64_t config = 0;
  double energy = 0;
  friend bool operator==(const ValuedConfig&, const ValuedConfig&) = default;
};

/// What could be seen at one of the steps.
struct AnnealingMoment {
  int step = 0; // from 0
  double temperature = 0;
  double accepted = 0; // share of the chains that moved
  /// The energy that one more configuration has to exceed to be kept; minus infinity while any is.
  double threshold = 0;
  /// Quantiles of the chains' energies: 5 %, 50 %, 95 %.
  double low = 0, middle = 0, high = 0;
  friend bool operator==(const AnnealingMoment&, const AnnealingMoment&) = default;
};
/// Moments that are told of a whole annealing, evenly spread over its steps; the first and the last
/// are among them.
inline constexpr std::size_t kAnnealingMoments = 16;

struct Annealed {
  std::vector<ValuedConfig> best;      // highest first; of equal ones the lowest index
  std::vector<std::int64_t> positions; // of the chains
  int steps = 0;                       // that were made
  std::vector<AnnealingMoment> moments;
  bool stopped = false; // `stop` ended it: nothing else of this is to be used
};

/// Where an annealing draws its random numbers.
struct AnnealingDraws {
  std::uint64_t seed = 0;
  std::string stream;
  std::uint64_t index = 0;
};

/// Walks from `start`, or from as many random configurations as there are chains, and keeps the
/// `kept` best ones that it sees outside of `excluded`. The temperature falls from 1 to 0; a move
/// for the worse by d is accepted with the probability exp(-d / temperature). A pure function of
/// its arguments; `energy` is asked for no configuration twice.
Annealed anneal(const ConfigSpace& space, const ConfigEnergy& energy,
                std::vector<std::int64_t> start, std::size_t kept,
                const std::unordered_set<std::int64_t>& excluded, const AnnealingOptions& options,
                const AnnealingDraws& draws, const std::atomic<bool>* stop = nullptr);

} // namespace nestwright
