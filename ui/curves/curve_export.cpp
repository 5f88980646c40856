#include "ui/curves/curve_export.h"

#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright::ui {
namespace {

QString number(double value) {
  return QString::number(value, 'g', 9);
}

} // namespace

ExportTable curveTable(const TuningHistory& history, const std::vector<TaskEntry>& tasks) {
  std::vector<QStringList> rows;
  for (const TaskHistory& task : history.tasks()) {
    QString name;
    for (const TaskEntry& entry : tasks)
      if (entry.row.id == task.task) name = taskTitle(entry.row.name);
    for (const BestPoint& best : task.bests)
      rows.push_back({name, QString::number(best.trial), number(best.wallSeconds),
                      number(best.seconds * 1e3), number(task.flops / best.seconds / 1e9),
                      QString::number(best.record)});
  }
  for (const TotalPoint& point : history.total())
    rows.push_back({point.complete ? tr("total") : tr("total, naive where untuned"),
                    QString::number(point.trial), number(point.wallSeconds),
                    number(point.seconds * 1e3), number(history.totalFlops() / point.seconds / 1e9),
                    QString()});
  return tableOfRows({tr("task"), tr("trial"), tr("tuning time, s"), tr("best latency, ms"),
                      tr("throughput, GFLOP/s"), tr("record")},
                     std::move(rows), 5);
}

nlohmann::json toJson(const CurveOptions& options) {
  return {{"x", int(options.x)},
          {"y", int(options.y)},
          {"log", options.logarithmic},
          {"trials", options.showTrials},
          {"tasks", options.showTasks},
          {"references", options.showReferences},
          {"progress", options.onlyProgress}};
}

CurveOptions curveOptionsFromJson(const nlohmann::json& json) {
  CurveOptions options;
  const auto choice = [&](const char* key, int count) {
    const int value = storedValue(json, key, 0);
    return value >= 0 && value < count ? value : 0;
  };
  options.x = XAxis(choice("x", 2));
  options.y = YAxis(choice("y", 4));
  options.logarithmic = storedValue(json, "log", options.logarithmic);
  options.showTrials = storedValue(json, "trials", options.showTrials);
  options.showReferences = storedValue(json, "references", options.showReferences);
  options.showTasks = storedValue(json, "tasks", options.showTasks);
  options.onlyProgress = storedValue(json, "progress", options.onlyProgress);
  return options;
}

} // namespace nestwright::ui
