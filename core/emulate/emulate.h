#pragma once
/// \file Runs a GPU program without a GPU, and trusts nothing: what would go wrong only sometimes
/// on a device is an error here (handbook/cuda.md 6).

#include "core/lower/loop_ir.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What a GPU program must not do.
enum class EmulationFault : std::uint8_t {
  UninitialisedRead,    // of memory that nothing was written to
  OutOfBounds,          // an index outside of its buffer
  Misaligned,           // a vector access that does not start at a multiple of its size
  DivergentBarrier,     // reached by some threads of a block only
  DivergentShuffle,     //
  DivergentInstruction, // of a warp, that its lanes do not all reach alike
  BlockRace,            // threads of a block that do not wait for one another
  GlobalRace,           // blocks of one launch, or such threads, that touch one element
  RegisterIndex,        // registers indexed by what is no literal after unrolling
  IndexOverflow,        // a value that its type cannot hold
  UnfinishedCopy,       // what is being copied is touched before its thread has waited, or never
};
/// "race in the memory of a block"
const char* name(EmulationFault fault);

struct EmulationError {
  EmulationFault fault;
  std::string what;     // "A.shared[12] is written by thread 3 and read by thread 7"
  int line = 0;         // of print(function), from 0
  std::string lineText; // without indentation
};

struct EmulationOptions {
  bool races = true;     // false before place_barriers, which makes a program free of them
  bool registers = true; // whether their indices must be literals: after unrolling
};

struct Emulation {
  std::map<std::string, std::vector<double>> outputs; // by buffer; empty when there is an error
  std::optional<EmulationError> error;
};

/// Runs the function on the inputs (by buffer) in double precision; what has 16 bits is rounded to
/// them after each operation. One block runs after another, and every statement for all threads of
/// its block before the next one. The function's launches have their threads (bind_threads). Throws
/// Error when it is no GPU program or an input is missing.
Emulation emulate(const LoopFunction& function,
                  const std::map<std::string, std::vector<double>>& inputs,
                  const EmulationOptions& options = {});

} // namespace nestwright
