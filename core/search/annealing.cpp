#include "core/search/annealing.h"

#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

namespace nestwright {

namespace {

/// Energies that were asked for before are known.
class Memo {
 public:
  explicit Memo(const ConfigEnergy& energy) : energy_(energy) {}

  std::vector<double> of(std::span<const std::int64_t> configs) {
    std::vector<std::int64_t> unknown;
    for (const std::int64_t config : configs)
      if (known_.try_emplace(config, -kInfinity).second) unknown.push_back(config);
    if (!unknown.empty()) {
      const std::vector<double> energies = energy_(unknown);
      for (std::size_t i = 0; i < unknown.size(); ++i)
        if (std::isfinite(energies[i])) known_[unknown[i]] = energies[i];
    }
    std::vector<double> energies;
    for (const std::int64_t config : configs)
      energies.push_back(known_.at(config));
    return energies;
  }

 private:
  const ConfigEnergy& energy_;
  std::unordered_map<std::int64_t, double> known_;
};

/// The best configurations seen so far.
class Kept {
 public:
  Kept(std::size_t count, const std::unordered_set<std::int64_t>& excluded)
      : count_(count), excluded_(excluded) {}

  /// Whether it is kept now and was not before.
  bool add(std::int64_t config, double energy) {
    if (!(energy > threshold()) || excluded_.contains(config)) return false;
    // The first of a list ordered like this is the best.
    if (!kept_.emplace(-energy, config).second) return false;
    if (kept_.size() > count_) kept_.erase(std::prev(kept_.end()));
    return true;
  }
  double threshold() const {
    if (count_ == 0) return kInfinity;
    return kept_.size() < count_ ? -kInfinity : -kept_.rbegin()->first;
  }
  std::vector<ValuedConfig> list() const {
    std::vector<ValuedConfig> list;
    for (const auto& [negative, config] : kept_)
      list.push_back({config, -negative});
    return list;
  }

 private:
  std::size_t count_;
  const std::unordered_set<std::int64_t>& excluded_;
  std::set<std::pair<double, std::int64_t>> kept_; // minus the energy, configuration
};

std::vector<std::int64_t> randomStart(const ConfigSpace& space, std::size_t count, Random& random) {
  std::unordered_set<std::int64_t> taken;
  std::vector<std::int64_t> start;
  const auto size = static_cast<std::uint64_t>(space.size());
  while (start.size() < count) {
    auto config = static_cast<std::int64_t>(random.below(size));
    while (!taken.insert(config).second)
      config = (config + 1) % space.size();
    start.push_back(config);
  }
  return start;
}

/// Whether a chain goes from one energy to another.
bool isAccepted(double from, double to, double temperature, double draw) {
  if (!std::isfinite(from)) return true; // any place is as good as one that is not wanted
  constexpr double kSmall = 1e-5;
  return draw < std::exp(std::min((to - from) / (temperature + kSmall), 1.0));
}

AnnealingMoment momentOf(int step, double temperature, std::size_t accepted, const Kept& kept,
                         std::vector<double> energies) {
  std::ranges::sort(energies);
  const auto quantile = [&](double share) {
    return energies[static_cast<std::size_t>(std::lround(share * double(energies.size() - 1)))];
  };
  return {step,
          temperature,
          double(accepted) / double(energies.size()),
          kept.threshold(),
          quantile(0.05),
          quantile(0.5),
          quantile(0.95)};
}

std::vector<AnnealingMoment> spreadOut(const std::vector<AnnealingMoment>& all) {
  if (all.size() <= kAnnealingMoments) return all;
  std::vector<AnnealingMoment> some;
  for (std::size_t i = 0; i < kAnnealingMoments; ++i)
    some.push_back(all[i * (all.size() - 1) / (kAnnealingMoments - 1)]);
  return some;
}

} // namespace

Annealed anneal(const ConfigSpace& space, const ConfigEnergy& energy,
                std::vector<std::int64_t> start, std::size_t kept,
                const std::unordered_set<std::int64_t>& excluded, const AnnealingOptions& options,
                const AnnealingDraws& draws, const std::atomic<bool>* stop) {
  Random random = Random::stream(draws.seed, draws.stream, draws.index);
  Annealed result;
  result.positions = std::move(start);
  if (result.positions.empty())
    result.positions = randomStart(
        space, static_cast<std::size_t>(std::min<std::int64_t>(options.chains, space.size())),
        random);
  std::vector<std::int64_t>& positions = result.positions;
  Memo memo(energy);
  Kept best(kept, excluded);
  std::vector<double> energies = memo.of(positions);
  for (std::size_t i = 0; i < positions.size(); ++i)
    best.add(positions[i], energies[i]);
  std::vector<AnnealingMoment> moments;
  double temperature = 1;
  int changed = 0; // the step that changed the kept ones last
  std::vector<std::int64_t> next(positions.size());
  for (int step = 0; step < options.steps && step < changed + options.patience; ++step) {
    if (stop && *stop) {
      result.stopped = true;
      return result;
    }
    for (std::size_t i = 0; i < positions.size(); ++i)
      next[i] = space.neighbour(positions[i], random);
    const std::vector<double> nextEnergies = memo.of(next);
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (best.add(next[i], nextEnergies[i])) changed = step;
      if (!isAccepted(energies[i], nextEnergies[i], temperature, random.unit())) continue;
      positions[i] = next[i];
      energies[i] = nextEnergies[i];
      ++accepted;
    }
    moments.push_back(momentOf(step, temperature, accepted, best, energies));
    temperature -= 1.0 / (options.steps + 1);
    ++result.steps;
  }
  result.best = best.list();
  result.moments = spreadOut(moments);
  return result;
}

} // namespace nestwright
