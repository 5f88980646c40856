#include "ui/inspector/plan_model.h"

#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {
namespace {

QString scoreText(const std::optional<double>& score) {
  return score && std::isfinite(*score)
             ? QString::number(*score, 'g', 4).replace(QLatin1Char('-'), QStringLiteral("−"))
             : noValue();
}

QVariant bareOf(const std::optional<double>& score) {
  return score && std::isfinite(*score) ? QVariant(*score) : QVariant();
}

QString predictedText(const std::optional<KnobTrial>& trial) {
  if (!trial || !trial->predicted) return noValue();
  const QString score = QString::number(*trial->predicted, 'f', 3);
  return trial->deviation ? QStringLiteral("%1 ± %2").arg(score).arg(*trial->deviation, 0, 'f', 3)
                          : score;
}

QString measuredText(const std::optional<KnobTrial>& trial) {
  if (!trial) return noValue();
  return std::isfinite(trial->seconds) ? timeText(trial->seconds) : tr("failed");
}

} // namespace

QString reasonInWords(PickReason reason) {
  switch (reason) {
  case PickReason::BestPredicted:
    return tr("best predicted");
  case PickReason::Diversity:
    return tr("by diversity");
  case PickReason::EpsilonGreedy:
  case PickReason::Random:
    return tr("at random");
  case PickReason::None:
  case PickReason::CrossingLab:
  case PickReason::Drafted:
    break;
  }
  return qs(name(reason));
}

PlanModel::PlanModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void PlanModel::show(std::vector<PlannedLine> lines, const QString& energy) {
  energy_ = energy;
  std::vector<PlanRow> rows;
  for (PlannedLine& line : lines)
    rows.push_back({static_cast<int>(rows.size()) + 1, std::move(line)});
  setRows(std::move(rows));
  Q_EMIT headerDataChanged(Qt::Horizontal, Energy, Energy);
}

int PlanModel::rowOf(RowId record) const {
  return firstRow(
      [record](const PlanRow& row) { return row.line.trial && row.line.trial->record == record; });
}

PlanModel::Columns PlanModel::columns() const {
  using Row = PlanRow;
  return {
      {.title = tr("#"),
       .tip = tr("Order of measuring."),
       .text = [](const Row& row) { return QString::number(row.number); },
       .align = kRight,
       .sort = [](const Row& row) { return row.number; }},
      {.title = tr("Picked as"),
       .tip = tr("Best predicted: for its own energy. By diversity: for values of knobs that the "
                 "others do not have. At random: to show the cost model what it does not know."),
       .text = [](const Row& row) { return reasonInWords(row.line.pick.reason); }},
      {.title = HeaderText([this] { return energy_; }),
       .tip = tr("What the annealing maximised; higher is better. One that was drawn at random was "
                 "not asked for."),
       .text = [](const Row& row) { return scoreText(row.line.pick.energy); },
       .align = kRight,
       .sort = [](const Row& row) { return bareOf(row.line.pick.energy); },
       .bare = [](const Row& row) { return bareOf(row.line.pick.energy); },
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("Predicted"),
       .tip = tr("Share of the fastest program's throughput that the cost model expected when it "
                 "was about to be measured, with one standard deviation where it knows it."),
       .text = [](const Row& row) { return predictedText(row.line.trial); },
       .align = kRight,
       .sort =
           [](const Row& row) {
             return row.line.trial ? bareOf(row.line.trial->predicted) : QVariant();
           }},
      {.title = tr("Measured"),
       .tip = tr("Measured time of one execution; lower is better. A dash: not measured yet."),
       .text = [](const Row& row) { return measuredText(row.line.trial); },
       .align = kRight,
       .sort =
           [](const Row& row) {
             return row.line.trial ? QVariant(row.line.trial->seconds) : QVariant();
           },
       .bare =
           [](const Row& row) {
             return row.line.trial && std::isfinite(row.line.trial->seconds)
                        ? QVariant(row.line.trial->seconds * 1e3)
                        : QVariant(measuredText(row.line.trial));
           },
       .bareTitle = tr("measured (ms)")},
      {.title = tr("Trial"),
       .tip = tr("Number of its measurement in the session. Click a row to select the program."),
       .text =
           [](const Row& row) {
             return row.line.trial ? countText(row.line.trial->trial) : noValue();
           },
       .align = kRight,
       .sort =
           [](const Row& row) {
             return row.line.trial ? QVariant(qint64(row.line.trial->trial)) : QVariant();
           }},
      {.title = tr("Configuration"),
       .tip = tr("The value of each knob."),
       .text = [](const Row& row) { return qs(row.line.words); }}};
}

QVariant PlanModel::rowData(const PlanRow& row, int role) const {
  if (role == RecordRole)
    return row.line.trial ? QVariant(qint64(row.line.trial->record)) : QVariant();
  if (role == Qt::ToolTipRole) return qs(row.line.words).replace(QStringLiteral("], "), "],\n");
  return {};
}

} // namespace nestwright::ui

#include "moc_plan_model.cpp"
