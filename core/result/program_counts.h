#pragma once
/// \file What a processor counted while a program ran over and over, what energy that took, and
/// what follows from both. Each count is there or says why it is not.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// As the kernel defines them (perf_event_open(2)), of user code but for the context switches and
/// the task clock.
/// Cache references and misses are those of the last cache that the processor counts: the one
/// before memory on Intel's, L2 on AMD's.
enum class Counter : std::uint8_t {
  Cycles,
  Instructions,
  Branches,
  BranchMisses,
  L1Loads,
  L1LoadMisses,
  CacheReferences,
  CacheMisses,
  TaskClock, // nanoseconds of processor time, of all threads together
  PageFaults,
  ContextSwitches,
};
inline constexpr int kCounters = 11;
/// perf's own: "cycles", "branch-misses", "L1-dcache-loads", "task-clock".
const char* name(Counter counter);
/// Nothing for what is none.
std::optional<Counter> counterNamed(std::string_view text);

struct CounterReading {
  Counter counter = Counter::Cycles;
  std::optional<double> perRun; // of all threads together
  /// Share of the time in which it was counted; below 1 where more counters were wanted than the
  /// processor has, and the count is scaled up.
  double counted = 1;
  std::string whyNot; // where there is no count
};

/// From the machine's own meter: of whole processors, with all that ran on them.
struct EnergyReading {
  std::string zones;                  // what was read: "package-0, dram"
  std::optional<double> joulesPerRun; // all of it, idling included
  std::optional<double> idleWatts;    // before the kernel ran, while the worker slept
  std::string whyNot;                 // where there is no reading
};

struct ProgramCounts {
  double seconds = 0;    // of one run, while all was counted
  int runs = 0;          // that were counted
  int threads = 0;       // of the worker, that were counted
  double flops = 0;      // of one run
  double leastBytes = 0; // inputs and outputs once: no program moves less
  std::vector<CounterReading> counters;
  EnergyReading energy;

  /// Null where there is no such reading, or it has no count.
  const CounterReading* find(Counter counter) const;
};
nlohmann::json toJson(const ProgramCounts& counts);

enum class CountFigureKind : std::uint8_t {
  InstructionsPerCycle,
  FlopsPerCycle,
  Clock,                  // cycles a second of processor time
  BusyCores,              // processor time over wall time
  L1MissesPerThousand,    // loads that miss, per thousand instructions
  CacheMissesPerThousand, // per thousand instructions
  MissedBytes,            // cache misses, 64 bytes each
  MissedOverLeast,        // those over leastBytes
  BranchMissRate,         // of the branches
  JoulesPerRun,
  JoulesAboveIdle, // without what the processor takes when it idles
  FlopsPerJoule,
};
/// "instructions per cycle", "energy of a run".
const char* name(CountFigureKind kind);

/// What follows from the counts.
struct CountFigure {
  CountFigureKind kind = CountFigureKind::InstructionsPerCycle;
  std::optional<double> value;
  std::string whyNot; // where a count is missing that it needs
};
/// One of each kind, in their order.
std::vector<CountFigure> figuresOf(const ProgramCounts& counts);

/// All of it as lines for a terminal.
std::string inWords(const ProgramCounts& counts);

} // namespace nestwright
