#include "app/cli/data/train_options.h"

#include "app/cli/checks.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright::cli {

namespace {

/// An option of the training that has a name of its own.
void addNamed(CLI::App& verb, TrainOptions& options, const std::string& option,
              const std::string& name, const std::string& what) {
  verb.add_option_function<std::string>(
      option,
      [&options, name](const std::string& value) { options.changes.emplace_back(name, value); },
      what);
}

void addChanges(CLI::App& verb, TrainOptions& options) {
  addNamed(verb, options, "--epochs", "epochs",
           "Passes over the programs (50; with mse 100, with ranknet 30)");
  addNamed(verb, options, "--batch", "batch", "Programs a step (512; of tlp and mtl-tlp 1024)");
  addNamed(verb, options, "--learning-rate", "learning_rate", "Length of a step (0.0007)");
  addNamed(verb, options, "--keep", "keep",
           "Which network is kept: last, or best-validation, that of the least validation loss "
           "(default)");
  verb.add_option_function<std::vector<std::string>>(
      "--set",
      [&options](const std::vector<std::string>& settings) {
        for (const std::string& setting : settings) {
          const std::size_t mark = setting.find('=');
          if (mark == std::string::npos)
            throw UsageError(fmt::format(
                "--set takes an option and its value, as in patience=5, and not \"{}\"", setting));
          options.changes.emplace_back(setting.substr(0, mark), setting.substr(mark + 1));
        }
      },
      "Any option of the training, as in patience=5; an unknown one lists them all");
}

} // namespace

void addModelOptions(CLI::App& verb, TrainOptions& options) {
  verb.add_option("--model", options.wish.model,
                  fmt::format("What is trained: {}", fmt::join(trainableModels(), ", ")))
      ->capture_default_str();
  verb.add_option("--loss", options.wish.loss,
                  "What a network is to make small: lambdarank (default), mse, ranknet, listnet; "
                  "trees have mse alone");
  addChanges(verb, options);
}

void addTrainOptions(CLI::App& verb, TrainOptions& options, const DataOptionNames& names) {
  ModelWish& wish = options.wish;
  addDataOptions(verb, options.data, names);
  addModelOptions(verb, options);
  addNamed(verb, options, "--seed", "seed",
           "Seed of the first weights and of the order of the programs");
  verb.add_option("--threads", wish.threads, "Threads; the result does not depend on their number")
      ->capture_default_str();
  verb.add_option("--helper", wish.helpers,
                  "Targets whose records help to learn for --target, each with a head of its own "
                  "(mtl-tlp)");
  verb.add_option("--target-records", wish.targetRecords,
                  "So many programs keep their label of --target, drawn by the seed (mtl-tlp; 0: "
                  "all)")
      ->check(notNegative());
  verb.add_option("--start-from", wish.startFrom,
                  "Go on from this trained network, on other data, with its features");
  verb.add_flag("--fine-tune", wish.fineTune,
                "With --start-from: ten passes of plain descent, as TenSet adapts a network");
}

ModelWish wishOf(const TrainOptions& options) {
  ModelWish wish = options.wish;
  wish.data = choiceOf(options.data);
  for (const auto& [name, value] : options.changes)
    setOption(wish, name, value);
  settledOptions(wish);
  return wish;
}

} // namespace nestwright::cli
