#include "core/record/store/record_task.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"

namespace nestwright {

Record requiredRecord(const RecordStore& store, RowId id) {
  if (std::optional<Record> record = store.records().one(id)) return *std::move(record);
  throw InputError(fmt::format("{} has no record {}; nestwright query --db {} lists them",
                               store.path(), id, store.path()));
}

TaskRow taskOf(const RecordStore& store, const Record& record) {
  if (std::optional<TaskRow> task = store.tasks().one(record.task)) return *std::move(task);
  throw InputError(fmt::format("record {} of {} is of task {}, which is not there; nestwright db "
                               "check tells what else is wrong with the file",
                               record.id, store.path(), record.task));
}

void requireDefinition(const TaskRow& task, std::string_view so) {
  if (task.dag.empty())
    throw InputError(fmt::format("the definition of task {} is not known, so {}; import its log "
                                 "again with --dag",
                                 task.id, so));
}

} // namespace nestwright
