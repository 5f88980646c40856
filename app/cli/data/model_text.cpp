#include "app/cli/data/model_text.h"

#include "app/cli/output.h"
#include "core/feature/program_features.h"
#include "core/support/clock.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/training/model_summary.h"
#include "core/training/model_wish.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

namespace nestwright::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string dateOf(std::int64_t microseconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC",
                     fmt::gmtime(static_cast<std::time_t>(microseconds / kMicrosecondsPerSecond)));
}

std::string figuresText(const PartFigures& figures) {
  return fmt::format("pairwise accuracy {:.4f}, top-1 {:.4f}, top-5 {:.4f}  ({} of {})",
                     figures.pairwiseAccuracy, figures.top1, figures.top5,
                     quantity(std::int64_t(figures.programs), "program"),
                     quantity(std::int64_t(figures.tasks), "task"));
}

std::string splitText(const DataChoice& choice) {
  switch (choice.split) {
  case SplitKind::None:
    return "none: it may learn from everything";
  case SplitKind::WithinTasks:
    return fmt::format("{} of each task's programs", choice.testShare);
  case SplitKind::ByTask:
    return fmt::format("whole tasks, {} of the programs", choice.testShare);
  case SplitKind::ByNetwork:
    return fmt::format("every task of {}", fmt::join(choice.holdOut, ", "));
  case SplitKind::ByTarget:
    return fmt::format("the target {}", choice.testTarget);
  }
  return {};
}

std::string optionsText(const nlohmann::json& options) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : options.items())
    texts.push_back(
        fmt::format("{} {}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the model reads, without the vocabulary that is part of it.
std::string readsText(const std::string& features) {
  if (!isOfSteps(features)) return features;
  const FeatureChoice choice = featureChoice(features, {});
  const PrimitiveShape& shape = choice.steps->shape();
  return fmt::format("{} of {}, with {} of steps", quantity(std::int64_t(shape.steps), "step"),
                     quantity(std::int64_t(shape.columns), "number"),
                     quantity(std::ssize(choice.steps->vocabulary().kinds), "kind"));
}

/// Sessions do not say how many trees they keep.
std::string modelText(const ModelSummary& summary) {
  const std::string& model = summary.file.model;
  if (isNetwork(model)) return fmt::format("{}, {} parameters", model, summary.parameters);
  return summary.parameters == 0
             ? model
             : model + ", " + quantity(std::int64_t(summary.parameters), "tree");
}

std::string startText(const ModelFile& file) {
  std::string text = file.startFromPath.empty()
                         ? file.startFrom
                         : fmt::format("{} ({})", file.startFromPath, file.startFrom);
  return file.fineTune ? text + ", fine-tuned" : text;
}

/// A head learns from those programs that have a label.
std::string learnedText(const ModelTarget& target) {
  const std::string programs = quantity(std::int64_t(target.programs), "program");
  return target.labelled.value_or(target.programs) == target.programs
             ? programs
             : fmt::format("{}, {} with a label", programs, *target.labelled);
}

void addTraining(Rows& rows, const ModelSummary& summary) {
  const ModelFile& file = summary.file;
  if (file.trained > 0)
    rows.push_back(
        {"trained",
         fmt::format("{}, {}by {}", dateOf(file.trained),
                     file.seconds > 0 ? fmt::format("in {}, ", formatDuration(file.seconds))
                                      : std::string(),
                     file.product)});
  else
    rows.push_back({"trained", fmt::format("by {}, which kept no more of it", file.product)});
  if (!file.startFrom.empty()) rows.push_back({"went on from", startText(file)});
  if (file.programs > 0)
    rows.push_back(
        {"learned from",
         fmt::format("{} of {}; {} validated", quantity(std::int64_t(file.programs), "program"),
                     quantity(std::ssize(file.tasks), "task"), file.validated)});
  else
    rows.push_back({"learned from", quantity(std::ssize(file.tasks), "task")});
  for (const ModelTarget& target : file.targets)
    rows.push_back(
        {"target", fmt::format("{}  {}  {}", target.id, learnedText(target), target.text)});
  if (file.targets.empty()) rows.push_back({"target", file.target});
  rows.push_back({"files", fmt::format("{}", fmt::join(file.choice.files, ", "))});
  rows.push_back({"held out", splitText(file.choice)});
  if (!file.curve.empty())
    rows.push_back({"kept", !isNetwork(summary.file.model)
                                ? quantity(file.kept, "tree")
                                : fmt::format("epoch {} of {}", file.kept, file.curve.size())});
  if (file.validation) rows.push_back({"validation", figuresText(*file.validation)});
  if (file.test) rows.push_back({"test", figuresText(*file.test)});
}

void printCurve(const ModelFile& file) {
  if (file.curve.empty()) return;
  Rows rows;
  for (const EpochResult& epoch : file.curve)
    rows.push_back({fmt::format("{}", epoch.epoch), fmt::format("{:.4g}", epoch.trainingLoss),
                    fmt::format("{:.4g}", epoch.validationLoss), fmt::format("{:.4f}", epoch.top1),
                    fmt::format("{:.4f}", epoch.top5), formatDuration(epoch.seconds)});
  cli::print("\n");
  if (!isNetwork(file.model)) {
    for (auto& row : rows)
      row = {row[0], row[1]};
    return printTable({"trees", "training error"}, rows, {0, 1});
  }
  printTable({"epoch", "loss", "validation", "top-1", "top-5", "time"}, rows, {0, 1, 2, 3, 4, 5});
}

} // namespace

void printModel(const std::string& path, const ModelFile& file, bool all) {
  const ModelSummary summary = summaryOf(file);
  Rows rows = {{"model", modelText(summary)}, {"reads", readsText(file.features)}};
  addTraining(rows, summary);
  if (all && !file.options.empty()) rows.push_back({"options", optionsText(file.options)});
  if (!file.dataHash.empty()) rows.push_back({"data", file.dataHash});
  rows.push_back({"weights", summary.weightsHash});
  cli::print("{}\n", path);
  printTable({"", ""}, rows);
  if (!summary.problem.empty()) cli::print("it cannot be used here: {}\n", summary.problem);
  if (all) printCurve(file);
}

} // namespace nestwright::cli
