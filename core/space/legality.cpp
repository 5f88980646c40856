#include "core/space/annotation.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

bool isForGpu(Annotation annotation) {
  return annotation >= Annotation::VThread && annotation <= Annotation::ThreadZ;
}

class LegalityCheck {
 public:
  LegalityCheck(const State& state, const SpaceOptions& options)
      : state_(state), options_(options) {}

  std::optional<std::string> run() {
    if (!state_.isConcrete()) return "a tile size is undecided";
    std::int64_t bytes = 0;
    for (int id = 0; id < state_.stageCount() && !reason_; ++id) {
      const Stage& stage = state_.stage(id);
      if (stage.location != ComputeLocation::Inlined) bytes += stage.op->output->bytes();
      if (hasLoops(stage) && stage.location == ComputeLocation::Root) checkNest(id, false);
    }
    if (!reason_ && options_.target.memoryBytes > 0 && bytes > options_.target.memoryBytes)
      reason_ = fmt::format("its tensors need {} MB, more than the {} MB of memory", bytes >> 20,
                            options_.target.memoryBytes >> 20);
    return reason_;
  }

 private:
  void refuse(const Stage& stage, const Iterator& iterator, std::string_view why) {
    if (!reason_)
      reason_ = fmt::format("loop {} of {} is annotated \"{}\", but {}", iterator.name,
                            stage.name(), keyword(iterator.annotation), why);
  }

  void checkNest(int id, bool inParallel) {
    const Stage& stage = state_.stage(id);
    const int count = static_cast<int>(stage.iterators.size());
    for (int i = 0; i < count && !reason_; ++i) {
      const Iterator& iterator = stage.iterators[i];
      const bool isParallel = iterator.annotation == Annotation::Parallel;
      if (isParallel && iterator.isReduction())
        refuse(stage, iterator, "its iterations add to the same elements");
      if (isParallel && inParallel) refuse(stage, iterator, "a loop around it is parallel already");
      if (iterator.annotation == Annotation::Vectorize) checkVector(id, i);
      if (isForGpu(iterator.annotation))
        refuse(stage, iterator, fmt::format("the target {} is no GPU", options_.target.backend));
      if (iterator.annotation == Annotation::Tensorize)
        refuse(stage, iterator, "no instruction was named to take its place");
      inParallel |= isParallel;
      for (const int attached : state_.attachedAt({id, i}))
        checkNest(attached, inParallel);
    }
  }

  void checkVector(int id, int at) {
    const Stage& stage = state_.stage(id);
    const Iterator& vector = stage.iterators[at];
    if (vector.isReduction()) refuse(stage, vector, "its iterations add to the same element");
    for (int i = at; i < static_cast<int>(stage.iterators.size()); ++i) {
      if (state_.hasAttachedAt({id, i}))
        refuse(stage, vector, "another stage is computed inside it");
      const Iterator& inner = stage.iterators[i];
      if (i > at && inner.extent != TileSize(1) && inner.annotation != Annotation::Unroll)
        refuse(stage, vector, "it is not the innermost loop");
    }
  }

  const State& state_;
  const SpaceOptions& options_;
  std::optional<std::string> reason_;
};

} // namespace

std::optional<std::string> illegalReason(const State& state, const SpaceOptions& options) {
  return LegalityCheck(state, options).run();
}

} // namespace nestwright
