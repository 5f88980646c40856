#include "ui/program/program_family.h"

#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/story/evolved_round.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright::ui {

FamilyData readFamily(const RecordStore& store, RowId session, RowId task,
                      const std::string& program, int round) {
  FamilyData data;
  data.family = ancestors(store, session, task, program, round);
  if (data.family.empty())
    throw InputError(fmt::format("The file does not know the program {}.", program));
  const std::optional<TaskRow> row = store.tasks().one(task);
  if (!row) throw InputError(fmt::format("The file has no task {}.", task));
  const Ancestor& self = data.family.front();
  const auto nest = [&](const Ancestor& of) {
    const std::optional<TaskRow> own = of.task == 0 ? row : store.tasks().one(of.task);
    if (!own) return NestText();
    const ComputeDag dag = parseDag(own->dag);
    return nestOf(of.config ? templateProgram(dag, *of.config).dag : dag, of.steps);
  };
  data.nest = nest(self);
  for (const Ancestor& ancestor : data.family)
    if (!self.parents.empty() && ancestor.program == self.parents.front())
      data.parentNest = nest(ancestor);
  return data;
}

} // namespace nestwright::ui
