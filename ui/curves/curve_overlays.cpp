#include "ui/curves/curve_overlays.h"

#include "core/session/insight/compare_sessions.h"
#include "core/story/read_story.h"
#include "ui/charts/curve_axes.h"
#include "ui/document/document.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// By how much a session is faster or slower than the one in view, and whether that is noise.
QString verdictText(const LatencyComparison& total) {
  switch (total.verdict) {
  case LatencyVerdict::RightFaster:
    return tr(" · ▲ %1 faster").arg(factorText(total.ratio));
  case LatencyVerdict::LeftFaster:
    return tr(" · ▼ %1 slower").arg(factorText(1 / total.ratio));
  case LatencyVerdict::NotSignificant:
    return tr(" · ≈ within noise");
  case LatencyVerdict::Unknown:
    break;
  }
  return {};
}

Curve joined(const TotalCurve& total) {
  return total.complete.empty() ? total.incomplete : total.complete;
}

} // namespace

OtherSession readOtherSession(const RecordStore& store, RowId session, RowId inView) {
  OtherSession other;
  other.session = session;
  const SessionContents contents = readContents(store, session);
  other.title = qs(contents.session.title);
  if (session != inView) other.total = compareSessions({&store, inView}, {&store, session}).total;
  other.history = readHistory(store, contents, KeepTrials::No);
  return other;
}

CurveOverlays::CurveOverlays(QCustomPlot& plot, PlotLabels& labels, Document& document)
    : plot_(plot), labels_(labels), document_(document) {}

void CurveOverlays::clear() {
  for (const Line& line : lines_) {
    plot_.removeGraph(line.graph);
    labels_.remove(line.label);
    plot_.removeItem(line.label);
  }
  for (const Reference& reference : references_) {
    plot_.removeItem(reference.line);
    labels_.remove(reference.label);
    plot_.removeItem(reference.label);
  }
  lines_.clear();
  references_.clear();
}

void CurveOverlays::addLine(const Curve& curve, const QString& name, const QColor& colour,
                            Qt::PenStyle style, const CurveOptions& options,
                            const QString& verdict) {
  if (curve.empty()) return;
  auto* graph = plot_.addGraph();
  graph->setLineStyle(QCPGraph::lsStepLeft);
  graph->setPen(QPen(colour, 1.8, style));
  graph->setData(plotted(curve.x), plotted(curve.y), true);
  auto* label = new QCPItemText(&plot_);
  label->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
  label->setPadding(QMargins(0, 2, 2, 0));
  label->setFont(smallFont());
  label->setColor(colour);
  labels_.place(label, curve.x.back(), curve.y.back());
  label->setText(QStringLiteral("%1  %2%3").arg(name, yText(curve.y.back(), options.y), verdict));
  lines_.push_back({graph, label});
}

void CurveOverlays::addReference(double seconds, const QString& name, const CurveOptions& options) {
  const TuningHistory& history = document_.session().history();
  const double naive = history.naiveTotal();
  const double y = yValue(seconds, history.totalFlops(), std::isfinite(naive) ? naive : 0, options);
  if (!std::isfinite(y) || y <= 0) return;
  auto* line = new QCPItemStraightLine(&plot_);
  line->setPen(QPen(colours().waiting, 1.2, Qt::DashDotLine));
  line->point1->setCoords(0, y);
  line->point2->setCoords(1, y);
  auto* label = new QCPItemText(&plot_);
  label->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
  label->setPadding(QMargins(4, 0, 0, 2));
  label->setFont(smallFont());
  label->setColor(colours().waiting);
  label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  labels_.place(label, 0, y);
  label->setText(QStringLiteral("%1  %2").arg(name, yText(y, options.y)));
  references_.push_back({line, label, y});
}

void CurveOverlays::refresh(const CurveOptions& options) {
  clear();
  if (document_.state() != DocumentState::Ready) return;
  const auto& networks = document_.session().contents().networks;
  const Colours& c = colours();
  if (networks.size() > 1)
    for (std::size_t i = 0; i < networks.size(); ++i)
      addLine(joined(networkCurve(document_.session().history(), networks[i], options)),
              qs(networks[i].name), c.series[(i + 2) % c.series.size()], Qt::DashDotLine, options);
  for (std::size_t i = 0; i < others_.size(); ++i)
    if (others_[i].session != document_.session().row().id)
      addLine(joined(totalCurve(others_[i].history, options)),
              tr("session %1: %2").arg(others_[i].session).arg(others_[i].title),
              c.series[i % c.series.size()], Qt::DashLine, options, verdictText(others_[i].total));
  if (!options.showReferences) return;
  if (userSeconds_ > 0) addReference(userSeconds_, tr("your value"), options);
  const Objective& objective = document_.session().config().objective;
  if (objective.kind != ObjectiveKind::LatencyRequirement) return;
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (const double required = objective.secondsOf(i); required > 0)
      addReference(required, tr("required of %1").arg(qs(networks[i].name)), options);
}

std::vector<double> CurveOverlays::values() const {
  std::vector<double> values;
  for (const Line& line : lines_)
    for (const QCPGraphData& point : *line.graph->data())
      values.push_back(point.value);
  for (const Reference& reference : references_)
    values.push_back(reference.y);
  return values;
}

QStringList CurveOverlays::names() const {
  QStringList names;
  for (const Line& line : lines_)
    names.append(line.label->text());
  return names;
}

double CurveOverlays::lastX() const {
  double last = 0;
  for (const Line& line : lines_)
    if (!line.graph->data()->isEmpty())
      last = std::max(last, (line.graph->data()->constEnd() - 1)->key);
  return last;
}

} // namespace nestwright::ui
