#pragma once
/// \file One record in the public format of TVM's auto-scheduler (handbook/ansor.md 5.3).

#include "core/record/rows/record.h"
#include "core/record/rows/target_row.h"
#include "core/record/rows/task_row.h"
#include "core/template/template_programs.h"

#include <optional>
#include <string>

namespace nestwright {

/// A target as public records name it.
struct PublicTarget {
  std::string text;
  std::vector<std::int64_t> hardware; // the eight numbers; empty where a log had none
  std::string host;
  friend bool operator==(const PublicTarget&, const PublicTarget&) = default;
};
PublicTarget publicTarget(const TargetRow& target);

/// Keys of a target's facts that keep what its logs said.
inline constexpr const char* kLogHardware = "log_hardware";
inline constexpr const char* kLogHost = "log_host";

/// The record as one line of a public log, without a line end: its canonical form. An imported one
/// says all that its line said that is no mere spelling; one with a configuration of AutoTVM,
/// imported or measured here, makes a line of AutoTVM.
std::string publicRecord(const TaskRow& task, const TargetRow& target, const Record& record);

/// The same for many records of a task. Thread-compatible.
class PublicRecords {
 public:
  PublicRecords(TaskRow task, TargetRow target);
  /// Throws InputError for a template's record whose task has no such template.
  std::string line(const Record& record);

 private:
  std::string ownTemplateLine(const Record& record, const TemplateConfig& config);

  TaskRow task_;
  TargetRow target_;
  PublicTarget where_;
  std::string head_, traceOfHead_; // the task as the line tells it, and what that followed from
  bool isConfig_ = false;          // of AutoTVM
  std::optional<TemplatePrograms> templates_; // once a record asks for them
};

} // namespace nestwright
