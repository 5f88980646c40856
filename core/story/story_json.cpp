#include "core/story/story_json.h"

#include "core/support/json_number.h"

namespace nestwright {

namespace {

using nlohmann::json;

json improvement(const BestPoint& best) {
  return {{"trial", best.trial},
          {"wall_seconds", best.wallSeconds},
          {"seconds", finiteOrNull(best.seconds)},
          {"record", best.record},
          {"inherited", best.inherited}};
}

} // namespace

json toJson(const TuningHistory& history) {
  json tasks = json::array();
  for (const TaskHistory& task : history.tasks()) {
    json bests = json::array();
    for (const BestPoint& best : task.bests)
      bests.push_back(improvement(best));
    json naive;
    if (task.naiveSeconds > 0) naive = task.naiveSeconds;
    tasks.push_back({{"task", task.task},
                     {"weight", task.weight},
                     {"flops", task.flops},
                     {"naive_seconds", naive},
                     {"trials", task.trials.size()},
                     {"bests", std::move(bests)}});
  }
  json total = json::array();
  for (const TotalPoint& point : history.total())
    total.push_back({{"trial", point.trial},
                     {"wall_seconds", point.wallSeconds},
                     {"seconds", finiteOrNull(point.seconds)},
                     {"complete", point.complete}});
  return {{"tasks", std::move(tasks)},
          {"total", std::move(total)},
          {"naive_total", finiteOrNull(history.naiveTotal())},
          {"trials", history.lastTrial()},
          {"wall_seconds", history.lastWallSeconds()}};
}

json toJson(const Allocation& allocation) {
  json bands = json::array();
  const std::vector<double>* below = nullptr;
  for (const AllocationBand& band : allocation.bands) {
    json given = json::array(), task;
    for (std::size_t i = 0; i < band.top.size(); ++i)
      given.push_back(band.top[i] - (below ? (*below)[i] : 0));
    if (band.task != 0) task = band.task;
    bands.push_back({{"task", task}, {"trials", band.trials}, {"given", std::move(given)}});
    below = &band.top;
  }
  return {{"at", allocation.x}, {"trials", allocation.trials}, {"bands", std::move(bands)}};
}

json toJson(const PredictedProgram& program) {
  return {{"record", program.record},
          {"task", program.task},
          {"trial", program.trial},
          {"round", program.round},
          {"exploring", program.exploring},
          {"score", program.predicted},
          {"predicted_share", program.expected()},
          {"predicted_by", program.ranking},
          {"measured_share", finiteOrNull(program.share)},
          {"seconds", finiteOrNull(program.seconds)}};
}

json toJson(const Ancestor& ancestor) {
  json record, score;
  if (ancestor.record != 0) record = ancestor.record;
  if (ancestor.score) score = *ancestor.score;
  return {{"program", ancestor.program},
          {"operation", name(ancestor.origin)},
          {"parents", ancestor.parents},
          {"depth", ancestor.depth},
          {"record", record},
          {"seconds", finiteOrNull(ancestor.seconds)},
          {"predicted_score", score},
          {"step_list", toJson(ancestor.steps)}};
}

} // namespace nestwright
