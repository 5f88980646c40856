#pragma once
/// \file One function per step kind; private to this room. Each checks everything before it changes
/// anything, so that a refused step leaves the state as it was.

#include "core/schedule/state.h"
#include "core/support/error.h"

namespace nestwright {

class StepApplier {
 public:
  explicit StepApplier(State& state) : state_(state) {}

  void operator()(const AnnotationStep& step);       // apply_annotation.cpp
  void operator()(const PragmaStep& step);           // apply_annotation.cpp
  void operator()(const StorageAlignStep& step);     // apply_annotation.cpp
  void operator()(const SplitStep& step);            // apply_split.cpp
  void operator()(const FollowSplitStep& step);      // apply_split.cpp
  void operator()(const FollowFusedSplitStep& step); // apply_split.cpp
  void operator()(const FuseStep& step);             // apply_loop_order.cpp
  void operator()(const ReorderStep& step);          // apply_loop_order.cpp
  void operator()(const ComputeAtStep& step);        // apply_location.cpp
  void operator()(const ComputeInlineStep& step);    // apply_location.cpp
  void operator()(const ComputeRootStep& step);      // apply_location.cpp
  void operator()(const CacheWriteStep& step);       // apply_cache_write.cpp
  void operator()(const CacheReadStep& step);        // apply_cache_read.cpp
  void operator()(const RfactorStep& step);          // apply_rfactor.cpp

 private:
  template <class... Args>
  [[noreturn]] static void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw IllegalSchedule(fmt::format(format, std::forward<Args>(args)...));
  }

  /// The product; refused when no loop can be that long.
  static std::int64_t product(std::int64_t a, std::int64_t b);

  /// The stage, which must compute something.
  const Stage& computeStage(int id) const;
  /// The stage, which must have loops of its own (not inlined).
  const Stage& loopStage(int id) const;
  const Iterator& iterator(int stage, int id) const;
  /// The iterator, which must not be annotated yet.
  const Iterator& plainIterator(int stage, int id) const;
  /// The split step that another one follows.
  const SplitStep& sourceSplit(int step) const;
  /// True when a later stage reads this one.
  bool isRead(int stage) const;
  /// True when a stage or an operator has this name already.
  bool hasStage(const std::string& name) const;
  /// Refused when a stage is computed inside the loops of this one.
  void requireNothingInside(int stage) const;

  void split(int stage, int iterator, const std::vector<TileSize>& factors, bool innerToOuter);
  /// Makes `op` stage number `at` of the state; `ops` are those of the DAG with it. The stages
  /// from `at` on move by one.
  void insertStage(int at, Op op, std::vector<Op> ops);
  /// The memory that a cache step names.
  static StorageScope scopeNamed(const std::string& name);
  void detach(int stage);
  void forgetExtents(Stage& stage);
  /// Attachments inside loops `first` .. `last` of the stage move to loop `target`, those in later
  /// loops by `shift`.
  void moveAttachments(int stage, int first, int last, int target, int shift);

  State& state_;
};

inline std::int64_t StepApplier::product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLongestLoop = std::int64_t{1} << 60;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > kLongestLoop)
    refuse("a loop of {} times {} iterations is too long", a, b);
  return result;
}

/// The stage as it is before any step: one loop per axis, at root.
Stage initialStage(Op op);

} // namespace nestwright
