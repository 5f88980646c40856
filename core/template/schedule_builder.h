#pragma once
/// \file Writing the steps of a program as templates tell them: stages and loops keep their handles
/// while steps move them.

#include "core/schedule/pragma.h"
#include "core/schedule/state.h"

#include <cstdint>
#include <vector>

namespace nestwright {

class ScheduleBuilder {
 public:
  /// A stage. One that a step inserts gets a handle of its own.
  struct Stage {
    std::size_t index = 0;
  };
  /// A loop of a stage, wherever it stands.
  struct Loop {
    int number = 0;
  };

  explicit ScheduleBuilder(ComputeDag dag);

  /// The stage of an operator of the DAG, by its place.
  Stage stage(int op) const { return {static_cast<std::size_t>(op)}; }
  /// The loop of an axis, while the stage is as its operator says.
  Loop axis(Stage stage, int axis) const;
  Loop reduceAxis(Stage stage, int axis) const;
  int axisCount(Stage stage) const;

  /// Into one part more than there are sizes, which are those of the inner parts.
  std::vector<Loop> split(Stage stage, Loop loop, const std::vector<std::int64_t>& sizes);
  /// The same with the sizes of the outer parts: the last part takes what they leave.
  std::vector<Loop> splitIntoParts(Stage stage, Loop loop, const std::vector<std::int64_t>& counts);
  /// Neighbours; a single loop stays.
  Loop fuse(Stage stage, const std::vector<Loop>& loops);
  /// All loops of a stage that no step has changed.
  Loop fuseAll(Stage stage);
  /// These loops in this order, in the places that they have together.
  void reorder(Stage stage, const std::vector<Loop>& loops);
  void annotate(Stage stage, Loop loop, Annotation annotation);
  void pragma(Stage stage, Loop loop, Pragma pragma, std::int64_t number);
  void computeAt(Stage stage, Stage target, Loop loop);
  void computeInline(Stage stage);
  /// The stage that computes now; `stage` copies it.
  Stage cacheWrite(Stage stage, const char* scope = "global");
  /// A copy of `stage` in that memory, which the reader reads instead.
  Stage cacheRead(Stage stage, const char* scope, Stage reader);
  /// The stage of partial results, whose dimension `position` is the loop; `stage` adds them up.
  Stage rfactor(Stage stage, Loop loop, int position);

  const Steps& steps() const { return state_.steps(); }

 private:
  int id(Stage stage) const { return ids_[stage.index]; }
  const nestwright::Stage& stageOf(Stage stage) const { return state_.stage(id(stage)); }
  int place(Stage stage, Loop loop) const;
  std::vector<Loop> split(Stage stage, Loop loop, const std::vector<std::int64_t>& sizes,
                          bool innerToOuter);
  /// A stage was put at this place of the state's.
  Stage insertedAt(int at);

  State state_;
  std::vector<int> ids_; // of the state's stages, by handle
};

} // namespace nestwright
