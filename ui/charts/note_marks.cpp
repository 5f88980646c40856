#include "ui/charts/note_marks.h"

#include "ui/document/note_book.h"
#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <QCoreApplication>
#include <QPainterPath>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace nestwright::ui {
namespace {

const QString kLayer = QStringLiteral("notes");
constexpr double kHeight = 8.5; // of the mark's middle above its point, in pixels at 100 %

/// A stalk from the point, and what stands on it.
QPainterPath onStalk(QPainterPath mark) {
  mark.translate(0, -kHeight);
  QPainterPath path;
  path.lineTo(0, -3.5);
  path.addPath(mark);
  return path;
}

QPainterPath star() {
  constexpr double kOuter = 5.5, kInner = 2.3;
  QPolygonF star;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * (i / 5.0 - 0.5), radius = i % 2 == 0 ? kOuter : kInner;
    star.append({radius * std::cos(angle), radius * std::sin(angle)});
  }
  QPainterPath path;
  path.addPolygon(star);
  path.closeSubpath();
  return path;
}

/// A sheet with two lines of writing.
QPainterPath leaf() {
  QPainterPath path;
  path.addRect(-3.6, -4.5, 7.2, 9);
  for (const double y : {-1.6, 1.4}) {
    path.moveTo(-1.8, y);
    path.lineTo(1.8, y);
  }
  return path;
}

/// In the legend it stands without its stalk.
class MarkGraph : public QCPGraph {
 public:
  MarkGraph(QCustomPlot& plot, const QPainterPath& mark)
      : QCPGraph(plot.xAxis, plot.yAxis), mark_(mark) {}
  void restyle(const QPen& pen, const QBrush& brush, double side) {
    setScatterStyle(QCPScatterStyle(onStalk(mark_), pen, brush, side));
    inLegend_ = QCPScatterStyle(mark_, pen, brush, side);
  }

 protected:
  void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override {
    applyScattersAntialiasingHint(painter);
    inLegend_.applyTo(painter, pen());
    inLegend_.drawShape(painter, rect.center());
  }

 private:
  QPainterPath mark_;
  QCPScatterStyle inLegend_;
};

} // namespace

NoteMarks::NoteMarks(QCustomPlot& plot, bool legend) : legend_(legend) {
  plot.addLayer(kLayer, plot.layer(QStringLiteral("main")));
  const auto make = [&plot](const QPainterPath& mark, const QString& name) {
    auto* graph = new MarkGraph(plot, mark); // the plot's
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setLayer(kLayer);
    graph->setName(name);
    graph->removeFromLegend();
    return graph;
  };
  stars_ = make(star(), QCoreApplication::translate("NoteMarks", "starred"));
  leaves_ = make(leaf(), QCoreApplication::translate("NoteMarks", "with a note"));
}

void NoteMarks::restyle() {
  const Colours& c = colours();
  const double side = 6 * Theme::instance().zoom(); // a path of that side keeps its size
  const auto restyle = [&](QCPGraph* graph, const QColor& fill) {
    static_cast<MarkGraph*>(graph)->restyle(QPen(c.text, 0.9), fill, side);
  };
  restyle(stars_, c.waiting);
  restyle(leaves_, c.base);
}

void NoteMarks::clear() {
  stars_->data()->clear();
  leaves_->data()->clear();
}

void NoteMarks::add(const Note& note, double x, double y) {
  if (!note.empty()) (note.star ? stars_ : leaves_)->addData(x, y);
}

void NoteMarks::done() {
  if (!legend_) return;
  for (QCPGraph* graph : {stars_, leaves_}) {
    graph->removeFromLegend(); // to stand behind those that came meanwhile
    if (graph->dataCount() > 0) graph->addToLegend();
  }
}

const Note& noteOf(const Notes& notes, RowId record) {
  static const Note kNone;
  const auto found = notes.find({NoteAbout::Record, record});
  return found == notes.end() ? kNone : found->second;
}

QIcon noteIcon(const Note& note) {
  if (note.empty()) return {};
  // Painting one takes longer than painting the cell that it is in.
  static std::map<std::pair<const Colours*, bool>, QIcon> made;
  QIcon& icon = made[{&colours(), note.star}];
  if (icon.isNull())
    icon = Theme::instance().icon(note.star ? QStringLiteral("star") : QStringLiteral("note"));
  return icon;
}

QString noteLine(const Notes& notes, const NoteKey& key) {
  const auto found = notes.find(key);
  const QString text = found == notes.end() ? QString() : noteText(found->second);
  return text.isEmpty() ? text : QLatin1Char('\n') + text;
}

} // namespace nestwright::ui
