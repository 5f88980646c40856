#include "core/dataset/data_survey.h"

#include "core/support/json_fields.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace nestwright {

template <class Io>
void fields(Io& io, PartSize& size) {
  io("tasks", size.tasks);
  io("programs", size.programs);
  io("failed", size.failed);
}

template <class Io>
void fields(Io& io, HeldOutNetwork& network) {
  io("name", network.name);
  io("tasks", network.tasks);
  io("tasks_found", network.tasksFound);
  io("programs", network.programs);
}

template <class Io>
void fields(Io& io, DataIntake& intake) {
  io("records", intake.records);
  io("repeated", intake.repeated);
  io("never_tried", intake.neverTried);
  io("implausible", intake.implausible);
  io("without_dag", intake.withoutDag);
  io("without_program", intake.withoutProgram);
  io("failures_dropped", intake.failuresDropped);
  io("without_features", intake.withoutFeatures);
}

namespace {

template <class Which>
PartSize sizeOf(const RecordedData& data, const Which& which) {
  PartSize size;
  std::set<std::pair<std::string_view, std::size_t>> tasks;
  for (std::size_t i = 0; i < data.set.size(); ++i) {
    const Outcome& outcome = data.set.outcomes[i];
    if (!which(i, outcome)) continue;
    ++size.programs;
    if (outcome.failed()) ++size.failed;
    tasks.emplace(data.tasks[outcome.task].definition, outcome.machine);
  }
  size.tasks = tasks.size();
  return size;
}

PartSize sizeOf(const RecordedData& data, const std::vector<std::size_t>& part) {
  return sizeOf(data,
                [&](std::size_t i, const Outcome&) { return std::ranges::binary_search(part, i); });
}

void addTimes(const DataSet& set, DataSurvey& survey) {
  std::vector<double> seconds;
  std::map<std::pair<std::size_t, std::size_t>, bool> ran;
  for (const Outcome& outcome : set.outcomes) {
    bool& any = ran[{outcome.task, outcome.machine}];
    if (outcome.failed()) continue;
    any = true;
    seconds.push_back(outcome.seconds);
  }
  survey.allFailed = static_cast<std::size_t>(
      std::ranges::count_if(ran, [](const auto& task) { return !task.second; }));
  if (seconds.empty()) return;
  std::ranges::sort(seconds);
  survey.best = seconds.front();
  survey.median = seconds[seconds.size() / 2];
  survey.worst = seconds.back();
}

void addLabels(const DataSet& set, DataSurvey& survey) {
  for (const float label : normalisedThroughput(set)) {
    if (label <= 0) continue;
    const auto bin = static_cast<std::size_t>(std::ceil(label * kLabelBins)) - 1;
    ++survey.labels[std::min(bin, kLabelBins - 1)];
  }
}

HeldOutNetwork foundOf(const RecordedData& data, const NetworkTasks& network) {
  std::set<std::string> found; // a task of several targets once
  const PartSize size = sizeOf(data, [&](std::size_t, const Outcome& outcome) {
    const std::string& definition = data.tasks[outcome.task].definition;
    const bool isIts = network.weights.contains(definition);
    if (isIts) found.insert(definition);
    return isIts;
  });
  return {network.name, network.weights.size(), found.size(), size.programs};
}

} // namespace

DataSurvey surveyOf(const RecordedData& data, const DataParts& parts,
                    const std::vector<NetworkTasks>& heldOut) {
  DataSurvey survey;
  survey.all = sizeOf(data, [](std::size_t, const Outcome&) { return true; });
  survey.train = sizeOf(data, parts.train);
  survey.validation = sizeOf(data, parts.validation);
  survey.test = sizeOf(data, parts.test);
  addTimes(data.set, survey);
  addLabels(data.set, survey);
  for (std::size_t target = 0; target < data.targets.size(); ++target)
    survey.targets.push_back(sizeOf(
        data, [&](std::size_t, const Outcome& outcome) { return outcome.machine == target; }));
  for (const NetworkTasks& network : heldOut)
    survey.heldOut.push_back(foundOf(data, network));
  return survey;
}

nlohmann::json toJson(const DataSurvey& survey, const RecordedData& data, const DataParts& parts,
                      const DataChoice& choice) {
  using nlohmann::json;
  json targets = json::array();
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    json target = toFields(survey.targets[i]);
    target["id"] = data.targets[i].id;
    target["text"] = data.targets[i].text;
    target["records"] = data.targets[i].records;
    targets.push_back(std::move(target));
  }
  json heldOut = json::array();
  for (const HeldOutNetwork& network : survey.heldOut)
    heldOut.push_back(toFields(network));
  return {{"choice", toJson(choice)},
          {"tasks", survey.all.tasks},
          {"programs", survey.all.programs},
          {"failed", survey.all.failed},
          {"tasks_all_failed", survey.allFailed},
          {"seconds", {{"best", survey.best}, {"median", survey.median}, {"worst", survey.worst}}},
          {"label_histogram", survey.labels},
          {"read", toFields(data.intake)},
          {"targets", std::move(targets)},
          {"held_out", std::move(heldOut)},
          {"parts",
           {{"train", toFields(survey.train)},
            {"validation", toFields(survey.validation)},
            {"test", toFields(survey.test)},
            {"tasks_all_failed", parts.allFailed},
            {"tasks_too_few_programs", parts.tooFew},
            {"tasks_not_drawn", parts.notDrawn}}},
          {"leaks", toJson(parts.leaks)}};
}

} // namespace nestwright
