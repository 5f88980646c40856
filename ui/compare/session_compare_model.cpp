#include "ui/compare/session_compare_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
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

} // namespace

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

void SessionCompareModel::setComparison(SessionComparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  largestGain_ = 0;
  for (const TaskComparison& task : comparison_.tasks)
    if (isCompared(task)) largestGain_ = std::max(largestGain_, std::abs(gain(task)));
  endResetModel();
}

double SessionCompareModel::gain(const TaskComparison& task) const {
  if (!isCompared(task)) return std::numeric_limits<double>::quiet_NaN();
  return weightOf(task) * (task.latency.left - task.latency.right);
}

int SessionCompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(comparison_.tasks.size());
}

int SessionCompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(ColumnCount);
}

QString SessionCompareModel::text(const TaskComparison& task, int column) const {
  const LatencyComparison& c = task.latency;
  switch (column) {
  case Task:
    return taskTitle(task.name);
  case LatencyA:
    return bestText(task.left);
  case LatencyB:
    return bestText(task.right);
  case Ratio:
    return isCompared(task) ? factor(c.ratio) : noValue();
  case Interval:
    return isCompared(task) ? QStringLiteral("%1 … %2").arg(factor(c.low), factor(c.high))
                            : noValue();
  case Verdict:
    return task.sameProgram ? tr("= same program") : verdictMark(c.verdict);
  case Gain:
    return isCompared(task) ? signedTime(gain(task)) : noValue();
  case TrialsA:
    return task.left.task ? countText(task.left.trials) : noValue();
  case TrialsB:
    return task.right.task ? countText(task.right.trials) : noValue();
  default:
    return {};
  }
}

QVariant SessionCompareModel::sortValue(const TaskComparison& task, int column) const {
  const auto known = [&](double value) {
    return std::isfinite(value) ? value : std::numeric_limits<double>::lowest();
  };
  switch (column) {
  case LatencyA:
    return known(task.left.latency.median());
  case LatencyB:
    return known(task.right.latency.median());
  case Ratio:
  case Interval:
    return isCompared(task) ? task.latency.ratio : -1.0;
  case Verdict:
    return static_cast<int>(task.latency.verdict);
  case Gain:
    return known(gain(task));
  case TrialsA:
    return qint64(task.left.trials);
  case TrialsB:
    return qint64(task.right.trials);
  default:
    return text(task, column);
  }
}

QString SessionCompareModel::toolTip(const TaskComparison& task, int column) const {
  switch (column) {
  case LatencyA:
    return bestTip(task.left, task.flops);
  case LatencyB:
    return bestTip(task.right, task.flops);
  case Verdict:
    return task.sameProgram
               ? tr("Both sessions found the same steps; what differs is the measurement.")
               : tr("B is %1.").arg(qs(inWords(task.latency)));
  case Gain:
    return tr("Times the task's weight, %1. A minus sign: the network became faster by this much.")
        .arg(weightOf(task));
  default:
    return taskTitle(task.name) + tr("\nClick to see the two programs side by side.");
  }
}

QVariant SessionCompareModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TaskComparison& task = comparison_.tasks[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
  case Qt::DisplayRole:
    return text(task, column);
  case Qt::ToolTipRole:
    return toolTip(task, column);
  case Qt::TextAlignmentRole:
    return int((column == Task || column == Verdict ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  case Qt::ForegroundRole:
    if (column != Verdict && column != Ratio && column != Gain) return {};
    if (task.latency.verdict == LatencyVerdict::RightFaster) return colours().vector;
    if (task.latency.verdict == LatencyVerdict::LeftFaster) return colours().waiting;
    return colours().dim;
  case SortRole:
    return sortValue(task, column);
  case RowRole:
    return index.row();
  case FractionRole:
    return column == Gain && isCompared(task) && largestGain_ > 0
               ? QVariant(gain(task) / largestGain_)
               : QVariant();
  default:
    return {};
  }
}

QVariant SessionCompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const char* const kTitles[ColumnCount] = {
      QT_TR_NOOP("Task"),     QT_TR_NOOP("A, best"),  QT_TR_NOOP("B, best"),
      QT_TR_NOOP("A / B"),    QT_TR_NOOP("95 %"),     QT_TR_NOOP("B is"),
      QT_TR_NOOP("Weighted"), QT_TR_NOOP("A trials"), QT_TR_NOOP("B trials")};
  static const char* const kTips[ColumnCount] = {
      QT_TR_NOOP("Tasks of both sessions, matched by operator, shapes and types."),
      QT_TR_NOOP("Median latency of the fastest program that session A found. Lower is better."),
      QT_TR_NOOP("Median latency of the fastest program that session B found. Lower is better."),
      QT_TR_NOOP("Latency of A over that of B: above 1, B is so many times faster."),
      QT_TR_NOOP("95 % interval of the ratio, from the repeats of both programs and 2 % for what "
                 "differs between two measurements of the same program."),
      QT_TR_NOOP("Faster or slower only where the interval does not contain 1; otherwise the two "
                 "cannot be told apart."),
      QT_TR_NOOP("What the network's latency changes by: the difference times the task's weight."),
      QT_TR_NOOP("Programs of the task that session A measured."),
      QT_TR_NOOP("Programs of the task that session B measured.")};
  if (role == Qt::DisplayRole) return tr(kTitles[section]);
  if (role == Qt::ToolTipRole) return tr(kTips[section]);
  if (role == Qt::TextAlignmentRole)
    return int((section == Task || section == Verdict ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  return {};
}

} // namespace nestwright::ui
