#include "app/cli/defined_tasks.h"

#include "core/record/rows/task_groups.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/schedule/alternatives.h"

namespace nestwright::cli {

std::vector<DefinedTask> definedTasks(const RecordStore& store, RowId session) {
  const std::vector<TaskRow> rows = store.sessions().tasks(session);
  const std::vector<std::size_t> definitions = definitionsAmong(rows);
  const std::vector<std::string> names = alternativeNames(rows);
  std::vector<double> seconds;
  for (const TaskRow& row : rows)
    seconds.push_back(store.tasks().summary(row.id).bestSeconds);
  const std::vector<bool> counted = countedTasks(definitions, seconds);
  std::vector<DefinedTask> tasks;
  for (std::size_t d = 0; d < rows.size(); ++d)
    for (std::size_t i = d; i < rows.size(); ++i)
      if (definitions[i] == d) tasks.push_back({rows[i], names[i], rows[d].key, counted[i]});
  return tasks;
}

} // namespace nestwright::cli
