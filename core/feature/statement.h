#pragma once
/// \file What one store statement computes and touches, as the public implementation sees it: after
/// simplification of its indices, before anything is vectorised, unrolled or flattened.

#include "core/feature/index_code.h"
#include "core/schedule/bounds.h"

#include <string>
#include <vector>

namespace nestwright {

/// Operations of one execution.
struct OperationCounts {
  double addSub = 0, mul = 0, divMod = 0, compare = 0, mathFunction = 0, otherFunction = 0;
  double total() const { return addSub + mul + divMod + compare + mathFunction + otherFunction; }
};

enum class AccessType : std::uint8_t { Read, Write, ReadWrite };

/// All accesses of one statement to one buffer.
struct BufferAccess {
  int buffer = 0; // the number of the operator that makes it
  AccessType type = AccessType::Read;
  std::vector<std::vector<IndexCode>> indices; // of each access, one per dimension
};

struct Statement {
  int stage = 0;
  OperationCounts floats, integers;
  double logic = 0, selects = 0;
  std::vector<BufferAccess> accesses; // in the order in which they are met; the target is first
};

/// A loop around a statement.
struct EnclosingLoop {
  const VarNode* variable = nullptr;
  std::int64_t extent = 1;
};

/// The innermost statement of a stage inside the given loops (outermost first): for a reduction,
/// its update.
Statement readStatement(const State& state, const Bounds& bounds, int stage,
                        const std::vector<EnclosingLoop>& loops);

/// The statement that gives a reduction its neutral element.
Statement initialStatement(const State& state, const Bounds& bounds, int stage,
                           const std::vector<EnclosingLoop>& loops);

} // namespace nestwright
