#include "core/training/size_study.h"

#include "core/support/error.h"
#include "core/training/training_files.h"

#include <filesystem>
#include <optional>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

std::string sizeText(std::size_t size) {
  return size == 0 ? "all" : fmt::format("{}", size);
}

/// The wish of a cell. Where the test part is drawn, its draw is that of the study.
ModelWish wishOf(const SizeStudyWish& study, const SizeCell& cell) {
  ModelWish wish = study.model;
  wish.data.drawnTasks = cell.tasks;
  wish.data.drawnPrograms = cell.programs;
  const SplitKind split = wish.data.split;
  if (split != SplitKind::WithinTasks && split != SplitKind::ByTask) wish.data.seed = cell.seed;
  wish.options["seed"] = cell.seed;
  wish.checkpoint = checkpointOf(cell.path);
  wish.resume = true;
  return wish;
}

/// The model of a cell that is there already.
std::optional<ModelFile> finishedFile(const ModelWish& wish, const SizeCell& cell) {
  if (!fs::exists(cell.path)) return std::nullopt;
  ModelFile file = readModelFile(cell.path);
  DataChoice choice = wish.data, before = file.choice;
  choice.features.clear(); // files of earlier versions say what became of them
  before.features.clear();
  if (file.model != wish.model || file.options != settledOptions(wish) || before != choice)
    throw InputError(fmt::format("{} is of another study, with other data or options: take another "
                                 "folder, or remove it",
                                 cell.path));
  return file;
}

} // namespace

std::string sizeOf(const SizeCell& cell) {
  return fmt::format("{} tasks x {} programs", sizeText(cell.tasks), sizeText(cell.programs));
}

std::string nameOf(const SizeCell& cell) {
  return fmt::format("{}, seed {}", sizeOf(cell), cell.seed);
}

std::vector<SizeCell> studySizes(const SizeStudyWish& wish, const ModelObserver& observer,
                                 const CellObserver& began, std::stop_token stop) {
  if (wish.folder.empty()) throw UsageError("a study of sizes keeps its models in a folder");
  std::vector<SizeCell> cells;
  for (const std::size_t tasks : wish.tasks)
    for (const std::size_t programs : wish.programs)
      for (const std::uint64_t seed : wish.seeds)
        cells.push_back({tasks,
                         programs,
                         seed,
                         (fs::path(wish.folder) / fmt::format("{}-{}-tasks-{}-programs-{}.nwm",
                                                              wish.model.model, sizeText(tasks),
                                                              sizeText(programs), seed))
                             .string(),
                         {}});
  if (cells.empty()) throw UsageError("a study of sizes has some numbers of tasks and programs");
  fs::create_directories(wish.folder);
  std::optional<TrainingRecords> records; // once, for all that are not there yet
  for (std::size_t i = 0; i < cells.size(); ++i) {
    SizeCell& cell = cells[i];
    const ModelWish model = wishOf(wish, cell);
    if (std::optional<ModelFile> file = finishedFile(model, cell)) {
      cell.file = std::move(*file);
      continue;
    }
    if (!records) records = readRecords(wish.model, observer, stop);
    if (began) began(i, cells.size(), cell);
    cell.file = trainModel(*records, model, observer, stop);
    writeModelFile(cell.path, cell.file);
    removeTraining(cell.path);
  }
  return cells;
}

} // namespace nestwright
