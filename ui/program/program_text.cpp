#include "ui/program/program_text.h"

#include "core/record/format/public_record.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/story/footprints.h"
#include "core/support/error.h"
#include "core/target/target.h"
#include "core/tensor/text.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/program/footprint_words.h"
#include "ui/program/provenance.h"
#include "ui/program/work_fact.h"

#include <QFileInfo>

namespace nestwright::ui {
namespace {

QString aliasOf(const ProgramText& text, const std::optional<Record>& record) {
  if (!text.ref.alias.isEmpty()) return text.ref.alias;
  if (!record) return tr("naive program");
  return text.isBest ? tr("best · trial %1").arg(record->trial) : tr("trial %1").arg(record->trial);
}

void describe(ProgramText& text, const TaskRow& task, const std::optional<Record>& record,
              const TaskSummary& summary) {
  text.title = taskTitle(task.name);
  text.flops = task.flops;
  text.naiveSeconds = summary.naiveSeconds;
  text.isBest = record && record->id == summary.bestRecord;
  text.ref.alias = aliasOf(text, record);
  if (!record) {
    if (summary.naiveSeconds > 0) text.latency.repeats = {summary.naiveSeconds};
    text.subtitle = summary.naiveSeconds > 0
                        ? tr("naive program · %1").arg(timeText(summary.naiveSeconds))
                        : tr("naive program · not measured yet");
    return;
  }
  text.verdict = record->result.verdict;
  text.result = record->result;
  text.programId = record->program;
  text.latency.repeats = record->result.seconds;
  text.verified = record->verified;
  const double seconds = record->result.latency();
  QString line = tr("record %1 · trial %2 · ").arg(record->id).arg(record->trial);
  if (record->result.verdict != Verdict::Ok) {
    line += qs(name(record->result.verdict));
  } else {
    line += timeText(seconds) + QStringLiteral(" · ") + throughputText(task.flops / seconds);
    if (isTf32(*record)) line += QStringLiteral(" · TF32");
    if (summary.naiveSeconds > 0)
      line += tr(" · %1 faster than naive").arg(factorText(summary.naiveSeconds / seconds));
    if (text.isBest) line += tr(" · best");
  }
  text.subtitle = line;
}

void addSteps(ProgramText& text, const ComputeDag& dag) {
  text.stepList = namedSteps(dag, text.program);
  QStringList lines;
  for (std::size_t i = 0; i < text.stepList.size(); ++i)
    lines.append(QStringLiteral("%1  %2").arg(i, 3).arg(qs(text.stepList[i].words)));
  text.steps = lines.isEmpty() ? tr("No steps: the naive program.") : lines.join(QLatin1Char('\n'));
  text.stepsJson = qs(recordText(text.program));
}

/// Empty where bounds cannot be inferred yet.
std::vector<KernelPicture> kernelsOf(const State& state, const TargetFacts& target) {
  if (!target.gpu) return {};
  try {
    return kernelPictures(state, inferBounds(state), *target.gpu);
  } catch (const IllegalSchedule&) {
    return {};
  }
}

/// The loop nest after every step that can be applied.
void addLoopNests(ProgramText& text, const ComputeDag& dag, const Job& job) {
  State state(dag);
  text.trees.push_back(loopTree(state));
  text.kernels.push_back(kernelsOf(state, text.target));
  for (std::size_t i = 0; i < text.program.size(); ++i) {
    job.check();
    try {
      state.apply(text.program[i]);
    } catch (const IllegalSchedule& illegal) {
      text.problem = tr("Step %1 cannot be applied: %2").arg(i).arg(qs(illegal.what()));
      break;
    }
    text.trees.push_back(loopTree(state));
    text.kernels.push_back(kernelsOf(state, text.target));
    text.changes.push_back(diffLoopTrees(text.trees[i], text.trees[i + 1]));
  }
  for (int stage = 0; stage < state.stageCount(); ++stage)
    for (const Iterator& iterator : state.stage(stage).iterators)
      if (iterator.isReduction()) text.reductionLoops.append(qs(iterator.name));
  if (!text.problem.isEmpty()) return;
  try {
    text.loopNest = qs(printLoopNest(withBounds(state)));
    text.traffic = loopTraffic(withBounds(state), inferBounds(state));
  } catch (const IllegalSchedule& illegal) {
    if (text.loopNest.isEmpty()) text.problem = qs(illegal.what());
  }
}

void addRecordJson(ProgramText& text, const RecordStore& store, const TaskRow& task,
                   const std::optional<Record>& record) {
  // The auto-scheduler's format has no room for a configuration of our templates.
  if (!record || (text.config && !record->imported)) return;
  for (const TargetRow& target : store.targets().all())
    if (target.id == task.target) text.recordJson = qs(publicRecord(task, target, *record));
}

/// A program of a log has steps, but nothing to apply them to while its task is not known.
[[noreturn]] void refuseUnknownTask(const std::optional<Record>& record) {
  QString text = tr("The log that this program was imported from does not define its task, and no "
                    "known operator has its shapes and takes its steps, so there are no loops to "
                    "show. Import the log into another file, with --dag.");
  if (record && !record->steps.empty()) text += tr("\n\nIts steps:\n");
  for (std::size_t i = 0; record && i < record->steps.size(); ++i)
    text += QStringLiteral("\n%1  %2").arg(i, 3).arg(qs(inWords(record->steps[i])));
  throw InputError(text.toStdString());
}

} // namespace

ProgramText readProgram(const RecordStore& store, const ProgramRef& ref, const Job& job,
                        const std::optional<TaskSummary>& shown) {
  std::optional<Record> record;
  RowId taskId = ref.task;
  if (ref.record) {
    record = store.records().one(ref.record);
    if (!record) throw InputError(fmt::format("The file has no record {}.", ref.record));
    taskId = record->task;
  } else if (!ref.naive) {
    record = store.records().best(taskId);
  }
  const std::optional<TaskRow> task = store.tasks().one(taskId);
  if (!task) throw InputError(fmt::format("The file has no task {}.", taskId));
  ProgramText text;
  text.ref = ref;
  text.task = text.ref.task = taskId;
  text.record = text.ref.record = record ? record->id : 0;
  text.ref.naive = !record;
  describe(text, *task, record, shown ? *shown : store.tasks().summary(taskId));
  text.dag = text.taskDag = qs(task->dag);
  if (record) text.program = record->steps;
  text.target = targetOrHost(store, taskId);
  if (task->dag.empty()) refuseUnknownTask(record);
  ComputeDag dag = parseDag(task->dag);
  if (record && isOfTemplate(*record)) { // it is the program of a variant of the task
    RecordPrograms programs(dag);
    RecordProgram program = programs.program(*record);
    text.config = std::move(program.config);
    text.templateOf = programs.templateOf(*text.config);
    dag = std::move(program.dag);
    text.dag = qs(print(dag));
    text.program = std::move(program.steps);
  }
  addSteps(text, dag);
  addLoopNests(text, dag, job);
  addRecordJson(text, store, *task, record);
  text.provenance = provenanceOf(store, *task, record, text.naiveSeconds);
  if (record && text.problem.isEmpty())
    if (std::optional<Provenance> work =
            workFact(parseDag(task->dag), dag, text.program, text.target))
      text.provenance.push_back(std::move(*work));
  return text;
}

QString afterStepText(const ProgramText& program, int position) {
  if (position == 0) return tr("Before the first step");
  return tr("After step %1: %2")
      .arg(position - 1)
      .arg(qs(program.stepList[static_cast<std::size_t>(position) - 1].words));
}

QString cacheName(double bytes, const TargetFacts& target) {
  return nameOf(levelOf(bytes, target));
}

QString cacheSizes(const TargetFacts& target) {
  const auto size = [](std::int64_t bytes) {
    return bytes > 0 ? bytesText(static_cast<double>(bytes)) : tr("unknown");
  };
  if (target.gpu)
    return tr("L1 and shared memory of a multiprocessor %1, L2 %2")
        .arg(size(target.l1Bytes), size(target.l2Bytes));
  return tr("L1 %1, L2 %2, L3 %3 on its machine")
      .arg(size(target.l1Bytes), size(target.l2Bytes), size(target.l3Bytes));
}

} // namespace nestwright::ui
