#pragma once
/// \file Programs that a session is to begin with, as a file: what a portfolio leaves for a target
/// that is not measured yet. It has the steps, so that nothing else of the records is needed, and
/// no times: on another target they would say nothing (C28).

#include "core/schedule/step.h"
#include "core/template/task_template.h"
#include "core/travel/travel_map.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct SeedProgram {
  std::string task;                     // workloadKey() of it
  std::string taskName;                 // for people
  std::string program;                  // programId
  std::string reason;                   // one sentence
  Steps steps;                          // none of a template's program
  std::optional<TemplateConfig> config; // of one
};

/// The portfolios' programs, task by task in the order of choice. `files` are those that the times
/// were read from. Throws InputError where a record is gone.
std::vector<SeedProgram> portfolioSeeds(const TravelMap& map, const TravelTimes& times,
                                        const std::vector<RecordStore>& files);

nlohmann::json toJson(const std::vector<SeedProgram>& seeds);
/// Throws InputError that says what is missing or wrong, and for a file of a newer version, naming
/// both.
std::vector<SeedProgram> seedsFromJson(const nlohmann::json& json);

/// Throws InputError that names the file.
std::vector<SeedProgram> readSeeds(const std::string& file);
/// Whole or not at all. Throws SystemError.
void writeSeeds(const std::vector<SeedProgram>& seeds, const std::string& file);

} // namespace nestwright
