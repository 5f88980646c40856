#include "core/story/decisions/knob_lines.h"

#include "core/session/run/row_contents.h"
#include "core/story/tuning_history.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace nestwright {
namespace {

/// Steps of the throughput's axis that drawing tells apart.
constexpr double kShareSteps = 256;

/// Tells apart what the eye does, and the values of any knob.
std::uint64_t placeKey(double place) {
  return static_cast<std::uint64_t>(std::llround(place * ((1 << 20) - 1)));
}

/// Where the knobs' values stand in their lists, found by their words.
class Digits {
 public:
  explicit Digits(const ConfigSpace& space) : space_(space) {
    for (const Knob& knob : space.knobs()) {
      auto& values = values_.emplace_back();
      for (std::size_t i = 0; i < knob.values.size(); ++i)
        values.emplace(text(knob.values[i]), i);
    }
  }
  /// Nothing for what is no configuration of the space.
  std::optional<std::vector<std::size_t>> of(const std::vector<NamedEntity>& entities) const {
    if (entities.size() != values_.size()) return slowly(entities);
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < entities.size(); ++i) {
      const auto found = values_[i].find(text(entities[i].entity));
      if (entities[i].knob != space_.knobs()[i].name || found == values_[i].end())
        return slowly(entities);
      digits.push_back(found->second);
    }
    return digits;
  }

 private:
  /// Those in another order, or in words of their own.
  std::optional<std::vector<std::size_t>> slowly(const std::vector<NamedEntity>& entities) const {
    const std::optional<std::int64_t> index = space_.find(entities);
    return index ? std::optional(space_.digits(*index)) : std::nullopt;
  }

  const ConfigSpace& space_;
  std::vector<std::unordered_map<std::string, std::size_t>> values_;
};

/// Fills `ways` and `wayOf`.
void lay(KnobLines& lines) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (const KnobLine& line : lines.lines)
    for (std::size_t axis = 0; axis + 1 < line.places.size(); ++axis) {
      const bool last = axis + 2 == line.places.size();
      const double from = line.places[axis], end = line.places[axis + 1];
      const double to = last ? std::round(end * kShareSteps) / kShareSteps : end;
      const std::uint64_t key = (axis << 40U) | (placeKey(from) << 20U) | placeKey(to);
      const auto [found, isNew] =
          known.try_emplace(key, static_cast<std::uint32_t>(lines.ways.size()));
      if (isNew) lines.ways.push_back({axis, from, to});
      lines.wayOf.push_back(found->second);
    }
}

} // namespace

KnobTrial trialOf(const Record& record, const std::optional<Trace>& trace) {
  KnobTrial trial;
  trial.record = record.id;
  trial.task = record.task;
  trial.trial = record.trial;
  trial.seconds = record.result.verdict == Verdict::Ok ? record.result.latency() : kUnknown;
  if (!trace) return trial;
  trial.round = trace->round;
  trial.reason = trace->selection;
  trial.predicted = trace->predictedScore;
  trial.deviation = trace->predictedDeviation;
  trial.polished = trace->origin == Origin::Polish;
  return trial;
}

std::optional<KnobTrial> knobTrialOf(const Record& record) {
  if (record.original != 0) return std::nullopt;
  std::optional<Trace> trace = traceOf(record);
  if (!trace || !trace->config) return std::nullopt;
  KnobTrial trial = trialOf(record, trace);
  trial.config = std::make_shared<const TemplateConfig>(std::move(*trace->config));
  return trial;
}

// --- axes

double KnobAxis::place(std::size_t value) const {
  NW_ASSERT(value < values.size(), "a knob's value is one of its list");
  return values.size() < 2 ? 0.5
                           : static_cast<double>(value) / static_cast<double>(values.size() - 1);
}

std::size_t KnobAxis::valueAt(double place) const {
  const auto last = static_cast<double>(values.size() - 1);
  return static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, 1.0) * last));
}

std::vector<std::size_t> KnobAxis::labelled(std::size_t most) const {
  const std::size_t count = std::min(values.size(), std::max<std::size_t>(2, most));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(count < 2 ? 0
                               : static_cast<std::size_t>(
                                     std::lround(static_cast<double>(i * (values.size() - 1)) /
                                                 static_cast<double>(count - 1))));
  return chosen;
}

// --- lines

bool KnobLines::hasImportance() const {
  return std::ranges::any_of(knobs,
                             [](const KnobAxis& axis) { return axis.importance.has_value(); });
}

const KnobLine* KnobLines::fastest() const {
  return lines.empty() || lines.back().failed() ? nullptr : &lines.back();
}

const KnobLine* KnobLines::find(RowId record) const {
  const auto found = ofRecord.find(record);
  return found == ofRecord.end() ? nullptr : &lines[found->second];
}

const KnobLine* KnobLines::ofConfig(std::int64_t config) const {
  const auto found = fastestOf.find(config);
  return found == fastestOf.end() ? nullptr : &lines[found->second];
}

KnobLines knobLines(const TaskTemplate& of, std::span<const KnobTrial> trials) {
  KnobLines result;
  for (const Knob& knob : of.space.knobs()) {
    KnobAxis& axis = result.knobs.emplace_back();
    axis.knob = knob.name;
    for (const Entity& value : knob.values)
      axis.values.push_back(text(value));
  }
  const Digits digits(of.space);
  for (const KnobTrial& trial : trials) {
    const bool own = trial.config->kind == of.kind->name && trial.config->version == of.version;
    const auto found = own ? digits.of(trial.config->entities) : std::nullopt;
    if (!found) {
      ++result.foreign;
      continue;
    }
    KnobLine& line = result.lines.emplace_back();
    line.trial = trial;
    line.config = of.space.indexOf(*found);
    for (std::size_t i = 0; i < found->size(); ++i)
      line.places.push_back(result.knobs[i].place((*found)[i]));
  }
  complete(result);
  return result;
}

void complete(KnobLines& result) {
  double best = kUnknown;
  for (const KnobLine& line : result.lines)
    best = std::min(best, line.trial.seconds);
  for (KnobLine& line : result.lines)
    line.places.push_back(std::isfinite(line.trial.seconds) ? best / line.trial.seconds : 0);
  std::ranges::sort(result.lines, [](const KnobLine& a, const KnobLine& b) {
    return a.share() != b.share() ? a.share() < b.share() : a.trial.record > b.trial.record;
  });
  for (std::size_t i = 0; i < result.lines.size(); ++i) {
    result.ofRecord[result.lines[i].trial.record] = i;
    result.fastestOf[result.lines[i].config] = i; // the last one is the fastest
  }
  lay(result);
}

// --- what is looked at

std::vector<KnobSegment> segmentsOf(const KnobLines& lines,
                                    const std::function<bool(const KnobLine&)>& isFaint) {
  constexpr double kNone = -1; // no line goes there
  std::vector<double> shares[2];
  for (std::vector<double>& of : shares)
    of.assign(lines.ways.size(), kNone);
  const std::size_t each = lines.axes() - (lines.axes() > 0 ? 1 : 0);
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    const KnobLine& line = lines.lines[i];
    std::vector<double>& of = shares[isFaint(line) ? 1 : 0];
    // The lines come by rising throughput: the last one counts.
    for (std::size_t at = i * each; at < (i + 1) * each; ++at)
      of[lines.wayOf[at]] = line.share();
  }
  std::vector<KnobSegment> segments;
  for (const bool faint : {true, false})
    for (std::size_t way = 0; way < lines.ways.size(); ++way)
      if (const double share = shares[faint ? 1 : 0][way]; share != kNone)
        segments.push_back({lines.ways[way], share, faint});
  std::ranges::stable_sort(segments, [](const KnobSegment& a, const KnobSegment& b) {
    return a.faint != b.faint ? a.faint : a.share < b.share;
  });
  return segments;
}

const KnobLine* lineAt(const KnobLines& lines, const std::function<bool(const KnobLine&)>& isFaint,
                       double x, double y, double reach) {
  if (lines.axes() < 2 || x < 0 || x > static_cast<double>(lines.axes() - 1)) return nullptr;
  const std::size_t axis = std::min(static_cast<std::size_t>(x), lines.axes() - 2);
  const double part = x - static_cast<double>(axis);
  const KnobLine* nearest = nullptr;
  for (const KnobLine& line : lines.lines) {
    const double at = line.places[axis] + part * (line.places[axis + 1] - line.places[axis]);
    if (std::abs(at - y) > reach || isFaint(line)) continue;
    reach = std::abs(at - y);
    nearest = &line;
  }
  return nearest;
}

std::string inWords(const KnobLines& lines, const KnobLine& line) {
  std::string words;
  for (std::size_t i = 0; i < lines.knobs.size(); ++i) {
    const KnobAxis& axis = lines.knobs[i];
    words += fmt::format("{}{} = {}", i == 0 ? "" : "\n", axis.knob,
                         axis.values[axis.valueAt(line.places[i])]);
  }
  return words;
}

} // namespace nestwright
