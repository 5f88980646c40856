#pragma once
/// \file The travel map: how programs of the same tasks do on several targets, which of them are
/// good everywhere and which on one alone, and a portfolio of a few of each task.

#include "core/dataset/data_choice.h"
#include "core/travel/portfolio.h"
#include "core/travel/program_travel.h"
#include "core/travel/target_pairs.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// How the times are looked at.
struct TravelSettings {
  double within = 0.05;         // share above the best up to which a program is good
  std::size_t programs = 0;     // of a task's portfolio at most; 0: as many as it takes
  std::size_t leastShared = 10; // programs that a task must share to count for two targets
  BootstrapOptions bootstrap;
};
/// Throws UsageError when it cannot be.
void checkTravel(const TravelSettings& settings);

/// Which records, on which targets, and how they are looked at.
struct TravelChoice {
  DataChoice data;                  // `target` and `acrossTargets` do not count
  std::vector<std::string> targets; // as isTargetMeant() takes them; none: all
  TravelSettings settings;
};

/// Reads the times of the choice's records, in one pass. `goOn` as ReadOptions has it. Throws as
/// readData() does.
TravelTimes readTravelTimes(const std::vector<RecordStore>& files, const TravelChoice& choice,
                            const std::function<bool(double)>& goOn = {});

/// Of a task. Parallel to TravelTimes::tasks.
struct TaskTravel {
  std::vector<TargetPair> pairs;
  TaskTravels travels;
  Portfolio portfolio;
};

struct TravelMap {
  TravelSettings settings;
  std::vector<TaskTravel> tasks;
  std::vector<PooledPair> pairs;
};

TravelMap travelMap(const TravelTimes& times, const TravelSettings& settings);

/// The same map with other bounds of what is good and how many programs a portfolio has: the pairs
/// stay as they are. `check` is called now and then, and may throw to end it.
void lookAgain(TravelMap& map, const TravelTimes& times, double within, std::size_t programs,
               const std::function<void()>& check = {});

/// All of it. Of the programs those that are good anywhere, with how far they travel and the ratio
/// of their time to the best on each target: null where they failed or were not measured, which
/// `verdicts` beside it tells apart.
nlohmann::json toJson(const TravelMap& map, const TravelTimes& times);

} // namespace nestwright
