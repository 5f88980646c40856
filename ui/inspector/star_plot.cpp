#include "ui/inspector/star_plot.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFontMetrics>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr double kReachPixels = 11;
constexpr double kMiddle = 0.1;      // within it nothing else lies
constexpr double kRim = 1.09;        // where those stand that failed
constexpr double kNamesAt = 1.16;    // where the rays' names are
constexpr double kLeastReach = 1.05; // so that noise is no long ray
constexpr double kApart = 0.045;     // neighbours as different as each other stand side by side
constexpr double kMostNames = 0.28;  // of the width, on each side

/// Clockwise from the top.
QPointF direction(std::size_t ray, std::size_t rays) {
  const double angle = std::numbers::pi / 2 -
                       2 * std::numbers::pi * double(ray) / double(std::max<std::size_t>(1, rays));
  return {std::cos(angle), std::sin(angle)};
}

/// Differences that rings are drawn for, at most four of them.
std::vector<double> ringsWithin(double reach) {
  static constexpr double kNice[] = {1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100};
  std::vector<double> rings;
  for (const double ring : kNice)
    if (ring <= reach * 1.001 && std::log(ring) > 0.12 * std::log(reach)) rings.push_back(ring);
  while (rings.size() > 4) // every other one, the largest with them
    for (std::size_t i = rings.size() - 1; i-- > 0 && rings.size() > 4; i -= i > 0 ? 1 : 0)
      rings.erase(rings.begin() + std::ptrdiff_t(i));
  return rings;
}

/// What is told of a neighbour: "23 % faster than its parent".
QString gainInWords(const StarNeighbour& neighbour) {
  if (neighbour.failed()) return tr("It failed.");
  const QString text = percentText(std::abs(std::expm1(std::log(neighbour.factor()))));
  if (neighbour.gain == 0) return tr("As fast as its parent.");
  return neighbour.gain > 0 ? tr("▲ %1 faster than its parent.").arg(text)
                            : tr("▽ Its time is %1 longer than its parent's.").arg(text);
}

} // namespace

QString starFactor(double factor) {
  return QString::number(factor, 'f', factor < 1.095 ? 2 : 1) + QChar(0xd7);
}

StarPlot::StarPlot(QWidget* parent)
    : Chart(
          parent, tr("Decisions of a polished program and their neighbours"),
          tr("Left and right walk through the neighbours, ray by ray, clockwise. The same numbers "
             "are in the table beside it."),
          QSize(260, 200)),
      labels_(*this) {
  setUpPlot(*this);
  for (QCPAxis* axis : {xAxis, yAxis})
    axis->setVisible(false);
  axisRect()->setAutoMargins(QCP::msNone);
  axisRect()->setMargins(QMargins(0, 0, 0, 0));
  for (QCPGraph** graph : {&slower_, &faster_, &taken_, &failed_, &middle_, &ring_}) {
    *graph = addGraph();
    (*graph)->setLineStyle(QCPGraph::lsNone);
  }
  slower_->setName(tr("slower"));
  faster_->setName(tr("faster"));
  taken_->setName(tr("took its parent's place"));
  failed_->setName(tr("failed"));
  for (QCPGraph* graph : {middle_, ring_})
    graph->removeFromLegend();
  putLegendAbove(*this);
  restyle();
}

void StarPlot::restyle() {
  const Colours& c = colours();
  const double side = 8 * Theme::instance().zoom();
  Chart::restyle();
  using Style = QCPScatterStyle;
  slower_->setScatterStyle(Style(Style::ssTriangleInverted, QPen(c.series[1], 1.3),
                                 QBrush(faded(c.series[1], 40)), side));
  faster_->setScatterStyle(
      Style(Style::ssTriangle, QPen(c.series[0], 1.3), QBrush(c.series[0]), side * 1.1));
  taken_->setScatterStyle(Style(Style::ssStar, QPen(c.series[0], 2), Qt::NoBrush, side * 1.6));
  failed_->setScatterStyle(Style(Style::ssCross, QPen(c.failed, 1.5), Qt::NoBrush, side * 0.9));
  middle_->setScatterStyle(Style(Style::ssDisc, QPen(c.accent), QBrush(c.accent), side * 2));
  ring_->setScatterStyle(Style(Style::ssCircle, QPen(c.accent, 2.5), Qt::NoBrush, side * 2.3));
  styleLegend(*legend);
  refresh();
}

void StarPlot::show(StarScene scene) {
  scene_ = std::move(scene);
  readout_->hide();
  refresh();
}

std::size_t StarPlot::rayCount() const {
  return std::min(kMostRays, scene_.star.rays.size());
}

const StarNeighbour& StarPlot::neighbourOf(const Point& point) const {
  return scene_.star.rays[point.ray].neighbours[point.neighbour];
}

double StarPlot::radiusOf(double factor) const {
  if (!std::isfinite(factor)) return kRim;
  const double all = std::log(std::max(kLeastReach, scene_.star.reach()));
  return kMiddle + (1 - kMiddle) * std::log(factor) / all;
}

void StarPlot::clearDrawn() {
  labels_.deleteAll();
  for (QCPAbstractItem* item : std::exchange(items_, {}))
    removeItem(item);
}

/// Along their ray; those that would lie on one another beside it, in turns on both sides.
void StarPlot::placePoints() {
  points_.clear();
  for (std::size_t ray = 0; ray < rayCount(); ++ray) {
    const QPointF along = direction(ray, rayCount()), across(-along.y(), along.x());
    double last = -1;
    int crowd = 0;
    const std::vector<StarNeighbour>& neighbours = scene_.star.rays[ray].neighbours;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const double radius = radiusOf(neighbours[i].factor());
      crowd = radius - last < kApart ? crowd + 1 : 0;
      if (crowd == 0) last = radius;
      const int steps = (crowd + 1) / 2; // away from the ray, to either side in turn
      const double aside = kApart * steps * (crowd % 2 == 0 ? 1 : -1);
      points_.push_back({ray, i, radius * along + aside * across});
    }
  }
}

void StarPlot::refresh() {
  clearDrawn();
  placePoints();
  const bool some = scene_.message.isEmpty() && !points_.empty();
  message_->setText(scene_.message);
  showMessageInstead(!some);
  for (QCPAxis* axis : {xAxis, yAxis})
    axis->setVisible(false); // only directions and distances are meant
  legend->setVisible(some);
  const std::vector<QString> names = raysInWords();
  if (some) {
    fit(names);
    drawRings();
    for (std::size_t ray = 0; ray < names.size(); ++ray)
      drawRay(ray, names[ray]);
  }
  drawPoints();
  wrapLegend(*this);
  replot(QCustomPlot::rpQueuedReplot);
}

/// The decision, shortened at its end where the stage's name is, and how much it matters.
std::vector<QString> StarPlot::raysInWords() const {
  const QFontMetrics metrics(smallFont());
  std::vector<QString> names;
  for (std::size_t ray = 0; ray < rayCount(); ++ray) {
    const StarRay& of = scene_.star.rays[ray];
    const QString matters = QStringLiteral("  ") + starFactor(of.importance);
    const int room = int(kMostNames * width()) - metrics.horizontalAdvance(matters) - 6;
    names.push_back(metrics.elidedText(qs(of.decision), Qt::ElideRight, room) + matters);
  }
  return names;
}

/// A circle is round, and the names beside it have their room.
void StarPlot::fit(const std::vector<QString>& names) {
  const QFontMetrics metrics(smallFont());
  const double width = std::max(1, this->width()), height = std::max(1, this->height() - 28);
  double side = 0;
  for (const QString& name : names)
    side = std::max<double>(side, metrics.horizontalAdvance(name) + 10);
  const double radius =
      std::max(20.0, std::min(width / 2 - side, height / 2 - metrics.height() * 1.5) / kNamesAt);
  xAxis->setRange(-width / 2 / radius, width / 2 / radius);
  yAxis->setRange(-height / 2 / radius, height / 2 / radius);
}

void StarPlot::drawRings() {
  for (const double factor : ringsWithin(std::max(kLeastReach, scene_.star.reach()))) {
    const double radius = radiusOf(factor);
    auto* ring = new QCPItemEllipse(this);
    ring->topLeft->setCoords(-radius, radius);
    ring->bottomRight->setCoords(radius, -radius);
    ring->setPen(QPen(colours().line, 1, Qt::DotLine));
    auto* text = new QCPItemText(this);
    styleText(*text);
    text->setText(starFactor(factor));
    text->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
    // Between two rays, where no neighbour lies.
    const double angle =
        std::numbers::pi / 2 - std::numbers::pi / double(std::max<std::size_t>(2, rayCount()));
    text->position->setCoords(radius * std::cos(angle), radius * std::sin(angle));
    items_.insert(items_.end(), {ring, text});
  }
}

void StarPlot::drawRay(std::size_t number, const QString& name) {
  const StarRay& ray = scene_.star.rays[number];
  const Colours& c = colours();
  const QPointF along = direction(number, rayCount());
  const bool chosen = !scene_.decision.empty() && ray.decision == scene_.decision;
  const auto line = [&](double to, const QPen& pen) {
    auto* item = new QCPItemLine(this);
    item->start->setCoords(0, 0);
    item->end->setCoords(to * along.x(), to * along.y());
    item->setPen(pen);
    items_.push_back(item);
  };
  line(1, QPen(c.line, 1));
  QPen thick(chosen ? c.accent : faded(c.accent, 110), chosen ? 6 : 4);
  thick.setCapStyle(Qt::RoundCap);
  line(radiusOf(ray.importance), thick);
  auto* text = new QCPItemText(this);
  styleText(*text);
  text->setColor(chosen ? c.accent : c.text);
  text->setText(name);
  constexpr double kUpright = 0.15; // so near to straight up or down it is centred
  text->setPositionAlignment(Qt::AlignVCenter | (std::abs(along.x()) < kUpright ? Qt::AlignHCenter
                                                 : along.x() > 0                ? Qt::AlignLeft
                                                                                : Qt::AlignRight));
  labels_.place(text, kNamesAt * along.x(), kNamesAt * along.y());
}

void StarPlot::drawPoints() {
  QVector<double> x[4], y[4];
  ring_->data()->clear();
  middle_->data()->clear();
  for (const Point& point : points_) {
    const StarNeighbour& of = neighbourOf(point);
    const int kind = of.failed() ? 3 : of.taken ? 2 : of.gain > 0 ? 1 : 0;
    x[kind].push_back(point.place.x());
    y[kind].push_back(point.place.y());
    if (scene_.selected != 0 && of.record == scene_.selected)
      ring_->addData(point.place.x(), point.place.y());
  }
  QCPGraph* const graphs[] = {slower_, faster_, taken_, failed_};
  for (int kind = 0; kind < 4; ++kind)
    graphs[kind]->setData(x[kind], y[kind]);
  if (points_.empty()) return;
  middle_->addData(0, 0);
  const PolishStar& star = scene_.star;
  if (!star.isOfAll() && scene_.selected != 0 &&
      star.centres[star.centre].record == scene_.selected)
    ring_->addData(0, 0);
}

QPointF StarPlot::pixelOf(std::size_t ray, std::size_t neighbour) const {
  for (const Point& point : points_)
    if (point.ray == ray && point.neighbour == neighbour)
      return {xAxis->coordToPixel(point.place.x()), yAxis->coordToPixel(point.place.y())};
  return {};
}

QPointF StarPlot::middle() const {
  return {xAxis->coordToPixel(0), yAxis->coordToPixel(0)};
}

void StarPlot::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  refresh();
}

// --- the mouse and the keyboard

std::optional<int> StarPlot::pointAt(const QPointF& pixel) const {
  if (points_.empty()) return std::nullopt;
  // The last one is the middle.
  return nearestPoint(points_.size() + 1, kReachPixels, [&](std::size_t i) {
    const QPointF place = i < points_.size() ? points_[i].place : QPointF();
    return std::hypot(xAxis->coordToPixel(place.x()) - pixel.x(),
                      yAxis->coordToPixel(place.y()) - pixel.y());
  });
}

QString StarPlot::describe(int at) const {
  const PolishStar& star = scene_.star;
  if (at == static_cast<int>(points_.size())) {
    if (star.isOfAll())
      return tr("Every program that was polished: each neighbour is compared with its own parent.");
    const StarCentre& centre = star.centres[star.centre];
    return tr("The program of trial %1: %2").arg(countText(centre.trial), timeText(centre.seconds));
  }
  const Point& point = points_[static_cast<std::size_t>(at)];
  const StarNeighbour& of = neighbourOf(point);
  QString text = QStringLiteral("%1: %2\n%3")
                     .arg(qs(star.rays[point.ray].decision), qs(of.change), gainInWords(of));
  if (of.taken) text += tr(" It took its parent's place.");
  return text + tr("\nRecord %1. Click to see it everywhere.").arg(countText(of.record));
}

void StarPlot::choose(int at) {
  const PolishStar& star = scene_.star;
  if (at < static_cast<int>(points_.size()))
    Q_EMIT picked(neighbourOf(points_[static_cast<std::size_t>(at)]).record);
  else if (!star.isOfAll() && star.centres[star.centre].record != 0)
    Q_EMIT picked(star.centres[star.centre].record);
}

bool StarPlot::walk(int step) {
  if (points_.empty()) return false;
  const Point& next = neighbour(points_, scene_.selected, step, WalkFrom::First,
                                [this](const Point& point) { return neighbourOf(point).record; });
  Q_EMIT picked(neighbourOf(next).record);
  return true;
}

} // namespace nestwright::ui

#include "moc_star_plot.cpp"
