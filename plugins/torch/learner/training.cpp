#include "plugins/torch/learner/training.h"

#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/support/random.h"
#include "core/worker/quiet.h"
#include "plugins/torch/learner/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace nestwright::learner {

using torch::Tensor;

namespace {

// A part of a batch, which one thread learns from. Its size is part of what a network becomes: the
// last bits of a sum depend on it.
constexpr std::size_t kTrainPrograms = 128;

} // namespace

Training::Training(const StartWork& work, const std::vector<float>& numbers)
    : work_(work), table_(work.table),
      network_(work.shape, std::span(numbers).first(parameterCount(work.shape)),
               std::span(numbers).subspan(trainingNumbers(work.shape)), true),
      steps_(work.steps) {
  requireColumns(work.shape, table_);
  if (work.train > table_.programs() || table_.heads() != work.shape.heads)
    throw InputError("the table has not the programs and labels to learn from");
  const auto size = toSize(parameterCount(work.shape));
  first_ = toTensor(
      std::span(numbers).subspan(static_cast<std::size_t>(size), static_cast<std::size_t>(size)));
  second_ = toTensor(std::span(numbers).subspan(static_cast<std::size_t>(2 * size),
                                                static_cast<std::size_t>(size)));
  gradient_ = torch::zeros({size});
  if (work.shape.ofSteps()) programs_ = stepPrograms(table_, 0, work.train, work.shape.length);
  if (!work.shape.ofTrees()) return;
  trees_ = treePrograms(table_, work.shape, 0, work.train);
  for (std::size_t begin = work.train; begin < table_.programs(); begin += kScorePrograms)
    validated_.push_back(treePrograms(table_, work.shape, begin,
                                      std::min(table_.programs(), begin + kScorePrograms)));
}

EpochAnswer Training::epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell) {
  constexpr double kRemembered = 0.95;
  std::vector<std::size_t> order(work_.train);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random = Random::stream(work_.step.seed, "order", static_cast<std::uint64_t>(work.epoch));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  EpochAnswer answer;
  answer.averagedLoss = work.averagedLoss;
  std::size_t batches = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += work_.step.batch) {
    const std::size_t count = std::min(work_.step.batch, order.size() - begin);
    const QuietHold hold = holdForBatch();
    const double loss = learn(std::span(order).subspan(begin, count));
    answer.trainingLoss += loss;
    answer.averagedLoss = std::isfinite(answer.averagedLoss)
                              ? kRemembered * answer.averagedLoss + (1 - kRemembered) * loss
                              : loss;
    ++batches;
    tell(begin + count);
  }
  if (batches > 0) answer.trainingLoss /= static_cast<double>(batches);
  validate(answer);
  answer.steps = steps_;
  return answer;
}

Tensor Training::forward(std::span<const std::size_t> programs) const {
  if (work_.shape.ofTrees()) return forwardTrees(programs);
  return work_.shape.ofSteps() ? forwardSteps(programs) : forwardStatements(programs);
}

Tensor Training::forwardTrees(std::span<const std::size_t> programs) const {
  const TreeBatch batch = treeBatch(trees_, {programs.begin(), programs.end()});
  return scoreTrees(*network_.layers, nodesOf(network_, trees_, batch), batch);
}

Tensor Training::forwardStatements(std::span<const std::size_t> programs) const {
  std::vector<std::int64_t> first = {0};
  for (const std::size_t program : programs)
    first.push_back(first.back() + toSize(table_.rowCount(program)));
  Tensor rows = torch::empty({first.back(), toSize(work_.shape.columns)});
  auto* to = rows.data_ptr<float>();
  for (const std::size_t program : programs)
    for (std::size_t row = table_.firstRow(program); row < table_.firstRow(program + 1); ++row) {
      readRow(network_, table_.row(row), to);
      to += work_.shape.columns;
    }
  const Layers& layers = *network_.layers;
  return decodeStatements(
      layers, joinStatements(layers, encodeStatements(layers, rows), first, work_.shape.length));
}

Tensor Training::forwardSteps(std::span<const std::size_t> programs) const {
  std::size_t longest = 0;
  for (const std::size_t program : programs)
    longest = std::max(longest, programs_.stepsOf(program));
  std::vector<std::int64_t> ids(programs.size() * longest, 0);
  std::vector<float> counts(programs.size() * longest, 0);
  std::vector<std::uint32_t> steps;
  std::unordered_map<std::uint32_t, std::int64_t> places;
  for (std::size_t i = 0; i < programs.size(); ++i)
    for (std::size_t k = 0; k < programs_.stepsOf(programs[i]); ++k) {
      const std::size_t entry = programs_.first[programs[i]] + k;
      const auto [place, isNew] = places.emplace(programs_.ids[entry], toSize(steps.size()));
      if (isNew) steps.push_back(programs_.ids[entry]);
      ids[i * longest + k] = place->second;
      counts[i * longest + k] = programs_.counts[entry];
    }
  Tensor rows = torch::empty({toSize(steps.size()), toSize(work_.shape.columns)});
  auto* to = rows.data_ptr<float>();
  for (const std::uint32_t step : steps) {
    readRow(network_, programs_.steps[step], to);
    to += work_.shape.columns;
  }
  return scoreSteps(*network_.layers, encodeSteps(*network_.layers, rows), std::move(ids), counts,
                    longest, false);
}

int Training::threads() const {
  return work_.standsBack && isSessionRunning() ? 1 : work_.threads;
}

double Training::learn(std::span<const std::size_t> programs) {
  const std::size_t heads = work_.shape.heads;
  const std::size_t count = (programs.size() + kTrainPrograms - 1) / kTrainPrograms;
  const auto part = [&](std::size_t i) {
    return programs.subspan(i * kTrainPrograms,
                            std::min(kTrainPrograms, programs.size() - i * kTrainPrograms));
  };
  std::vector<Tensor> outputs(count);
  const auto threads = static_cast<unsigned>(this->threads());
  parallelFor(count, threads, [&](std::size_t i) { outputs[i] = forward(part(i)); });

  std::vector<float> values;
  for (const Tensor& output : outputs) {
    const Tensor numbers = output.detach().contiguous();
    values.insert(values.end(), numbers.data_ptr<float>(),
                  numbers.data_ptr<float>() + numbers.numel());
  }
  std::vector<float> slopes(values.size(), 0);
  double loss = 0;
  bool known = false;
  for (std::size_t head = 0; head < heads; ++head)
    known |= addLoss(head, programs, values, loss, slopes);
  if (!known) return 0;

  std::vector<torch::autograd::variable_list> gradients(count);
  parallelFor(count, threads, [&](std::size_t i) {
    const Tensor slope =
        torch::from_blob(slopes.data() + i * kTrainPrograms * heads, outputs[i].sizes()).clone();
    gradients[i] =
        torch::autograd::grad({outputs[i]}, network_.layers->all(), {slope}, false, false, true);
    outputs[i].reset();
  });
  step(gradients);
  return loss;
}

bool Training::addLoss(std::size_t head, std::span<const std::size_t> programs,
                       const std::vector<float>& values, double& loss,
                       std::vector<float>& slopes) const {
  const std::size_t heads = work_.shape.heads;
  std::vector<float> outputs, labels;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const float label = table_.labels(programs[i])[head];
    if (std::isnan(label)) continue;
    places.push_back(i * heads + head);
    outputs.push_back(values[places.back()]);
    labels.push_back(label);
  }
  const LossValue value = lossOf(work_.step.loss, outputs, labels, squashes(work_));
  loss += value.value;
  for (std::size_t i = 0; i < places.size(); ++i)
    slopes[places[i]] = value.gradient[i];
  return !places.empty();
}

bool Training::squashes(const StartWork& work) {
  return nestwright::squashes(work.shape.architecture, work.step.loss);
}

void Training::step(const std::vector<torch::autograd::variable_list>& gradients) {
  const torch::NoGradGuard constant;
  gradient_.zero_();
  for (const torch::autograd::variable_list& part : gradients) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::int64_t size = network_.layers->all()[i].numel();
      if (part[i].defined()) gradient_.narrow(0, place, size).add_(part[i].reshape({-1}));
      place += size;
    }
  }
  const StepOptions& options = work_.step;
  if (options.clip > 0) {
    const double norm = gradient_.norm().item<double>();
    gradient_.mul_(std::min(1.0, options.clip / (norm + 1e-6)));
  }
  if (options.weightDecay > 0) gradient_.add_(network_.weights, options.weightDecay);
  ++steps_;
  if (options.optimiser == Optimiser::Sgd)
    network_.weights.add_(gradient_, -options.learningRate);
  else
    adamStep(options.learningRate);
}

void Training::adamStep(double rate) {
  constexpr double kFirst = 0.9, kSecond = 0.999, kEpsilon = 1e-8;
  const auto power = static_cast<double>(steps_);
  const double firstShare = 1 - std::pow(kFirst, power);
  const double secondShare = 1 - std::pow(kSecond, power);
  first_.mul_(kFirst).add_(gradient_, 1 - kFirst);
  second_.mul_(kSecond).addcmul_(gradient_, gradient_, 1 - kSecond);
  const Tensor spread = (second_.sqrt() / std::sqrt(secondShare)).add_(kEpsilon);
  network_.weights.addcdiv_(first_, spread, -rate / firstShare);
}

void Training::validate(EpochAnswer& answer) const {
  for (const Tensor& numbers : {network_.weights, first_, second_})
    answer.numbers.insert(answer.numbers.end(), numbers.data_ptr<float>(),
                          numbers.data_ptr<float>() + numbers.numel());
  const std::size_t count = table_.programs() - work_.train, heads = work_.shape.heads;
  if (count == 0) return;
  const std::vector<float> values =
      scoresOf(network_, table_, work_.train, table_.programs(), threads(), validated_);
  std::vector<std::size_t> programs(count);
  std::iota(programs.begin(), programs.end(), work_.train);
  std::size_t batches = 0;
  for (std::size_t begin = 0; begin < count; begin += work_.step.batch, ++batches) {
    const std::size_t here = std::min(work_.step.batch, count - begin);
    const std::vector<float> part(values.begin() + toSize(begin * heads),
                                  values.begin() + toSize((begin + here) * heads));
    std::vector<float> slopes(part.size());
    for (std::size_t head = 0; head < heads; ++head)
      addLoss(head, std::span(programs).subspan(begin, here), part, answer.validationLoss, slopes);
  }
  answer.validationLoss /= static_cast<double>(batches);
  answer.numbers.insert(answer.numbers.end(), values.begin(), values.end());
}

} // namespace nestwright::learner
