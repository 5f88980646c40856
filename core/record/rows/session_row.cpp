#include "core/record/rows/session_row.h"

namespace nestwright {

double weightIn(const SessionNetwork& network, RowId task) {
  for (const TaskWeight& weight : network.weights)
    if (weight.task == task) return weight.weight;
  return 0;
}

} // namespace nestwright
