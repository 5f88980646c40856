#include "core/lower/stage_storage.h"

#include "core/lower/copy_layout.h"

namespace nestwright {
namespace {

template <class T>
std::vector<T> inOrder(const std::vector<int>& order, const std::vector<T>& ofAxes) {
  std::vector<T> result;
  for (const int axis : order)
    result.push_back(ofAxes[static_cast<std::size_t>(axis)]);
  return result;
}

} // namespace

std::vector<Expr> StageStorage::at(std::vector<Expr> element) const {
  for (std::size_t axis = 0; axis < origin.size(); ++axis)
    element[axis] = element[axis] - origin[axis];
  if (!order.empty()) element = inOrder(order, element);
  return rows ? rows->indices(std::move(element)) : element;
}

StageStorage storageOf(const State& state, int id, const StageBounds& bounds, Machine machine) {
  const Stage& stage = state.stage(id);
  StageStorage storage;
  storage.buffer = stage.op->output;
  if (stage.isPlaceholder() || stage.location == ComputeLocation::Inlined) return storage;
  const bool isAttached = stage.location == ComputeLocation::Attached;
  if (!isAttached && stage.alignments.empty()) return storage;
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < stage.op->axes.size(); ++axis) {
    shape.push_back(isAttached ? bounds.axes[axis].extent : stage.op->axes[axis].extent);
    if (isAttached) storage.origin.push_back(bounds.axes[axis].min);
  }
  // What several threads fetch together they fetch, and read, as it comes.
  if (machine == Machine::Cpu) storage.order = copyLayout(state, id);
  if (!storage.order.empty()) shape = inOrder(storage.order, shape);
  storage.rows = alignedRows(shape, stage.alignments);
  if (storage.rows) shape = storage.rows->shape;
  storage.buffer = makeBuffer(stage.name(), std::move(shape), stage.op->output->type);
  return storage;
}

} // namespace nestwright
