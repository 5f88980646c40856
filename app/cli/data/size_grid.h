#pragma once
/// \file The size study of `nestwright evaluate --grid`: its options, and its table.

#include "app/cli/data/train_options.h"
#include "core/dataset/evaluate_models.h"
#include "core/training/size_study.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nestwright::cli {

struct GridOptions {
  std::vector<std::string> sizes; // "tasks=100,200", "programs=50,100"
  std::vector<std::uint64_t> seeds = {0};
  std::string folder;
  TrainOptions train; // without its data
};

/// Adds --grid, --grid-folder, --grid-seeds, and what says which model is trained.
void addGridOptions(CLI::App& verb, GridOptions& options);

/// Trains the cells that are not there yet, which Ctrl+C ends with LearnerStopped; tells of them on
/// standard error. Throws UsageError for sizes that are none.
std::vector<SizeCell> trainGrid(const GridOptions& options, const DataChoice& data,
                                unsigned threads);

/// The cells that differ by their seeds alone, as they are judged together: by their places in the
/// list.
std::vector<ModelGroup> groupsOf(const std::vector<SizeCell>& cells);

/// The figures of these groups, and below them those of the other models; the evaluation has the
/// cells' models first, in their order.
void printGrid(const std::vector<SizeCell>& cells, const ModelEvaluation& evaluation);
nlohmann::json gridJson(const std::vector<SizeCell>& cells);

} // namespace nestwright::cli
