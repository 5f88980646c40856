#pragma once
/// \file What one store statement computes and touches, as the public implementation sees it: after
/// simplification of its indices, before anything is vectorised, unrolled or flattened.

#include "core/feature/index_code.h"
#include "core/schedule/bounds.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Operations of one execution.
struct OperationCounts {
  double addSub = 0, mul = 0, divMod = 0, compare = 0, mathFunction = 0, otherFunction = 0;
  double total() const { return addSub + mul + divMod + compare + mathFunction + otherFunction; }
};

enum class AccessType : std::uint8_t { Read, Write, ReadWrite };

/// Where in its statement's nodes an index stands.
struct IndexPlace {
  std::uint32_t first = 0, size = 0;
};

/// All accesses of one statement to one buffer.
struct BufferAccess {
  int buffer = 0; // the number of the operator that makes it, or a ReductionValue's
  AccessType type = AccessType::Read;
  std::vector<IndexPlace> indices; // one per dimension of the first access, then of the next one
};

/// What a reduction across threads keeps in one value each, beside the buffer of its stage
/// (handbook/cuda.md 5). Numbered as buffers behind the operators.
enum class ReductionValue : std::uint8_t {
  Share,    // what one thread has of it
  Combined, // what all threads have together
};
int bufferOf(const State& state, int stage, ReductionValue value);
/// The stage of a buffer that is such a value; nothing for an operator's.
std::optional<int> stageOfReductionValue(const State& state, int buffer);

struct Statement {
  int stage = 0;
  OperationCounts floats, integers;
  double logic = 0, selects = 0;
  std::vector<BufferAccess> accesses; // in the order in which they are met; the target is first
  std::vector<IndexNode> nodes;       // of all indices

  IndexCode index(IndexPlace place) const {
    return std::span(nodes).subspan(place.first, place.size);
  }
};

/// A loop around a statement.
struct EnclosingLoop {
  const VarNode* variable = nullptr;
  std::int64_t extent = 1;
};

/// What the axes of an operator stand for, spatial axes before reduction axes.
using AxisValues = std::vector<std::pair<const VarNode*, Affine>>;

/// The axes of a stage in terms of its loops and those around it, all of which `loops` lists.
AxisValues axisValues(const State& state, const Bounds& bounds, int stage,
                      const std::vector<EnclosingLoop>& loops);

/// What the axes of an inlined stage stand for where it is read at these indices. Throws
/// IllegalSchedule for a reduction, which cannot be inlined.
AxisValues inlinedValues(const Stage& stage, std::vector<Affine> indices);

/// The innermost statement of a stage inside the given loops (outermost first): for a reduction,
/// its update. Throws IllegalSchedule when it reads an inlined reduction.
Statement readStatement(const State& state, int stage, const AxisValues& axes,
                        const std::vector<EnclosingLoop>& loops);

/// The statement that gives a reduction its neutral element.
Statement initialStatement(const State& state, int stage, const AxisValues& axes,
                           const std::vector<EnclosingLoop>& loops);

/// The statements of a reduction across threads: what gives a thread's share its neutral element,
/// what adds to it, and what stores the result of all threads.
Statement initialShare(const State& state, int stage, const std::vector<EnclosingLoop>& loops);
Statement addToShare(const State& state, int stage, const AxisValues& axes,
                     const std::vector<EnclosingLoop>& loops);
Statement storeCombined(const State& state, int stage, const AxisValues& axes,
                        const std::vector<EnclosingLoop>& loops);

} // namespace nestwright
