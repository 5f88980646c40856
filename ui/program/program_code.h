#pragma once
/// \file A program as the machine executes it: loop IR after every lowering pass, LLVM IR and
/// assembly, each line traced back to its loop. Lowering takes milliseconds, compiling up to
/// seconds: both are for the background.

#include "core/backend/linked_code.h"
#include "core/feature/program_features.h"
#include "core/schedule/loop_tree.h"
#include "core/target/target.h"
#include "ui/kit/background.h"
#include "ui/program/program_text.h"

#include <QString>

#include <string>
#include <vector>

namespace nestwright::ui {

/// Loop IR, as sampled and after each pass.
struct LoweredProgram {
  struct Pass {
    QString name;    // "vectorize_loops"
    QString meaning; // what the pass does
    std::vector<std::string> lines;
    bool changed = true; // differs from the pass before
  };
  std::vector<Pass> passes; // the last one is what is compiled
  TargetFacts target;
  LoopFunction function;
  std::vector<IrLine> ir;  // of the last pass
  std::vector<int> irNode; // of each of its lines: the loop of the tree that it belongs to, or -1
  QString problem;         // why it cannot be lowered; then there may be fewer passes

  /// What cost models read, a row for each stage; empty with a problem.
  ProgramFeatures features;
};

struct CompiledProgram {
  LinkedCode source, assembly; // LLVM IR after LLVM's passes, or CUDA C; machine code
  IrCost cost;                 // of the lines of the last pass
};

/// For its target; the naive program has no steps, and is compiled as `naive`.
LoweredProgram lowerProgram(const ProgramText& text, const Job& job = {});
/// Throws what the compiler says.
CompiledProgram compileProgram(const LoweredProgram& program, bool naive, const Job& job = {});

/// The loops of the tree that the lines of the loop IR belong to, by the loops' names and by what
/// is computed in them.
std::vector<int> matchLoops(const std::vector<IrLine>& ir, const LoopTree& tree);

} // namespace nestwright::ui
