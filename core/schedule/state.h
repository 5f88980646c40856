#pragma once
/// \file The loop structure that a list of steps gives. A State is always the replay of its steps;
/// it is a value, cheap to copy (stages are shared until they change).

#include "core/schedule/step.h"
#include "core/tensor/compute_dag.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nestwright {

enum class IteratorKind : std::uint8_t { Spatial, Reduction, Mixed, Special };

/// One loop of a stage.
struct Iterator {
  std::string name;
  IteratorKind kind = IteratorKind::Spatial;
  Annotation annotation = Annotation::None;
  TileSize extent; // unknown while tile sizes are undecided, and after attaching
  Expr min;        // null means 0; set by bound inference
  int loop = 0;    // its node among the stage's loops (see LoopRelation)
  bool isReduction() const { return kind != IteratorKind::Spatial; }
};

/// How the loops of a stage came from one another. Loops are numbered: first the spatial axes, then
/// the reduction axes of the operator, then the products of relations in the order of creation.
struct SplitRelation {
  int parent = 0;
  std::vector<int> parts; // outermost first
  std::vector<TileSize> factors;
  bool innerToOuter = true;
};
struct FuseRelation {
  std::vector<int> parts; // outermost first; may be empty for a scalar stage
  int fused = 0;
};
using LoopRelation = std::variant<SplitRelation, FuseRelation>;

enum class ComputeLocation : std::uint8_t { Root, Inlined, Attached };

/// Rows of a stage's buffer start `offset` elements behind a multiple of `factor` elements: the
/// stride of dimension `axis` is the smallest such number that is long enough.
struct StorageAlignment {
  int axis = 0;
  std::int64_t factor = 1, offset = 0;

  /// The smallest such stride that is no shorter than this one.
  std::int64_t strideFrom(std::int64_t shortest) const {
    return shortest + (factor + offset % factor - shortest % factor) % factor;
  }
};

/// The memory that a cache step asked for. The suffix of a stage's name does not tell: any tensor
/// may be called "x.shared".
enum class StorageScope : std::uint8_t {
  Unnamed, // nobody asked: the stage's place decides; scopes of records that we do not know, too
  Local,   // of a thread
  Shared,  // of a GPU's block; its threads fill it together
};

struct TensorInstruction; // tensor_instruction.h

struct Stage {
  Op op;
  std::string label; // where it differs from the operator's name: "C.repl" stores C
  StorageScope scope = StorageScope::Unnamed;
  ComputeLocation location = ComputeLocation::Root;
  std::vector<Iterator> iterators;     // outermost first
  std::vector<LoopRelation> relations; // in the order of creation
  int loopCount = 0;
  /// Set by a pragma; without one, that of the stage around it counts. An explicit 0 unrolls
  /// nothing.
  std::optional<std::int64_t> autoUnrollMaxStep;
  // Set by pragmas of our own, for a GPU (handbook/cuda.md 2.5).
  int pipelineStages = 1; // tiles of its reduction that are fetched and computed with at once
  int rasterRows = 1;     // rows of blocks that run together, column by column
  int minBlocks = 1;      // that a multiprocessor is to hold at once
  /// That takes the place of the loops which are annotated so; set by a pragma.
  const TensorInstruction* tensorInstruction = nullptr;
  std::int64_t storageOffset = 0;
  std::vector<StorageAlignment> alignments; // at most one for each axis
  const std::string& name() const { return label.empty() ? op->name() : label; }
  bool isPlaceholder() const { return op->isPlaceholder(); }
};

/// Whether a pragma of our own says something about its kernel.
inline bool hasKernelPragmas(const Stage& stage) {
  return stage.pipelineStages > 1 || stage.rasterRows > 1 || stage.minBlocks > 1 ||
         stage.tensorInstruction != nullptr;
}

/// A place in a loop nest: right inside iterator `iterator` of stage `stage`.
struct AttachPoint {
  int stage = 0;
  int iterator = 0;
  friend auto operator<=>(const AttachPoint&, const AttachPoint&) = default;
};

class State {
 public:
  State() = default;
  /// The initial state: one loop per axis, every stage at root.
  explicit State(ComputeDag dag);

  /// The state that the steps give. Throws IllegalSchedule with the index of the first step that
  /// cannot be applied and the reason (C3); the steps before it are legal.
  static State replay(const ComputeDag& dag, const Steps& steps);

  /// Applies one more step. Throws IllegalSchedule and leaves the state unchanged.
  void apply(const Step& step);

  const Steps& steps() const { return steps_; }
  /// The task's DAG, without the stages that steps added.
  const ComputeDag& originalDag() const { return original_; }
  /// The DAG with cache and rfactor stages; its operators are numbered as the stages.
  const ComputeDag& dag() const { return current_; }

  int stageCount() const { return static_cast<int>(stages_.size()); }
  const Stage& stage(int id) const { return *stages_[id]; }
  /// Where an attached stage is computed.
  std::optional<AttachPoint> attachPoint(int stage) const;
  /// Stages attached at this place, in attach order.
  std::vector<int> attachedAt(AttachPoint point) const;
  bool hasAttachedAt(AttachPoint point) const;
  /// True when no tile size is undecided.
  bool isConcrete() const;

  /// The same state with iterator ranges replaced (bound inference does this).
  State withRanges(const std::vector<std::vector<std::pair<Expr, TileSize>>>& ranges) const;

 private:
  friend class StepApplier; // step_applier.h: one function per step kind
  struct Attachment {
    int stage = 0;
    AttachPoint point;
  };
  Stage& mutableStage(int id);

  ComputeDag original_, current_;
  std::vector<std::shared_ptr<Stage>> stages_; // shared with copies of the state until changed
  std::vector<Attachment> attachments_;        // in attach order
  Steps steps_;
};

/// A program's identity: hash of (compute DAG, steps), 32 hexadecimal digits.
std::string programId(const ComputeDag& dag, const Steps& steps);

/// One step in words, with the names that it has in the state before it: "split loop i of C (512)
/// into 8, 2, 4, 8". Falls back to `inWords(step)` where an index names nothing.
std::string inWords(const Step& step, const State& before);

/// The loop nest as text, character for character as TVM v0.11.1 prints it (handbook/ansor.md 12).
/// `trivialLoops` shows the loops of extent 1 too.
std::string printLoopNest(const State& state, bool trivialLoops = false);

} // namespace nestwright
