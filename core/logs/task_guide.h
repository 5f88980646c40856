#pragma once
/// \file What a log's task is: its name for people, and its compute DAG where that is known.

#include "core/logs/log_files.h"
#include "core/record/format/import_rows.h"
#include "core/schedule/step.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Thread-compatible.
class TaskGuide {
 public:
  /// `dagFiles` tell DAGs of tasks: JSON objects whose members have "workload_key" and
  /// "compute_dag", or files of a DAG's text, which belongs to all tasks that it fits. Throws
  /// InputError when one cannot be read.
  TaskGuide(const std::vector<std::string>& dagFiles, bool matchZoo);
  ~TaskGuide();

  /// `path` of the log; `steps` of one of the task's programs, by which a guess is tested.
  TaskKnowledge describe(const ImportedTask& task, const std::string& path, const Steps& steps);
  /// What of the files could not be used so far, and which tasks of templates are not known though
  /// they say what they are; why.
  std::vector<PassedOver> problems() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace nestwright
