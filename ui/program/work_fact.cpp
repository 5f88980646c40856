#include "ui/program/work_fact.h"

#include "core/backend/backend.h"
#include "core/lower/executed_work.h"
#include "core/lower/lower.h"
#include "core/support/error.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {

std::optional<Provenance> workFact(const ComputeDag& definition, const ComputeDag& dag,
                                   const Steps& steps, const TargetFacts& target) {
  if (target.gpu) return std::nullopt;
  std::optional<ExecutedWork> executed;
  try {
    executed = executedWork(lower(State::replay(dag, steps), lowerOptionsFor(target)));
  } catch (const IllegalSchedule&) {
    return std::nullopt; // the page says why
  }
  const auto words = [](double operations, double products) {
    return tr("%1, %2 multiplications")
        .arg(flopsText(operations), countText(std::llround(products)));
  };
  const QString defined = words(flops(definition), multiplications(definition));
  const QString text =
      executed ? tr("%1 in the definition; executed %2")
                     .arg(defined, words(executed->operations, executed->multiplications))
               : tr("%1 in the definition; what is executed was not counted").arg(defined);
  return Provenance{tr("Operations"), text,
                    tr("Throughput counts the definition's. Executed are fewer where padding is "
                       "left out, and more where something is computed again.")};
}

} // namespace nestwright::ui
