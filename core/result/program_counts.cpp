#include "core/result/program_counts.h"

#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

constexpr double kLineBytes = 64;

constexpr NameTable<Counter, kCounters> kCounterNames = {
    {"cycles", "instructions", "branches", "branch-misses", "L1-dcache-loads",
     "L1-dcache-load-misses", "cache-references", "cache-misses", "task-clock", "page-faults",
     "context-switches"}};

constexpr NameTable<CountFigureKind, 12> kFigureNames = {
    {"instructions per cycle", "operations per cycle", "clock", "busy cores",
     "L1 misses per 1000 instructions", "cache misses per 1000 instructions",
     "bytes of cache misses", "times the bytes that must move", "branches predicted wrong",
     "energy of a run", "energy above idle", "operations per joule"}};

nlohmann::json orNull(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// What a figure is made of: counts by their names, or why one is missing.
class Counts {
 public:
  explicit Counts(const ProgramCounts& counts) : counts_(counts) {}

  double of(Counter counter) {
    const auto reading = std::ranges::find(counts_.counters, counter, &CounterReading::counter);
    if (reading != counts_.counters.end() && reading->perRun) return *reading->perRun;
    if (whyNot.empty())
      whyNot = fmt::format("{}: {}", name(counter),
                           reading == counts_.counters.end() ? "not asked for" : reading->whyNot);
    return 0;
  }
  double known(const std::optional<double>& energy, const char* what) {
    const std::string& why = counts_.energy.whyNot;
    if (!energy && whyNot.empty())
      whyNot = why.empty() ? fmt::format("{} could not be read", what) : why;
    return energy.value_or(0);
  }

  std::string whyNot;

 private:
  const ProgramCounts& counts_;
};

CountFigure figure(CountFigureKind kind, double above, double below, const Counts& counts) {
  if (!counts.whyNot.empty()) return {kind, std::nullopt, counts.whyNot};
  if (below <= 0) return {kind, std::nullopt, "nothing was counted to divide it by"};
  return {kind, above / below, {}};
}

CountFigure figureOf(CountFigureKind kind, const ProgramCounts& all) {
  Counts counts(all);
  double above = 0, below = 1;
  switch (kind) {
  case CountFigureKind::InstructionsPerCycle:
    above = counts.of(Counter::Instructions), below = counts.of(Counter::Cycles);
    break;
  case CountFigureKind::FlopsPerCycle:
    above = all.flops, below = counts.of(Counter::Cycles);
    break;
  case CountFigureKind::Clock:
    above = counts.of(Counter::Cycles), below = counts.of(Counter::TaskClock) * 1e-9;
    break;
  case CountFigureKind::BusyCores:
    above = counts.of(Counter::TaskClock) * 1e-9, below = all.seconds;
    break;
  case CountFigureKind::L1MissesPerThousand:
    above = counts.of(Counter::L1LoadMisses) * 1e3, below = counts.of(Counter::Instructions);
    break;
  case CountFigureKind::CacheMissesPerThousand:
    above = counts.of(Counter::CacheMisses) * 1e3, below = counts.of(Counter::Instructions);
    break;
  case CountFigureKind::MissedBytes:
    above = counts.of(Counter::CacheMisses) * kLineBytes;
    break;
  case CountFigureKind::MissedOverLeast:
    above = counts.of(Counter::CacheMisses) * kLineBytes, below = all.leastBytes;
    break;
  case CountFigureKind::BranchMissRate:
    above = counts.of(Counter::BranchMisses), below = counts.of(Counter::Branches);
    break;
  case CountFigureKind::JoulesPerRun:
    above = counts.known(all.energy.joulesPerRun, "the energy");
    break;
  case CountFigureKind::JoulesAboveIdle:
    above = counts.known(all.energy.joulesPerRun, "the energy");
    above -= counts.known(all.energy.idleWatts, "the power when idle") * all.seconds;
    break;
  case CountFigureKind::FlopsPerJoule:
    above = all.flops, below = counts.known(all.energy.joulesPerRun, "the energy");
    break;
  }
  return figure(kind, above, below, counts);
}

std::string valueText(CountFigureKind kind, double value) {
  switch (kind) {
  case CountFigureKind::Clock:
    return formatFrequency(value);
  case CountFigureKind::MissedBytes:
    return formatBytes(value);
  case CountFigureKind::MissedOverLeast:
    return fmt::format("{:.3g} x", value);
  case CountFigureKind::BranchMissRate:
    return fmt::format("{:.3g} %", 100 * value);
  case CountFigureKind::JoulesPerRun:
  case CountFigureKind::JoulesAboveIdle:
    return formatEnergy(value);
  case CountFigureKind::FlopsPerJoule:
    return formatFlops(value) + "/J";
  default:
    return fmt::format("{:.3g}", value);
  }
}

} // namespace

const char* name(Counter counter) {
  return kCounterNames.of(counter);
}

std::optional<Counter> counterNamed(std::string_view text) {
  return kCounterNames.find(text);
}

const char* name(CountFigureKind kind) {
  return kFigureNames.of(kind);
}

const CounterReading* ProgramCounts::find(Counter counter) const {
  const auto found = std::ranges::find(counters, counter, &CounterReading::counter);
  return found == counters.end() || !found->perRun ? nullptr : &*found;
}

std::vector<CountFigure> figuresOf(const ProgramCounts& counts) {
  std::vector<CountFigure> figures;
  for (std::size_t i = 0; i < kFigureNames.names.size(); ++i)
    figures.push_back(figureOf(static_cast<CountFigureKind>(i), counts));
  return figures;
}

nlohmann::json toJson(const ProgramCounts& counts) {
  nlohmann::json counters = nlohmann::json::object(), figures = nlohmann::json::object();
  for (const CounterReading& reading : counts.counters) {
    nlohmann::json& one = counters[name(reading.counter)];
    one = {{"per_run", orNull(reading.perRun)}};
    if (reading.perRun)
      one["counted"] = reading.counted;
    else
      one["why_not"] = reading.whyNot;
  }
  for (const CountFigure& figure : figuresOf(counts))
    figures[name(figure.kind)] = orNull(figure.value);
  nlohmann::json energy = {{"joules_per_run", orNull(counts.energy.joulesPerRun)},
                           {"idle_watts", orNull(counts.energy.idleWatts)},
                           {"zones", counts.energy.zones}};
  if (!counts.energy.whyNot.empty()) energy["why_not"] = counts.energy.whyNot;
  return {{"seconds", counts.seconds},        {"runs", counts.runs},
          {"threads", counts.threads},        {"flops", counts.flops},
          {"least_bytes", counts.leastBytes}, {"counters", std::move(counters)},
          {"figures", std::move(figures)},    {"energy", std::move(energy)}};
}

std::string inWords(const ProgramCounts& counts) {
  std::string text =
      fmt::format("{} of {} each, counted on {} of the worker\n", quantity(counts.runs, "run"),
                  formatSeconds(counts.seconds), quantity(counts.threads, "thread"));
  constexpr const char* kLine = "{:<36}{}\n";
  for (const CounterReading& reading : counts.counters) {
    std::string value = reading.whyNot;
    if (reading.perRun && reading.counter == Counter::TaskClock)
      value = formatSeconds(*reading.perRun * 1e-9) + " per run";
    else if (reading.perRun)
      value = fmt::format("{:.4g} per run", *reading.perRun);
    if (reading.perRun && reading.counted < 0.995)
      value += fmt::format(" (counted {:.0f} % of the time)", 100 * reading.counted);
    text += fmt::format(kLine, name(reading.counter), value);
  }
  if (counts.energy.idleWatts)
    text += fmt::format(
        kLine, "power when idle",
        fmt::format("{} ({})", formatPower(*counts.energy.idleWatts), counts.energy.zones));
  text += '\n';
  for (const CountFigure& figure : figuresOf(counts))
    text += fmt::format(kLine, name(figure.kind),
                        figure.value ? valueText(figure.kind, *figure.value)
                                     : fmt::format("not known ({})", figure.whyNot));
  return text;
}

} // namespace nestwright
