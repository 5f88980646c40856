#include "core/learn/samples.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/random.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace nestwright {

namespace {

constexpr float kNoLabel = std::numeric_limits<float>::quiet_NaN();

void requireLearnable(const DataSet& set, bool ofSeveral) {
  if (!ofSeveral) return requireSound(set);
  DataSetFaults faults = findFaults(set);
  faults.foreignMachine = 0;
  if (!faults.sound())
    throw InputError(fmt::format("the training data is refused: {}. Compute the features again "
                                 "from the records' own steps.",
                                 faults.text()));
}

std::vector<std::string> machinesOf(const DataSet& set, const TrainingOptions& options) {
  if (options.architecture != Architecture::MtlTlp)
    return {set.outcomes.empty() ? std::string() : set.machines[set.outcomes.front().machine]};
  return options.machines.empty() ? set.machines : options.machines;
}

/// Makes the samples of one set.
class Collector {
 public:
  Collector(const DataSet& set, std::vector<std::string> machines) : set_(set) {
    samples_.machines = std::move(machines);
    for (const std::string& machine : set.machines)
      heads_.push_back(static_cast<std::size_t>(std::ranges::find(samples_.machines, machine) -
                                                samples_.machines.begin()));
    best_.assign(set.tasks.size() * set.machines.size(), kInfinity);
    for (const Outcome& outcome : set.outcomes) {
      double& best = bestOf(outcome);
      best = std::min(best, outcome.seconds);
    }
  }

  void add(std::span<const std::size_t> programs) {
    samplesOf_.clear(); // a part's programs are its own
    for (const std::size_t program : programs)
      add(program);
  }
  Samples& samples() { return samples_; }

 private:
  double& bestOf(const Outcome& outcome) {
    return best_[outcome.task * set_.machines.size() + outcome.machine];
  }

  void add(std::size_t program) {
    const Outcome& outcome = set_.outcomes[program];
    const std::size_t head = heads_[outcome.machine];
    const double best = bestOf(outcome);
    if (head >= samples_.heads() || !std::isfinite(best)) return;
    const auto [sample, isNew] = samplesOf_.emplace(
        std::tuple(outcome.task, std::string_view(outcome.program)), samples_.programs.size());
    // The same program again on the same machine is another measurement, and stays one.
    std::size_t place = sample->second;
    if (isNew || !std::isnan(samples_.labels[place * samples_.heads() + head])) {
      place = sample->second = samples_.programs.size();
      samples_.programs.push_back(program);
      samples_.labels.resize(samples_.labels.size() + samples_.heads(), kNoLabel);
    }
    samples_.labels[place * samples_.heads() + head] =
        !set_.labels.empty() ? set_.labels[program]
        : outcome.failed()   ? 0
                             : static_cast<float>(best / outcome.seconds);
  }

  const DataSet& set_;
  std::vector<std::size_t> heads_; // of the set's machines
  std::vector<double> best_;       // of tasks and machines
  std::map<std::tuple<std::size_t, std::string_view>, std::size_t> samplesOf_;
  Samples samples_;
};

/// Leaves so many programs to learn from their label of the first head, and drops those that have
/// none left.
void maskTarget(Samples& samples, std::size_t records, std::uint64_t seed) {
  std::vector<std::size_t> labelled;
  const std::size_t heads = samples.heads();
  for (std::size_t i = 0; i < samples.train; ++i)
    if (!std::isnan(samples.labels[i * heads])) labelled.push_back(i);
  Random random = Random::stream(seed, "target records", 0);
  for (std::size_t i = labelled.size(); i > 1; --i)
    std::swap(labelled[i - 1], labelled[random.below(i)]);
  for (std::size_t i = std::min(records, labelled.size()); i < labelled.size(); ++i)
    samples.labels[labelled[i] * heads] = kNoLabel;

  Samples left{{}, 0, samples.machines, {}};
  for (std::size_t i = 0; i < samples.programs.size(); ++i) {
    const auto first = samples.labels.begin() + static_cast<std::ptrdiff_t>(i * heads);
    const auto last = first + static_cast<std::ptrdiff_t>(heads);
    if (std::all_of(first, last, [](float label) { return std::isnan(label); })) continue;
    left.programs.push_back(samples.programs[i]);
    left.labels.insert(left.labels.end(), first, last);
    if (i < samples.train) ++left.train;
  }
  samples = std::move(left);
}

} // namespace

std::string Samples::hash(const DataSet& set) const {
  std::string all;
  for (const std::size_t program : programs) {
    const FeatureEntry& entry = set.entries[program];
    all += fmt::format("{} {} {:x}\n", set.tasks[entry.task], entry.program, entry.content);
  }
  all += fmt::format("{} {}\n", train, fmt::join(machines, " "));
  for (const float label : labels)
    all += fmt::format("{} ", label);
  return hashHex(all);
}

Samples samplesOf(const DataSet& set, const TrainingParts& parts, const TrainingOptions& options) {
  const bool severalHeads = options.architecture == Architecture::MtlTlp;
  requireLearnable(set, severalHeads);
  Collector collector(set, machinesOf(set, options));
  collector.add(parts.train);
  collector.samples().train = collector.samples().programs.size();
  collector.add(parts.validation);
  Samples samples = std::move(collector.samples());
  if (severalHeads && options.targetRecords > 0)
    maskTarget(samples, options.targetRecords, options.step.seed);
  if (samples.train < 2)
    throw InputError(fmt::format("there is nothing to learn from: of {}, {} had a task of "
                                 "which some program ran",
                                 quantity(std::ssize(parts.train), "program"), samples.train));
  return samples;
}

} // namespace nestwright
