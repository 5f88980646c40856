#include "ui/charts/point_fact.h"

#include "core/support/infinity.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {
namespace {

/// To four digits, up or down.
double rounded(double value, bool up) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  const double steps = up ? std::ceil(value / step) : std::floor(value / step);
  // Through text, so that the bound is the number that it reads as.
  return QString::number(steps * step, 'g', 6).toDouble();
}

/// Seconds of milliseconds, exactly as a filter reads them that is written in their usual unit.
double seconds(double milliseconds, bool up) {
  const double size = std::abs(milliseconds);
  const double perSecond = size >= 1e3 ? 1 : size >= 1 ? 1e3 : size >= 1e-3 ? 1e6 : 1e9;
  return rounded(milliseconds * (perSecond / 1e3), up) / perSecond;
}

} // namespace

const char* key(PointFact fact) {
  constexpr const char* kKeys[] = {"latency", "gflops", "trial",   "wall",  "weight",
                                   "record",  "task",   "session", "error", "none"};
  static_assert(std::size(kKeys) == kPointFacts);
  return kKeys[std::size_t(fact)];
}

QString title(PointFact fact) {
  switch (fact) {
  case PointFact::Latency:
    return tr("latency, ms");
  case PointFact::Throughput:
    return tr("throughput, GFLOP/s");
  case PointFact::Trial:
    return tr("trial");
  case PointFact::Wall:
    return tr("wall time");
  case PointFact::Weight:
    return tr("weight of the task");
  case PointFact::Number:
    return tr("record number");
  case PointFact::Task:
    return tr("task");
  case PointFact::Session:
    return tr("session");
  case PointFact::Error:
    return tr("error");
  case PointFact::Nothing:
    return tr("nothing");
  }
  return {};
}

QString meaning(PointFact fact) {
  switch (fact) {
  case PointFact::Latency:
    return tr("Time of one run of the program, in milliseconds: the median of its measurements. "
              "Lower is better.");
  case PointFact::Throughput:
    return tr("Floating-point operations of the task divided by the latency, in 10⁹ operations "
              "per second. Higher is better.");
  case PointFact::Trial:
    return tr("Which trial of its session the record is, in the order of measuring.");
  case PointFact::Wall:
    return tr("Time that the session had been running when the record was made.");
  case PointFact::Weight:
    return tr("How often the record's task appears in the network.");
  case PointFact::Number:
    return tr("Number of the record in this document, in the order of storing.");
  case PointFact::Task:
    return tr("The task that the record's program computes.");
  case PointFact::Session:
    return tr("The session that made the record.");
  case PointFact::Error:
    return tr("How the trial ended: a time, or the kind of its error.");
  case PointFact::Nothing:
    return tr("One colour for all records.");
  }
  return {};
}

double valueOf(const RecordPoint& point, PointFact fact) {
  switch (fact) {
  case PointFact::Latency:
    return std::isfinite(point.seconds) ? point.seconds * 1e3 : std::nan("");
  case PointFact::Throughput:
    return point.gflops > 0 ? point.gflops : std::nan("");
  case PointFact::Trial:
    return double(point.trial);
  case PointFact::Wall:
    return point.wallSeconds;
  case PointFact::Weight:
    return point.weight;
  case PointFact::Number:
    return double(point.record);
  default:
    return std::nan("");
  }
}

FilterCondition conditionOf(PointFact fact, double low, double high) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  FilterCondition condition{FilterField::Latency, false, {FilterValue{}}};
  FilterValue& value = condition.values[0];
  const bool whole = fact == PointFact::Trial || fact == PointFact::Number;
  value.low = !std::isfinite(low) ? -kUnbounded : whole ? std::ceil(low) : rounded(low, false);
  value.high = !std::isfinite(high) ? kUnbounded : whole ? std::floor(high) : rounded(high, true);
  if (value.low > value.high) value.high = value.low; // between two whole numbers
  switch (fact) {
  case PointFact::Latency:
    if (std::isfinite(low)) value.low = seconds(std::max(0.0, low), false);
    if (std::isfinite(high)) value.high = seconds(high, true);
    break;
  case PointFact::Throughput:
    condition.field = FilterField::Gflops;
    break;
  case PointFact::Trial:
    condition.field = FilterField::Trial;
    break;
  case PointFact::Wall:
    condition.field = FilterField::Wall;
    if (std::isfinite(value.low)) value.low = std::max(0.0, value.low);
    value.high = std::max(0.0, value.high);
    break;
  case PointFact::Weight:
    condition.field = FilterField::Weight;
    break;
  default:
    condition.field = FilterField::Record;
    break;
  }
  return condition;
}

} // namespace nestwright::ui
