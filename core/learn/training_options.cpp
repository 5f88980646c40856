#include "core/learn/training_options.h"

#include "core/support/json_fields.h"
#include "core/support/name_table.h"

#include <cmath>

namespace nestwright {

namespace {

constexpr NameTable<Keep, 2> kKeeps{{"last", "best-validation"}};

/// Throws UsageError that lists the names.
Keep keepFromName(const std::string& text) {
  if (const auto keep = kKeeps.find(text)) return *keep;
  throw UsageError(
      fmt::format("of a training the last network can be kept, or the one with best-validation; "
                  "\"{}\" is neither",
                  text));
}

} // namespace

const char* name(Keep keep) {
  return kKeeps.of(keep);
}

template <class Io>
void fields(Io& io, TrainingOptions& options) {
  io.named("architecture", options.architecture, networkArchitectureFromName);
  io.object("step", options.step);
  io("epochs", options.epochs);
  io("patience", options.patience);
  io.named("keep", options.keep, keepFromName);
  io("threads", options.threads);
  io("length", options.length);
  io.orElse("hidden", options.hidden, std::size_t{0});
  io("machines", options.machines);
  io("target_records", options.targetRecords);
  if (options.architecture == Architecture::TreeGru) io("memory_slots", options.memorySlots);
}

Loss publishedLoss(Architecture architecture) {
  return architecture == Architecture::TreeGru ? Loss::Pairwise : Loss::LambdaRank;
}

TrainingOptions publishedTraining(Architecture architecture, Loss loss) {
  TrainingOptions options;
  options.architecture = architecture;
  options.step.loss = loss;
  const bool steps = architecture == Architecture::Tlp || architecture == Architecture::MtlTlp;
  if (steps) {
    options.step.batch = 1024;
    return options;
  }
  if (architecture == Architecture::TreeGru) {
    options.step.weightDecay = 1e-4;
    options.step.clip = 5;
    options.step.batch = 128;
    options.epochs = 500;
    options.patience = 100;
    return options;
  }
  options.epochs = loss == Loss::Mse || loss == Loss::PlainMse ? 100
                   : loss == Loss::RankNet                     ? 30
                                                               : 50;
  if (loss == Loss::ListNet) options.step.learningRate = 9e-4;
  options.patience = options.epochs / 6;
  return options;
}

TrainingOptions fineTuning(const TrainingOptions& trained) {
  TrainingOptions options = trained;
  options.step.optimiser = Optimiser::Sgd;
  options.step.learningRate = 4e-2;
  options.step.weightDecay = 0;
  options.step.batch = 512;
  options.epochs = 10;
  options.patience = 0;
  options.keep = Keep::Last;
  return options;
}

void requireSensible(const TrainingOptions& options) {
  const auto require = [](bool condition, const char* what) {
    if (!condition) throw UsageError(fmt::format("a training's {}", what));
  };
  const StepOptions& step = options.step;
  require(options.epochs >= 1 && options.epochs <= 1'000'000, "epochs are 1 to 1000000");
  require(step.batch >= 2 && step.batch <= 1 << 16, "batch is 2 to 65536 programs");
  require(step.learningRate > 0 && step.learningRate <= 10, "learning rate is above 0, at most 10");
  require(step.weightDecay >= 0 && step.weightDecay < 1, "weight decay is at least 0 and below 1");
  require(step.clip >= 0 && std::isfinite(step.clip), "clip is a norm, or 0 for none");
  require(options.patience >= 0, "patience is a number of epochs, or 0 to wait for none");
  require(options.threads >= 1 && options.threads <= 1024, "threads are 1 to 1024");
  require(options.hidden <= 4096, "hidden layers are at most 4096 wide");
  require(options.memorySlots <= 64, "memory slots are 0 to 64");
  require(options.length >= 1 && options.length <= 1024, "length is 1 to 1024 steps");
}

nlohmann::json toJson(const TrainingOptions& options) {
  return toFields(options);
}

TrainingOptions trainingOptionsFromJson(const nlohmann::json& json) {
  TrainingOptions options;
  readFields(json, options);
  return options;
}

} // namespace nestwright
