#include "ui/cost_model/surprise_model.h"

#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

void SurpriseModel::show(const std::vector<const PredictedProgram*>& programs,
                         std::function<QString(RowId)> taskName) {
  std::vector<PredictedProgram> rows;
  for (const PredictedProgram* program : programs)
    rows.push_back(*program);
  const auto same = [](const PredictedProgram& a, const PredictedProgram& b) {
    return a.record == b.record && a.share == b.share;
  };
  taskName_ = std::move(taskName);
  // A live session tells several times per second; the selection stays where nothing is new.
  if (std::ranges::equal(rows, programs_, same)) return;
  beginResetModel();
  programs_ = std::move(rows);
  largest_ = programs_.empty() ? 0 : std::abs(programs_.front().surprise());
  endResetModel();
}

int SurpriseModel::rowOf(RowId record) const {
  const auto found = std::ranges::find(programs_, record, &PredictedProgram::record);
  return found == programs_.end() ? -1 : static_cast<int>(found - programs_.begin());
}

int SurpriseModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(programs_.size());
}

int SurpriseModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString SurpriseModel::text(const PredictedProgram& program, int column) const {
  switch (column) {
  case Trial:
    return countText(program.trial);
  case Task:
    return taskName_ ? taskName_(program.task) : QString();
  case Round:
    return countText(program.round);
  case Predicted:
    return QString::number(program.predicted, 'f', 3);
  case Measured:
    return QString::number(program.share, 'f', 3);
  case Surprise:
    return QStringLiteral("%1 %2%3")
        .arg(program.surprise() > 0 ? QStringLiteral("▲") : QStringLiteral("▼"),
             program.surprise() > 0 ? QStringLiteral("+") : QStringLiteral("−"))
        .arg(std::abs(program.surprise()), 0, 'f', 3);
  case Latency:
    return timeText(program.seconds);
  default:
    return {};
  }
}

QVariant SurpriseModel::number(const PredictedProgram& program, int column) const {
  switch (column) {
  case Trial:
    return QVariant::fromValue(program.trial);
  case Task:
    return taskName_ ? taskName_(program.task) : QString();
  case Round:
    return program.round;
  case Predicted:
    return program.predicted;
  case Measured:
    return program.share;
  case Surprise:
    return program.surprise();
  case Latency:
    return program.seconds * 1e3;
  default:
    return {};
  }
}

QVariant SurpriseModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const PredictedProgram& program = programs_[static_cast<std::size_t>(index.row())];
  switch (role) {
  case Qt::DisplayRole:
    return text(program, index.column());
  case SortRole:
    // By size: too fast and too slow surprise alike.
    return index.column() == Surprise ? QVariant(std::abs(program.surprise()))
                                      : number(program, index.column());
  case kExportRole:
    return number(program, index.column());
  case RecordRole:
    return QVariant::fromValue(program.record);
  case FractionRole:
    if (index.column() != Surprise || largest_ <= 0) return {};
    return std::abs(program.surprise()) / largest_;
  case Qt::TextAlignmentRole:
    return int((index.column() == Task ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  case Qt::ToolTipRole:
    return program.surprise() > 0
               ? tr("Faster than the model expected: %1 instead of %2 of the fastest program's "
                    "throughput. What it does well is something the model has not learned yet.")
                     .arg(program.share, 0, 'f', 3)
                     .arg(program.predicted, 0, 'f', 3)
               : tr("Slower than the model expected: %1 instead of %2 of the fastest program's "
                    "throughput. The page Explanation shows which features misled the model.")
                     .arg(program.share, 0, 'f', 3)
                     .arg(program.predicted, 0, 'f', 3);
  default:
    return {};
  }
}

QVariant SurpriseModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString titles[] = {tr("Trial"),   tr("Surprise"), tr("Predicted"), tr("Measured"),
                            tr("Latency"), tr("Round"),    tr("Task")};
  const QString tips[] = {
      tr("Number of the measurement in the session. Click a row to select the program."),
      tr("Measured minus predicted: ▲ faster, ▼ slower than expected. The largest are listed."),
      tr("Share of the fastest program's throughput that the cost model expected before it was "
         "measured."),
      tr("Measured share of the throughput of the fastest program that was known when the round "
         "began; above 1 it became the fastest."),
      tr("Measured time of one execution; lower is better."),
      tr("Round of the session in which it was measured."),
      tr("The task whose program it is.")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return tips[section];
  if (role == Qt::TextAlignmentRole)
    return int((section == Task ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

} // namespace nestwright::ui
