#pragma once
/// \file A recorded machine: what a file has of a program answers in place of workers, so that a
/// session on it takes no measuring (handbook/cost-models.md 4.3). What it gives is of a target of
/// its own (TargetFacts::recorded), so it never counts as measured.

#include "core/measure/measure.h"
#include "core/record/format/record_program.h"
#include "core/record/store/store.h"
#include "core/session/run/subject.h"
#include "core/support/row_id.h"
#include "core/tensor/compute_dag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// The file of a SessionConfig::machine, "recorded:FILE"; nothing for the machine at hand. Throws
/// UsageError for any other text.
std::optional<std::string> recordedFile(std::string_view machine);

/// The machine whose records the file has, marked as recorded. Throws InputError that says what
/// there is where it has no records of one of the tasks, or not for this target (one of
/// targetNames()) and number of threads (0: any).
TargetFacts recordedTarget(const std::string& path, const std::vector<Subject>& subjects,
                           const std::string& target, int threads);

/// Thread-compatible. Records are read when the first program is asked for.
class RecordedMachine {
 public:
  /// For programs of these tasks. `target` as recordedTarget() gave it. Throws InputError when the
  /// file has nothing of it, and Error when it cannot be read.
  RecordedMachine(const std::string& path, const TargetFacts& target, Evaluator evaluator,
                  std::vector<ComputeDag> tasks);

  /// As Measurer::measure, at once. Of each program the first measurement answers in which no
  /// worker was lost, or else the first one; its recorded micro-batches as far as the evaluator
  /// would have made them. An answer that was not compared counts as right. A program without a
  /// record is NotRecorded, at no cost.
  void measure(const std::vector<MeasureRequest>& requests,
               const std::function<void(const MeasureResult&)>& onResult,
               const std::atomic<bool>* stop);

 private:
  MeasureResult answer(const MeasureRequest& request);
  MeasureResult notRecorded(const std::string& what) const;
  /// As the evaluator would have it.
  MeasureResult replayed(MeasureResult recorded, const MeasureRequest& request) const;
  /// What the file has of the task's programs.
  void read(const ComputeDag& task);
  /// What one of the file's tasks has.
  void readRow(RowId task, RecordPrograms& programs);
  void take(const Record& record, RecordPrograms& programs);
  const ComputeDag& parsed(const std::string& dag);

  RecordStore store_;
  RowId target_ = 0;
  Evaluator evaluator_;
  std::vector<ComputeDag> tasks_;
  bool isRead_ = false;
  std::unordered_map<std::string, double> naiveSeconds_;    // by task key
  std::unordered_map<std::string, MeasureResult> programs_; // by programId
  std::unordered_map<std::string, ComputeDag> parsed_;      // by their exact text
  std::int64_t unidentified_ = 0;                           // records whose programs cannot be made
  std::string whyUnidentified_;                             // of the first
};

} // namespace nestwright
