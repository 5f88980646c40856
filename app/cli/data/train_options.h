#pragma once
/// \file The options by which people say how a cost model is trained.

#include "app/cli/data/data_options.h"
#include "core/training/model_wish.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwright::cli {

struct TrainOptions {
  DataOptions data;
  ModelWish wish;                                           // but for its data and options
  std::vector<std::pair<std::string, std::string>> changes; // options by name
};

/// Adds those that say which model is trained and how: --model, --loss, --epochs, --set.
void addModelOptions(CLI::App& verb, TrainOptions& options);
/// Adds them, those of the data, and all others of a training; `names` are those of the data's.
void addTrainOptions(CLI::App& verb, TrainOptions& options, const DataOptionNames& names);

/// The wish that was made. Throws UsageError or InputError where it is none, or cannot be.
ModelWish wishOf(const TrainOptions& options);

} // namespace nestwright::cli
