#include "core/session/run/tuning/task_book.h"

#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/rows/task_groups.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/sketch_answers.h"
#include "core/session/schedule/similarity.h"
#include "core/space/sketch_of.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace nestwright {

TaskBook::TaskBook(RunLog& log, const RunSettings& settings) : log_(log), settings_(settings) {
  const RecordStore& store = log_.store();
  const std::vector<SessionNetwork> networks = store.sessions().networks(log_.session());
  for (const TaskRow& row : store.sessions().tasks(log_.session())) {
    TunedTask task;
    task.row = row;
    for (const SessionNetwork& network : networks)
      task.weights.push_back(weightIn(network, row.id));
    task.dag = parseDag(row.dag);
    task.similarityTag = similarityTag(task.dag);
    readResults(task);
    tasks_.push_back(std::move(task));
  }
  std::vector<TaskRow> rows;
  for (const TunedTask& task : tasks_)
    rows.push_back(task.row);
  const std::vector<std::size_t> definitions = definitionsAmong(rows);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (definitions[i] != i) tasks_[i].definition = rows[definitions[i]].id;
  if (tasks_.empty())
    throw InputError(
        fmt::format("session {} of {} has no tasks to tune", log_.session(), store.path()));
}

TunedTask& TaskBook::of(RowId id) {
  const auto task = std::ranges::find_if(
      tasks_, [&](const TunedTask& candidate) { return candidate.row.id == id; });
  if (task == tasks_.end())
    throw InputError(fmt::format("task {} does not belong to session {}", id, log_.session()));
  return *task;
}

std::vector<TaskProgress> TaskBook::progress() const {
  const std::map<RowId, TaskMemory>& memories = log_.state().tasks;
  std::vector<TaskProgress> result;
  for (const TunedTask& task : tasks_) {
    const auto found = memories.find(task.row.id);
    const TaskMemory memory = found == memories.end() ? TaskMemory{} : found->second;
    TaskProgress progress;
    progress.task = task.row.id;
    progress.definition = task.definition;
    progress.weights = task.weights;
    progress.importance = memory.importance;
    progress.mode = memory.mode;
    progress.rounds = memory.rounds;
    progress.trials = task.trials;
    progress.bestSeconds = task.bestSeconds;
    progress.naiveSeconds = task.naiveSeconds;
    progress.history = memory.history;
    progress.flops = task.row.flops;
    progress.similarityTag = task.similarityTag;
    progress.exhausted = !memory.exhausted.empty() || roomOf(task) == 0;
    result.push_back(std::move(progress));
  }
  return result;
}

std::int64_t TaskBook::roomOf(const TunedTask& task) const {
  if (settings_.programsPerTask == 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, settings_.programsPerTask - task.trials);
}

std::vector<bool> TaskBook::counted() const {
  return countedTasks(progress());
}

double TaskBook::totalSeconds() const {
  const std::vector<bool> counts = counted();
  double total = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (counts[i]) total += tasks_[i].row.weight * tasks_[i].bestSeconds;
  return total;
}

std::vector<RowId> TaskBook::failed() const {
  std::vector<RowId> failed;
  for (const auto& [id, memory] : log_.state().tasks)
    if (memory.failed) failed.push_back(id);
  return failed;
}

const std::vector<Sketch>& TaskBook::sketchesOf(TunedTask& task) const {
  if (!task.sketches && settings_.onTemplates()) task.sketches.emplace();
  if (!task.sketches)
    task.sketches = generateSketches(task.dag, settings_.space,
                                     sketchRules(settings_.config.rules, settings_.target));
  return *task.sketches;
}

const ChosenTemplate& TaskBook::templateOf(TunedTask& task) const {
  if (!task.chosen)
    task.chosen = settings_.onTemplates()
                      ? chosenTemplate(task.dag, templateNames(settings_.config.templates),
                                       templateMachine(settings_.config.target))
                      : ChosenTemplate();
  return *task.chosen;
}

std::optional<std::int64_t> TaskBook::configOf(TunedTask& task, const Record& record) const {
  const std::optional<TaskTemplate>& of = templateOf(task).of;
  if (!of) return std::nullopt;
  const std::optional<TemplateConfig> config = ownTemplateConfigOf(record);
  if (!config || config->kind != of->kind->name || config->version != of->version)
    return std::nullopt;
  return of->space.find(config->entities);
}

std::vector<MeasuredConfig>
TaskBook::configsOf(TunedTask& task, const std::unordered_set<std::string>& without) const {
  const RecordStore& store = log_.store();
  constexpr int kPage = 100000;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page =
        store.trials().curve(log_.session(), task.configsReadTo, kPage);
    for (const CurvePoint& point : page) {
      task.configsReadTo = point.trial;
      if (point.task != task.row.id) continue;
      const std::optional<Record> record = store.records().one(point.record);
      if (const auto config = record ? configOf(task, *record) : std::nullopt)
        task.configs.emplace_back(point.record,
                                  MeasuredConfig{*config, point.seconds, record->program});
    }
    more = page.size() == kPage;
  }
  std::vector<MeasuredConfig> measured;
  for (const auto& [record, config] : task.configs)
    if (!without.contains(config.programId)) measured.push_back(config);
  return measured;
}

void TaskBook::noteTime(TunedTask& task, RowId record, double seconds) const {
  for (auto& [id, config] : task.configs)
    if (id == record) config.seconds = seconds;
}

void TaskBook::requireSeed(TunedTask& task, const RecordProgram& seed) const {
  const std::optional<TaskTemplate>& of = templateOf(task).of;
  switch (seedFit(settings_.onTemplates(), of, seed.config)) {
  case SeedFit::Fits:
    return;
  case SeedFit::OtherTemplate:
    throw InputError(fmt::format("the search goes over the configurations of {}, and the program "
                                 "is none of them",
                                 of->kind->name));
  case SeedFit::SearchesSketches:
    throw InputError(fmt::format("the search goes over sketches, and cannot start from a program "
                                 "of the template {}",
                                 seed.config->kind));
  }
}

std::vector<RecordProgram> TaskBook::programsOf(const TunedTask& task,
                                                const std::vector<NamedProgram>& named) const {
  std::vector<RecordProgram> programs;
  for (const NamedProgram& seed : named)
    programs.push_back(meantProgram(seed, task.row, task.dag, log_.store()));
  return programs;
}

std::vector<RecordProgram> TaskBook::seedsOf(const TunedTask& task) {
  return programsOf(task, memoryOf(task).seeds);
}

std::vector<RecordProgram> TaskBook::firstOf(const TunedTask& task) {
  return programsOf(task, memoryOf(task).first);
}

std::vector<RecordProgram> TaskBook::rememberedOf(const TunedTask& task, int count) {
  const std::vector<NamedProgram>& all = memoryOf(task).remembered;
  const auto end = all.begin() + std::min<std::ptrdiff_t>(count, std::ssize(all));
  return programsOf(task, {all.begin(), end});
}

std::vector<RecordProgram> TaskBook::rememberedParentsOf(const TunedTask& task) {
  const TaskMemory& memory = memoryOf(task);
  std::vector<NamedProgram> all = memory.remembered;
  all.insert(all.end(), memory.rememberedParents.begin(), memory.rememberedParents.end());
  return programsOf(task, all);
}

void TaskBook::addReasons(const TunedTask& task, std::vector<Candidate>& candidates) {
  const TaskMemory& memory = memoryOf(task);
  for (const std::vector<NamedProgram>* list : {&memory.first, &memory.remembered}) {
    const std::vector<RecordProgram> programs = programsOf(task, *list);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const std::optional<Trace>& known = (*list)[i].trace;
      if (!known) continue;
      const std::string id = programId(programs[i].dag, programs[i].steps);
      for (Candidate& candidate : candidates) {
        if (candidate.programId != id || candidate.trace.origin != Origin::Seed) continue;
        candidate.trace.reason = known->reason;
        candidate.trace.origin = known->origin;
        candidate.trace.parents = known->parents;
        candidate.trace.source = known->source;
      }
    }
  }
}

void TaskBook::dropMeasuredFirst(const TunedTask& task, const std::vector<Record>& ofRound) {
  TaskMemory& memory = memoryOf(task);
  for (std::vector<NamedProgram>* list : {&memory.first, &memory.remembered})
    std::erase_if(*list, [&](const NamedProgram& seed) {
      const RecordProgram program = meantProgram(seed, task.row, task.dag, log_.store());
      return task.measured.contains(programId(program.dag, program.steps));
    });
  memory.rememberedParents.clear(); // those that are fast are parents by their own times now
  const auto fastest = std::ranges::min_element(
      ofRound, {}, [](const Record& record) { return record.result.latency(); });
  if (fastest == ofRound.end() || fastest->result.verdict != Verdict::Ok ||
      traceOf(*fastest).value_or(Trace()).origin != Origin::Remembered)
    memory.remembered.clear();
}

bool TaskBook::isTrusted(TunedTask& task, const Record& record) {
  if (record.result.verdict == Verdict::NotRecorded) return false;
  const SketchAnswers& answers = memoryOf(task).answers;
  if (answers.wrong.empty() || record.verified || record.result.verdict != Verdict::Ok) return true;
  return !answers.doubts(sketchOf(sketchesOf(task), record.steps));
}

void TaskBook::readResults(TunedTask& task) {
  const TaskSummary summary = log_.store().tasks().summary(task.row.id);
  task.bestSeconds = summary.bestRecord ? summary.bestSeconds : kInfinity;
  if (settings_.alone) {
    const std::optional<Record> best = bestOf(task);
    task.bestSeconds = best ? best->result.latency() : kInfinity;
  }
  task.naiveSeconds = summary.naiveSeconds;
  task.configs.clear();
  task.configsReadTo = 0;
  task.measured.clear();
  for (std::string& program : log_.store().trials().measuredPrograms(log_.session(), task.row.id))
    task.measured.insert(std::move(program));
}

std::optional<Record> TaskBook::bestOf(const TunedTask& task) const {
  if (!settings_.alone) return log_.store().records().best(task.row.id);
  RecordQuery query;
  query.task = task.row.id;
  query.session = log_.session();
  query.verdict = Verdict::Ok;
  query.filter = parseRecordFilter("is:verified -is:implausible -is:contested");
  query.order = RecordQuery::Order::Fastest;
  query.limit = 1;
  for (Record& record : log_.store().records().page(query))
    return std::move(record);
  return std::nullopt;
}

bool TaskBook::isAlone() const {
  return settings_.alone;
}

bool TaskBook::isFilesBest(RowId task, RowId record) const {
  return !settings_.alone || log_.store().tasks().summary(task).bestRecord == record;
}

std::vector<CurvePoint> TaskBook::bestHistoryOf(const TunedTask& task) const {
  if (!settings_.alone) return log_.store().trials().bestHistory(task.row.id);
  std::vector<CurvePoint> bests;
  std::int64_t after = 0;
  constexpr int kPage = 100000;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page = log_.store().trials().curve(log_.session(), after, kPage);
    for (const CurvePoint& point : page) {
      after = point.trial;
      if (point.task == task.row.id && point.verdict == Verdict::Ok && !point.doubtful &&
          (bests.empty() || point.seconds < bests.back().seconds))
        bests.push_back(point);
    }
    more = std::ssize(page) == kPage;
  }
  return bests;
}

void TaskBook::remakeHistory(TunedTask& task) {
  readResults(task);
  TaskMemory& memory = memoryOf(task);
  memory.exhausted.clear(); // what was forgotten can be proposed again
  const std::vector<CurvePoint> bests = bestHistoryOf(task);
  for (std::size_t i = 0; i < memory.history.size(); ++i) {
    const auto after =
        std::ranges::upper_bound(bests, memory.roundEnds[i], {}, &CurvePoint::record);
    memory.history[i] = after == bests.begin() ? kInfinity : std::prev(after)->seconds;
  }
}

void TaskBook::countTrials() {
  const RecordStore& store = log_.store();
  std::int64_t errors = 0;
  for (TunedTask& task : tasks_)
    task.trials = task.errors = 0;
  std::int64_t after = 0;
  constexpr int kPage = 100000;
  for (bool more = true; more;) {
    const std::vector<CurvePoint> page = store.trials().curve(log_.session(), after, kPage);
    for (const CurvePoint& point : page) {
      TunedTask& task = of(point.task);
      task.trials += point.onDemand ? 0 : 1;
      if (point.verdict != Verdict::Ok) {
        ++task.errors;
        ++errors;
      }
      after = point.trial;
    }
    more = page.size() == kPage;
  }
  log_.recount(store.trials().last(log_.session()).first, errors,
               store.sessions().summary(log_.session()).kernelSeconds);
}

} // namespace nestwright
