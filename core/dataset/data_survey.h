#pragma once
/// \file What is in a data set, in figures.

#include "core/dataset/data_parts.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

struct PartSize {
  std::size_t tasks = 0, programs = 0, failed = 0;
};

inline constexpr std::size_t kLabelBins = 10;

/// What the records have of a network that is held out.
struct HeldOutNetwork {
  std::string name;
  std::size_t tasks = 0;      // that the network has
  std::size_t tasksFound = 0; // of them, in the data
  std::size_t programs = 0;   // of those
};

struct DataSurvey {
  PartSize all, train, validation, test;
  std::size_t allFailed = 0;                    // tasks none of whose programs ran
  double best = 0, median = 0, worst = 0;       // seconds, of the programs that ran; 0 without any
  std::array<std::size_t, kLabelBins> labels{}; // (0, 0.1], ... (0.9, 1]; failed ones left out
  std::vector<PartSize> targets;                // parallel to RecordedData::targets
  std::vector<HeldOutNetwork> heldOut;
};

DataSurvey surveyOf(const RecordedData& data, const DataParts& parts,
                    const std::vector<NetworkTasks>& heldOut);

/// All of it, with the choice, what was read and left out, and the check for leaks.
nlohmann::json toJson(const DataSurvey& survey, const RecordedData& data, const DataParts& parts,
                      const DataChoice& choice);

} // namespace nestwright
