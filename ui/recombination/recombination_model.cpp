#include "ui/recombination/recombination_model.h"

#include "ui/document/document.h"
#include "ui/kit/text.h"
#include "ui/recombination/recombination_control.h"

#include <QFont>

namespace nestwright::ui {

RecombinationModel::RecombinationModel(Document& document, const RecombinationControl& control,
                                       QObject* parent)
    : TableModel(parent), document_(document), control_(control) {
  setColumns(columns());
}

void RecombinationModel::show(int sample) {
  beginResetModel();
  rows_.clear();
  const auto& samples = control_.recombination().samples;
  sample_ = sample >= 0 && sample < static_cast<int>(samples.size()) ? sample : -1;
  std::vector<double> seconds;
  for (std::size_t i = 0; sample_ >= 0 && i < control_.recombination().state.candidates.size();
       ++i) {
    const TaskCandidates& task = control_.recombination().state.candidates[i];
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
  return firstRow([task](const Row& row) { return row.task == task; });
}

RecombinationModel::Columns RecombinationModel::columns() const {
  return {
      {.title = tr("Task"),
       .tip = tr("A part of the network that is tuned by itself."),
       .text = [](const Row& row) { return row.name; },
       .toolTip = [](const Row& row) { return row.name; }},
      {.title = tr("Candidate"),
       .tip = tr("Which of the task's fastest programs the combination runs: its best, or one of "
                 "lower rank."),
       .text =
           [](const Row& row) {
             return row.rank == 0 ? tr("best")
                                  : tr("%1 of %2").arg(row.rank + 1).arg(row.candidates);
           },
       .sort = [](const Row& row) { return row.rank; },
       .toolTip =
           [](const Row& row) {
             return row.rank == 0 ? QString()
                                  : tr("This combination runs the task with its program of rank "
                                       "%1, counted by the time that it took alone.")
                                        .arg(row.rank + 1);
           },
       .other =
           [](const Row& row, int role) {
             if (role != Qt::FontRole || row.rank == 0) return QVariant();
             QFont font;
             font.setBold(true);
             return QVariant(font);
           }},
      {.title = [this] { return tr("Alone, %1").arg(unitSymbol(unit_)); },
       .tip = tr("Time of that program by itself, as it was measured in tuning. Lower is better."),
       .text = [this](const Row& row) { return timeIn(row.seconds, unit_); },
       .align = kRight,
       .sort = [](const Row& row) { return row.seconds; },
       .toolTip = [](const Row& row) { return timeText(row.seconds); }},
      {.title = tr("To best"),
       .tip = tr("How much longer that program takes alone than the task's best. It can still be "
                 "the better one next to the programs around it: they share caches and memory."),
       .text =
           [](const Row& row) {
             if (row.rank == 0) return noValue();
             const bool slower = row.seconds >= row.bestSeconds;
             return QStringLiteral("%1%2").arg(slower ? QStringLiteral("+") : QString(),
                                               percentText(row.seconds / row.bestSeconds - 1));
           },
       .align = kRight,
       .sort = [](const Row& row) { return row.seconds / row.bestSeconds; },
       .toolTip =
           [](const Row& row) {
             return row.rank == 0 ? QString()
                                  : tr("%1 alone, where the task's best takes %2.")
                                        .arg(timeText(row.seconds), timeText(row.bestSeconds));
           }},
      {.title = tr("Weight"),
       .tip = tr("How often the task runs in one pass through the network."),
       .text = [](const Row& row) { return QString::number(row.weight); },
       .align = kRight,
       .sort = [](const Row& row) { return row.weight; }},
      {.title = tr("Record"),
       .tip = tr("Number of the program's record."),
       .text = [](const Row& row) { return QString::number(row.record); },
       .align = kRight,
       .sort = [](const Row& row) { return qint64(row.record); }}};
}

QVariant RecombinationModel::rowData(const Row& row, int role) const {
  if (role == TaskRole) return qint64(row.task);
  if (role != RankRole) return {};
  const TaskEntry* entry = document_.session().task(row.task);
  return entry ? entry->rank : -1;
}

} // namespace nestwright::ui

#include "moc_recombination_model.cpp"
