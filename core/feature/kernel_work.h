#pragma once
/// \file What the threads of one kernel of a GPU program execute and move, read from its loop IR.

#include "core/feature/memory_access.h"
#include "core/feature/warp_access.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Of one statement's row, all threads together.
struct RowWork {
  double multiplyAdds = 0; // a product and a sum at once
  double otherArithmetic = 0;
  double special = 0;         // functions that have a unit of their own, divisions among them
  double indexArithmetic = 0; // divisions and remainders in indices and conditions
  double tensorInstructions = 0;
  double barriers = 0; // that a block waits at
};

/// One load or store of Global or Block memory.
struct WarpRequests {
  std::size_t row = 0;
  MemoryScope scope = MemoryScope::Global;
  bool isStore = false;
  double requests = 0;   // of all warps of all blocks
  double bytes = 0;      // that the threads of a warp get or give by one
  double sectors = 0;    // of a request to Global memory
  double wavefronts = 0; // of a request to Block memory
  /// Of Global memory. Loops: blocks along z, y and x, then all others.
  std::optional<MemoryAccess> reach;
};

struct KernelWork {
  std::vector<RowWork> rows;
  std::vector<WarpRequests> requests;
  double barriers = 0; // that a block waits at
  /// Loads of Global memory that a thread waits for before it can go on, one after another: each
  /// time a loop that stays a loop has some. And the most bytes that it waits for at once.
  double waits = 0, bytesAtOnce = 0;
  double instructions = 0; // of all threads
};

/// The number of loops over blocks that stand before all others in WarpRequests::reach.
inline constexpr std::size_t kBlockLoops = 3;

/// `launch` is one kernel of a function that was lowered without unrolling, with the loops marked
/// that will be. `rowOf` gives the row, below `rows`, of a buffer that a statement writes.
KernelWork kernelWork(const StmtNode& launch, std::size_t rows,
                      const std::function<std::size_t(const std::string& buffer)>& rowOf);

} // namespace nestwright
