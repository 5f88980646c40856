#pragma once
/// \file A data set in parts: what is learned from, what is validated with, what is tested on, and
/// whether something stands on both sides that should not.

#include "core/dataset/data_choice.h"
#include "core/dataset/network_tasks.h"
#include "core/dataset/recorded_data.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

/// What two parts have in common. A task is what it computes, on a target.
struct SharedBetween {
  std::size_t tasks = 0, programs = 0;
  friend bool operator==(const SharedBetween&, const SharedBetween&) = default;
};

struct LeakCheck {
  SharedBetween trainTest, trainValidation, validationTest;
  friend bool operator==(const LeakCheck&, const LeakCheck&) = default;
};
nlohmann::json toJson(const LeakCheck& check);
/// The inverse. Throws nlohmann::json::exception.
LeakCheck leakCheckFromJson(const nlohmann::json& json);

struct DataParts {
  std::vector<std::size_t> train, validation, test; // indices into the set, ascending
  /// Tasks of the training part that are not learned from: none of their programs ran, they have
  /// too few programs, or the draw left them out.
  std::size_t allFailed = 0, tooFew = 0, notDrawn = 0;
  LeakCheck leaks;
};

/// `heldOut`: the networks of DataChoice::holdOut. All draws are by the names of tasks and programs
/// and the seed, not by what else is in the set. Parts may come out empty: see requireUsable().
DataParts partsOf(const RecordedData& data, const DataChoice& choice,
                  const std::vector<NetworkTasks>& heldOut);

/// Counts what the parts have in common.
LeakCheck checkLeaks(const RecordedData& data, const DataParts& parts);

/// To be asked before anything is learned. Throws InputError, with the counts, where there is
/// nothing to learn from or, although the choice has a split, to test on; and where parts share
/// programs, or tasks although whole tasks are held out.
void requireUsable(const RecordedData& data, const DataParts& parts, const DataChoice& choice);

} // namespace nestwright
