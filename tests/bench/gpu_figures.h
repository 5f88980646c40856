#pragma once
/// \file What the steps of packaging/gpu left in their folder, put together: the figures that a
/// machine with a GPU has to show, beside what was to be reached.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nestwright::bench {

struct GpuFigures {
  nlohmann::json document;
  std::vector<std::string> lines;  // for people, in the order of the steps
  std::vector<std::string> faults; // what must not be: a figure below its goal is none
};

/// Of the folder's files that are there: doctor, programs-*, hostile, tuning-*, network, run,
/// torch, table and policies, each .json. `step` names the only ones to look at ("programs");
/// empty: all. What is no JSON, as of a step that was killed, is a fault.
GpuFigures gpuFigures(const std::string& folder, const std::string& step = {});

} // namespace nestwright::bench
