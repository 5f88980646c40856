#pragma once
/// \file A few programs of a task that are together good on all its targets: the greedy algorithm
/// for set cover (Chvátal 1979).

#include "core/travel/travel_times.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

/// A program of a portfolio. Targets are places in TaskTimes::targets.
struct PortfolioProgram {
  std::size_t program = 0;         // index into TaskTimes::programs
  std::vector<std::size_t> covers; // where it is good, and none chosen before it is
  std::vector<std::size_t> good;   // all targets where it is
};

/// What a portfolio gives on a target.
struct PortfolioTarget {
  std::size_t target = 0; // place in TaskTimes::targets
  bool covered = false;   // one of the programs is good there
  /// The time of its fastest program by the best one; infinity where none of them ran.
  double slowdown = 0;
};

/// In the order in which the programs were chosen: a smaller portfolio is the beginning of a larger
/// one.
struct Portfolio {
  std::vector<PortfolioProgram> programs;
  std::vector<PortfolioTarget> targets; // on which any program of the task ran
  bool coversAll() const;
};

/// The program that is good on most targets that are not covered yet, again and again, until all
/// are or there are `most` (0: as many as it takes). Of equal ones it takes that with the least
/// geometric mean of slowdowns there, then that which is good on more targets in all, then the
/// first. To cover n targets it takes at most 1 + 1/2 + ... + 1/n times as many programs as the
/// least that can, and k programs cover at least 1 - 1/e of what the best k do (Nemhauser, Wolsey
/// and Fisher 1978). O(programs · targets) for each program.
Portfolio portfolioOf(const TaskTimes& task, double within, std::size_t most = 0);

/// Why it is in the portfolio: "within 5 % of the best on all 3 targets", "within 5 % of the best
/// on llvm-sse4.2-1c-ab, where none of those before is". `targets` are TravelTimes::targets.
std::string reasonText(const PortfolioProgram& chosen, const TaskTimes& task,
                       const std::vector<DataTarget>& targets, double within);

} // namespace nestwright
