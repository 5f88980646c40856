#include "core/space/legality.h"

#include "core/schedule/tensor_instruction.h"
#include "core/space/annotation.h"
#include "core/space/kernel_legality.h"
#include "core/space/state_facts.h"
#include "core/support/name_table.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr NameTable<Refusal, 17> kRefusalNames = {
    {"an undecided tile size", "no tile size within the limits", "steps that cannot be applied",
     "more memory than there is", "a parallel loop where none may be",
     "a vector loop where none may be", "an annotation that means nothing here",
     "a race of blocks or virtual threads", "too many threads in a block",
     "too few threads in a block", "too many virtual threads", "thread loops of different extents",
     "too much shared memory", "too many registers", "vectors that are too wide", "too many blocks",
     "too many statements after unrolling"}};

/// Memory of the whole device holds what every kernel reads and writes.
bool isInMemory(const Stage& stage, const SpaceOptions& options) {
  return stage.location == ComputeLocation::Root ||
         (stage.location == ComputeLocation::Attached && !options.target.gpu);
}

/// Whether each loop may be executed as it is annotated.
class LoopCheck {
 public:
  LoopCheck(const State& state, const SpaceOptions& options) : state_(state), options_(options) {}

  std::optional<Illegality> run() {
    if (!state_.isConcrete()) return Illegality{Refusal::Undecided, "a tile size is undecided"};
    std::int64_t bytes = 0;
    for (int id = 0; id < state_.stageCount() && !found_; ++id) {
      const Stage& stage = state_.stage(id);
      if (isInMemory(stage, options_)) bytes += stage.op->output->bytes();
      if (hasLoops(stage) && stage.location == ComputeLocation::Root) checkNest(id, false);
    }
    if (!found_ && options_.target.memoryBytes > 0 && bytes > options_.target.memoryBytes)
      found_ = {Refusal::Memory,
                fmt::format("its tensors need {} MB, more than the {} MB of memory", bytes >> 20,
                            options_.target.memoryBytes >> 20)};
    return found_;
  }

 private:
  void refuse(Refusal kind, const Stage& stage, const Iterator& iterator, std::string_view why) {
    if (!found_)
      found_ = {kind, fmt::format("loop {} of {} is annotated \"{}\", but {}", iterator.name,
                                  stage.name(), keyword(iterator.annotation), why)};
  }

  void checkNest(int id, bool inParallel) {
    const Stage& stage = state_.stage(id);
    const int count = static_cast<int>(stage.iterators.size());
    checkNamedInstruction(stage);
    for (int i = 0; i < count && !found_; ++i) {
      const Iterator& iterator = stage.iterators[i];
      if (iterator.annotation == Annotation::Parallel) checkParallel(stage, iterator, inParallel);
      if (iterator.annotation == Annotation::Vectorize) checkVector(id, i);
      if (isThreadLoop(iterator.annotation)) checkBinding(stage, iterator);
      if (iterator.annotation == Annotation::Tensorize) checkInstruction(stage, iterator);
      inParallel |= iterator.annotation == Annotation::Parallel;
      for (const int attached : state_.attachedAt({id, i}))
        checkNest(attached, inParallel);
    }
  }

  void checkParallel(const Stage& stage, const Iterator& iterator, bool inParallel) {
    if (options_.target.gpu)
      refuse(Refusal::ParallelLoop, stage, iterator, "a GPU has blocks and threads instead");
    if (iterator.isReduction())
      refuse(Refusal::ParallelLoop, stage, iterator, "its iterations add to the same elements");
    if (inParallel)
      refuse(Refusal::ParallelLoop, stage, iterator, "a loop around it is parallel already");
  }

  /// Threads can combine their results; nothing else can.
  void checkBinding(const Stage& stage, const Iterator& iterator) {
    if (!options_.target.gpu)
      refuse(Refusal::Annotation, stage, iterator,
             fmt::format("the target {} is no GPU", options_.target.backend));
    const bool reduces =
        iterator.kind == IteratorKind::Reduction || iterator.kind == IteratorKind::Mixed;
    const bool isThread = threadAxis(iterator.annotation).has_value();
    if (reduces && (!isThread || iterator.kind == IteratorKind::Mixed))
      refuse(Refusal::Race, stage, iterator, "its iterations add to the same elements");
    const bool isMixed = std::ranges::any_of(stage.iterators, [](const Iterator& other) {
      return other.kind == IteratorKind::Mixed && other.extent != TileSize(1);
    });
    if (iterator.isReduction() && isThread && isMixed)
      refuse(Refusal::Race, stage, iterator,
             "the rest of the reduction is joined with a loop over elements");
  }

  /// The lanes of a warp share a tile only where an instruction takes the place of its loops.
  void checkNamedInstruction(const Stage& stage) {
    const bool isUsed = std::ranges::any_of(stage.iterators, [](const Iterator& iterator) {
      return iterator.annotation == Annotation::Tensorize;
    });
    if (stage.tensorInstruction != nullptr && !isUsed && !found_)
      found_ = {Refusal::Annotation,
                fmt::format("{} names the instruction {}, but no loop of it is annotated \"{}\"",
                            stage.name(), stage.tensorInstruction->name,
                            keyword(Annotation::Tensorize))};
  }

  void checkInstruction(const Stage& stage, const Iterator& iterator) {
    const TensorInstruction* instruction = stage.tensorInstruction;
    if (!options_.target.gpu)
      refuse(Refusal::Annotation, stage, iterator,
             fmt::format("the target {} is no GPU", options_.target.backend));
    else if (instruction == nullptr)
      refuse(Refusal::Annotation, stage, iterator, "no instruction was named to take its place");
    else if (options_.target.gpu->architecture.major < 8)
      refuse(Refusal::Annotation, stage, iterator,
             fmt::format("{} needs sm_80", instruction->name));
    else if (instruction->input == kFloat32 && !options_.tf32)
      refuse(Refusal::Annotation, stage, iterator,
             fmt::format("{} rounds factors to TF32, which was not allowed", instruction->name));
  }

  void checkVector(int id, int at) {
    const Stage& stage = state_.stage(id);
    const Iterator& vector = stage.iterators[at];
    if (vector.isReduction())
      refuse(Refusal::VectorLoop, stage, vector, "its iterations add to the same element");
    for (int i = at; i < static_cast<int>(stage.iterators.size()); ++i) {
      if (state_.hasAttachedAt({id, i}))
        refuse(Refusal::VectorLoop, stage, vector, "another stage is computed inside it");
      const Iterator& inner = stage.iterators[i];
      if (i > at && inner.extent != TileSize(1) && inner.annotation != Annotation::Unroll)
        refuse(Refusal::VectorLoop, stage, vector, "it is not the innermost loop");
    }
  }

  const State& state_;
  const SpaceOptions& options_;
  std::optional<Illegality> found_;
};

} // namespace

const char* name(Refusal refusal) {
  return kRefusalNames.of(refusal);
}

std::optional<Illegality> illegality(const State& state, const Bounds& bounds,
                                     const SpaceOptions& options, KernelLimits limits) {
  if (auto found = LoopCheck(state, options).run()) return found;
  return options.target.gpu ? illegalKernel(state, bounds, options, limits) : std::nullopt;
}

std::optional<Illegality> illegality(const State& state, const SpaceOptions& options,
                                     KernelLimits limits) {
  if (auto found = LoopCheck(state, options).run()) return found;
  if (!options.target.gpu) return std::nullopt;
  return illegalKernel(state, inferBounds(state), options, limits);
}

std::optional<std::string> illegalReason(const State& state, const SpaceOptions& options) {
  auto found = illegality(state, options);
  return found ? std::optional(std::move(found->text)) : std::nullopt;
}

} // namespace nestwright
