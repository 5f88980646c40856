#pragma once
/// \file A program as a person reads it: its loop nest after every step, its steps in words, the
/// mathematics of its task, what it costs and how it came to be. Made in the background.

#include "core/execute/latency_comparison.h"
#include "core/feature/nest_features.h"
#include "core/record/rows/task_row.h"
#include "core/record/store/store.h"
#include "core/result/measure_result.h"
#include "core/schedule/program_diff.h"
#include "core/story/kernel_picture.h"
#include "core/target/target.h"
#include "core/template/task_template.h"
#include "ui/document/program_ref.h"
#include "ui/kit/background.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace nestwright::ui {

/// One fact about where a program and its number come from.
struct Provenance {
  QString name, value;
  QString meaning; // for a tool tip
  /// A record that the fact speaks of (a parent), 0 if it is none.
  RowId record = 0;
};

struct ProgramText {
  ProgramRef ref;             // with the record that is shown, and an alias
  RowId task = 0, record = 0; // record 0: the naive program
  QString title;              // which task this is of
  QString subtitle;           // which program: its latency and how sure that is
  QString loopNest, steps, stepsJson, recordJson, dag;
  QStringList reductionLoops; // names of loops that reduce, for colouring
  QString problem;            // why the loop nest cannot be shown to its end

  QString taskDag; // what the task computes; `dag` is in the layouts of the program
  // Of a template's program:
  std::optional<TemplateConfig> config;
  std::optional<TaskTemplate> templateOf; // with its space

  TargetFacts target; // of the task; this machine where that is not known
  Steps program;
  std::string programId; // of a record
  std::vector<NamedStep> stepList;
  std::vector<LoopTree> trees;                   // [i]: after i steps; up to the first illegal one
  std::vector<std::vector<LoopDiffRow>> changes; // [i]: from trees[i] to trees[i + 1]
  /// [i]: of a GPU's program after i steps; empty where bounds are not known.
  std::vector<std::vector<KernelPicture>> kernels;
  std::vector<LoopTraffic> traffic; // of the loops of the last tree; empty where unknown
  LatencySample latency;            // its repeats
  MeasureResult result;             // of a record
  double flops = 0, naiveSeconds = 0;
  Verdict verdict = Verdict::Ok; // Ok also for a program that was not measured
  bool isBest = false, verified = false;
  std::vector<Provenance> provenance;

  const LoopTree& tree() const { return trees.back(); }
};

/// The program of this reference; for record 0 the task's best, or its naive program if it has
/// none. `shown` are the best and the naive program's latency where they are not those of the file.
/// Throws InputError when the file has no such task or record.
ProgramText readProgram(const RecordStore& store, const ProgramRef& ref, const Job& job = {},
                        const std::optional<TaskSummary>& shown = {});

/// "After step 3: split i …", of a position among the program's steps: 0 is before the first one.
QString afterStepText(const ProgramText& program, int position);

/// The first cache of a machine that holds so many bytes, "L1", or "memory"; and all of them for
/// tool tips: "L1 32 KiB, L2 1 MiB, L3 32 MiB".
QString cacheName(double bytes, const TargetFacts& target);
QString cacheSizes(const TargetFacts& target);

} // namespace nestwright::ui
