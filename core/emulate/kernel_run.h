#pragma once
/// \file The statements of one launch, ready to run for all threads of a block at once. Private to
/// this room.

#include "core/emulate/thread_expr.h"

#include <deque>

namespace nestwright {

class KernelRun {
 public:
  /// The memory of all buffers outside of the launch has to be among the names.
  KernelRun(const Stmt& launch, ProgramNames& names, EmulationPoint& moment,
            const EmulationOptions& options);

  /// Runs every block, once. Throws Fault.
  void run();

  /// The statement that was running when a fault was thrown.
  const StmtNode* current() const { return current_; }

 private:
  struct Step {
    const StmtNode* source = nullptr;
    std::vector<ThreadExpr> values;     // of a store, by lane; of a loop: where it starts
    std::vector<ThreadAddress> targets; // of a store, by lane; of a tile, then of its operands
    std::vector<ThreadExpr> condition;  // one or none
    Variable* variable = nullptr;       // of a loop
    ThreadMemory* memory = nullptr;     // of an allocation
    std::vector<Step> inside;
  };

  void prepareThreads();
  Step prepared(const Stmt& s);
  void prepareStore(const StmtNode& s, Step& step);
  void prepareTile(const StmtNode& s, Step& step);
  void checkRegisters(const StmtNode& s) const;
  void run(Step& step, const ThreadSet& threads);
  void runLoop(Step& step, const ThreadSet& threads);
  void runCondition(Step& step, const ThreadSet& threads);
  void store(Step& step, const ThreadSet& threads);
  void shuffle(Step& step, const ThreadSet& threads);
  void reduce(Step& step, const ThreadSet& threads);
  void copy(Step& step, const ThreadSet& threads);
  void commit(const ThreadSet& threads);
  void wait(const ThreadSet& threads, int pending);
  void requireNoCopies();
  // kernel_run_tiles.cpp
  void loadFragment(Step& step, const ThreadSet& threads);
  void multiplyTiles(Step& step, const ThreadSet& threads);
  void write(ThreadAddress& target, const ThreadSet& threads, const Values& values);

  /// Under way since the thread began it.
  struct Copy {
    ThreadMemory* memory = nullptr;
    std::int64_t element = 0;
    double value = 0;
  };
  /// Of one thread: those that are in no group yet, and the groups that it has not waited for.
  struct Copies {
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;
  };

  Stmt kernel_;
  const Launch& launch_;
  ProgramNames& names_;
  EmulationPoint& moment_;
  const EmulationOptions& options_;
  const StmtNode* current_ = nullptr;
  std::vector<Copies> copies_; // by thread
};

} // namespace nestwright
