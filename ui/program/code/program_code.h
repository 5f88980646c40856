#pragma once
/// \file A program as the machine executes it: loop IR after every lowering pass, and the code that
/// its backend makes (LLVM IR and assembly, or CUDA C and PTX or SASS), each line traced back to
/// its loop. Lowering takes milliseconds, compiling up to seconds: both are for the background.

#include "core/backend/linked_code.h"
#include "core/feature/program_features.h"
#include "core/schedule/loop_tree.h"
#include "core/search/draft/drafted_work.h"
#include "core/target/target.h"
#include "ui/kit/background.h"
#include "ui/kit/code_line.h"
#include "ui/program/program_text.h"

#include <QString>

#include <string>
#include <vector>

namespace nestwright::ui {

/// The two forms in which the code of a target's programs is shown.
struct ShownForms {
  CodeForm source = CodeForm::LlvmIr, machine = CodeForm::Assembly;
  QString sourceName, machineName; // "CUDA C", "PTX"
  QString notNearer; // why no form nearer to the machine is shown, in a sentence; else empty
};
/// By the target alone.
ShownForms usualForms(const TargetFacts& target);
CodeLanguage languageOf(CodeForm form);

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
  ShownForms forms;
  LoopFunction function;
  QString c, cProblem;     // it as C, for a processor alone; or why C cannot say it
  std::vector<IrLine> ir;  // of the last pass
  std::vector<int> irNode; // of each of its lines: the loop of the tree that it belongs to, or -1
  QString problem;         // why it cannot be lowered; then there may be fewer passes

  /// What cost models read, a row for each stage; empty with a problem.
  ProgramFeatures features;
  std::vector<DraftedWork> drafted; // likewise; of the naive program nothing
};

struct ShownCode {
  CodeForm form = CodeForm::LlvmIr;
  LinkedCode code;
};

struct CompiledProgram {
  ShownCode source, machine;
  QString machineProblem;             // why there is no machine code, though there is a source
  IrCost cost;                        // of the lines of the last pass; empty without machine code
  std::vector<KernelLaunch> launches; // of a GPU's program, with what the compiler says of each
  QString compiler, architecture;     // that said so, and for which GPU: "NVRTC 13.0", "sm_90"
};

/// For its target; the naive program has no steps, and is compiled as `naive`.
LoweredProgram lowerProgram(const ProgramText& text, const Job& job = {});
/// The source alone; of a GPU's program it takes no compiler. Throws what the compiler says.
CompiledProgram compileSource(const LoweredProgram& program, bool naive, const Job& job = {});
/// All of it. Throws as compileSource(); what is wrong with the machine code alone is its problem.
CompiledProgram compileProgram(const LoweredProgram& program, bool naive, const Job& job = {});

} // namespace nestwright::ui
