#include "ui/window/deploy/deployed_task_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nestwright::ui {
namespace {

double workOf(const DeployedTask& task) {
  return task.weight * task.flops;
}

/// Of the record's program, or of the naive one; 0 when the file knows neither.
double secondsOf(const DeployedTask& task) {
  return task.record ? task.seconds : task.naiveSeconds;
}

QVariant speedOf(const DeployedTask& task) {
  const double seconds = secondsOf(task);
  return seconds > 0 && task.flops > 0 ? QVariant(task.flops / seconds) : QVariant();
}

QString tunedText(const DeployedTask& task) {
  if (!task.tunable) return DeployedTaskModel::tr("never searched");
  switch (task.origin) {
  case TuningOrigin::Here:
    return DeployedTaskModel::tr("for this target");
  case TuningOrigin::Elsewhere:
    return DeployedTaskModel::tr("only elsewhere");
  case TuningOrigin::Fallback:
    break;
  }
  return DeployedTaskModel::tr("no");
}

QString tunedMeaning(const DeployedTask& task) {
  if (!task.tunable)
    return DeployedTaskModel::tr("It only moves elements: there is nothing to search for.");
  switch (task.origin) {
  case TuningOrigin::Here:
    return DeployedTaskModel::tr("The file has a verified program that was tuned for this target.");
  case TuningOrigin::Elsewhere:
    return DeployedTaskModel::tr("The file has programs of other targets only. The library would "
                                 "have a program that nobody tuned.");
  case TuningOrigin::Fallback:
    break;
  }
  return DeployedTaskModel::tr("The library would have a program that nobody tuned.");
}

/// What nobody tuned is no promise.
QVariant dimUnlessTuned(const DeployedTask& task) {
  return task.record ? QVariant() : QVariant(colours().dim);
}

} // namespace

DeployedTaskModel::DeployedTaskModel(QObject* parent) : TableModel(parent) {
  using Row = VariantTask;
  const auto share = [](const Row& task) { return task.share; };
  setColumns(
      {{.title = tr("Task"),
        .tip = tr("A part of the network that runs as one kernel of the library."),
        .text = [](const Row& task) { return taskTitle(task.name); },
        .toolTip = [](const Row& task) { return taskTitle(task.name); }},
       {.title = tr("Processor"),
        .tip = tr("The processor that this code is for."),
        .text = [](const Row& task) { return qs(task.processor); }},
       {.title = tr("Runs"),
        .tip = tr("How often it runs in one run of the library."),
        .text = [](const Row& task) { return QString::number(task.weight); },
        .align = kRight,
        .sort = [](const Row& task) { return task.weight; }},
       {.title = tr("Tuned"),
        .tip = tr("Whether its program was tuned for the processor that the code is for."),
        .text = tunedText,
        .toolTip = tunedMeaning,
        .colour = [](const Row& task) -> QVariant {
          return task.tunable && !task.record ? QVariant(colours().waiting) : dimUnlessTuned(task);
        }},
       {.title = tr("Record"),
        .tip = tr("The record that its program comes from."),
        .text = [](const Row& task) { return task.record ? countText(task.record) : noValue(); },
        .align = kRight,
        .sort = [](const Row& task) { return qint64(task.record); },
        .bare =
            [](const Row& task) {
              return task.record ? QVariant(qint64(task.record)) : QVariant();
            },
        .colour = dimUnlessTuned},
       {.title = tr("Time"),
        .tip = tr("Of one run, as it was measured: of the record's program, or of the naive one "
                  "where none was tuned. Shorter is better."),
        .text =
            [](const Row& task) {
              return secondsOf(task) > 0 ? timeText(secondsOf(task)) : noValue();
            },
        .align = kRight,
        .sort = secondsOf,
        .bare =
            [](const Row& task) {
              return secondsOf(task) > 0 ? QVariant(secondsOf(task)) : QVariant();
            },
        .bareTitle = tr("Time (s)"),
        .toolTip =
            [](const Row& task) {
              return task.record             ? tr("Of the record's program.")
                     : task.naiveSeconds > 0 ? tr("Of the naive program.")
                                             : tr("No time is known.");
            },
        .colour = dimUnlessTuned},
       {.title = tr("GFLOP/s"),
        .tip = tr("Billions of operations per second in that time. Higher is better."),
        .text =
            [](const Row& task) {
              const QVariant speed = speedOf(task);
              return speed.isValid() ? gigaflopsIn(speed.toDouble()) : noValue();
            },
        .align = kRight,
        .sort = speedOf,
        .bare = speedOf,
        .bareTitle = tr("FLOP/s"),
        .colour = dimUnlessTuned},
       {.title = tr("Work"),
        .tip = tr("Its share of all floating-point operations."),
        .text = [share](const Row& task) { return percentText(share(task)); },
        .align = kRight,
        .sort = share,
        .bare = share,
        .fraction = share}});
}

void DeployedTaskModel::show(const std::vector<DeployedVariant>& variants) {
  std::vector<VariantTask> rows;
  for (const DeployedVariant& variant : variants) {
    double all = 0;
    for (const DeployedTask& task : variant.tasks)
      all += workOf(task);
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    for (const DeployedTask& task : variant.tasks)
      rows.push_back({task, variant.processor(), all > 0 ? workOf(task) / all : 0});
    std::stable_sort(rows.begin() + first, rows.end(),
                     [](const VariantTask& a, const VariantTask& b) { return a.share > b.share; });
  }
  setRows(std::move(rows));
}

} // namespace nestwright::ui

#include "moc_deployed_task_model.cpp"
