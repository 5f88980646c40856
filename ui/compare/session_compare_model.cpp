#include "ui/compare/session_compare_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {

bool isCompared(const TaskComparison& task) {
  return task.latency.verdict != LatencyVerdict::Unknown;
}

double weightOf(const TaskComparison& task) {
  return task.leftWeight > 0 ? task.leftWeight : task.rightWeight;
}

QString factor(double value) {
  return QStringLiteral("%1×").arg(value, 0, 'f', value < 10 ? 2 : 1);
}

/// "+1.204 ms", "−0.200 µs"
QString signedTime(double seconds) {
  if (seconds == 0) return QStringLiteral("0");
  return (seconds > 0 ? QStringLiteral("−") : QStringLiteral("+")) + timeText(std::abs(seconds));
}

QString bestText(const SessionBest& best) {
  if (!best.task) return SessionCompareModel::tr("no such task");
  if (!best.record) return noValue();
  return timeText(best.latency.median()) + (best.verified ? QString() : QStringLiteral(" ?"));
}

QString bestTip(const SessionBest& best, double flops) {
  if (!best.task) return SessionCompareModel::tr("This session does not tune the task.");
  if (!best.record) return SessionCompareModel::tr("No program of the task was measured.");
  const double seconds = best.latency.median();
  QString tip =
      SessionCompareModel::tr("Record %1, trial %2 of the session: %3, median of %4 repeats.")
          .arg(best.record)
          .arg(best.trial)
          .arg(throughputText(flops / seconds))
          .arg(best.latency.repeats.size());
  if (!best.verified)
    tip +=
        SessionCompareModel::tr("\n? It was not compared with the naive program: only what beats "
                                "the best in the file is.");
  return tip;
}

/// "▲ faster", "▼ slower", "≈ not significant", "– not measured": never by colour alone.
QString verdictMark(LatencyVerdict verdict) {
  switch (verdict) {
  case LatencyVerdict::RightFaster:
    return SessionCompareModel::tr("▲ faster");
  case LatencyVerdict::LeftFaster:
    return SessionCompareModel::tr("▼ slower");
  case LatencyVerdict::NotSignificant:
    return SessionCompareModel::tr("≈ not significant");
  case LatencyVerdict::Unknown:
    break;
  }
  return SessionCompareModel::tr("– not measured");
}

} // namespace

SessionCompareModel::SessionCompareModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void SessionCompareModel::setComparison(SessionComparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  rows_ = comparison_.tasks;
  largestGain_ = 0;
  for (const TaskComparison& task : comparison_.tasks)
    if (isCompared(task)) largestGain_ = std::max(largestGain_, std::abs(gain(task)));
  endResetModel();
}

double SessionCompareModel::gain(const TaskComparison& task) {
  if (!isCompared(task)) return std::numeric_limits<double>::quiet_NaN();
  return weightOf(task) * (task.latency.left - task.latency.right);
}

SessionCompareModel::Columns SessionCompareModel::columns() const {
  using Task = TaskComparison;
  const auto known = [](double value) {
    return std::isfinite(value) ? value : std::numeric_limits<double>::lowest();
  };
  const auto byVerdict = [](const Task& task) {
    switch (task.latency.verdict) {
    case LatencyVerdict::RightFaster:
      return colours().vector;
    case LatencyVerdict::LeftFaster:
      return colours().waiting;
    default:
      return colours().dim;
    }
  };
  const auto ratio = [](const Task& task) { return isCompared(task) ? task.latency.ratio : -1.0; };
  const auto best = [&](SessionBest Task::*side, const QString& title, const QString& tip) {
    return TableColumn<Task>{
        .title = title,
        .tip = tip,
        .text = [side](const Task& task) { return bestText(task.*side); },
        .align = kRight,
        .sort = [side, known](const Task& task) { return known((task.*side).latency.median()); },
        .toolTip = [side](const Task& task) { return bestTip(task.*side, task.flops); }};
  };
  const auto trials = [](SessionBest Task::*side, const QString& title, const QString& tip) {
    return TableColumn<Task>{
        .title = title,
        .tip = tip,
        .text =
            [side](const Task& task) {
              return (task.*side).task ? countText((task.*side).trials) : noValue();
            },
        .align = kRight,
        .sort = [side](const Task& task) { return qint64((task.*side).trials); }};
  };
  return {
      {.title = tr("Task"),
       .tip = tr("Tasks of both sessions, matched by operator, shapes and types."),
       .text = [](const Task& task) { return taskTitle(task.name); }},
      best(&Task::left, tr("A, best"),
           tr("Median latency of the fastest program that session A found. Lower is better.")),
      best(&Task::right, tr("B, best"),
           tr("Median latency of the fastest program that session B found. Lower is better.")),
      {.title = tr("A / B"),
       .tip = tr("Latency of A over that of B: above 1, B is so many times faster."),
       .text =
           [](const Task& task) {
             return isCompared(task) ? factor(task.latency.ratio) : noValue();
           },
       .align = kRight,
       .sort = ratio,
       .colour = byVerdict},
      {.title = tr("95 %"),
       .tip = tr("95 % interval of the ratio, from the repeats of both programs and 2 % for what "
                 "differs between two measurements of the same program."),
       .text =
           [](const Task& task) {
             return isCompared(task) ? QStringLiteral("%1 … %2").arg(factor(task.latency.low),
                                                                     factor(task.latency.high))
                                     : noValue();
           },
       .align = kRight,
       .sort = ratio},
      {.title = tr("B is"),
       .tip = tr("Faster or slower only where the interval does not contain 1; otherwise the two "
                 "cannot be told apart."),
       .text =
           [](const Task& task) {
             return task.sameProgram ? tr("= same program") : verdictMark(task.latency.verdict);
           },
       .sort = [](const Task& task) { return static_cast<int>(task.latency.verdict); },
       .toolTip =
           [](const Task& task) {
             return task.sameProgram
                        ? tr("Both sessions found the same steps; what differs is the measurement.")
                        : tr("B is %1.").arg(qs(inWords(task.latency)));
           },
       .colour = byVerdict},
      {.title = tr("Weighted"),
       .tip = tr("What the network's latency changes by: the difference times the task's weight."),
       .text =
           [](const Task& task) { return isCompared(task) ? signedTime(gain(task)) : noValue(); },
       .align = kRight,
       .sort = [known](const Task& task) { return known(gain(task)); },
       .toolTip =
           [](const Task& task) {
             return tr("Times the task's weight, %1. A minus sign: the network became faster by "
                       "this much.")
                 .arg(weightOf(task));
           },
       .colour = byVerdict,
       .fraction =
           [this](const Task& task) {
             return isCompared(task) && largestGain_ > 0 ? QVariant(gain(task) / largestGain_)
                                                         : QVariant();
           }},
      trials(&Task::left, tr("A trials"), tr("Programs of the task that session A measured.")),
      trials(&Task::right, tr("B trials"), tr("Programs of the task that session B measured."))};
}

QVariant SessionCompareModel::rowData(const TaskComparison& task, int role) const {
  if (role == ItemRole) return numberOf(task);
  if (role != Qt::ToolTipRole) return {};
  return taskTitle(task.name) + tr("\nClick to see the two programs side by side.");
}

} // namespace nestwright::ui

#include "moc_session_compare_model.cpp"
