#include "ui/program/program_family.h"

#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/story/evolved_round.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {

QString originInWords(Origin origin) {
  switch (origin) {
  case Origin::RandomSample:
    return tr("drawn at random from the space");
  case Origin::MeasuredBefore:
    return tr("measured in an earlier round, and among the fastest");
  case Origin::TileSize:
    return tr("a factor of one tile size was moved to another");
  case Origin::Parallel:
    return tr("more or fewer outer loops run in parallel");
  case Origin::Unroll:
    return tr("the unroll limit of a stage was drawn anew");
  case Origin::Kernel:
    return tr("one decision about a kernel was taken anew");
  case Origin::ComputeLocation:
    return tr("a stage is computed at another loop");
  case Origin::Crossover:
    return tr("each stage was taken from one of two parents");
  case Origin::Seed:
    return tr("given to the search by the user");
  case Origin::MeasuredAgain:
    return tr("the program of another record, measured again");
  case Origin::Annealing:
    return tr("found by annealing what the cost model expects of configurations");
  case Origin::Grid:
    return tr("the next one of all configurations, by their numbers");
  case Origin::KnobCrossover:
    return tr("its knobs were taken from two parents, and some of them drawn anew");
  case Origin::Beam:
    return tr("grown decision by decision, the best of each kept");
  case Origin::Remembered:
    return tr("remembered from an earlier session, and made to fit the task");
  case Origin::Proposed:
    return tr("proposed by a policy of your own");
  case Origin::Polish:
    return tr("one decision of the best was changed, to see whether another choice is faster");
  case Origin::Unknown:
  case Origin::OnDemand:
  case Origin::HandEdit:
  case Origin::Imported:
    break; // the name says it
  }
  return qs(name(origin));
}

QString shortName(const std::string& program) {
  return qs(program).left(8);
}

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
