#pragma once
/// \file Records of templates in files, from which cost models of other tasks learn.

#include "core/search/search_policy.h"
#include "core/target/target.h"
#include "core/template/task_template.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// What files have of a task by one of its templates.
struct RecordedTemplate {
  ComputeDag task;
  TaskTemplate of;
  /// File after file, oldest first; `programId` names the task and the configuration.
  std::vector<MeasuredConfig> configs;
};

struct HistoryRecords {
  std::vector<RecordedTemplate> tasks;
  std::int64_t elsewhere = 0; // records of other machines and lowerings, which never mix (C28)
};

/// Of the files, each read once, what was measured on this target, or answered by a recorded one.
/// Records of no template, implausible ones and configurations that no template knows are passed
/// over. Throws InputError that names a file that is not there or no document.
HistoryRecords historyRecords(const std::vector<std::string>& files, const TargetFacts& target);

} // namespace nestwright
