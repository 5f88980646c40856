#include "core/session/run/recorded_machine.h"

#include "core/plugin/target_named.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/template/task_template.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

namespace nestwright {

namespace {

constexpr std::string_view kRecorded = "recorded:";

/// What people call the kind of machine that facts are of.
bool isNamed(const TargetFacts& facts, const std::string& target) {
  const std::string name = nameHere(facts);
  return target == name ||
         (facts.gpu && target == fmt::format("{}:{}", name, facts.gpu->architecture.name()));
}

RecordStore openRecording(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw InputError(fmt::format("programs are to be answered by the records of {}, and there is "
                                 "no such file: put it where it was, or name another one",
                                 path));
  return RecordStore::open(path, OpenMode::ReadOnly);
}

/// The file's tasks that compute the same: that of its definition, and in logs of AutoTVM those of
/// all templates with the same arguments.
std::vector<RowId> recordedTasks(const RecordStore& store, const ComputeDag& task, RowId target) {
  std::vector<RowId> rows;
  const auto take = [&](const std::string& key) {
    const std::optional<TaskRow> row = store.tasks().find(key, target);
    if (row && std::ranges::find(rows, row->id) == rows.end()) rows.push_back(row->id);
  };
  take(workloadKey(task));
  for (const TemplateVersion version : kTemplateVersions)
    for (const TemplateMachine machine : {TemplateMachine::Cpu, TemplateMachine::Gpu})
      for (const TaskTemplate& of : templatesFor(task, version, machine).fitting)
        take(logKey(of));
  return rows;
}

/// The first task of which the file has no records for the target; null when it has of each.
const SubjectTask* missingTask(const RecordStore& store, const std::vector<Subject>& subjects,
                               RowId target) {
  const auto hasTrials = [&](RowId row) { return store.tasks().summary(row).trials > 0; };
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks)
      if (std::ranges::none_of(recordedTasks(store, task.dag, target), hasTrials)) return &task;
  return nullptr;
}

} // namespace

std::optional<std::string> recordedFile(std::string_view machine) {
  if (machine.empty()) return std::nullopt;
  if (!machine.starts_with(kRecorded) || machine.size() == kRecorded.size())
    throw UsageError(fmt::format("\"{}\" is no machine to measure on; a recorded one is "
                                 "recorded:FILE.nwdb",
                                 machine));
  return std::string(machine.substr(kRecorded.size()));
}

TargetFacts recordedTarget(const std::string& path, const std::vector<Subject>& subjects,
                           const std::string& target, int threads) {
  const RecordStore store = openRecording(path);
  std::vector<TargetFacts> fitting;
  std::vector<std::string> others; // that have all tasks, too
  const SubjectTask* missing = nullptr;
  for (const TargetRow& row : store.targets().all()) {
    const std::optional<TargetFacts> facts = factsIfKnown(row);
    if (!facts || facts->recorded) continue; // what a recorded machine gave is no recording
    if (const SubjectTask* task = missingTask(store, subjects, row.id))
      missing = task;
    else if (isNamed(*facts, target) && (threads == 0 || facts->cores == threads))
      fitting.push_back(*facts);
    else
      others.push_back(row.text);
  }
  if (fitting.size() == 1) {
    fitting.front().recorded = true;
    return fitting.front();
  }
  if (!fitting.empty()) {
    for (const TargetFacts& facts : fitting)
      others.push_back(facts.text());
    throw InputError(fmt::format("{} has records of several machines that fit: {}. Choose one "
                                 "with --threads, or bring the one that is meant into a file of "
                                 "its own",
                                 path, fmt::join(others, "; ")));
  }
  if (!others.empty())
    throw InputError(fmt::format("{} has no records for the target {}{}, but for: {}; choose one "
                                 "of these with --target, --lowering and --threads",
                                 path, target,
                                 threads > 0 ? " on " + quantity(threads, "thread") : "",
                                 fmt::join(others, "; ")));
  throw InputError(
      fmt::format("{} has no records of {}, and a recorded machine knows nothing else: "
                  "nestwright db stats {} lists its tasks",
                  path, missing ? missing->name : "any task", path));
}

RecordedMachine::RecordedMachine(const std::string& path, const TargetFacts& target,
                                 Evaluator evaluator, std::vector<ComputeDag> tasks)
    : store_(openRecording(path)), evaluator_(evaluator), tasks_(std::move(tasks)) {
  TargetFacts machine = target;
  machine.recorded = false;
  // A log's target has a key of another kind.
  for (const TargetRow& row : store_.targets().all())
    if (const std::optional<TargetFacts> facts = factsIfKnown(row);
        facts && facts->id() == machine.id() && facts->text() == machine.text())
      target_ = row.id;
  if (target_ == 0)
    throw InputError(fmt::format("{} is not the file that this session began with: it has no "
                                 "records for {}",
                                 path, machine.text()));
}

void RecordedMachine::measure(const std::vector<MeasureRequest>& requests,
                              const std::function<void(const MeasureResult&)>& onResult,
                              const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result;
    if (stop && *stop)
      result.verdict = Verdict::Cancelled;
    else
      result = answer(request);
    result.id = request.id;
    onResult(result);
  }
}

MeasureResult RecordedMachine::notRecorded(const std::string& what) const {
  MeasureResult result;
  result.verdict = Verdict::NotRecorded;
  result.error = fmt::format("{} has no record of {}", store_.path(), what);
  if (unidentified_ > 0)
    result.error += fmt::format("; what {} of its records are programs of cannot be told, of the "
                                "first because: {}",
                                unidentified_, whyUnidentified_);
  return result;
}

MeasureResult RecordedMachine::answer(const MeasureRequest& request) {
  if (!std::exchange(isRead_, true))
    for (const ComputeDag& task : tasks_)
      read(task);
  const ComputeDag& dag = parsed(request.dag);
  if (request.naive) {
    const auto seconds = naiveSeconds_.find(workloadKey(dag));
    if (seconds == naiveSeconds_.end()) return notRecorded("the task's naive program");
    MeasureResult naive;
    naive.seconds = {seconds->second};
    naive.checked = true;
    return naive;
  }
  const auto known = programs_.find(programId(dag, request.steps));
  if (known == programs_.end()) return notRecorded("this program");
  return replayed(known->second, request);
}

const ComputeDag& RecordedMachine::parsed(const std::string& dag) {
  // Programs of a template have as many layouts as knobs ask for, and hardly ever the last one's.
  constexpr std::size_t kMost = 256;
  if (parsed_.size() >= kMost) parsed_.clear();
  const auto known = parsed_.find(dag);
  return known != parsed_.end() ? known->second : parsed_.emplace(dag, parseDag(dag)).first->second;
}

MeasureResult RecordedMachine::replayed(MeasureResult result, const MeasureRequest& request) const {
  if (request.onlyCheck) result.buildSeconds = result.runSeconds = 0;
  if (result.verdict != Verdict::Ok) return result;
  if (result.evaluation && evaluator_.hasBatches() && request.repeats == 0) {
    const auto recorded = static_cast<std::size_t>(result.evaluation->batches);
    const std::span<const double> times = std::span(result.seconds).first(recorded);
    const ReplayedBatches made =
        replayBatches(evaluator_, times, result.runsPerRepeat, request.bestSeconds);
    const std::span<const double> unused = times.subspan(made.batches);
    const double saved = std::accumulate(unused.begin(), unused.end(), 0.0) * result.runsPerRepeat;
    result.runSeconds = std::max(0.0, result.runSeconds - saved);
    result.seconds.resize(made.batches);
    result.evaluation = evaluationBy(evaluator_, made.stopped, made.batches);
  }
  const bool asked = request.check && (request.checkBelowSeconds <= 0 ||
                                       result.latency() < request.checkBelowSeconds);
  result.checked = result.checked || asked;
  return result;
}

void RecordedMachine::read(const ComputeDag& task) {
  RecordPrograms programs(task);
  for (const RowId row : recordedTasks(store_, task, target_)) {
    if (const double naive = store_.tasks().summary(row).naiveSeconds; naive > 0)
      naiveSeconds_.emplace(workloadKey(task), naive);
    readRow(row, programs);
  }
}

void RecordedMachine::readRow(RowId task, RecordPrograms& programs) {
  constexpr int kPage = 1000;
  RecordQuery query;
  query.task = task;
  query.order = RecordQuery::Order::Oldest;
  query.limit = kPage;
  for (bool more = true; more;) {
    const std::vector<Record> page = store_.records().page(query);
    for (const Record& record : page)
      if (!saysNothing(record.result.verdict)) take(record, programs);
    more = std::ssize(page) == kPage;
    if (more) query.after = page.back().id;
  }
}

void RecordedMachine::take(const Record& record, RecordPrograms& programs) {
  std::string id;
  try {
    const RecordProgram program = programs.program(record);
    id = programId(program.dag, program.steps);
  } catch (const Error& error) { // of no template of the task, or illegal
    if (unidentified_++ == 0) whyUnidentified_ = error.what();
    return;
  }
  const auto [known, isNew] = programs_.try_emplace(id, record.result);
  if (!isNew && known->second.verdict == Verdict::WorkerLost &&
      record.result.verdict != Verdict::WorkerLost)
    known->second = record.result;
}

} // namespace nestwright
