#include "ui/program_text.h"

#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/format.h"
#include "ui/text.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

namespace nestwright::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("ProgramText", text);
}

void describe(ProgramText& text, const TaskRow& task, const std::optional<Record>& record,
              const TaskSummary& summary) {
  text.title = taskTitle(task.name);
  if (!record) {
    text.subtitle = summary.naiveSeconds > 0
                        ? tr("naive program · %1").arg(timeText(summary.naiveSeconds))
                        : tr("naive program · not measured yet");
    return;
  }
  const double seconds = record->result.median();
  QString line = tr("record %1 · trial %2 · ").arg(record->id).arg(record->trial);
  if (record->result.verdict != Verdict::Ok) {
    line += qs(name(record->result.verdict));
  } else {
    line += timeText(seconds) + QStringLiteral(" · ") + throughputText(task.flops / seconds);
    if (summary.naiveSeconds > 0)
      line += tr(" · %1 faster than naive").arg(factorText(summary.naiveSeconds / seconds));
    if (record->id == summary.bestRecord) line += tr(" · best");
  }
  text.subtitle = line;
}

void addLoopNest(ProgramText& text, const ComputeDag& dag, const Steps& steps) {
  try {
    const State state = State::replay(dag, steps);
    for (int stage = 0; stage < state.stageCount(); ++stage)
      for (const Iterator& iterator : state.stage(stage).iterators)
        if (iterator.isReduction()) text.reductionLoops.append(qs(iterator.name));
    text.loopNest = qs(printLoopNest(withBounds(state)));
  } catch (const IllegalSchedule& illegal) {
    text.problem =
        illegal.stepIndex() < 0
            ? qs(illegal.what())
            : tr("Step %1 cannot be applied: %2").arg(illegal.stepIndex()).arg(qs(illegal.what()));
  }
}

void addSteps(ProgramText& text, const ComputeDag& dag, const Steps& steps) {
  QStringList lines;
  State state(dag);
  bool legal = true; // as long as they are, the steps name the loops that they find
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string words = legal ? inWords(steps[i], state) : inWords(steps[i]);
    lines.append(QStringLiteral("%1  %2").arg(i, 3).arg(qs(words)));
    try {
      if (legal) state.apply(steps[i]);
    } catch (const IllegalSchedule&) {
      legal = false;
    }
  }
  text.steps = lines.isEmpty() ? tr("No steps: the naive program.") : lines.join(QLatin1Char('\n'));
  text.stepsJson = qs(recordText(toJson(steps)));
}

} // namespace

ProgramText readProgram(const RecordStore& store, RowId taskId, RowId recordId) {
  std::optional<Record> record;
  if (recordId) {
    record = store.record(recordId);
    if (!record) throw InputError(fmt::format("The file has no record {}.", recordId));
    taskId = record->task;
  } else {
    record = store.best(taskId);
  }
  const std::optional<TaskRow> task = store.task(taskId);
  if (!task) throw InputError(fmt::format("The file has no task {}.", taskId));
  ProgramText text;
  text.task = taskId;
  text.record = record ? record->id : 0;
  describe(text, *task, record, store.summary(taskId));
  text.dag = qs(task->dag);
  const Steps steps = record ? record->steps : Steps();
  const ComputeDag dag = parseDag(task->dag);
  addSteps(text, dag, steps);
  addLoopNest(text, dag, steps);
  return text;
}

} // namespace nestwright::ui
