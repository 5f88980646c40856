#include "ui/window/new_session/preview_task_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFileInfo>

namespace nestwright::ui {

PreviewTaskModel::PreviewTaskModel(QObject* parent) : TableModel(parent) {
  using Row = PreviewedTask;
  const auto work = [](const Row& task) { return task.weight * task.flops; };
  setColumns(
      {{.title = tr("Task"),
        .tip = tr("A part of the network that runs as one kernel."),
        .text = [](const Row& task) { return taskTitle(task.name); }},
       {.title = tr("Weight"),
        .tip = tr("How often it appears."),
        .text = [](const Row& task) { return QString::number(task.weight); },
        .align = kRight,
        .sort = [](const Row& task) { return task.weight; }},
       {.title = tr("Work"),
        .tip = tr("Floating-point operations of all its appearances."),
        .text = [work](const Row& task) { return flopsText(work(task)); },
        .align = kRight,
        .sort = work,
        .bare = work,
        .fraction = [this, work](const Row& task) { return most_ > 0 ? work(task) / most_ : 0; }},
       {.title = tr("Known best"),
        .tip = tr("The fastest program of exactly this task on exactly this target, in the "
                  "document that is open or the one that is chosen."),
        .text =
            [](const Row& task) {
              return task.known.isKnown() ? timeText(task.known.seconds) : noValue();
            },
        .align = kRight,
        .sort = [](const Row& task) { return task.known.seconds; },
        .toolTip =
            [](const Row& task) {
              return task.known.isKnown()
                         ? tr("In %1.").arg(QFileInfo(qs(task.known.file)).fileName())
                         : tr("It was not tuned on this target there.");
            }},
       {.title = tr("Had"),
        .tip = tr("Trials that it was given there."),
        .text =
            [](const Row& task) {
              return task.known.trials > 0 ? countText(task.known.trials) : noValue();
            },
        .align = kRight,
        .sort = [](const Row& task) { return qint64(task.known.trials); }}});
}

void PreviewTaskModel::show(std::vector<PreviewedTask> tasks) {
  most_ = 0;
  for (const PreviewedTask& task : tasks)
    most_ = std::max(most_, task.weight * task.flops);
  setRows(std::move(tasks));
}

} // namespace nestwright::ui

#include "moc_preview_task_model.cpp"
