#include "core/dataset/data_choice.h"

#include "core/record/rows/record_filter.h"
#include "core/support/error.h"
#include "core/support/json_document.h"
#include "core/support/json_fields.h"
#include "core/support/name_table.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr DocumentForm kChoiceForm{
    .kind = "nestwright data choice",
    .words = "the choice of data is",
    .notOne = "this is no choice of data; `nestwright dataset -o` writes one"};

constexpr NameTable<LabelTime, 2> kLabels{{"centre", "mean"}};
constexpr NameTable<SplitKind, 5> kSplits{
    {"none", "within-tasks", "by-task", "by-network", "by-target"}};

template <class Names>
auto named(const Names& names, const char* what, std::string_view name) {
  if (const auto found = names.find(name)) return *found;
  throw UsageError(
      fmt::format("there is no {} \"{}\"; there are {}", what, name, fmt::join(names.names, ", ")));
}

} // namespace

template <class Io>
void fields(Io& io, DataChoice& choice) {
  io("files", choice.files);
  io("filter", choice.filter);
  io("target", choice.target);
  io("across_targets", choice.acrossTargets);
  io("networks", choice.networks);
  io("tasks", choice.tasks);
  io.named("label", choice.label, labelTimeNamed);
  io("keep_failures", choice.keepFailures);
  io("features", choice.features);
  io("least_programs", choice.leastPrograms);
  io("drawn_tasks", choice.drawnTasks);
  io("drawn_programs", choice.drawnPrograms);
  io("validation_share", choice.validationShare);
  io("validate_whole_tasks", choice.validateWholeTasks);
  io.named("split", choice.split, splitKindNamed);
  io("test_share", choice.testShare);
  io("hold_out", choice.holdOut);
  io("test_target", choice.testTarget);
  io("seed", choice.seed);
}

const char* name(LabelTime time) {
  return kLabels.of(time);
}

LabelTime labelTimeNamed(std::string_view name) {
  return named(kLabels, "time of a record", name);
}

const char* name(SplitKind split) {
  return kSplits.of(split);
}

SplitKind splitKindNamed(std::string_view name) {
  return named(kSplits, "way to split", name);
}

nlohmann::json toJson(const DataChoice& choice) {
  return asDocument(toFields(choice), kChoiceForm);
}

DataChoice dataChoiceFromJson(const nlohmann::json& json) {
  requireForm(json, kChoiceForm);
  DataChoice choice;
  try {
    readFields(json, choice);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("the choice of data cannot be read ({}); `nestwright dataset -o` "
                                 "writes one",
                                 e.what()));
  }
  checkChoice(choice);
  return choice;
}

void checkChoice(const DataChoice& choice) {
  if (choice.files.empty())
    throw UsageError("a data set takes records: name the files that have them with --db");
  parseRecordFilter(choice.filter);
  const auto isShare = [](double share) { return share > 0 && share < 1; };
  if (choice.validationShare != 0 && !isShare(choice.validationShare))
    throw UsageError(fmt::format("{} of the programs cannot be kept for validation; give a share "
                                 "below 1, or 0 for none",
                                 choice.validationShare));
  const bool hasShare = choice.split == SplitKind::WithinTasks || choice.split == SplitKind::ByTask;
  if (hasShare && !isShare(choice.testShare))
    throw UsageError(fmt::format("{} of the programs cannot be tested on; give a share between 0 "
                                 "and 1",
                                 choice.testShare));
  if (choice.split == SplitKind::ByNetwork && choice.holdOut.empty())
    throw UsageError("a split by network takes the networks to test on: --hold-out zoo_test");
  if (choice.split != SplitKind::ByNetwork && !choice.holdOut.empty())
    throw UsageError(fmt::format("--hold-out names networks, and the split is {}; leave one of the "
                                 "two away",
                                 name(choice.split)));
  if (choice.split == SplitKind::ByTarget && choice.testTarget.empty())
    throw UsageError("a split by target takes the target to test on: --test-target");
  if (choice.split == SplitKind::ByTarget && !choice.acrossTargets)
    throw UsageError("a split by target takes several targets; ask for them with --across-targets");
}

} // namespace nestwright
