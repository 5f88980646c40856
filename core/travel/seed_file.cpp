#include "core/travel/seed_file.h"

#include "core/record/format/record_program.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "core/support/json_document.h"

#include <algorithm>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr DocumentForm kSeedsForm{.kind = "nestwright seeds",
                                  .words = "the seeds are",
                                  .notOne =
                                      "these are no seeds; `nestwright travel -o` writes some"};

json toJson(const SeedProgram& seed) {
  json written = {{"task", seed.task},
                  {"task_name", seed.taskName},
                  {"program", seed.program},
                  {"reason", seed.reason}};
  if (seed.config)
    written["config"] = toJson(*seed.config);
  else
    written["steps"] = toJson(seed.steps);
  return written;
}

SeedProgram seedFromJson(const json& written) {
  SeedProgram seed;
  written.at("task").get_to(seed.task);
  written.at("task_name").get_to(seed.taskName);
  written.at("program").get_to(seed.program);
  written.at("reason").get_to(seed.reason);
  if (written.contains("config"))
    seed.config = templateConfigFromJson(written.at("config"));
  else
    seed.steps = stepsFromJson(written.at("steps"));
  return seed;
}

SeedProgram seedOf(const TaskTimes& task, std::size_t program,
                   const std::vector<RecordStore>& files) {
  const DataSource& source =
      *std::ranges::find_if(task.sourcesOf(program), [](const DataSource& of) {
        return of.record != 0; // the steps are the same on every target
      });
  const RecordStore& store = files[source.file];
  const std::optional<Record> record = store.records().one(source.record);
  if (!record)
    throw InputError(fmt::format("{}: record {} is gone since the records were read; do that again",
                                 store.path(), source.record));
  SeedProgram seed{task.task.key, task.task.name, task.programs[program], {}, {}, std::nullopt};
  if (isOfTemplate(*record)) {
    const TaskRow row = store.tasks().one(record->task).value();
    seed.config = RecordPrograms(dagIfKnown(row).value()).config(*record);
  } else {
    seed.steps = record->steps;
  }
  return seed;
}

} // namespace

std::vector<SeedProgram> portfolioSeeds(const TravelMap& map, const TravelTimes& times,
                                        const std::vector<RecordStore>& files) {
  std::vector<SeedProgram> seeds;
  for (std::size_t i = 0; i < map.tasks.size(); ++i)
    for (const PortfolioProgram& chosen : map.tasks[i].portfolio.programs) {
      const TaskTimes& task = times.tasks[i];
      seeds.push_back(seedOf(task, chosen.program, files));
      seeds.back().reason = reasonText(chosen, task, times.targets, map.settings.within);
    }
  return seeds;
}

json toJson(const std::vector<SeedProgram>& seeds) {
  json programs = json::array();
  for (const SeedProgram& seed : seeds)
    programs.push_back(toJson(seed));
  return asDocument({{"programs", std::move(programs)}}, kSeedsForm);
}

std::vector<SeedProgram> seedsFromJson(const json& file) {
  requireForm(file, kSeedsForm);
  std::vector<SeedProgram> seeds;
  try {
    for (const json& program : file.at("programs"))
      seeds.push_back(seedFromJson(program));
  } catch (const json::exception& error) {
    throw InputError(fmt::format("the seeds cannot be read ({}); `nestwright travel -o` writes "
                                 "some",
                                 error.what()));
  }
  return seeds;
}

std::vector<SeedProgram> readSeeds(const std::string& file) {
  const json document = readDocument(file);
  try {
    return seedsFromJson(document);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

void writeSeeds(const std::vector<SeedProgram>& seeds, const std::string& file) {
  writeDocument(file, "seeds", toJson(seeds));
}

} // namespace nestwright
