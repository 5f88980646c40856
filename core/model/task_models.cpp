#include "core/model/task_models.h"

#include "core/support/hash.h"

#include <vector>

namespace nestwright {

namespace {

constexpr const char* kTaskModelsName = "a model a task";

std::vector<std::vector<std::size_t>> programsOfTasks(const DataSet& set) {
  std::vector<std::vector<std::size_t>> programs(set.tasks.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    programs[set.outcomes[i].task].push_back(i);
  return programs;
}

std::string recordsHash(const DataSet& set, const std::vector<std::size_t>& programs) {
  std::string all;
  for (const std::size_t program : programs)
    all += fmt::format("{} {}\n", set.outcomes[program].program, set.outcomes[program].seconds);
  return hashHex(all);
}

} // namespace

TaskModels::TaskModels(TrainedBase base, ModelMaker make)
    : base_(std::move(base)), make_(std::move(make)) {}

const CostModel& TaskModels::ofTask(std::string_view task) const {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return *this;
  return *found->second.model;
}

UpdateReport TaskModels::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  report.reason = "no task has other records than before";
  const std::vector<std::vector<std::size_t>> programs = programsOfTasks(set);
  for (std::size_t task = 0; task < programs.size(); ++task) {
    if (programs[task].empty()) continue;
    OfTask& of = tasks_[set.tasks[task]];
    std::string learned = recordsHash(set, programs[task]);
    if (of.model && of.learned == learned) continue;
    if (!of.model) of.model = make_();
    report = of.model->update(select(set, programs[task]));
    of.learned = std::move(learned);
  }
  return report;
}

std::string TaskModels::save() const {
  NamedModels models;
  nlohmann::json learned = nlohmann::json::object();
  for (const auto& [task, of] : tasks_) {
    models.add(task, of.model->save());
    learned[task] = of.learned;
  }
  return savedOnBase(base_, kTaskModelsName, {{"tasks", models.list}, {"learned", learned}},
                     models.bytes);
}

void TaskModels::load(std::string_view bytes) {
  const SealedModel saved = openedOnBase(base_, kTaskModelsName, bytes);
  const auto learned =
      savedField<std::map<std::string, std::string>>(kTaskModelsName, saved.header, "learned");
  std::map<std::string, OfTask, std::less<>> tasks;
  forEachNamed(saved.header.value("tasks", nlohmann::json()), saved.bytes,
               [&](const std::string& task, std::string_view model) {
                 OfTask of{make_(), {}};
                 of.model->load(model);
                 if (const auto found = learned.find(task); found != learned.end())
                   of.learned = found->second;
                 tasks[task] = std::move(of);
               });
  tasks_ = std::move(tasks);
}

} // namespace nestwright
