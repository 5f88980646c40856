#include "ui/cost_model/surprise_model.h"

#include "ui/kit/format.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

SurpriseModel::SurpriseModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

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
  if (std::ranges::equal(rows, rows_, same)) return;
  largest_ = rows.empty() ? 0 : std::abs(rows.front().surprise());
  setRows(std::move(rows));
}

int SurpriseModel::rowOf(RowId record) const {
  return firstRow([record](const PredictedProgram& program) { return program.record == record; });
}

SurpriseModel::Columns SurpriseModel::columns() const {
  using Row = PredictedProgram;
  /// A column of numbers; `bare` is what it is sorted by, too.
  const auto number = [](const QString& title, const QString& tip, auto text, auto bare) {
    return TableColumn<Row>{
        .title = title, .tip = tip, .text = text, .align = kRight, .sort = bare, .bare = bare};
  };
  const auto decimals = [](double value) { return QString::number(value, 'f', 3); };
  TableColumn<Row> surprise = number(
      tr("Surprise"),
      tr("Measured minus predicted: ▲ faster, ▼ slower than expected. The largest are listed."),
      [decimals](const Row& row) {
        const bool faster = row.surprise() > 0;
        return QStringLiteral("%1 %2%3").arg(faster ? QStringLiteral("▲") : QStringLiteral("▼"),
                                             faster ? QStringLiteral("+") : QStringLiteral("−"),
                                             decimals(std::abs(row.surprise())));
      },
      [](const Row& row) { return row.surprise(); });
  // By size: too fast and too slow surprise alike.
  surprise.sort = [](const Row& row) { return std::abs(row.surprise()); };
  surprise.fraction = [this](const Row& row) {
    return largest_ > 0 ? QVariant(std::abs(row.surprise()) / largest_) : QVariant();
  };
  return {number(
              tr("Trial"),
              tr("Number of the measurement in the session. Click a row to select the program."),
              [](const Row& row) { return countText(row.trial); },
              [](const Row& row) { return qint64(row.trial); }),
          surprise,
          number(
              tr("Predicted"),
              tr("Share of the fastest program's throughput that the cost model expected before it "
                 "was measured."),
              [decimals](const Row& row) { return decimals(row.expected()); },
              [](const Row& row) { return row.expected(); }),
          number(
              tr("Measured"),
              tr("Measured share of the throughput of the fastest program that was known when the "
                 "round began; above 1 it became the fastest."),
              [decimals](const Row& row) { return decimals(row.share); },
              [](const Row& row) { return row.share; }),
          number(
              tr("Latency"), tr("Measured time of one execution; lower is better."),
              [](const Row& row) { return timeText(row.seconds); },
              [](const Row& row) { return row.seconds * 1e3; }),
          number(
              tr("Round"), tr("Round of the session in which it was measured."),
              [](const Row& row) { return countText(row.round); },
              [](const Row& row) { return row.round; }),
          {.title = tr("Task"),
           .tip = tr("The task whose program it is."),
           .text = [this](const Row& row) { return taskName_ ? taskName_(row.task) : QString(); }}};
}

QVariant SurpriseModel::rowData(const PredictedProgram& program, int role) const {
  if (role == RecordRole) return qint64(program.record);
  if (role != Qt::ToolTipRole) return {};
  const QString tip =
      program.surprise() > 0
          ? tr("Faster than the model expected: %1 instead of %2 of the fastest program's "
               "throughput. What it does well is something the model has not learned yet.")
          : tr("Slower than the model expected: %1 instead of %2 of the fastest program's "
               "throughput. The page Explanation shows which features misled the model.");
  return tip.arg(program.share, 0, 'f', 3).arg(program.expected(), 0, 'f', 3);
}

} // namespace nestwright::ui

#include "moc_surprise_model.cpp"
