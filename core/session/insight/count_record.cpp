#include "core/session/insight/count_record.h"

#include "core/measure/count_program.h"
#include "core/measure/worker_target.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/again/reproducer.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <utility>

namespace nestwright {

namespace {

/// This machine, or the GPU, with what the task's target says of compiling.
TargetFacts compiledFor(const RecordStore& store, const TaskRow& task) {
  const TargetFacts recorded = targetOf(store, task);
  TargetFacts here;
  here.gpu = recorded.gpu;
  return compiledAs(recorded, std::move(here));
}

} // namespace

ProgramCounts countRecord(const RecordStore& store, RowId record, const WorkerLaunch& launch,
                          const std::atomic<bool>* stop) {
  const std::optional<Record> found = store.records().one(record);
  if (!found) throw InputError(fmt::format("there is no record {} in {}", record, store.path()));
  const TaskRow task = taskOf(store, *found);
  requireDefinition(task);
  const RecordProgram program = recordProgram(parseDag(task.dag), *found);
  MeasureRequest request;
  request.dag = print(program.dag);
  request.steps = program.steps;
  return countProgram(recordedOptions(store, found->session, task.target), request, launch,
                      compiledFor(store, task), stop);
}

ProgramCounts countNaive(const RecordStore& store, RowId task, const WorkerLaunch& launch,
                         const std::atomic<bool>* stop) {
  const std::optional<TaskRow> row = store.tasks().one(task);
  if (!row) throw InputError(fmt::format("there is no task {} in {}", task, store.path()));
  requireDefinition(*row);
  MeasureRequest request;
  request.dag = row->dag;
  request.naive = true;
  return countProgram({}, request, launch, compiledFor(store, *row), stop);
}

} // namespace nestwright
