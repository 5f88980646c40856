#include "ui/recombination/recombination_model.h"

#include "ui/document/document.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/recombination/recombination_control.h"

#include <QFont>

#include <algorithm>

namespace nestwright::ui {

RecombinationModel::RecombinationModel(Document& document, const RecombinationControl& control,
                                       QObject* parent)
    : QAbstractTableModel(parent), document_(document), control_(control) {}

void RecombinationModel::show(int sample) {
  beginResetModel();
  rows_.clear();
  const auto& samples = control_.samples();
  sample_ = sample >= 0 && sample < static_cast<int>(samples.size()) ? sample : -1;
  std::vector<double> seconds;
  for (std::size_t i = 0; sample_ >= 0 && i < control_.candidates().size(); ++i) {
    const TaskCandidates& task = control_.candidates()[i];
    const int rank = samples[static_cast<std::size_t>(sample_)].choice[i];
    const RankedProgram& program = task.programs[static_cast<std::size_t>(rank)];
    rows_.push_back({task.task, program.record, taskTitle(task.name), task.weight, program.seconds,
                     task.programs.front().seconds, rank, static_cast<int>(task.programs.size())});
    seconds.push_back(program.seconds);
  }
  unit_ = columnUnit(seconds);
  endResetModel();
}

std::int64_t RecombinationModel::taskOf(int row) const {
  return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].task : 0;
}

std::int64_t RecombinationModel::recordOf(int row) const {
  return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].record : 0;
}

int RecombinationModel::rowOf(std::int64_t task) const {
  const auto row = std::ranges::find(rows_, task, &Row::task);
  return row == rows_.end() ? -1 : static_cast<int>(row - rows_.begin());
}

int RecombinationModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RecombinationModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant RecombinationModel::display(const Row& row, int column) const {
  switch (column) {
  case Task:
    return row.name;
  case Candidate:
    return row.rank == 0 ? tr("best") : tr("%1 of %2").arg(row.rank + 1).arg(row.candidates);
  case Alone:
    return timeIn(row.seconds, unit_);
  case ToBest:
    if (row.rank == 0) return noValue();
    return QStringLiteral("%1%2").arg(row.seconds >= row.bestSeconds ? QStringLiteral("+")
                                                                     : QString(),
                                      percentText(row.seconds / row.bestSeconds - 1));
  case Weight:
    return QString::number(row.weight);
  case Record:
    return QString::number(row.record);
  }
  return {};
}

QVariant RecombinationModel::sortKey(const Row& row, int column) const {
  switch (column) {
  case Candidate:
    return row.rank;
  case Alone:
    return row.seconds;
  case ToBest:
    return row.seconds / row.bestSeconds;
  case Weight:
    return row.weight;
  case Record:
    return static_cast<qlonglong>(row.record);
  }
  return row.name;
}

QString RecombinationModel::toolTip(const Row& row, int column) const {
  if (column == Task) return row.name;
  if (column == Candidate && row.rank > 0)
    return tr("This combination runs the task with its program of rank %1, counted by the time "
              "that it took alone.")
        .arg(row.rank + 1);
  if (column == Alone) return timeText(row.seconds);
  if (column == ToBest && row.rank > 0)
    return tr("%1 alone, where the task's best takes %2.")
        .arg(timeText(row.seconds), timeText(row.bestSeconds));
  return {};
}

QVariant RecombinationModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
  case Qt::DisplayRole:
    return display(row, index.column());
  case Qt::ToolTipRole:
    return toolTip(row, index.column());
  case Qt::TextAlignmentRole:
    return int((index.column() <= Candidate ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  case Qt::FontRole:
    if (index.column() == Candidate && row.rank > 0) {
      QFont font;
      font.setBold(true);
      return font;
    }
    return {};
  case SortRole:
    return sortKey(row, index.column());
  case TaskRole:
    return static_cast<qlonglong>(row.task);
  case RankRole:
    if (const TaskEntry* entry = document_.session().task(row.task)) return entry->rank;
    return -1;
  }
  return {};
}

QVariant RecombinationModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QString names[] = {tr("Task"),    tr("Candidate"), tr("Alone, %1").arg(unitSymbol(unit_)),
                           tr("To best"), tr("Weight"),    tr("Record")};
  const QString tips[] = {
      tr("A part of the network that is tuned by itself."),
      tr("Which of the task's fastest programs the combination runs: its best, or one of lower "
         "rank."),
      tr("Time of that program by itself, as it was measured in tuning. Lower is better."),
      tr("How much longer that program takes alone than the task's best. It can still be the "
         "better "
         "one next to the programs around it: they share caches and memory."),
      tr("How often the task runs in one pass through the network."),
      tr("Number of the program's record.")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  if (role == Qt::TextAlignmentRole)
    return int((section <= Candidate ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

} // namespace nestwright::ui
