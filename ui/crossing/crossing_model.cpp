#include "ui/crossing/crossing_model.h"

#include "ui/crossing/crossing_control.h"
#include "ui/document/program_drag.h"
#include "ui/document/words/program_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

QString mark(CrossStanding standing) {
  return standing == CrossStanding::Best        ? QStringLiteral("★ ")
         : standing == CrossStanding::Contested ? QStringLiteral("? ")
                                                : QString();
}

QString latencyText(double seconds) {
  return std::isfinite(seconds) ? timeText(seconds) : ChildModel::tr("failed");
}

} // namespace

// --- parents

ParentModel::ParentModel(CrossingControl& control, QObject* parent)
    : TableModel(parent), control_(control) {
  setColumns(columns());
  connect(&control, &CrossingControl::changed, this, [this] {
    if (std::ranges::equal(control_.parents(), rows_, {}, &CrossingParent::record,
                           &CrossingParent::record))
      rows_ = control_.parents(); // what is selected stays so
    else
      setRows(control_.parents());
  });
}

ParentModel::Columns ParentModel::columns() const {
  return {{.title = tr("Parent"),
           .tip = tr("The name of a parent in the table of crosses."),
           .text =
               [this](const CrossingParent& parent) {
                 return QStringLiteral("P%1").arg(numberOf(parent) + 1);
               }},
          {.title = tr("Latency"),
           .tip = tr("Time of the program, as it was measured. Lower is better."),
           .text = [](const CrossingParent& parent) { return latencyText(parent.seconds); },
           .align = kRight},
          {.title = tr("Record"),
           .tip = tr("Number of the record whose program it is."),
           .text = [](const CrossingParent& parent) { return QString::number(parent.record); },
           .align = kRight}};
}

QVariant ParentModel::rowData(const CrossingParent& parent, int role) const {
  if (role != Qt::ToolTipRole) return {};
  return tr("Record %1, program %2").arg(parent.record).arg(shortName(parent.program));
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
    : TableModel(parent), control_(control) {
  setColumns(columns());
  connect(&control, &CrossingControl::crossed, this, &ChildModel::rebuild);
  connect(&control, &CrossingControl::changed, this, [this] { tellChanged(Outcome, Measured); });
}

void ChildModel::setShown(Show show) {
  show_ = show;
  rebuild();
}

void ChildModel::rebuild() {
  std::vector<int> rows;
  for (int i = 0; i < static_cast<int>(control_.children().size()); ++i)
    if (wanted(i)) rows.push_back(i);
  setRows(std::move(rows));
}

bool ChildModel::wanted(int child) const {
  const CrossChild& one = at(child);
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

int ChildModel::rowOf(int child) const {
  return firstRow([child](int row) { return row == child; });
}

const CrossChild& ChildModel::at(int child) const {
  return control_.children()[static_cast<std::size_t>(child)];
}

QString ChildModel::outcomeText(int child) const {
  const CrossChild& one = at(child);
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
    return tr("A tie: measured again in turns with the best, it was not significantly faster. All "
              "its repeats together: %1.")
        .arg(latencyText(measured->seconds));
  case CrossStanding::Slower:
    return std::isfinite(measured->seconds) ? tr("Not faster than the best.")
                                            : tr("It could not be measured; the record says why.");
  }
  return {};
}

ChildModel::Columns ChildModel::columns() const {
  constexpr double kLast = std::numeric_limits<double>::max();
  return {
      {.title = tr("Cross"),
       .tip = tr("Number of the draw."),
       .text = [](int child) { return QString::number(child + 1); },
       .align = kRight,
       .sort = [](int child) { return child; }},
      {.title = tr("Parents"),
       .tip = tr("The two parents, in the order in which they were drawn: A × B."),
       .text =
           [this](int child) {
             const auto& [a, b] = at(child).parents;
             return QStringLiteral("P%1 × P%2").arg(a + 1).arg(b + 1);
           },
       .sort = [this](int child) { return at(child).parents[0] * 10'000 + at(child).parents[1]; }},
      {.title = tr("Steps"),
       .tip = tr("Which parent each of the child's steps came from: A or B, in the order of the "
                 "steps."),
       .sort = [this](int child) { return int(std::ranges::count(at(child).origins, 0)); },
       .bare =
           [this](int child) {
             QString letters;
             for (const int origin : at(child).origins)
               letters += QLatin1Char(origin == 0 ? 'A' : 'B');
             return letters;
           },
       .other =
           [this](int child, int role) {
             const auto& origins = at(child).origins;
             return role == OriginsRole
                        ? QVariant::fromValue(QList<int>(origins.begin(), origins.end()))
                        : QVariant();
           }},
      {.title = tr("Outcome"),
       .tip = tr("Whether the mixture is a legal program; why not; or of what it is a duplicate."),
       .text = [this](int child) { return outcomeText(child); },
       .toolTip = [this](int child) { return outcomeText(child); }},
      {.title = tr("Predicted"),
       .tip = tr("The cost model's score; higher is better, comparable within the task."),
       .text =
           [this](int child) {
             const auto& score = at(child).score;
             return score && std::isfinite(*score) ? QString::number(*score, 'f', 3) : noValue();
           },
       .align = kRight,
       .sort = [this](int child) { return at(child).score.value_or(-kLast); }},
      {.title = tr("Measured"),
       .tip = tr("Latency, once it was measured. Lower is better. ★ became the best; ≈ cannot be "
                 "told from the best; ? is still to be measured again."),
       .text =
           [this](int child) {
             if (control_.isWaiting(child)) return tr("waiting …");
             const std::optional<MeasuredCross> measured = control_.measured(child);
             if (!measured) return noValue();
             // Its own time may be of a slower moment than that of the best beside it.
             if (measured->standing == CrossStanding::Tie) return tr("≈ the best");
             return mark(measured->standing) + latencyText(measured->seconds);
           },
       .align = kRight,
       .sort =
           [this](int child) {
             const std::optional<MeasuredCross> measured = control_.measured(child);
             return measured ? measured->seconds : kLast;
           },
       .toolTip = [this](int child) { return standingText(child); }}};
}

QVariant ChildModel::rowData(const int& child, int role) const {
  if (role == ItemRole) return child;
  if (role == Qt::ForegroundRole && at(child).outcome != CrossOutcome::Legal) return colours().dim;
  return {};
}

} // namespace nestwright::ui

#include "moc_crossing_model.cpp"
