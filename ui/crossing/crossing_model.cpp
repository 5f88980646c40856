#include "ui/crossing/crossing_model.h"

#include "ui/crossing/crossing_control.h"
#include "ui/document/program_drag.h"
#include "ui/kit/exportable.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

QString mark(CrossStanding standing) {
  return standing == CrossStanding::Best        ? QStringLiteral("★ ")
         : standing == CrossStanding::Tie       ? QStringLiteral("≈ ")
         : standing == CrossStanding::Contested ? QStringLiteral("? ")
                                                : QString();
}

QString latencyText(double seconds) {
  return std::isfinite(seconds) ? timeText(seconds) : ChildModel::tr("failed");
}

int aligned(bool right) {
  return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace

// --- parents

ParentModel::ParentModel(CrossingControl& control, QObject* parent)
    : QAbstractTableModel(parent), control_(control) {
  connect(&control, &CrossingControl::changed, this, [this] {
    std::vector<std::int64_t> records;
    for (const CrossingParent& parent : control_.parents())
      records.push_back(parent.record);
    if (records == records_) return; // what is selected stays so
    beginResetModel();
    records_ = std::move(records);
    endResetModel();
  });
}

int ParentModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(records_.size());
}

int ParentModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ParentModel::data(const QModelIndex& index, int role) const {
  const int parents = static_cast<int>(control_.parents().size());
  if (!index.isValid() || index.row() >= std::min(rowCount(), parents)) return {};
  const CrossingParent& parent = control_.parents()[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return aligned(index.column() != Name);
  if (role == Qt::ToolTipRole)
    return tr("Record %1, program %2").arg(parent.record).arg(qs(parent.program).left(8));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
  case Name:
    return QStringLiteral("P%1").arg(index.row() + 1);
  case Record:
    return QString::number(parent.record);
  case Latency:
    return latencyText(parent.seconds);
  }
  return {};
}

QVariant ParentModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Parent"), tr("Latency"), tr("Record")};
  const QString tips[] = {tr("The name of a parent in the table of crosses."),
                          tr("Time of the program, as it was measured. Lower is better."),
                          tr("Number of the record whose program it is.")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  if (role == Qt::TextAlignmentRole) return aligned(section != Name);
  return {};
}

Qt::ItemFlags ParentModel::flags(const QModelIndex& index) const {
  return QAbstractTableModel::flags(index) | Qt::ItemIsDropEnabled;
}

QStringList ParentModel::mimeTypes() const {
  return {programMimeType()};
}

bool ParentModel::dropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                               const QModelIndex&) {
  return control_.add(programsFrom(data));
}

// --- children

ChildModel::ChildModel(const CrossingControl& control, QObject* parent)
    : QAbstractTableModel(parent), control_(control) {
  connect(&control, &CrossingControl::crossed, this, &ChildModel::rebuild);
  connect(&control, &CrossingControl::changed, this, [this] {
    if (rowCount() > 0)
      Q_EMIT dataChanged(index(0, Outcome), index(rowCount() - 1, ColumnCount - 1));
  });
}

void ChildModel::setShown(Show show) {
  show_ = show;
  rebuild();
}

void ChildModel::rebuild() {
  beginResetModel();
  rows_.clear();
  for (int i = 0; i < static_cast<int>(control_.children().size()); ++i)
    if (wanted(i)) rows_.push_back(i);
  endResetModel();
}

bool ChildModel::wanted(int child) const {
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  switch (show_) {
  case Show::All:
    return true;
  case Show::Legal:
    return one.outcome == CrossOutcome::Legal;
  case Show::Better:
    return one.predictedBetter;
  case Show::Illegal:
    return one.outcome == CrossOutcome::Illegal;
  case Show::Duplicate:
    return one.outcome == CrossOutcome::Duplicate;
  }
  return true;
}

int ChildModel::childAt(int row) const {
  return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)] : -1;
}

int ChildModel::rowOf(int child) const {
  const auto row = std::ranges::find(rows_, child);
  return row == rows_.end() ? -1 : static_cast<int>(row - rows_.begin());
}

int ChildModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ChildModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString ChildModel::outcomeText(int child) const {
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  if (one.outcome != CrossOutcome::Legal)
    return QStringLiteral("%1: %2").arg(qs(nestwright::name(one.outcome)), qs(one.reason));
  return one.predictedBetter ? tr("legal, predicted better") : tr("legal");
}

/// Never by the mark alone: the tool-tip says it in words.
QString ChildModel::standingText(int child) const {
  if (control_.isWaiting(child)) return tr("Waits for the session to measure it.");
  const std::optional<MeasuredCross> measured = control_.measured(child);
  if (!measured) return {};
  switch (measured->standing) {
  case CrossStanding::Best:
    return tr("It became the task's best.");
  case CrossStanding::Contested:
    return tr("Faster than the best so far, but within noise: both are measured again in turns "
              "before it may be called the best.");
  case CrossStanding::Tie:
    return tr("A tie: measured again in turns with the best, it was not significantly faster.");
  case CrossStanding::Slower:
    return std::isfinite(measured->seconds) ? tr("Not faster than the best.")
                                            : tr("It could not be measured; the record says why.");
  }
  return {};
}

QVariant ChildModel::display(int child, int column) const {
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  switch (column) {
  case Number:
    return QString::number(child + 1);
  case Parents:
    return QStringLiteral("P%1 × P%2").arg(one.parents[0] + 1).arg(one.parents[1] + 1);
  case Outcome:
    return outcomeText(child);
  case Predicted:
    return one.score && std::isfinite(*one.score) ? QString::number(*one.score, 'f', 3) : noValue();
  case Measured:
    if (control_.isWaiting(child)) return tr("waiting …");
    if (const std::optional<MeasuredCross> measured = control_.measured(child))
      return mark(measured->standing) + latencyText(measured->seconds);
    return noValue();
  }
  return {};
}

QVariant ChildModel::sortKey(int child, int column) const {
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  constexpr double kLast = std::numeric_limits<double>::max();
  switch (column) {
  case Parents:
    return one.parents[0] * 10'000 + one.parents[1];
  case Strip:
    return static_cast<int>(std::ranges::count(one.origins, 0));
  case Outcome:
    return outcomeText(child);
  case Predicted:
    return one.score.value_or(-kLast);
  case Measured: {
    const std::optional<MeasuredCross> measured = control_.measured(child);
    return measured ? measured->seconds : kLast;
  }
  default:
    return child;
  }
}

QVariant ChildModel::data(const QModelIndex& index, int role) const {
  const int child = index.isValid() ? childAt(index.row()) : -1;
  if (child < 0) return {};
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  switch (role) {
  case Qt::DisplayRole:
    return display(child, index.column());
  case Qt::ToolTipRole:
    return index.column() == Outcome    ? outcomeText(child)
           : index.column() == Measured ? standingText(child)
                                        : QVariant();
  case Qt::TextAlignmentRole:
    return aligned(index.column() == Number || index.column() >= Predicted);
  case Qt::ForegroundRole:
    return one.outcome == CrossOutcome::Legal ? QVariant() : QVariant(colours().dim);
  case kExportRole:
    if (index.column() == Strip) {
      QString letters;
      for (const int origin : one.origins)
        letters += QLatin1Char(origin == 0 ? 'A' : 'B');
      return letters;
    }
    return {};
  case SortRole:
    return sortKey(child, index.column());
  case ChildRole:
    return child;
  case StripRole:
    return QVariant::fromValue(QList<int>(one.origins.begin(), one.origins.end()));
  }
  return {};
}

QVariant ChildModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Cross"),   tr("Parents"),   tr("Steps"),
                           tr("Outcome"), tr("Predicted"), tr("Measured")};
  const QString tips[] = {
      tr("Number of the draw."),
      tr("The two parents, in the order in which they were drawn: A × B."),
      tr("Which parent each of the child's steps came from: A or B, in the order of the steps."),
      tr("Whether the mixture is a legal program; why not; or of what it is a duplicate."),
      tr("The cost model's score; higher is better, comparable within the task."),
      tr("Latency, once it was measured. Lower is better. ★ became the best; ≈ cannot be told "
         "from the best; ? is still to be measured again.")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  if (role == Qt::TextAlignmentRole) return aligned(section == Number || section >= Predicted);
  return {};
}

} // namespace nestwright::ui
