#include "plugins/torch/network_options.h"

#include "core/model/read_options.h"

#include <algorithm>

namespace nestwright::torch_models {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(NetworkOptions, threads, seed, loss, hidden, tuning,
                                                length, warmup, maxRows, newest, maxPasses)

NetworkOptions networkOptionsFromJson(const char* model, const nlohmann::json& json) {
  auto options = readOptions<NetworkOptions>(model, json);
  const OptionCheck require{model};
  lossFromName(options.loss);
  require(options.tuning == "adam" || options.tuning == "fine", "`tuning` must be adam or fine");
  require(options.hidden <= 4096, "`hidden` must be at most 4096");
  require(options.threads >= 1, "`threads` must be at least 1");
  require(options.length >= 1 && options.length <= 1024, "`length` must be 1 to 1024");
  require(options.maxRows >= 1, "`maxRows` must be at least 1");
  return options;
}

nlohmann::json toJson(const NetworkOptions& options) {
  return options;
}

TrainingOptions updateOptions(const NetworkOptions& options, Architecture architecture,
                              std::size_t programs, bool first) {
  constexpr int kIncrement = 5;
  // A few seconds of one thread (handbook/cost-models.md 5.6).
  const std::size_t usual = architecture == Architecture::Mlp ? 20'000 : 2'500;
  TrainingOptions training = publishedTraining(architecture, lossFromName(options.loss));
  const bool fine = !first && options.tuning == "fine";
  if (fine) training = fineTuning(training);
  training.hidden = options.hidden;
  const std::size_t passes = options.maxPasses > 0 ? options.maxPasses : usual;
  const int wanted = first || fine ? training.epochs : kIncrement;
  training.epochs = static_cast<int>(std::clamp(passes / std::max<std::size_t>(programs, 1),
                                                std::size_t{1}, static_cast<std::size_t>(wanted)));
  training.patience = 0;
  training.keep = Keep::Last;
  training.threads = options.threads;
  training.length = options.length;
  training.step.seed = options.seed;
  return training;
}

} // namespace nestwright::torch_models
