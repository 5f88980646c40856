#include "plugins/torch/learner/engine.h"

#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/support/random.h"
#include "core/worker/quiet.h"
#include "plugins/torch/learner/networks.h"
#include "plugins/torch/learner/step_programs.h"
#include "plugins/torch/learner/tree_programs.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace nestwright::learner {

using torch::Tensor;

namespace {

// Parts of a training batch and of a table to score. Their sizes are part of what a network gives:
// the last bits of a sum depend on them.
constexpr std::size_t kTrainPrograms = 128;
constexpr std::size_t kScorePrograms = 1024;
// Libraries multiply several rows at once, 4 to 24 of them, and those left over by other means: all
// of these divide the numbers of rows here.
constexpr std::size_t kRowChunk = 480;     // rows encoded at once
constexpr std::size_t kProgramChunk = 240; // joined programs decoded at once
constexpr std::size_t kStepChunk = 48;     // programs of steps at once
constexpr std::size_t kLstmChunk = 48;

std::int64_t toSize(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

Tensor toTensor(std::span<const float> numbers) {
  return torch::from_blob(const_cast<float*>(numbers.data()), {toSize(numbers.size())}).clone();
}

/// A network that is there to score.
struct Kept {
  NetworkShape shape;
  Tensor weights;
  std::vector<float> maxima;
  std::unique_ptr<Layers> layers;

  Kept(const NetworkShape& shape, std::span<const float> numbers, std::span<const float> maxima,
       bool learns)
      : shape(shape), weights(toTensor(numbers)), maxima(maxima.begin(), maxima.end()),
        layers(std::make_unique<Layers>(shape, weights, learns)) {}
};

void requireCount(bool fits, const NetworkShape& shape, std::size_t given) {
  if (!fits)
    throw InputError(fmt::format("{} numbers are not those of {} network with {} parameters and {} "
                                 "columns",
                                 given, name(shape.architecture), parameterCount(shape),
                                 shape.columns));
}

void requireColumns(const NetworkShape& shape, const MappedTable& table) {
  if (table.columns() != shape.columns)
    throw InputError(
        fmt::format("rows have {} columns, the network reads {}", table.columns(), shape.columns));
}

/// One row as the network reads it.
void readRow(const Kept& network, const float* row, float* to) {
  const std::size_t columns = network.shape.columns;
  if (network.maxima.empty())
    std::copy(row, row + columns, to);
  else
    for (std::size_t i = 0; i < columns; ++i)
      to[i] = row[i] / network.maxima[i];
}

/// Calls `f` with chunks of exactly so many rows, the last one filled up with zeros, and puts what
/// it gives for the rows there are under one another.
template <class Fill, class F>
Tensor inChunks(std::size_t count, std::size_t chunk, std::size_t columns, const Fill& fill,
                const F& f) {
  std::vector<Tensor> results;
  Tensor input = torch::empty({toSize(chunk), toSize(columns)});
  float* numbers = input.data_ptr<float>();
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t here = std::min(chunk, count - begin);
    for (std::size_t i = 0; i < here; ++i)
      fill(begin + i, numbers + i * columns);
    std::fill(numbers + here * columns, numbers + chunk * columns, 0.0F);
    results.push_back(f(input).narrow(0, 0, toSize(here)).clone());
  }
  return torch::cat(results);
}

/// The nodes of a batch of trees, as the network reads them.
Tensor nodesOf(const Kept& network, const TreePrograms& trees, const TreeBatch& batch) {
  const std::size_t columns = network.shape.columns, facts = columns - kTreeLinks;
  Tensor numbers = torch::empty({toSize(batch.subtrees.size()), toSize(facts)});
  auto* to = numbers.data_ptr<float>();
  std::vector<std::int64_t> names;
  for (const std::uint32_t subtree : batch.subtrees) {
    const float* row = trees.rows[subtree];
    std::copy(row + kTreeLinks, row + columns, to);
    to += facts;
    names.push_back(static_cast<std::int64_t>(row[1]));
  }
  return treeNodes(*network.layers, numbers, std::move(names));
}

class Scorer {
 public:
  /// `trees` are those of the programs that are asked for, where they are known already.
  Scorer(const Kept& network, const MappedTable& table, const TreePrograms* trees = nullptr)
      : network_(network), table_(table), trees_(trees) {}

  /// The outputs of programs [begin, end), `heads` each.
  void score(std::size_t begin, std::size_t end, float* outputs) const {
    const torch::NoGradGuard constant;
    if (network_.shape.ofSteps())
      scoreSteps(begin, end, outputs);
    else if (network_.shape.ofTrees())
      scoreTrees(begin, end, outputs);
    else
      scoreStatements(begin, end, outputs);
  }

 private:
  void scoreStatements(std::size_t begin, std::size_t end, float* outputs) const {
    const Layers& layers = *network_.layers;
    const std::size_t firstRow = table_.firstRow(begin), rows = table_.firstRow(end) - firstRow;
    Tensor encoded = torch::zeros({0, toSize(network_.shape.hidden)});
    if (rows > 0)
      encoded = inChunks(
          rows, kRowChunk, network_.shape.columns,
          [&](std::size_t row, float* to) { readRow(network_, table_.row(firstRow + row), to); },
          [&](const Tensor& input) { return encodeStatements(layers, input); });
    const Tensor joined = network_.shape.architecture == Architecture::Lstm
                              ? joinedByLstm(begin, end, encoded)
                              : joinStatements(layers, encoded, firstRows(begin, end), 0);
    const std::size_t width = network_.shape.hidden;
    const float* vectors = joined.data_ptr<float>();
    const Tensor decoded = inChunks(
        end - begin, kProgramChunk, width,
        [&](std::size_t p, float* to) {
          std::copy(vectors + p * width, vectors + (p + 1) * width, to);
        },
        [&](const Tensor& input) { return decodeStatements(layers, input); });
    std::copy_n(decoded.data_ptr<float>(), end - begin, outputs);
  }

  void scoreTrees(std::size_t begin, std::size_t end, float* outputs) const {
    const TreePrograms own =
        trees_ ? TreePrograms() : treePrograms(table_, network_.shape, begin, end);
    const TreePrograms& trees = trees_ ? *trees_ : own;
    std::vector<std::size_t> all(end - begin);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const TreeBatch batch = treeBatch(trees, all);
    const Tensor result =
        learner::scoreTrees(*network_.layers, nodesOf(network_, trees, batch), batch).contiguous();
    std::copy_n(result.data_ptr<float>(), end - begin, outputs);
  }

  std::vector<std::int64_t> firstRows(std::size_t begin, std::size_t end) const {
    std::vector<std::int64_t> first;
    for (std::size_t p = begin; p <= end; ++p)
      first.push_back(toSize(table_.firstRow(p) - table_.firstRow(begin)));
    return first;
  }

  /// Programs of one length at a time, so that nothing depends on their company.
  Tensor joinedByLstm(std::size_t begin, std::size_t end, const Tensor& encoded) const {
    std::map<std::size_t, std::vector<std::size_t>> byLength;
    for (std::size_t p = begin; p < end; ++p)
      byLength[std::max(network_.shape.length, table_.rowCount(p))].push_back(p);
    Tensor joined = torch::empty({toSize(end - begin), toSize(network_.shape.hidden)});
    for (const auto& [length, programs] : byLength)
      for (std::size_t from = 0; from < programs.size(); from += kLstmChunk) {
        std::vector<std::int64_t> rows, first = {0};
        const std::size_t here = std::min(kLstmChunk, programs.size() - from);
        for (std::size_t i = 0; i < kLstmChunk; ++i) {
          const std::size_t p = programs[i < here ? from + i : from];
          for (std::size_t row = 0; row < table_.rowCount(p); ++row)
            rows.push_back(toSize(table_.firstRow(p) + row - table_.firstRow(begin)));
          first.push_back(toSize(rows.size()));
        }
        rows.resize((rows.size() / kLstmChunk + 1) * kLstmChunk, -1); // rows of zeros
        const Tensor vectors =
            joinStatements(*network_.layers, gatherRows(encoded, rows), first, length);
        for (std::size_t i = 0; i < here; ++i)
          joined[toSize(programs[from + i] - begin)] = vectors[toSize(i)];
      }
    return joined;
  }

  void scoreSteps(std::size_t begin, std::size_t end, float* outputs) const {
    constexpr std::size_t kGrain = 4; // of lengths that are computed alike
    const Layers& layers = *network_.layers;
    const StepPrograms programs = stepPrograms(table_, begin, end, network_.shape.length);
    const EncodedSteps encoded = encodedSteps(programs);
    std::map<std::size_t, std::vector<std::size_t>> byLength;
    for (std::size_t p = 0; p < programs.programs(); ++p)
      byLength[(programs.stepsOf(p) + kGrain - 1) / kGrain * kGrain].push_back(p);
    const std::size_t heads = network_.shape.heads;
    for (const auto& [length, members] : byLength)
      for (std::size_t from = 0; from < members.size(); from += kStepChunk) {
        const std::size_t here = std::min(kStepChunk, members.size() - from);
        std::vector<std::int64_t> ids(kStepChunk * length, 0);
        std::vector<float> counts(kStepChunk * length, 0);
        for (std::size_t i = 0; i < kStepChunk; ++i) {
          const std::size_t p = members[i < here ? from + i : from];
          for (std::size_t k = 0; k < programs.stepsOf(p); ++k) {
            ids[i * length + k] = programs.ids[programs.first[p] + k];
            counts[i * length + k] = programs.counts[programs.first[p] + k];
          }
        }
        const Tensor result =
            learner::scoreSteps(layers, encoded, std::move(ids), counts, length, true).contiguous();
        for (std::size_t i = 0; i < here; ++i)
          std::copy_n(result.data_ptr<float>() + i * heads, heads,
                      outputs + members[from + i] * heads);
      }
  }

  EncodedSteps encodedSteps(const StepPrograms& programs) const {
    const auto width = toSize(network_.shape.encoder.back());
    const Tensor both = inChunks(
        programs.steps.size(), kRowChunk, network_.shape.columns,
        [&](std::size_t step, float* to) { readRow(network_, programs.steps[step], to); },
        [&](const Tensor& input) {
          const EncodedSteps chunk = encodeSteps(*network_.layers, input);
          return torch::cat({chunk.values, chunk.projected}, 1);
        });
    return {both.narrow(1, 0, width).contiguous(), both.narrow(1, width, 3 * width).contiguous()};
  }

  const Kept& network_;
  const MappedTable& table_;
  const TreePrograms* trees_;
};

/// `trees` are those of each part, where they are known already.
std::vector<float> scoresOf(const Kept& network, const MappedTable& table, std::size_t begin,
                            std::size_t end, int threads,
                            const std::vector<TreePrograms>& trees = {}) {
  requireColumns(network.shape, table);
  const std::size_t heads = network.shape.heads;
  std::vector<float> outputs((end - begin) * heads);
  const std::size_t parts = (end - begin + kScorePrograms - 1) / kScorePrograms;
  parallelFor(parts, static_cast<unsigned>(threads), [&](std::size_t part) {
    const std::size_t from = begin + part * kScorePrograms;
    const QuietHold hold = holdForBatch();
    Scorer(network, table, trees.empty() ? nullptr : &trees[part])
        .score(from, std::min(end, from + kScorePrograms), outputs.data() + (from - begin) * heads);
  });
  return outputs;
}

/// The library tells want of memory by words alone.
template <class F>
auto toldAsBadAlloc(const F& f) {
  try {
    return f();
  } catch (const c10::Error& error) {
    if (std::string_view(error.what_without_backtrace()).find("allocate memory") !=
        std::string_view::npos)
      throw std::bad_alloc();
    throw InputError(fmt::format("libtorch: {}", error.what_without_backtrace()));
  }
}

/// One training: a network, its optimiser, and the programs.
class Training {
 public:
  Training(const StartWork& work, const std::vector<float>& numbers)
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

  EpochAnswer epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell) {
    constexpr double kRemembered = 0.95;
    std::vector<std::size_t> order(work_.train);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random =
        Random::stream(work_.step.seed, "order", static_cast<std::uint64_t>(work.epoch));
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

 private:
  /// The outputs of programs, with what it takes to find their gradient.
  Tensor forward(std::span<const std::size_t> programs) const {
    if (work_.shape.ofTrees()) return forwardTrees(programs);
    return work_.shape.ofSteps() ? forwardSteps(programs) : forwardStatements(programs);
  }

  Tensor forwardTrees(std::span<const std::size_t> programs) const {
    const TreeBatch batch = treeBatch(trees_, {programs.begin(), programs.end()});
    return scoreTrees(*network_.layers, nodesOf(network_, trees_, batch), batch);
  }

  Tensor forwardStatements(std::span<const std::size_t> programs) const {
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

  Tensor forwardSteps(std::span<const std::size_t> programs) const {
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

  /// One step of the optimiser; gives the batch's loss.
  double learn(std::span<const std::size_t> programs) {
    const std::size_t heads = work_.shape.heads;
    const std::size_t count = (programs.size() + kTrainPrograms - 1) / kTrainPrograms;
    const auto part = [&](std::size_t i) {
      return programs.subspan(i * kTrainPrograms,
                              std::min(kTrainPrograms, programs.size() - i * kTrainPrograms));
    };
    std::vector<Tensor> outputs(count);
    const auto threads = static_cast<unsigned>(work_.threads);
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

  /// The loss of one head over the programs that have a label there.
  bool addLoss(std::size_t head, std::span<const std::size_t> programs,
               const std::vector<float>& values, double& loss, std::vector<float>& slopes) const {
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

  static bool squashes(const StartWork& work) {
    return nestwright::squashes(work.shape.architecture, work.step.loss);
  }

  void step(const std::vector<torch::autograd::variable_list>& gradients) {
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

  /// Kingma and Ba, in the order of PyTorch's operations.
  void adamStep(double rate) {
    constexpr double kFirst = 0.9, kSecond = 0.999, kEpsilon = 1e-8;
    const auto power = static_cast<double>(steps_);
    const double firstShare = 1 - std::pow(kFirst, power);
    const double secondShare = 1 - std::pow(kSecond, power);
    first_.mul_(kFirst).add_(gradient_, 1 - kFirst);
    second_.mul_(kSecond).addcmul_(gradient_, gradient_, 1 - kSecond);
    const Tensor spread = (second_.sqrt() / std::sqrt(secondShare)).add_(kEpsilon);
    network_.weights.addcdiv_(first_, spread, -rate / firstShare);
  }

  void validate(EpochAnswer& answer) const {
    for (const Tensor& numbers : {network_.weights, first_, second_})
      answer.numbers.insert(answer.numbers.end(), numbers.data_ptr<float>(),
                            numbers.data_ptr<float>() + numbers.numel());
    const std::size_t count = table_.programs() - work_.train, heads = work_.shape.heads;
    if (count == 0) return;
    const std::vector<float> values =
        scoresOf(network_, table_, work_.train, table_.programs(), work_.threads, validated_);
    std::vector<std::size_t> programs(count);
    std::iota(programs.begin(), programs.end(), work_.train);
    std::size_t batches = 0;
    for (std::size_t begin = 0; begin < count; begin += work_.step.batch, ++batches) {
      const std::size_t here = std::min(work_.step.batch, count - begin);
      const std::vector<float> part(values.begin() + toSize(begin * heads),
                                    values.begin() + toSize((begin + here) * heads));
      std::vector<float> slopes(part.size());
      for (std::size_t head = 0; head < heads; ++head)
        addLoss(head, std::span(programs).subspan(begin, here), part, answer.validationLoss,
                slopes);
    }
    answer.validationLoss /= static_cast<double>(batches);
    answer.numbers.insert(answer.numbers.end(), values.begin(), values.end());
  }

  StartWork work_;
  MappedTable table_;
  Kept network_;
  std::int64_t steps_;
  Tensor first_, second_, gradient_;
  StepPrograms programs_;               // to learn from
  TreePrograms trees_;                  // likewise
  std::vector<TreePrograms> validated_; // of each part that is scored at once
};

/// Gradient times input of a tree, row after row: of a node's facts, and, where its name stands, of
/// the vector that its name has.
std::vector<float> contributionsOfTree(const Kept& kept, const MappedTable& table) {
  const TreePrograms trees = treePrograms(table, kept.shape, 0, 1, false);
  const TreeBatch batch = treeBatch(trees, {0});
  const Tensor nodes = nodesOf(kept, trees, batch).detach().requires_grad_(true);
  const Tensor output = scoreTrees(*kept.layers, nodes, batch);
  const Tensor gradient = torch::autograd::grad({output[0][0]}, {nodes})[0];
  const Tensor product = (gradient * nodes).detach().contiguous();
  const std::size_t rows = table.rowCount(0), columns = kept.shape.columns;
  const std::size_t facts = columns - kTreeLinks;
  std::vector<float> result(rows * columns, 0);
  const float* from = product.data_ptr<float>();
  for (const std::uint32_t subtree : batch.subtrees) {
    if (rows == 0) break;
    float* row = result.data() + (rows - 1 - subtree) * columns; // the last row is subtree 0
    std::copy(from, from + facts, row + kTreeLinks);
    row[1] = std::accumulate(from + facts, from + product.size(1), 0.0F);
    from += product.size(1);
  }
  return result;
}

/// Gradient times input of a program, row after row.
std::vector<float> contributions(const Kept& kept, const MappedTable& table, std::size_t head) {
  const NetworkShape& shape = kept.shape;
  if (shape.ofTrees()) return contributionsOfTree(kept, table);
  const std::size_t all = table.rowCount(0);
  const std::size_t rows = shape.ofSteps() ? std::min(all, shape.length) : all;
  const std::size_t padding = shape.ofSteps() ? shape.length - rows : 0;
  Tensor input = torch::zeros({toSize(rows + (padding > 0 ? 1 : 0)), toSize(shape.columns)});
  for (std::size_t row = 0; row < rows; ++row)
    readRow(kept, table.row(row), input.data_ptr<float>() + row * shape.columns);
  input.requires_grad_(true);
  const Layers& layers = *kept.layers;
  Tensor output;
  if (shape.ofSteps()) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(input.size(0)));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    std::vector<float> counts(ids.size(), 1);
    if (padding > 0) counts.back() = static_cast<float>(padding);
    const std::size_t longest = ids.size();
    output = scoreSteps(layers, encodeSteps(layers, input), std::move(ids), counts, longest, true);
  } else {
    output = decodeStatements(layers, joinStatements(layers, encodeStatements(layers, input),
                                                     {0, toSize(rows)}, shape.length));
  }
  const Tensor gradient = torch::autograd::grad({output[0][toSize(head)]}, {input})[0];
  const Tensor product = (gradient * input).detach().contiguous();
  std::vector<float> result(all * shape.columns, 0);
  std::copy_n(product.data_ptr<float>(), rows * shape.columns, result.begin());
  return result;
}

} // namespace

struct Engine::Parts {
  std::map<std::string, Kept> kept;
  std::unique_ptr<Training> training;

  const Kept& named(const std::string& name) const {
    const auto found = kept.find(name);
    if (found == kept.end()) throw InputError(fmt::format("the learner keeps no network {}", name));
    return found->second;
  }
};

Engine::Engine() : parts_(std::make_unique<Parts>()) {
  torch::set_num_threads(1); // threads are ours: one a part of the work
}

Engine::~Engine() = default;

void Engine::keep(const KeepWork& work, const std::vector<float>& numbers) {
  requireSensible(work.shape);
  const std::size_t count = parameterCount(work.shape);
  requireCount(numbers.size() == count || numbers.size() == count + work.shape.columns, work.shape,
               numbers.size());
  if (parts_->kept.size() >= kKeptNetworks) parts_->kept.clear();
  toldAsBadAlloc([&] {
    parts_->kept.insert_or_assign(work.name, Kept(work.shape, std::span(numbers).first(count),
                                                  std::span(numbers).subspan(count), false));
  });
}

std::vector<float> Engine::score(const ScoreWork& work) const {
  const Kept& network = parts_->named(work.name);
  const MappedTable table(work.table);
  return toldAsBadAlloc(
      [&] { return scoresOf(network, table, 0, table.programs(), work.threads); });
}

std::vector<float> Engine::explain(const ExplainWork& work) const {
  const Kept& network = parts_->named(work.name);
  const MappedTable table(work.table);
  requireColumns(network.shape, table);
  if (table.programs() != 1 || work.head >= network.shape.heads)
    throw InputError("one output of one program can be explained at once");
  return toldAsBadAlloc([&] { return contributions(network, table, work.head); });
}

void Engine::start(const StartWork& work, const std::vector<float>& numbers) {
  requireSensible(work.shape);
  const std::size_t count = trainingNumbers(work.shape);
  requireCount(numbers.size() == count || numbers.size() == count + work.shape.columns, work.shape,
               numbers.size());
  if (work.step.batch == 0 || work.threads < 1)
    throw InputError("a batch has at least one program, and one thread at least works");
  parts_->training.reset();
  toldAsBadAlloc([&] { parts_->training = std::make_unique<Training>(work, numbers); });
}

EpochAnswer Engine::epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell) {
  if (!parts_->training) throw InputError("no training was begun");
  return toldAsBadAlloc([&] { return parts_->training->epoch(work, tell); });
}

std::string Engine::libraryVersion() {
  return TORCH_VERSION;
}

} // namespace nestwright::learner
