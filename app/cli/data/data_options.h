#pragma once
/// \file The options by which people choose the data that cost models learn from and are tested on,
/// the same in every verb that has them.

#include "core/dataset/data_choice.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nestwright::cli {

/// What was given, on top of a file if one was.
struct DataOptions {
  std::string file;                                           // --data
  std::optional<SplitKind> split = {};                        // --split
  std::vector<std::function<void(DataChoice&)>> changes = {}; // by it and the other options
};

/// Options of DataChoice that some verbs have for another meaning.
struct DataOptionNames {
  bool networks = true;        // --networks is there
  const char* seed = "--seed"; // of the draws
};

/// Adds --db, --data and all others of DataChoice.
void addDataOptions(CLI::App& verb, DataOptions& options, const DataOptionNames& names = {});

/// The choice that was made. Throws UsageError or InputError where it is none, or cannot be.
DataChoice choiceOf(const DataOptions& options);

} // namespace nestwright::cli
