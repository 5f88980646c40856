#include "core/record/format/task_dag.h"

#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {

std::optional<ComputeDag> dagIfKnown(const TaskRow& row) {
  try {
    return parseDag(row.dag);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

} // namespace nestwright
