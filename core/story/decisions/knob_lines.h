#pragma once
/// \file The measured configurations of a template as lines across its knobs (parallel
/// coordinates): which axes there are and where each configuration crosses them. Plain values; who
/// draws them has only to scale them. Ranges of an axis select some of them (knob_brush.h).
/// Programs of sketches are lines across their decisions (decision_lines.h).

#include "core/record/rows/record.h"
#include "core/schedule/step.h"
#include "core/search/pick_reason.h"
#include "core/template/task_template.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright {

struct Trace;

/// A measured configuration or program, as its record has it.
struct KnobTrial {
  RowId record = 0, task = 0;
  std::int64_t trial = 0;
  int round = 0;
  double seconds = 0; // infinity when it failed
  PickReason reason = PickReason::None;
  std::optional<double> predicted, deviation;   // by the cost model, beforehand
  std::shared_ptr<const TemplateConfig> config; // shared, since many ask for all trials
  std::shared_ptr<const Steps> steps;           // of a sketch's program
  bool polished = false;                        // it is a neighbour that a polish tried
};
/// What both kinds of trial have: all but the program itself. `trace` is that of the record.
KnobTrial trialOf(const Record& record, const std::optional<Trace>& trace);
/// Nothing for a record that is no first measurement of a template's configuration.
std::optional<KnobTrial> knobTrialOf(const Record& record);

/// A knob with its values in their order.
struct KnobAxis {
  std::string knob;
  std::vector<std::string> values;    // in words
  std::optional<double> importance{}; // 0 to 1, where something is known of it

  /// From 0, the first value, to 1, the last; the middle where there is one alone.
  double place(std::size_t value) const;
  /// The value nearest to a place.
  std::size_t valueAt(double place) const;
  /// Values to be named where there is room for `most` (at least 2) of them: the first, the last,
  /// and some between, evenly spread.
  std::vector<std::size_t> labelled(std::size_t most) const;
};

struct KnobLine {
  KnobTrial trial;
  std::int64_t config = 0; // its number in the space
  /// Where it crosses each axis: the knobs', and last that of the throughput.
  std::vector<double> places;
  /// Throughput as a share of the fastest one's; 0 when it failed.
  double share() const { return places.back(); }
  bool failed() const { return share() <= 0; }
};

/// A way from an axis to the one after it. The throughput's places are rounded so far that nobody
/// sees it.
struct KnobWay {
  std::size_t axis = 0;
  double from = 0, to = 0;
};

struct KnobLines {
  std::vector<KnobAxis> knobs;
  /// The slowest first, so that the fastest are drawn over them; of equal ones the newer first.
  std::vector<KnobLine> lines;
  std::size_t foreign = 0; // configurations that the space does not have
  /// Where lines go from an axis to the next, each way once; and by which of them each line goes,
  /// axis after axis.
  std::vector<KnobWay> ways;
  std::vector<std::uint32_t> wayOf;                        // (axes - 1) a line
  std::unordered_map<RowId, std::size_t> ofRecord;         // places in `lines`
  std::unordered_map<std::int64_t, std::size_t> fastestOf; // the fastest line of a configuration

  /// Of the knobs, and one for the throughput.
  std::size_t axes() const { return knobs.empty() ? 0 : knobs.size() + 1; }
  /// Whether something is known of the importance of a knob.
  bool hasImportance() const;
  const KnobLine* fastest() const;
  const KnobLine* find(RowId record) const;
  /// The fastest of the configuration's lines.
  const KnobLine* ofConfig(std::int64_t config) const;
};

/// The trials as lines across the template's knobs; throughput beside the fastest of these lines.
KnobLines knobLines(const TaskTemplate& of, std::span<const KnobTrial> trials);

/// Of lines that have their places on all axes but the last: adds the throughput, beside the
/// fastest of them, and fills the rest.
void complete(KnobLines& lines);

/// Part of one or more lines that go the same way from an axis to the next.
struct KnobSegment : KnobWay {
  double share = 0;   // of the fastest of them
  bool faint = false; // of lines that are not looked at
};
/// What there is to draw, each way once however many lines go there: faint ones first, then by
/// rising throughput.
std::vector<KnobSegment> segmentsOf(const KnobLines& lines,
                                    const std::function<bool(const KnobLine&)>& isFaint);

/// The line nearest to a point among those that are looked at, by the distance along the axes, if
/// it is no farther than `reach`; of equal ones the fastest. `x` counts axes, from 0.
const KnobLine* lineAt(const KnobLines& lines, const std::function<bool(const KnobLine&)>& isFaint,
                       double x, double y, double reach);

/// "tile_y = [-1, 4]" for each knob, a line each.
std::string inWords(const KnobLines& lines, const KnobLine& line);

} // namespace nestwright
