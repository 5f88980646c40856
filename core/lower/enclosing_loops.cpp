#include "core/lower/enclosing_loops.h"

#include "core/lower/find_step.h"
#include "core/support/error.h"

namespace nestwright {

LoopKind loopKindOf(const State& state, const Stage& stage, const Iterator& iterator,
                    Machine machine) {
  const bool gpu = machine == Machine::Gpu;
  switch (iterator.annotation) {
  case Annotation::None:
    return {};
  case Annotation::Unroll:
    return {ForKind::Unrolled};
  case Annotation::Vectorize:
    return {ForKind::Vectorized};
  case Annotation::Parallel:
    if (gpu) break;
    return {ForKind::Parallel};
  case Annotation::VThread:
    if (!gpu) break;
    return {ForKind::VirtualThread};
  case Annotation::BlockX:
  case Annotation::BlockY:
  case Annotation::BlockZ:
  case Annotation::ThreadX:
  case Annotation::ThreadY:
  case Annotation::ThreadZ:
    if (!gpu) break;
    if (const auto axis = blockAxis(iterator.annotation))
      return {ForKind::Block, static_cast<Axis3>(*axis)};
    return {ForKind::Thread, static_cast<Axis3>(*threadAxis(iterator.annotation))};
  case Annotation::Tensorize:
    if (!gpu || stage.tensorInstruction == nullptr) break;
    return {ForKind::Tensorized};
  }
  throw IllegalSchedule(fmt::format("loop {} of {} is annotated {}, which this target has not",
                                    iterator.name, stage.name(), keyword(iterator.annotation)),
                        findAnnotation(state, stage.name(), iterator.annotation));
}

void EnclosingLoops::refuse(const Stage& stage, const Iterator& iterator,
                            const std::string& why) const {
  throw IllegalSchedule(
      fmt::format("{} {} of {} {}", keyword(iterator.annotation), iterator.name, stage.name(), why),
      findAnnotation(*state_, stage.name(), iterator.annotation));
}

void EnclosingLoops::enter(int id, const Iterator& iterator) {
  const Stage& stage = state_->stage(id);
  const LoopKind kind = loopKindOf(*state_, stage, iterator, machine_);
  const bool sharesWork =
      kind.kind == ForKind::Parallel || kind.kind == ForKind::Vectorized || isThreadLoop(kind.kind);
  // Threads can combine what each of them reduced.
  const bool combines = kind.kind == ForKind::Thread && iterator.kind == IteratorKind::Reduction;
  if (sharesWork && iterator.isReduction() && !combines)
    refuse(stage, iterator, "iterates a reduction: its iterations would race for the same element");
  if (kind.kind == ForKind::Parallel) enterParallel(stage, iterator);
  if (isThreadLoop(kind.kind)) enterThreads(stage, iterator, kind);
}

void EnclosingLoops::enterParallel(const Stage& stage, const Iterator& iterator) {
  if (parallel_) refuse(stage, iterator, "is inside of another parallel loop");
  parallel_ = true;
}

void EnclosingLoops::enterThreads(const Stage& stage, const Iterator& iterator, LoopKind kind) {
  const auto axis = static_cast<std::size_t>(kind.axis);
  switch (kind.kind) {
  case ForKind::VirtualThread:
    virtualThreads_ = true;
    return;
  case ForKind::Block:
    if (attached_)
      refuse(stage, iterator,
             "is inside of a kernel: only the stage at root can spread over blocks");
    if (blocks_[axis]) refuse(stage, iterator, "is inside of another loop over these blocks");
    blocks_[axis] = true;
    return;
  default:
    break;
  }
  if (threads_[axis]) refuse(stage, iterator, "is inside of another loop over these threads");
  if (iterator.isReduction() && virtualThreads_)
    refuse(stage, iterator, "reduces across threads inside of virtual threads");
  if (!iterator.isReduction() && ownThread_)
    refuse(stage, iterator, "shares out what every thread has for itself");
  threads_[axis] = true;
}

MemoryScope EnclosingLoops::scopeOf(int id) const {
  if (machine_ == Machine::Cpu) return parallel_ ? MemoryScope::PerThread : MemoryScope::Global;
  const Stage& stage = state_->stage(id);
  if (stage.scope == StorageScope::Shared) return MemoryScope::Block;
  // The lanes of a warp share what an instruction computes, also where there is one warp only.
  const bool perThread = virtualThreads_ || ownThread_ || stage.scope == StorageScope::Local ||
                         stage.tensorInstruction != nullptr ||
                         std::find(threads_.begin(), threads_.end(), true) != threads_.end();
  return perThread ? MemoryScope::PerThread : MemoryScope::Block;
}

void EnclosingLoops::enterStage(MemoryScope scope) {
  if (machine_ == Machine::Cpu) return;
  attached_ = true;
  ownThread_ = scope == MemoryScope::PerThread;
  if (ownThread_) return;
  threads_ = {};
  virtualThreads_ = false;
}

} // namespace nestwright
