#include "plugins/torch/network_options.h"

#include "core/model/read_options.h"

#include <algorithm>

namespace nestwright::torch_models {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(NetworkOptions, threads, seed, loss, hidden, tuning,
                                                length, memorySlots, warmup, maxRows, newest,
                                                maxPasses)

namespace {

/// A few seconds of one thread (handbook/cost-models.md 5.6).
std::size_t usualPasses(Architecture architecture) {
  if (architecture == Architecture::Mlp) return 20'000;
  return architecture == Architecture::TreeGru ? 10'000 : 2'500;
}

} // namespace

NetworkOptions networkOptionsFromJson(const char* model, const nlohmann::json& json) {
  auto options = readOptions<NetworkOptions>(model, json);
  const OptionCheck require{model};
  const Architecture architecture = networkArchitectureFromName(model);
  if (options.loss.empty()) options.loss = name(publishedLoss(architecture));
  lossFromName(options.loss);
  require(options.tuning == "adam" || options.tuning == "fine", "`tuning` must be adam or fine");
  require(options.hidden <= 4096, "`hidden` must be at most 4096");
  if (options.maxRows == 0)
    options.maxRows = architecture == Architecture::TreeGru ? 1 << 18 : 1 << 14;
  require(options.threads >= 1, "`threads` must be at least 1");
  require(options.length >= 1 && options.length <= 1024, "`length` must be 1 to 1024");
  require(options.memorySlots <= 64, "`memorySlots` must be 0 to 64");
  return options;
}

nlohmann::json toJson(const NetworkOptions& options) {
  return options;
}

TrainingOptions updateOptions(const NetworkOptions& options, Architecture architecture,
                              std::size_t programs, bool first) {
  // Passes of a tree's epoch are few; the public code has 500 batches after each plan.
  const int increment = architecture == Architecture::TreeGru ? 100 : 5;
  const std::size_t usual = usualPasses(architecture);
  TrainingOptions training = publishedTraining(architecture, lossFromName(options.loss));
  const bool fine = !first && options.tuning == "fine";
  if (fine) training = fineTuning(training);
  training.hidden = options.hidden;
  const std::size_t passes = options.maxPasses > 0 ? options.maxPasses : usual;
  const int wanted = first || fine ? training.epochs : increment;
  training.epochs = static_cast<int>(std::clamp(passes / std::max<std::size_t>(programs, 1),
                                                std::size_t{1}, static_cast<std::size_t>(wanted)));
  training.patience = 0;
  training.keep = Keep::Last;
  training.threads = options.threads;
  training.length = options.length;
  training.memorySlots = options.memorySlots;
  training.step.seed = options.seed;
  return training;
}

} // namespace nestwright::torch_models
