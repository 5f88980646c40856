#pragma once
/// \file What to collect: models trained on fewer tasks with more programs each, and on more tasks
/// with fewer, from the same records.

#include "core/training/train_model.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct SizeStudyWish {
  ModelWish model; // of all cells, but for sizes, seeds and files
  std::vector<std::size_t> tasks = {0}, programs = {0}; // of each: so many; 0: all
  /// Of the first weights; of the draws, too, where what is tested on does not depend on them (a
  /// split by network or target, or none).
  std::vector<std::uint64_t> seeds = {0};
  std::string folder; // that keeps the cells' models
};

/// A model of the study.
struct SizeCell {
  std::size_t tasks = 0, programs = 0; // as asked for
  std::uint64_t seed = 0;
  std::string path; // of the model's file
  ModelFile file;
};

/// In words, of all cells that differ by their seeds: "200 tasks x 50 programs".
std::string sizeOf(const SizeCell& cell);

/// In words: "200 tasks x 50 programs, seed 1".
std::string nameOf(const SizeCell& cell);

/// Told before each cell that is trained: which one, how many there are, what it is.
using CellObserver = std::function<void(std::size_t, std::size_t, const SizeCell&)>;

/// Trains a model for all tasks x programs x seeds. Those whose file is there are taken as they
/// are, and one that was interrupted is gone on with, so that the same wish goes on whatever ended
/// it. Throws what trainModel() throws; UsageError for a wish without a folder, or with an empty
/// list; InputError where a file of the folder is of another study.
std::vector<SizeCell> studySizes(const SizeStudyWish& wish, const ModelObserver& observer = {},
                                 const CellObserver& began = {}, std::stop_token stop = {});

} // namespace nestwright
