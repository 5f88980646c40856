#pragma once
/// \file What the draft says that a program spends its time on: what limits each of its stages, or
/// of its kernels, in words and numbers for people.

#include "core/schedule/state.h"
#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A stage of a processor's program, or a kernel of a GPU's.
struct DraftedWork {
  struct Part {
    std::string name; // "arithmetic", "shared memory"
    double clocks = 0;
  };
  std::string name;
  std::vector<Part> parts; // those that take any time, the longest first
  double clocks = 0;       // of all, which overlap
};

/// In their order. Throws IllegalSchedule as draftedStages() and draftedKernels() do.
std::vector<DraftedWork> draftedWork(const State& program, const TargetFacts& target);

/// Of so many clocks; nothing for a processor, whose draft only orders programs, and for a device
/// whose clock is not known.
std::optional<double> draftedSeconds(double clocks, const TargetFacts& target);

/// A table. `measured` in seconds, if the program was.
std::string inWords(const std::vector<DraftedWork>& work, const TargetFacts& target,
                    std::optional<double> measured);
nlohmann::json toJson(const std::vector<DraftedWork>& work, const TargetFacts& target);

} // namespace nestwright
