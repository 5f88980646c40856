#include "core/story/decisions/knob_brush.h"

#include <algorithm>

namespace nestwright {

KnobBrush snapped(const KnobLines& lines, const KnobBrush& brush) {
  KnobBrush result{brush.axis, std::clamp(std::min(brush.low, brush.high), 0.0, 1.0),
                   std::clamp(std::max(brush.low, brush.high), 0.0, 1.0)};
  if (brush.axis >= lines.knobs.size()) return result;
  const KnobAxis& axis = lines.knobs[brush.axis];
  if (axis.values.size() < 2) return {brush.axis, 0, 1};
  const double half = 0.5 / static_cast<double>(axis.values.size() - 1);
  result.low = axis.place(axis.valueAt(result.low)) - half;
  result.high = axis.place(axis.valueAt(result.high)) + half;
  return result;
}

std::optional<std::size_t> carriedAxis(std::size_t axis, const KnobLines& before,
                                       const KnobLines& now) {
  if (axis == before.knobs.size()) return now.knobs.size();
  const auto found = std::ranges::find(now.knobs, before.knobs.at(axis).knob, &KnobAxis::knob);
  if (found == now.knobs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - now.knobs.begin());
}

std::vector<KnobBrush> carriedOver(const std::vector<KnobBrush>& brushes, const KnobLines& before,
                                   const KnobLines& now) {
  std::vector<KnobBrush> carried;
  for (const KnobBrush& brush : brushes) {
    const std::optional<std::size_t> axis = carriedAxis(brush.axis, before, now);
    if (!axis) continue;
    if (*axis == now.knobs.size()) {
      carried.push_back({*axis, brush.low, brush.high});
      continue;
    }
    const KnobAxis &old = before.knobs[brush.axis], &knob = now.knobs[*axis];
    const auto [first, last] = valuesWithin(before, brush);
    const auto low = std::ranges::find(knob.values, old.values[first]);
    const auto high = std::ranges::find(knob.values, old.values[last]);
    if (low == knob.values.end() || high == knob.values.end()) continue;
    const auto place = [&](auto value) {
      return knob.place(static_cast<std::size_t>(value - knob.values.begin()));
    };
    carried.push_back(snapped(now, {*axis, place(low), place(high)}));
  }
  std::ranges::sort(carried, {}, &KnobBrush::axis);
  return carried;
}

bool isWithin(const KnobLine& line, std::span<const KnobBrush> brushes) {
  return std::ranges::all_of(brushes, [&](const KnobBrush& brush) {
    const double place = line.places[brush.axis];
    return place >= brush.low && place <= brush.high;
  });
}

std::vector<RowId> recordsWithin(const KnobLines& lines, std::span<const KnobBrush> brushes) {
  std::vector<RowId> records;
  for (const KnobLine& line : lines.lines)
    if (isWithin(line, brushes)) records.push_back(line.trial.record);
  std::ranges::sort(records);
  return records;
}

std::vector<std::pair<RowId, RowId>> rangesOf(const std::vector<RowId>& records) {
  std::vector<std::pair<RowId, RowId>> ranges;
  for (const RowId record : records)
    if (!ranges.empty() && ranges.back().second + 1 == record)
      ranges.back().second = record;
    else
      ranges.emplace_back(record, record);
  return ranges;
}

std::pair<std::size_t, std::size_t> valuesWithin(const KnobLines& lines, const KnobBrush& brush) {
  const KnobAxis& axis = lines.knobs.at(brush.axis);
  // The bounds lie half-way between values; which of these are within?
  const double step = axis.values.size() < 2 ? 1 : 1.0 / double(axis.values.size() - 1);
  return {axis.valueAt(brush.low + 0.25 * step), axis.valueAt(brush.high - 0.25 * step)};
}

const KnobBrush* brushOf(std::span<const KnobBrush> brushes, std::size_t axis) {
  const auto found = std::ranges::find(brushes, axis, &KnobBrush::axis);
  return found == brushes.end() ? nullptr : &*found;
}

std::vector<KnobBrush> withBrush(std::vector<KnobBrush> brushes, std::size_t axis,
                                 const std::optional<KnobBrush>& brush) {
  std::erase_if(brushes, [&](const KnobBrush& b) { return b.axis == axis; });
  if (brush) brushes.push_back(*brush);
  std::ranges::sort(brushes, {}, &KnobBrush::axis);
  return brushes;
}

std::optional<KnobBrush> moved(const KnobLines& lines, const KnobBrush* present, std::size_t axis,
                               int step, bool extends) {
  constexpr double kShareStep = 0.05;
  const bool isShare = axis == lines.knobs.size();
  const double one =
      isShare ? kShareStep : 1.0 / std::max<double>(1, double(lines.knobs[axis].values.size()) - 1);
  const KnobLine* fastest = lines.fastest();
  const double start = fastest != nullptr ? fastest->places[axis] : 0;
  // Of a knob the bounds lie half a value outside of what is selected.
  const double edge = isShare ? 0 : one / 2;
  double low = present ? present->low + edge : isShare ? start - kShareStep : start;
  double high = present ? present->high - edge : start;
  if (present && !extends) low += step * one, high += step * one;
  if (present && extends) (step > 0 ? high : low) += step * one;
  if (low < -1e-9 || high > 1 + 1e-9) return std::nullopt;
  return snapped(lines, {axis, low, high});
}

} // namespace nestwright
