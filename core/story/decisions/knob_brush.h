#pragma once
/// \file Ranges of axes, which select some of the lines across the knobs of a template or the
/// decisions of a sketch.

#include "core/story/decisions/knob_lines.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace nestwright {

/// A range of an axis, both ends included.
struct KnobBrush {
  std::size_t axis = 0;
  double low = 0, high = 1;
  friend bool operator==(const KnobBrush&, const KnobBrush&) = default;
};
/// Widened to whole values of its knob, each of which reaches half-way to the next; unchanged on
/// the axis of the throughput.
KnobBrush snapped(const KnobLines& lines, const KnobBrush& brush);
/// The axis of the same name among those of other lines; nothing where it is gone. Axes of
/// decisions change places as programs are measured.
std::optional<std::size_t> carriedAxis(std::size_t axis, const KnobLines& before,
                                       const KnobLines& now);
/// Ranges of lines as ranges of others, of the same values of axes of the same names; those of axes
/// or values that are gone are left out.
std::vector<KnobBrush> carriedOver(const std::vector<KnobBrush>& brushes, const KnobLines& before,
                                   const KnobLines& now);
/// Whether the line is within all of them.
bool isWithin(const KnobLine& line, std::span<const KnobBrush> brushes);
/// Records of the lines within all of the ranges, ascending.
std::vector<RowId> recordsWithin(const KnobLines& lines, std::span<const KnobBrush> brushes);
/// Ascending numbers as ranges without gaps, first and last.
std::vector<std::pair<RowId, RowId>> rangesOf(const std::vector<RowId>& records);
/// First and last value of its knob that are within the brush, which is not of the throughput.
std::pair<std::size_t, std::size_t> valuesWithin(const KnobLines& lines, const KnobBrush& brush);

/// The range of the axis, one at most; null where there is none.
const KnobBrush* brushOf(std::span<const KnobBrush> brushes, std::size_t axis);
/// With this range in place of the axis's own, or without one; ascending by axis.
std::vector<KnobBrush> withBrush(std::vector<KnobBrush> brushes, std::size_t axis,
                                 const std::optional<KnobBrush>& brush);
/// What is selected of an axis, moved by a value of its knob (by a twentieth of the throughput), or
/// extended by one. Where nothing is selected, that begins at the fastest line. Nothing beyond the
/// ends.
std::optional<KnobBrush> moved(const KnobLines& lines, const KnobBrush* present, std::size_t axis,
                               int step, bool extends);

} // namespace nestwright
