#pragma once
/// \file Counting what threads of this process do, by Linux's perf events.

#include "core/result/program_counts.h"

#include <linux/perf_event.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// Threads of this process, ascending.
std::vector<int> threadsHere();

/// kernel.perf_event_paranoid below `root`; nothing where the system has no perf events.
std::optional<int> perfEventParanoid(const std::filesystem::path& root = "/");

/// Why perf_event_open(2) refused the counter with this errno, and what would allow it, in a
/// clause.
std::string whyNotCounted(Counter counter, int error, std::optional<int> paranoid);

/// Opens an event of a thread as a member of a group, -1 for a new one: its descriptor, or minus
/// the errno.
using PerfEventOpener = std::function<int(perf_event_attr& event, int thread, int group)>;
int openPerfEvent(perf_event_attr& event, int thread, int group);

/// Counts what these threads do between start() and stop(), each counter on each thread: a kernel's
/// threads exist already, and events are inherited only by threads that begin later. What is
/// divided by one another is in one group, and so counted at the same times.
class PerfCounters {
 public:
  explicit PerfCounters(std::span<const int> threads, const PerfEventOpener& open = openPerfEvent);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  void start();
  void stop();
  /// Of all counters, in their order, divided by so many runs.
  std::vector<CounterReading> readings(int runs) const;

 private:
  struct OpenEvent {
    Counter counter = Counter::Cycles;
    int descriptor = -1;
    bool leads = false; // its group, which starts and stops with it
  };

  void openGroup(std::span<const Counter> group, int thread, const PerfEventOpener& open);

  std::vector<OpenEvent> events_;
  std::array<int, kCounters> refused_{}; // by counter: the errno of a thread that it failed on
};

} // namespace nestwright
