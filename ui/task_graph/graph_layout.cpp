#include "ui/task_graph/graph_layout.h"

#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QElapsedTimer>
#include <QProcess>
#include <QStringList>

#include <cmath>

namespace nestwright::ui {
namespace {

using nlohmann::json;

constexpr int kPollMilliseconds = 20;
constexpr double kPointsPerInch = 72;
constexpr int kSegmentsPerCurve = 8;

[[noreturn]] void fail(LayoutError::Kind kind, const QString& text) {
  throw LayoutError(kind, text);
}

[[noreturn]] void failUnreadable(const QString& detail) {
  fail(LayoutError::Kind::Failed,
       tr("Graphviz's dot gave an answer that cannot be read (%1).").arg(detail));
}

/// Ends the process, however the function that holds it is left.
struct Running {
  QProcess& process;
  ~Running() {
    if (process.state() == QProcess::NotRunning) return;
    process.kill();
    process.waitForFinished(2000);
  }
};

/// "12.5,80" in dot's coordinates, where y grows upward.
QPointF pointOf(const QString& text, double height) {
  bool xRead = false, yRead = false;
  const QPointF point(text.section(QLatin1Char(','), 0, 0).toDouble(&xRead),
                      height - text.section(QLatin1Char(','), 1, 1).toDouble(&yRead));
  if (!xRead || !yRead) failUnreadable(text);
  return point;
}

QPointF onCurve(const QPointF& a, const QPointF& b, const QPointF& c, const QPointF& d, double t) {
  const double s = 1 - t;
  return a * (s * s * s) + b * (3 * s * s * t) + c * (3 * s * t * t) + d * (t * t * t);
}

bool isStraight(const QPointF& a, const QPointF& b, const QPointF& c, const QPointF& d) {
  const QPointF way = d - a;
  const double length = std::hypot(way.x(), way.y());
  const auto distance = [&](const QPointF& p) {
    return length > 0 ? std::abs(way.x() * (p.y() - a.y()) - way.y() * (p.x() - a.x())) / length
                      : 0.0;
  };
  return distance(b) < 0.5 && distance(c) < 0.5;
}

/// Bézier curves end to end, "p0 c c p1 c c p2 ...", as a line.
QPolygonF lineOf(const QString& text, double height) {
  QPolygonF control;
  for (const QString& part : text.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    if (!part.startsWith(QLatin1Char('e')) && !part.startsWith(QLatin1Char('s')))
      control.append(pointOf(part, height));
  if (control.size() < 4 || control.size() % 3 != 1) failUnreadable(text);
  QPolygonF line{control.first()};
  for (qsizetype i = 0; i + 3 < control.size(); i += 3) {
    const QPointF &a = control[i], &b = control[i + 1], &c = control[i + 2], &d = control[i + 3];
    if (!isStraight(a, b, c, d))
      for (int k = 1; k < kSegmentsPerCurve; ++k)
        line.append(onCurve(a, b, c, d, double(k) / kSegmentsPerCurve));
    line.append(d);
  }
  return line;
}

QRectF boxOf(const QString& text, double height) {
  const QPointF low = pointOf(text, height),
                high = pointOf(text.section(QLatin1Char(','), 2, 3), height);
  return QRectF(low, high).normalized();
}

double numberOf(const json& value) {
  bool read = false;
  const double number = qs(value.get<std::string>()).toDouble(&read);
  if (!read) failUnreadable(qs(value.dump()));
  return number;
}

/// The number behind a prefix, as in "n12"; -1 when it is no such name.
int indexIn(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  bool read = false;
  const int index = qs(name.substr(prefix.size())).toInt(&read);
  return read ? index : -1;
}

/// As many entries as the drawing has, or it is not its layout.
void readObjects(const json& answer, const DrawnGraph& drawn, GraphLayout& layout) {
  const double height = layout.size.height();
  layout.nodes.resize(drawn.nodes.size());
  std::size_t nodes = 0;
  for (const json& object : answer.value("objects", json::array())) {
    const std::string name = object.at("name");
    if (const int frame = indexIn(name, "cluster_"); frame >= 0) {
      layout.frames.push_back({frame, boxOf(qs(object.at("bb").get<std::string>()), height)});
    } else if (const int node = indexIn(name, "n"); node >= 0) {
      QRectF& rect = layout.nodes.at(static_cast<std::size_t>(node));
      rect.setSize(QSizeF(numberOf(object.at("width")), numberOf(object.at("height"))) *
                   kPointsPerInch);
      rect.moveCenter(pointOf(qs(object.at("pos").get<std::string>()), height));
      ++nodes;
    }
  }
  if (nodes != drawn.nodes.size() || layout.frames.size() != drawn.frames.size())
    failUnreadable(tr("parts are missing"));
}

QRectF rectFrom(const json& list) {
  return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>(),
          list.at(3).get<double>()};
}

json listOf(const QRectF& rect) {
  return {rect.x(), rect.y(), rect.width(), rect.height()};
}

} // namespace

std::string runDot(const std::string& text, const DotProcess& options,
                   const std::atomic<bool>& cancelled) {
  QProcess process;
  const Running running{process};
  process.start(options.program, {QStringLiteral("-Tjson0")});
  if (!process.waitForStarted())
    fail(LayoutError::Kind::Missing,
         tr("The graph is laid out by Graphviz's program dot, which was not found. Install the "
            "package graphviz (Debian, Ubuntu: sudo apt install graphviz) and press Try Again; "
            "nestwright doctor tells whether it is found."));
  process.write(text.data(), static_cast<qint64>(text.size()));
  process.closeWriteChannel();
  QElapsedTimer clock;
  clock.start();
  while (!process.waitForFinished(kPollMilliseconds) && process.state() != QProcess::NotRunning) {
    if (cancelled) fail(LayoutError::Kind::Cancelled, tr("cancelled"));
    if (clock.elapsed() > options.limit.count())
      fail(LayoutError::Kind::TimeLimit,
           tr("Graphviz's dot found no layout within %1 s: the graph is very large. With repeated "
              "blocks folded it may be small enough.")
               .arg(options.limit.count() / 1000.0));
  }
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
    fail(LayoutError::Kind::Failed,
         tr("Graphviz's dot failed: %1")
             .arg(QString::fromUtf8(process.readAllStandardError()).trimmed().left(500)));
  return process.readAllStandardOutput().toStdString();
}

GraphLayout parseDotJson(const std::string& text, const DrawnGraph& drawn) {
  try {
    const json answer = json::parse(text);
    GraphLayout layout;
    // The lower left corner is the origin.
    layout.size = boxOf(qs(answer.at("bb").get<std::string>()), 0).size();
    readObjects(answer, drawn, layout);
    layout.edges.resize(drawn.edges.size());
    std::size_t edges = 0;
    for (const json& edge : answer.value("edges", json::array())) {
      const int index = indexIn(edge.at("id").get<std::string>(), "e");
      layout.edges.at(static_cast<std::size_t>(index)) =
          lineOf(qs(edge.at("pos").get<std::string>()), layout.size.height());
      ++edges;
    }
    if (edges != drawn.edges.size()) failUnreadable(tr("edges are missing"));
    return layout;
  } catch (const json::exception& problem) {
    failUnreadable(qs(problem.what()));
  } catch (const std::out_of_range&) {
    failUnreadable(tr("it is of another graph"));
  }
}

std::string toBytes(const GraphLayout& layout) {
  json nodes = json::array(), edges = json::array(), frames = json::array();
  for (const QRectF& rect : layout.nodes)
    nodes.push_back(listOf(rect));
  for (const QPolygonF& line : layout.edges) {
    json points = json::array();
    for (const QPointF& point : line) {
      points.push_back(static_cast<float>(point.x()));
      points.push_back(static_cast<float>(point.y()));
    }
    edges.push_back(std::move(points));
  }
  for (const GraphLayout::Frame& frame : layout.frames)
    frames.push_back({{"frame", frame.frame}, {"rect", listOf(frame.rect)}});
  const std::vector<std::uint8_t> bytes =
      json::to_cbor({{"size", {layout.size.width(), layout.size.height()}},
                     {"nodes", std::move(nodes)},
                     {"edges", std::move(edges)},
                     {"frames", std::move(frames)}});
  return {bytes.begin(), bytes.end()};
}

GraphLayout layoutFromBytes(const std::string& bytes, const DrawnGraph& drawn) {
  try {
    const json kept = json::from_cbor(bytes.begin(), bytes.end());
    GraphLayout layout;
    layout.size = QSizeF(kept.at("size").at(0).get<double>(), kept.at("size").at(1).get<double>());
    for (const json& rect : kept.at("nodes"))
      layout.nodes.push_back(rectFrom(rect));
    for (const json& points : kept.at("edges")) {
      QPolygonF line;
      for (std::size_t i = 0; i + 1 < points.size(); i += 2)
        line.append(QPointF(points[i].get<double>(), points[i + 1].get<double>()));
      layout.edges.push_back(std::move(line));
    }
    for (const json& frame : kept.at("frames"))
      layout.frames.push_back({frame.at("frame").get<int>(), rectFrom(frame.at("rect"))});
    if (layout.nodes.size() != drawn.nodes.size() || layout.edges.size() != drawn.edges.size() ||
        layout.frames.size() != drawn.frames.size())
      failUnreadable(tr("it is of another graph"));
    return layout;
  } catch (const json::exception& problem) {
    failUnreadable(qs(problem.what()));
  }
}

} // namespace nestwright::ui
