#pragma once
/// \file The program that a record is of. Of a template the record keeps the configuration, and the
/// program is made from it again: it replays on the task in other layouts
/// (handbook/cost-models.md 3.3).

#include "core/record/rows/record.h"
#include "core/schedule/state.h"
#include "core/template/template_programs.h"

#include <optional>
#include <utility>

namespace nestwright {

/// Whether it is a template's, measured by a session or read from one of AutoTVM's logs.
bool isOfTemplate(const Record& record);
/// Whether its program rounds factors of float32 to TF32, as tensor cores do (handbook/cuda.md
/// 10.3): its answer is another than those of the task's other programs.
bool isTf32(const Record& record);
/// What a session measured; nothing for a log's record, or one of no template.
std::optional<TemplateConfig> ownTemplateConfigOf(const Record& record);

/// A program with the DAG that its steps replay on: the task's, or a variant of it by layout alone.
struct RecordProgram {
  ComputeDag dag;
  Steps steps;
  std::optional<TemplateConfig> config{}; // of a template's program
};

/// The programs of a task's records. Thread-compatible.
class RecordPrograms {
 public:
  explicit RecordPrograms(ComputeDag task) : templates_(std::move(task)) {}

  /// The template and what it is given; nothing for a record of no template. Throws InputError
  /// where a log's configuration is of no template of the task.
  std::optional<TemplateConfig> config(const Record& record);
  /// Throws InputError where a template's program cannot be made, or comes out as another than was
  /// measured, and IllegalSchedule for a log's record that no program of its template is.
  RecordProgram program(const Record& record);
  /// The template that config() gave.
  const TaskTemplate& templateOf(const TemplateConfig& config) {
    return templates_.named(config.kind, config.version);
  }

 private:
  TemplatePrograms templates_;
};

/// One of them.
RecordProgram recordProgram(const ComputeDag& task, const Record& record);
/// The same, replayed. Throws IllegalSchedule, too.
State recordState(const ComputeDag& task, const Record& record);

} // namespace nestwright
