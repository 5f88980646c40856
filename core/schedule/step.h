#pragma once
/// \file Schedule primitives. A program is a compute DAG and a list of steps; the list is the
/// truth. Fields are those of the public record format (handbook/ansor.md 5.2); ids refer to the
/// numbering that is valid when the step is applied (inserted stages shift later ids).

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

/// How a loop is executed; the value is the code in records.
enum class Annotation : std::uint8_t {
  None,
  Unroll,
  Vectorize,
  Parallel,
  VThread,
  BlockX,
  ThreadX,
  BlockY,
  ThreadY,
  BlockZ,
  ThreadZ,
  Tensorize
};
/// The loop keyword: "for", "unroll", "vectorize", "parallel", "vthread", "blockIdx.x", ...
const char* keyword(Annotation annotation);
/// The axis, 0 to 2 for x, y and z, of a loop that is bound to the blocks of a GPU's grid, or to
/// the threads of a block.
std::optional<std::size_t> blockAxis(Annotation annotation);
std::optional<std::size_t> threadAxis(Annotation annotation);
/// Whether the iterations belong to the threads of a kernel: of a loop that is bound, or of virtual
/// threads.
bool isThreadLoop(Annotation annotation);

/// A tile size; empty in a sketch, where it is still undecided (null in JSON).
using TileSize = std::optional<std::int64_t>;
/// The number; "?" while it is undecided.
std::string sizeText(const TileSize& size);

struct AnnotationStep { // AN
  int stage, iterator;
  Annotation annotation;
  friend bool operator==(const AnnotationStep&, const AnnotationStep&) = default;
};
struct FuseStep { // FU
  int stage;
  std::vector<int> iterators; // consecutive; empty puts an extent-1 iterator around a scalar stage
  friend bool operator==(const FuseStep&, const FuseStep&) = default;
};
struct PragmaStep { // PR
  int stage, iterator;
  std::string pragma; // "auto_unroll_max_step$64"
  friend bool operator==(const PragmaStep&, const PragmaStep&) = default;
};
struct ReorderStep { // RE
  int stage;
  std::vector<int> order; // old ids in their new order; a full permutation
  friend bool operator==(const ReorderStep&, const ReorderStep&) = default;
};
struct SplitStep { // SP
  int stage, iterator;
  TileSize extent;               // of the split iterator; 0 in JSON when unknown
  std::vector<TileSize> factors; // sizes of parts 1..n when innerToOuter, of 0..n-1 otherwise
  bool innerToOuter = true;
  friend bool operator==(const SplitStep&, const SplitStep&) = default;
};
struct FollowSplitStep { // FSP
  int stage, iterator;
  int sourceStep; // index of a split step
  int parts;      // n_split: gives parts + 1 iterators
  friend bool operator==(const FollowSplitStep&, const FollowSplitStep&) = default;
};
struct FollowFusedSplitStep { // FFSP
  int stage, iterator;
  std::vector<int> sourceSteps;
  int level;
  bool byFactor;
  friend bool operator==(const FollowFusedSplitStep&, const FollowFusedSplitStep&) = default;
};
struct StorageAlignStep { // SA
  int stage, iterator, factor, offset;
  friend bool operator==(const StorageAlignStep&, const StorageAlignStep&) = default;
};
struct ComputeAtStep { // CA
  int stage, targetStage, targetIterator;
  friend bool operator==(const ComputeAtStep&, const ComputeAtStep&) = default;
};
struct ComputeInlineStep { // CI
  int stage;
  friend bool operator==(const ComputeInlineStep&, const ComputeInlineStep&) = default;
};
struct ComputeRootStep { // CR
  int stage;
  friend bool operator==(const ComputeRootStep&, const ComputeRootStep&) = default;
};
struct CacheReadStep { // CHR
  int stage;
  std::string scope;
  std::vector<int> readers;
  friend bool operator==(const CacheReadStep&, const CacheReadStep&) = default;
};
struct CacheWriteStep { // CHW
  int stage;
  std::string scope;
  friend bool operator==(const CacheWriteStep&, const CacheWriteStep&) = default;
};
struct RfactorStep { // RF
  int stage, iterator, factorIterator;
  friend bool operator==(const RfactorStep&, const RfactorStep&) = default;
};

using Step =
    std::variant<AnnotationStep, FuseStep, PragmaStep, ReorderStep, SplitStep, FollowSplitStep,
                 FollowFusedSplitStep, StorageAlignStep, ComputeAtStep, ComputeInlineStep,
                 ComputeRootStep, CacheReadStep, CacheWriteStep, RfactorStep>;
using Steps = std::vector<Step>;

/// The stage that the step acts on.
int stageOf(const Step& step);
/// The record tag: "SP", "RE", ...
const char* tag(const Step& step);
/// The tags of all kinds of steps, in the order of the variant.
std::span<const char* const> stepTags();

/// The step as in a public record, e.g. ["SP", 2, 0, 512, [2, 4, 8], 1]. An undecided tile size is
/// null.
nlohmann::json toJson(const Step& step);
nlohmann::json toJson(const Steps& steps);
/// The inverse. Throws InputError naming the step and what is wrong with it.
Step stepFromJson(const nlohmann::json& json);
Steps stepsFromJson(const nlohmann::json& json);
/// JSON text with the separators of public records, ", " and ": ".
std::string recordText(const nlohmann::json& json);
std::string recordText(const Steps& steps);

/// One step in words: "split loop 0 of stage 2 (512) into ?, 2, 4, 8". state.h has the form with
/// names.
std::string inWords(const Step& step);

} // namespace nestwright
