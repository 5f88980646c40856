#include "ui/window/new_session/known_tasks_model.h"

#include "core/session/run/memory/memory_survey.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFileInfo>

#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

/// What the nearest that is known is of.
QString standingText(const TaskRecall& task) {
  const RememberedProgram* best = nearest(task);
  if (!best) return KnownTasksModel::tr("nothing");
  switch (best->source) {
  case MemorySource::SameTask:
    return KnownTasksModel::tr("exact");
  case MemorySource::SameMachine:
    return KnownTasksModel::tr("exact, but compiled otherwise");
  case MemorySource::SameKind:
    return KnownTasksModel::tr("similar: %1, extents %2 apart")
        .arg(taskTitle(best->fromTask), factorText(std::exp2(best->distance)));
  case MemorySource::OtherTarget:
    return KnownTasksModel::tr("exact, but on another target");
  }
  return {};
}

QString programText(const KnownRow& row) {
  if (row.program)
    return row.program->isMeasured
               ? KnownTasksModel::tr("to measure: %1").arg(qs(reasonText(*row.program)))
               : KnownTasksModel::tr("a parent: %1").arg(qs(reasonText(*row.program)));
  return KnownTasksModel::tr("left out: record %1 of %2 (%3): %4")
      .arg(row.unfit->record)
      .arg(taskTitle(row.unfit->fromTask), qs(meaning(row.unfit->source)), qs(row.unfit->why));
}

/// For cells of tasks of which something is known.
template <class Value>
std::function<Value(const KnownRow&)> ofBest(std::function<Value(const RememberedProgram&)> value,
                                             Value none) {
  return [value = std::move(value), none](const KnownRow& row) -> Value {
    if (!row.task) return Value();
    const RememberedProgram* best = nearest(*row.task);
    return best ? value(*best) : none;
  };
}

QString fileText(const RememberedProgram& best) {
  return KnownTasksModel::tr("Record %1 of %2.")
      .arg(best.record)
      .arg(QFileInfo(qs(best.file)).fileName());
}

} // namespace

KnownTasksModel::KnownTasksModel(QObject* parent) : TreeModel(parent) {
  setColumns(
      {{.title = tr("Task"),
        .tip = tr("A part of the network that runs as one kernel. Below each are the programs that "
                  "the session would begin with, and why."),
        .text =
            [](const KnownRow& row) {
              return row.task ? taskTitle(row.task->name) : programText(row);
            }},
       {.title = tr("Known"),
        .tip = tr("Exact: the very task. Similar: one that is equal but for its extents; they are "
                  "that far apart, all together. A task of another kind teaches nothing."),
        .text = [](const KnownRow& row) { return row.task ? standingText(*row.task) : QString(); }},
       {.title = tr("Best"),
        .tip =
            tr("The fastest program of what is nearest. Of a similar task it is the time of that "
               "one."),
        .text = ofBest<QString>(
            [](const RememberedProgram& best) { return timeText(best.seconds); }, noValue()),
        .align = kRight,
        .sort = ofBest<QVariant>(
            [](const RememberedProgram& best) { return QVariant(best.seconds); }, QVariant()),
        .toolTip = ofBest<QString>(fileText, QString()),
        .colour = [](const KnownRow& row) -> QVariant {
          const RememberedProgram* best = row.task ? nearest(*row.task) : nullptr;
          return best && best->source != MemorySource::SameTask ? QVariant(colours().dim)
                                                                : QVariant();
        }},
       {.title = tr("When"),
        .tip = tr("When it was measured."),
        .text = ofBest<QString>(
            [](const RememberedProgram& best) {
              return best.measuredAt > 0 ? momentText(best.measuredAt).left(10) : noValue();
            },
            noValue()),
        .toolTip = ofBest<QString>(
            [](const RememberedProgram& best) {
              return best.measuredAt > 0 ? momentText(best.measuredAt) : QString();
            },
            QString())},
       {.title = tr("Seeds"),
        .tip = tr("Programs that the session would begin with: measured in its first rounds, or "
                  "parents of its first generation."),
        .text =
            [](const KnownRow& row) {
              return row.task ? countText(std::int64_t(row.task->programs.size())) : QString();
            },
        .align = kRight},
       {.title = tr("Target"),
        .tip = tr("What it was measured on."),
        .text = ofBest<QString>([](const RememberedProgram& best) { return qs(best.fromTarget); },
                                noValue()),
        .toolTip = ofBest<QString>(
            [](const RememberedProgram& best) { return qs(best.fromTarget); }, QString())}});
}

void KnownTasksModel::show(SessionMemory memory) {
  beginResetModel();
  clearNodes();
  memory_ = std::move(memory);
  for (const TaskRecall& task : memory_.tasks) {
    const int node = addNode({&task, nullptr, nullptr}, -1);
    for (const RememberedProgram& program : task.programs)
      addNode({nullptr, &program, nullptr}, node);
    for (const UnfitProgram& unfit : task.unfit)
      addNode({nullptr, nullptr, &unfit}, node);
  }
  endResetModel();
}

QVariant KnownTasksModel::rowData(const KnownRow& row, int role) const {
  if (role == Qt::ToolTipRole && !row.task) return programText(row);
  if (role == Qt::ForegroundRole && (!row.task || row.task->programs.empty())) return colours().dim;
  return {};
}

} // namespace nestwright::ui

#include "moc_known_tasks_model.cpp"
