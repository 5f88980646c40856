#include "core/session/insight/count_record.h"

#include "core/measure/count_program.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/reproducer.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <utility>

namespace nestwright {

namespace {

TaskRow knownTask(const RecordStore& store, RowId id) {
  std::optional<TaskRow> task = store.tasks().one(id);
  if (!task) throw InputError(fmt::format("there is no task {} in {}", id, store.path()));
  if (task->dag.empty())
    throw InputError(
        fmt::format("the definition of task {} is not known, so its programs cannot be "
                    "run; import its log again with --dag",
                    id));
  return std::move(*task);
}

/// This machine, or the GPU, with what the task's target says of compiling.
TargetFacts compiledFor(const RecordStore& store, const TaskRow& task) {
  const TargetFacts recorded = targetOf(store, task);
  TargetFacts target;
  target.lowering = recorded.lowering;
  target.instructionSet = recorded.instructionSet;
  target.gpu = recorded.gpu;
  return target;
}

} // namespace

ProgramCounts countRecord(const RecordStore& store, RowId record, const WorkerLaunch& launch,
                          const std::atomic<bool>* stop) {
  const std::optional<Record> found = store.records().one(record);
  if (!found) throw InputError(fmt::format("there is no record {} in {}", record, store.path()));
  const TaskRow task = knownTask(store, found->task);
  const RecordProgram program = recordProgram(parseDag(task.dag), *found);
  MeasureRequest request;
  request.dag = print(program.dag);
  request.steps = program.steps;
  return countProgram(recordedOptions(store, found->session), request, launch,
                      compiledFor(store, task), stop);
}

ProgramCounts countNaive(const RecordStore& store, RowId task, const WorkerLaunch& launch,
                         const std::atomic<bool>* stop) {
  const TaskRow row = knownTask(store, task);
  MeasureRequest request;
  request.dag = row.dag;
  request.naive = true;
  return countProgram({}, request, launch, compiledFor(store, row), stop);
}

} // namespace nestwright
