#pragma once
/// \file What points of records tell: numbers, titles, and the conditions that ranges of them are.

#include "core/record/query/record_survey.h"
#include "core/record/rows/record_filter.h"

#include <QString>

namespace nestwright::ui {

/// What a point's place or colour tells.
enum class PointFact : std::uint8_t {
  Latency,
  Throughput,
  Trial,
  Wall,
  Weight,
  Number,
  // colours only
  Task,
  Session,
  Error,
  Nothing
};
inline constexpr int kPlaces = int(PointFact::Number) + 1;
inline constexpr int kPointFacts = int(PointFact::Nothing) + 1;

/// A name in the document's state; never changed.
const char* key(PointFact fact);
/// With its unit: "latency, ms".
QString title(PointFact fact);
/// What it is, in which unit, and which way is better.
QString meaning(PointFact fact);
/// The number in the title's unit; NaN where there is none.
double valueOf(const RecordPoint& point, PointFact fact);
/// The condition that the number lies in the range, both in the title's unit. Bounds are rounded
/// outwards to four digits, so that they can be read.
FilterCondition conditionOf(PointFact fact, double low, double high);

} // namespace nestwright::ui
