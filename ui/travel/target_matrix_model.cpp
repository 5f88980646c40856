#include "ui/travel/target_matrix_model.h"

#include "ui/kit/colour_map.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"

#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

QString pooledTip(const PooledPair& pair, std::size_t least) {
  const BoundedFigure& tau = pair.rankCorrelation;
  QString tip = TargetMatrixModel::tr("%1 of %2 ran on both.")
                    .arg(programsText(pair.shared), tasksText(pair.tasks));
  if (std::isfinite(tau.bounds.low))
    tip += TargetMatrixModel::tr("\n95 % interval over tasks: %1 to %2")
               .arg(figureText(tau.bounds.low), figureText(tau.bounds.high));
  if (pair.failedOnOne > 0)
    tip += TargetMatrixModel::tr("\n%1 ran on one of the two and failed on the other.")
               .arg(countText(pair.failedOnOne));
  if (pair.tooFew > 0)
    tip += TargetMatrixModel::tr("\nLeft out, since fewer than %1 are shared: %2.")
               .arg(programsText(least), tasksText(pair.tooFew));
  return tip;
}

QString taskTip(const TargetPair& pair) {
  QString tip = TargetMatrixModel::tr("%1 ran on both.").arg(programsText(pair.shared));
  if (pair.failedOnOne > 0)
    tip += TargetMatrixModel::tr("\n%1 ran on one of the two and failed on the other.")
               .arg(countText(pair.failedOnOne));
  return tip;
}

} // namespace

void TargetMatrixModel::show(const TravelAnswer& answer, std::optional<std::size_t> task) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  beginResetModel();
  targets_.clear();
  for (const DataTarget& target : answer.times->targets)
    targets_.push_back(qs(target.id));
  cells_.assign(targets_.size() * targets_.size(),
                {kNone, tr("These two targets share no program.")});
  const auto set = [&](std::size_t a, std::size_t b, double tau, const QString& tip) {
    for (const std::size_t place : {a * targets_.size() + b, b * targets_.size() + a})
      cells_[place] = {tau, tip};
  };
  if (task && *task < answer.map.tasks.size()) {
    for (const TargetPair& pair : answer.map.tasks[*task].pairs)
      set(pair.a, pair.b, pair.rankCorrelation.value_or(kNone), taskTip(pair));
  } else {
    for (const PooledPair& pair : answer.map.pairs)
      set(pair.a, pair.b, pair.rankCorrelation.value,
          pooledTip(pair, answer.map.settings.leastShared));
  }
  for (std::size_t i = 0; i < targets_.size(); ++i)
    set(i, i, 1, tr("A target orders its programs as itself."));
  endResetModel();
}

ExportTable TargetMatrixModel::exportTable() const {
  std::vector<QStringList> rows;
  for (int a = 0; a < rowCount(); ++a)
    for (int b = a + 1; b < rowCount(); ++b)
      rows.push_back({targets_[static_cast<std::size_t>(a)], targets_[static_cast<std::size_t>(b)],
                      data(index(a, b), ExportRole).toString(),
                      QString(cell(a, b).tip).replace(QLatin1Char('\n'), QLatin1Char(' '))});
  return tableOfRows({tr("target"), tr("other target"), tr("Kendall's tau"), tr("of what")},
                     std::move(rows));
}

int TargetMatrixModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(targets_.size());
}

const TargetMatrixModel::Cell& TargetMatrixModel::cell(int row, int column) const {
  return cells_[static_cast<std::size_t>(row) * targets_.size() + static_cast<std::size_t>(column)];
}

QVariant TargetMatrixModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Cell& of = cell(index.row(), index.column());
  const bool isKnown = std::isfinite(of.tau);
  // From no order in common (0 and below) to the same one.
  const QColor ground = isKnown ? mapColour(of.tau, colours().dark) : colours().base;
  switch (role) {
  case Qt::DisplayRole:
    return figureText(of.tau);
  case ExportRole:
    return isKnown ? QString::number(of.tau, 'g', 8) : QString();
  case Qt::BackgroundRole:
    return ground;
  case Qt::ForegroundRole:
    return isKnown ? textOn(ground) : colours().dim;
  case Qt::TextAlignmentRole:
    return int(Qt::AlignCenter);
  case Qt::ToolTipRole:
    return tr("%1 and %2\n%3")
        .arg(targets_[static_cast<std::size_t>(index.row())],
             targets_[static_cast<std::size_t>(index.column())], of.tip);
  case Qt::AccessibleTextRole:
    return tr("%1 and %2: %3")
        .arg(targets_[static_cast<std::size_t>(index.row())],
             targets_[static_cast<std::size_t>(index.column())],
             isKnown ? figureText(of.tau) : tr("no figure"));
  default:
    return {};
  }
}

QVariant TargetMatrixModel::headerData(int section, Qt::Orientation, int role) const {
  if (section < 0 || section >= rowCount()) return {};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == ExportRole)
    return targets_[static_cast<std::size_t>(section)];
  return {};
}

} // namespace nestwright::ui

#include "moc_target_matrix_model.cpp"
