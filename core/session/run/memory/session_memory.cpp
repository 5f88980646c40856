#include "core/session/run/memory/session_memory.h"

#include "core/plugin/plugin.h"
#include "core/session/run/memory/taught_model.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Programs kept of each source.
constexpr std::array kMostOf = {kMostOfSameTask, kMostOfSameMachine, kMostOfKind,
                                kMostOfOtherTarget};

/// Collects what one task can take.
class Recaller {
 public:
  Recaller(const MemoryTasks& known, const ComputeDag& task, const SpaceOptions& space,
           TaskRecall& recall)
      : known_(known), task_(task), space_(space), recall_(recall) {}

  void takeAll(const std::vector<RelatedTask>& related) {
    std::size_t kinds = 0;
    for (const RelatedTask& of : related)
      if (of.source == MemorySource::SameKind) {
        if (kinds++ < kNearestOfKind) lists_.emplace_back(of, fastest(of, kProgramsOfEach));
      } else {
        lists_.emplace_back(of, fastest(of, kMostOf[std::size_t(of.source)]));
      }
    // The best of each task before the second of any: tasks of a kind rarely share the second.
    for (const MemorySource source : kMemorySources)
      for (std::size_t rank = 0; rank < kMostOfKind; ++rank)
        for (const auto& [of, records] : lists_)
          if (of.source == source && rank < records.size()) take(of, records[rank]);
    // What is to be measured first; parents whose times are known behind.
    std::stable_partition(recall_.programs.begin(), recall_.programs.end(),
                          std::mem_fn(&RememberedProgram::isMeasured));
  }

 private:
  std::vector<Record> fastest(const RelatedTask& of, std::size_t count) const {
    return known_.fastest(known_.tasks()[of.task], count);
  }

  void take(const RelatedTask& of, const Record& record) {
    std::size_t& taken = taken_[std::size_t(of.source)];
    if (taken == kMostOf[std::size_t(of.source)]) return;
    const MemoryTask& from = known_.tasks()[of.task];
    const std::string& file = known_.fileOf(from).path();
    RefitResult fitted = refit(task_, record.steps, space_);
    if (!fitted.program) {
      recall_.unfit.push_back(
          {of.source, file, from.row.name, record.id, std::move(fitted.problem)});
      return;
    }
    RememberedProgram program{of.source,
                              file,
                              record.id,
                              from.row.name,
                              from.target.text(),
                              record.program,
                              record.result.latency(),
                              of.distance,
                              fitted.program->steps(),
                              {},
                              std::move(fitted.splits),
                              true,
                              record.result.startedAt};
    program.program = programId(task_, program.steps);
    if (!programs_.insert(program.program).second) return;
    program.isMeasured = of.source != MemorySource::SameTask || taken == 0;
    ++taken;
    recall_.programs.push_back(std::move(program));
  }

  const MemoryTasks& known_;
  const ComputeDag& task_;
  const SpaceOptions& space_;
  TaskRecall& recall_;
  std::vector<std::pair<RelatedTask, std::vector<Record>>> lists_;
  std::array<std::size_t, kMemorySources.size()> taken_{};
  std::set<std::string> programs_;
};

NamedProgram namedProgram(const RememberedProgram& program, const std::string& own) {
  NamedProgram named{0, program.steps};
  Trace& trace = named.trace.emplace();
  trace.origin = Origin::Remembered;
  trace.parents = {program.parent};
  trace.reason = reasonText(program);
  // A number of a record says nothing without its file.
  if (program.file == own)
    trace.source = program.record;
  else
    trace.reason += fmt::format("; of the file {}", program.file);
  return named;
}

} // namespace

template <class Io>
void fields(Io& io, RefittedSplit& split) {
  io("step", split.step);
  io("loop", split.loop);
  io("stage", split.stage);
  io("old_extent", split.oldExtent);
  io("new_extent", split.newExtent);
  io("old_factors", split.oldFactors);
  io("new_factors", split.newFactors);
}
template <class Io>
void fields(Io& io, RememberedProgram& program) {
  io.named("source", program.source, memorySourceFromName);
  io("file", program.file);
  io("record", program.record);
  io("task", program.fromTask);
  io("target", program.fromTarget);
  io("parent", program.parent);
  io("seconds", program.seconds);
  io("distance", program.distance);
  io("program", program.program);
  io.each("splits", program.splits);
  io("measured", program.isMeasured);
  io("measured_at", program.measuredAt);
}
template <class Io>
void fields(Io& io, UnfitProgram& program) {
  io.named("source", program.source, memorySourceFromName);
  io("file", program.file);
  io("record", program.record);
  io("task", program.fromTask);
  io("why", program.why);
}

std::string reasonText(const RememberedProgram& program) {
  std::string reason = fmt::format("record {} of {}, {} ({})", program.record, program.fromTask,
                                   formatSeconds(program.seconds), meaning(program.source));
  std::vector<std::string> splits;
  for (const RefittedSplit& split : program.splits)
    splits.push_back(text(split));
  if (!splits.empty()) reason += fmt::format(": {}", fmt::join(splits, "; "));
  return reason;
}

const char* TaskRecall::standing() const {
  const auto isSame = [](const RememberedProgram& program) {
    return program.source == MemorySource::SameTask;
  };
  return programs.empty() ? "unknown" : std::ranges::any_of(programs, isSame) ? "known" : "similar";
}

const TaskRecall* SessionMemory::of(const std::string& task) const {
  const auto found = std::ranges::find(tasks, task, &TaskRecall::task);
  return found == tasks.end() ? nullptr : &*found;
}

SessionMemory recall(const SessionConfig& config, const std::vector<Subject>& subjects,
                     const TargetFacts& target, const std::string& own) {
  SessionMemory memory;
  if (config.memory.empty() || config.space == SearchSpace::Templates) return memory;
  const std::vector<RecordStore> files = openMemory(config.memory, own);
  const MemoryTasks known(files);
  SpaceOptions space = spaceOptionsFor(target, drawsOf(config.rules));
  space.tf32 = config.tf32;
  std::set<std::string> seen;
  std::vector<TaughtBy> teachers;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks) {
      const std::string key = workloadKey(task.dag);
      if (!seen.insert(key).second) continue;
      TaskRecall& recall = memory.tasks.emplace_back(TaskRecall{key, task.name, {}, {}});
      const std::vector<RelatedTask> related = known.relatedTo(task.dag, target);
      Recaller(known, task.dag, space, recall).takeAll(related);
      teachers.push_back({key, related});
    }
  if (config.pretrained.empty() && searchPolicy(config.policy).learns)
    memory.model = taughtModel(config, target, known, teachers, memory.taught);
  return memory;
}

void remember(const TaskRecall& recall, const std::string& own, TaskMemory& memory) {
  for (const RememberedProgram& program : recall.programs)
    (program.isMeasured ? memory.remembered : memory.rememberedParents)
        .push_back(namedProgram(program, own));
}

nlohmann::json toJson(const SessionMemory& memory) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const TaskRecall& recall : memory.tasks) {
    nlohmann::json programs = nlohmann::json::array(), unfit = nlohmann::json::array();
    for (const RememberedProgram& program : recall.programs) {
      programs.push_back(toFields(program));
      programs.back()["reason"] = reasonText(program);
      programs.back()["steps"] = toJson(program.steps);
    }
    for (const UnfitProgram& program : recall.unfit)
      unfit.push_back(toFields(program));
    tasks.push_back({{"task", recall.task},
                     {"name", recall.name},
                     {"standing", recall.standing()},
                     {"programs", std::move(programs)},
                     {"unfit", std::move(unfit)}});
  }
  return {{"tasks", std::move(tasks)}, {"taught", memory.taught}};
}

void checkMemory(const SessionConfig& config) {
  for (const std::string& file : config.memory)
    if (file.empty() || file == "off")
      throw UsageError("a memory is off, or it is files: \"off\" stands alone");
}

} // namespace nestwright
