#pragma once
/// \file How a loop of a schedule is executed, and what the loops around a place forbid inside.

#include "core/lower/loop_ir.h"
#include "core/schedule/state.h"

namespace nestwright {

enum class Machine : std::uint8_t { Cpu, Gpu };

struct LoopKind {
  ForKind kind = ForKind::Serial;
  Axis3 axis = Axis3::X; // of loops over blocks and threads
};

/// Throws IllegalSchedule where the machine has no such loops.
LoopKind loopKindOf(const State& state, const Stage& stage, const Iterator& iterator,
                    Machine machine);

/// The loops around a place whose iterations run at once.
class EnclosingLoops {
 public:
  EnclosingLoops(const State& state, Machine machine) : state_(&state), machine_(machine) {}

  /// Goes into a loop of a stage that iterates more than once. Throws IllegalSchedule where its
  /// iterations would race or are those of another loop around it.
  void enter(int stage, const Iterator& iterator);

  /// Where the result of a stage lives that is computed here.
  MemoryScope scopeOf(int stage) const;

  /// Goes into a stage that is attached here and has its result in `scope`. Memory of a block is
  /// filled by all of the block's threads together: their loops start anew.
  void enterStage(MemoryScope scope);

 private:
  void enterParallel(const Stage& stage, const Iterator& iterator);
  void enterThreads(const Stage& stage, const Iterator& iterator, LoopKind kind);
  [[noreturn]] void refuse(const Stage& stage, const Iterator& iterator,
                           const std::string& why) const;

  const State* state_;
  Machine machine_;
  bool parallel_ = false;
  bool attached_ = false;            // inside of a stage that is not at root
  std::array<bool, 3> blocks_ = {};  // by Axis3
  std::array<bool, 3> threads_ = {}; //
  bool virtualThreads_ = false;      //
  bool ownThread_ = false;           // inside of a stage whose result one thread has for itself
};

} // namespace nestwright
