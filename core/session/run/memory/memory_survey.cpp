#include "core/session/run/memory/memory_survey.h"

#include "core/measure/worker_target.h"
#include "core/record/format/target_facts.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

namespace nestwright {

namespace {

void look(const RecordStore& store, const TargetFacts& target, MemoryFile& file) {
  std::set<RowId> same;
  for (const TargetRow& row : store.targets().all())
    if (const std::optional<TargetFacts> facts = factsIfKnown(row);
        facts && kinshipOf(*facts, target) == TargetKinship::Same)
      same.insert(row.id);
  for (const TaskRow& task : store.tasks().all()) {
    ++file.tasks;
    file.onTarget += same.contains(task.target) ? 1 : 0;
  }
  if (file.tasks == 0)
    file.remark = "it has no tasks: there is nothing to remember";
  else if (file.onTarget == 0)
    file.remark = fmt::format("nothing in it was measured on this target: of its {}, only the "
                              "very same ones are of use",
                              quantity(std::int64_t(file.tasks), "task"));
}

} // namespace

std::string MemorySurvey::fileProblem() const {
  const auto bad =
      std::ranges::find_if(files, [](const MemoryFile& file) { return !file.problem.empty(); });
  return bad == files.end() ? std::string() : bad->problem;
}

std::size_t MemorySurvey::count(std::optional<MemorySource> source) const {
  return std::size_t(std::ranges::count_if(known.tasks, [&](const TaskRecall& task) {
    const RememberedProgram* best = nearest(task);
    return best ? source == best->source : !source;
  }));
}

std::size_t MemorySurvey::programs() const {
  std::size_t count = 0;
  for (const TaskRecall& task : known.tasks)
    count += task.programs.size();
  return count;
}

const RememberedProgram* nearest(const TaskRecall& recall) {
  const auto found =
      std::ranges::min_element(recall.programs, {}, [](const RememberedProgram& one) {
        return std::tuple(one.source, one.distance, one.seconds);
      });
  return found == recall.programs.end() ? nullptr : &*found;
}

MemorySurvey surveyMemory(const SessionConfig& config, const std::string& own,
                          const WorkerLaunch& launch, const std::function<void()>& check) {
  MemorySurvey survey;
  SessionConfig readable = config;
  readable.policy = "random"; // which wants no model made of what is found
  readable.memory.clear();
  try {
    const std::vector<Subject> subjects = subjectsOf(config);
    check();
    const TargetFacts target = knownTarget(config.target, config.measure, launch);
    for (const std::string& name : config.memory) {
      check();
      const bool isOwn = name == kOwnMemory;
      MemoryFile file{isOwn ? own : name, {}, {}};
      if (isOwn && !std::filesystem::exists(own)) continue;
      try {
        for (const RecordStore& store : openMemory({name}, own))
          look(store, target, file);
        readable.memory.push_back(name);
      } catch (const Error& problem) {
        file.problem = problem.what();
      }
      survey.files.push_back(std::move(file));
    }
    check();
    survey.known = recall(readable, subjects, target, own);
    if (readable.memory.empty()) // then it tells of no task at all
      for (const Subject& subject : subjects)
        for (const SubjectTask& task : subject.tasks) {
          std::string key = workloadKey(task.dag);
          if (!survey.known.of(key))
            survey.known.tasks.push_back({std::move(key), task.name, {}, {}});
        }
  } catch (const Error& problem) {
    survey.problem = problem.what();
  }
  return survey;
}

} // namespace nestwright
