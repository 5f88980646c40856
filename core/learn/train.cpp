#include "core/learn/train.h"

#include "core/learn/samples.h"
#include "core/model/metrics.h"
#include "core/support/clock.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/json_fields.h"
#include "core/support/output_file.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace nestwright {

namespace {

using nlohmann::json;

/// All that the rest of a training depends on.
struct TrainingState {
  TrainedNetwork best;        // the network to be kept so far
  std::vector<float> numbers; // of the training (trainingNumbers)
  std::string start;          // hash of the network that it was started from; empty: a fresh one
  std::int64_t steps = 0;
  double bestLoss = kInfinity; // of validation
  double averagedLoss = kInfinity, bestAveraged = kInfinity;
  int bestAveragedEpoch = 0;
};

template <class Io>
void fields(Io& io, TrainingState& state) {
  io.orElse("start", state.start, std::string());
  io("steps", state.steps);
  io.number("best_loss", state.bestLoss);
  io.number("averaged_loss", state.averagedLoss);
  io.number("best_averaged", state.bestAveraged);
  io("best_averaged_epoch", state.bestAveragedEpoch);
}

std::string checkpointName(Architecture architecture) {
  return fmt::format("{} training", name(architecture));
}

void writeCheckpoint(const std::string& path, const TrainingState& state) {
  json header = headerOf(state.best);
  header["training"] = toFields(state);
  const NeuralNetwork& network = state.best.network;
  const std::string bytes =
      sealModel(networkForm(), checkpointName(network.shape.architecture), std::move(header),
                bytesOf(network.maxima) + bytesOf(network.weights) + bytesOf(state.numbers));
  try {
    writeWhole(path, "checkpoint", bytes);
  } catch (const SystemError& error) {
    throw SystemError(fmt::format("the checkpoint {}; make room", error.what()));
  }
}

std::string readWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: the checkpoint cannot be opened", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Throws InputError.
TrainingState readCheckpoint(const std::string& path, Architecture architecture) {
  const std::string bytes = readWhole(path), model = name(architecture);
  const SealedModel sealed = openModel(networkForm(), checkpointName(architecture), bytes);
  TrainingState state;
  state.best = trainedNetworkFromHeader(model, sealed.header);
  try {
    readFields(sealed.header.at("training"), state);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: the checkpoint cannot be read ({})", path, error.what()));
  }
  std::string_view rest = sealed.bytes;
  NeuralNetwork& network = state.best.network;
  network.maxima = takeNumbers(model, rest, network.maxima.size());
  network.weights = takeNumbers(model, rest, parameterCount(network.shape));
  state.numbers = takeNumbers(model, rest, trainingNumbers(network.shape));
  return state;
}

/// What must be alike for a training to go on.
json identityOf(const TrainingState& state) {
  TrainingOptions options = state.best.options;
  options.threads = 1;  // the result does not depend on them
  options.epochs = 1;   // more of them may be asked for,
  options.patience = 0; // for which it waits longer
  return {{"options are", toJson(options)},
          {"shape is", toFields(state.best.network.shape)},
          {"data is", state.best.dataHash},
          {"network to start from is", state.start}};
}

std::string hashOf(const NeuralNetwork& network) {
  return hashHex(bytesOf(network.maxima) + bytesOf(network.weights));
}

std::vector<float> columnMaxima(const FeatureTable& table, std::span<const std::size_t> programs) {
  std::vector<float> maxima(table.columns(), 0);
  for (const std::size_t program : programs)
    for (std::size_t row = table.firstRow(program); row < table.firstRow(program + 1); ++row)
      std::ranges::transform(maxima, table.row(row), maxima.begin(),
                             [](float a, float b) { return std::max(a, b); });
  std::ranges::replace_if(
      maxima, [](float maximum) { return !(maximum > 0); }, 1.0F);
  return maxima;
}

std::size_t longestOf(const FeatureTable& table, std::span<const std::size_t> programs) {
  std::size_t longest = 0;
  for (const std::size_t program : programs)
    longest = std::max(longest, table.rowCount(program));
  return longest;
}

class Trainer {
 public:
  Trainer(Learner& learner, const TrainingJob& job, const TrainingObserver& observer,
          std::stop_token stop)
      : learner_(learner), job_(job), observer_(observer), stop_(std::move(stop)),
        samples_(samplesOf(job.set, job.parts, job.options)) {
    if (samples_.validation() == 0 && job.options.keep == Keep::BestValidation)
      throw UsageError("without programs to validate with, no network has the best validation: "
                       "keep the last, or validate with a share of the programs");
    requireMachines();
    state_ = begin();
    if (job.resume && !job.checkpoint.empty() && std::filesystem::exists(job.checkpoint))
      goOnFrom(readCheckpoint(job.checkpoint, job.options.architecture));
    warnOfCuts();
  }

  TrainedNetwork run() {
    const TableFile table(job_.set.features, samples_.programs, samples_.labels, samples_.heads());
    const StartWork work{
        state_.best.network.shape, job_.options.step, table.layout(), samples_.train,
        job_.options.threads,      state_.steps,      false};
    if (!isDone()) start(work);
    while (!isDone())
      epoch(work);
    return std::move(state_.best);
  }

 private:
  int epochsDone() const { return static_cast<int>(state_.best.curve.size()); }

  bool isDone() const {
    const bool waited = job_.options.patience > 0 &&
                        epochsDone() - state_.bestAveragedEpoch >= job_.options.patience;
    return waited || epochsDone() >= job_.options.epochs;
  }

  /// Of a fresh network each head has something to learn from.
  void requireMachines() const {
    if (job_.startFrom) return;
    for (const std::string& machine : job_.options.machines)
      if (std::ranges::find(job_.set.machines, machine) == job_.set.machines.end())
        throw UsageError(fmt::format("nothing of the data was measured on {}; there are: {}",
                                     machine, fmt::join(job_.set.machines, ", ")));
  }

  TrainingState begin() const {
    TrainingState state;
    TrainedNetwork& trained = state.best;
    trained.options = job_.options;
    trained.programs = samples_.train;
    trained.machines = samples_.machines;
    trained.dataHash = samples_.hash(job_.set);
    std::vector<bool> known(job_.set.tasks.size());
    for (std::size_t i = 0; i < samples_.train; ++i)
      known[job_.set.outcomes[samples_.programs[i]].task] = true;
    if (job_.startFrom) trained.tasks = job_.startFrom->tasks;
    for (std::size_t task = 0; task < known.size(); ++task)
      if (known[task] &&
          std::ranges::find(trained.tasks, job_.set.tasks[task]) == trained.tasks.end())
        trained.tasks.push_back(job_.set.tasks[task]);
    trained.network = firstNetwork();
    if (job_.startFrom) state.start = hashOf(job_.startFrom->network);
    state.numbers = trained.network.weights;
    state.numbers.resize(trainingNumbers(trained.network.shape), 0);
    return state;
  }

  NeuralNetwork firstNetwork() const {
    const FeatureTable& features = job_.set.features;
    const std::span train = std::span(samples_.programs).first(samples_.train);
    NetworkShape shape = publishedShape(job_.options.architecture, features.columns());
    if (job_.options.hidden > 0) shape.hidden = job_.options.hidden;
    shape.heads = shape.architecture == Architecture::MtlTlp ? samples_.heads() : 1;
    shape.memorySlots = shape.ofTrees() ? job_.options.memorySlots : 0;
    if (shape.ofSteps())
      shape.length = job_.options.length;
    else if (shape.architecture == Architecture::Lstm)
      shape.length = longestOf(features, train);
    if (job_.startFrom) {
      const NeuralNetwork& before = job_.startFrom->network;
      if (before.shape.architecture != shape.architecture ||
          before.shape.columns != shape.columns || before.shape.heads != shape.heads)
        throw InputError(fmt::format(
            "the network to start from is {} {} network of rows of {} with {}; this "
            "training is of {} with {} and {}",
            before.shape.architecture == Architecture::Mlp ? "an" : "a",
            name(before.shape.architecture), quantity(std::int64_t(before.shape.columns), "column"),
            quantity(std::int64_t(before.shape.heads), "head"), name(shape.architecture),
            quantity(std::int64_t(shape.columns), "column"), shape.heads));
      return before;
    }
    NeuralNetwork network = freshNetwork(shape, job_.options.step.seed);
    if (shape.ofStatements()) network.maxima = columnMaxima(features, train);
    return network;
  }

  void goOnFrom(TrainingState before) {
    const json wanted = identityOf(state_), found = identityOf(before);
    for (const auto& [what, value] : wanted.items())
      if (found.at(what) != value)
        throw InputError(fmt::format("{}: the checkpoint is of another training: its {} {}, "
                                     "and not {}. Start anew without --resume, or with the "
                                     "options and data of then",
                                     job_.checkpoint, what, found.at(what).dump(), value.dump()));
    state_ = std::move(before);
    state_.best.options = job_.options;
  }

  void warnOfCuts() const {
    constexpr double kTolerated = 0.05;
    const NetworkShape& shape = state_.best.network.shape;
    if (!shape.ofSteps() || !observer_.warned) return;
    const auto cut = std::ranges::count_if(samples_.programs, [&](std::size_t program) {
      return job_.set.features.rowCount(program) > shape.length;
    });
    const double share = static_cast<double>(cut) / static_cast<double>(samples_.programs.size());
    if (share > kTolerated)
      observer_.warned(fmt::format("{:.0f} % of the programs have more than {}, and what is "
                                   "behind them is cut off: a network that is trained with as many "
                                   "as the data has would see it (--features steps,fit)",
                                   100 * share, quantity(std::int64_t(shape.length), "step")));
  }

  void start(const StartWork& work) {
    std::vector<float> numbers = state_.numbers;
    const std::vector<float>& maxima = state_.best.network.maxima;
    numbers.insert(numbers.end(), maxima.begin(), maxima.end());
    learner_.start(work, numbers, stop_);
  }

  void epoch(const StartWork& work) {
    const auto begin = std::chrono::steady_clock::now();
    const auto tell = [&](std::size_t programs) {
      if (observer_.progressed) observer_.progressed(progressOf(programs, secondsSince(begin)));
    };
    EpochAnswer answer = learner_.epoch({epochsDone(), state_.averagedLoss}, work, tell, stop_);
    EpochResult result{epochsDone() + 1,   answer.trainingLoss, answer.validationLoss, 0, 0,
                       secondsSince(begin)};
    const std::size_t trained = trainingNumbers(work.shape);
    if (!std::isfinite(result.trainingLoss) ||
        !std::ranges::all_of(answer.numbers, [](float number) { return std::isfinite(number); }))
      throw InputError(
          fmt::format("the training diverges in epoch {}: its losses are no numbers any "
                      "more. Take a smaller learning rate, or clip the gradients",
                      result.epoch));
    measure(std::span(answer.numbers).subspan(trained), result);
    answer.numbers.resize(trained);
    take(std::move(answer), result);
    if (observer_.learned) observer_.learned(networkNow());
    if (!job_.checkpoint.empty()) writeCheckpoint(job_.checkpoint, state_);
    if (observer_.epochEnded) observer_.epochEnded(result);
  }

  TrainingProgress progressOf(std::size_t programs, double seconds) const {
    const double rate = seconds > 0 ? static_cast<double>(programs) / seconds : 0;
    const auto all = static_cast<double>(samples_.train) *
                     static_cast<double>(job_.options.epochs - epochsDone());
    return {epochsDone() + 1,
            job_.options.epochs,
            programs,
            samples_.train,
            rate,
            rate > 0 ? (all - static_cast<double>(programs)) / rate : kInfinity};
  }

  void take(EpochAnswer answer, const EpochResult& result) {
    state_.numbers = std::move(answer.numbers);
    state_.steps = answer.steps;
    state_.averagedLoss = answer.averagedLoss;
    state_.best.curve.push_back(result);
    if (state_.averagedLoss < state_.bestAveraged) {
      state_.bestAveraged = state_.averagedLoss;
      state_.bestAveragedEpoch = result.epoch;
    }
    const bool last = job_.options.keep == Keep::Last;
    if (!last && !(result.validationLoss < state_.bestLoss)) return;
    if (!last) state_.bestLoss = result.validationLoss;
    state_.best.kept = result.epoch;
    std::vector<float>& weights = state_.best.network.weights;
    std::copy_n(state_.numbers.begin(), weights.size(), weights.begin());
  }

  TrainedNetwork networkNow() const {
    TrainedNetwork now = state_.best;
    now.kept = epochsDone();
    std::vector<float>& weights = now.network.weights;
    std::copy_n(state_.numbers.begin(), weights.size(), weights.begin());
    return now;
  }

  /// The first head's picks in each task of the validation.
  void measure(std::span<const float> outputs, EpochResult& result) const {
    std::map<std::size_t, TaskScores> tasks;
    const std::size_t heads = samples_.heads();
    for (std::size_t i = 0; i < samples_.validation(); ++i) {
      const std::size_t sample = samples_.train + i;
      const float label = samples_.labels[sample * heads];
      if (std::isnan(label)) continue;
      TaskScores& task = tasks[job_.set.outcomes[samples_.programs[sample]].task];
      task.predictions.push_back(static_cast<double>(outputs[i * heads]));
      task.labels.push_back(static_cast<double>(label));
    }
    for (const auto& [index, task] : tasks) {
      const auto count = static_cast<double>(tasks.size());
      result.top1 += peakAt(1, task.predictions, task.labels) / count;
      result.top5 += peakAt(5, task.predictions, task.labels) / count;
    }
  }

  Learner& learner_;
  const TrainingJob& job_;
  const TrainingObserver& observer_;
  std::stop_token stop_;
  Samples samples_;
  TrainingState state_;
};

} // namespace

TrainedNetwork train(Learner& learner, const TrainingJob& job, const TrainingObserver& observer,
                     std::stop_token stop) {
  requireSensible(job.options);
  return Trainer(learner, job, observer, std::move(stop)).run();
}

TrainedNetwork networkOfCheckpoint(const std::string& path) {
  const std::string bytes = readWhole(path);
  const json header = json::parse(bytes.substr(0, bytes.find('\n')), nullptr, false);
  const json kind = header.is_object() ? header.value("kind", json()) : json();
  for (const Architecture architecture : kArchitectures)
    if (kind == fmt::format("nestwright {} model", checkpointName(architecture)))
      return readCheckpoint(path, architecture).best;
  throw InputError(fmt::format("{}: this is no checkpoint of a training", path));
}

} // namespace nestwright
