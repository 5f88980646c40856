#include "core/session/run/again/measure_again.h"

#include "core/measure/worker_target.h"
#include "core/model/metrics.h"
#include "core/record/format/record_program.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/tuning_state.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/random.h"
#include "core/support/version.h"
#include "core/target/target_json.h"
#include "core/template/template.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

constexpr const char* kAgainKey = "again";
constexpr int kPage = 1000;

/// Calls `take(record)` for each that the query asks for, oldest first, and `check` before each
/// page.
template <class Take>
void forEachRecord(const RecordStore& store, RecordQuery query, Take&& take,
                   const std::function<void()>& check = {}) {
  query.order = RecordQuery::Order::Oldest;
  query.limit = kPage;
  query.after = 0;
  for (bool more = true; more;) {
    if (check) check();
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page)
      take(record);
    more = std::ssize(page) == kPage;
    if (more) query.after = page.back().id;
  }
}

/// So many of a stream of which nobody knows the length, each with the same chance.
class Reservoir {
 public:
  Reservoir(std::int64_t limit, std::uint64_t seed)
      : limit_(limit), random_(Random::stream(seed, "measure again", 0)) {}

  void add(RowId record) {
    ++seen_;
    if (limit_ == 0 || std::ssize(kept_) < limit_) {
      kept_.push_back(record);
      return;
    }
    const std::uint64_t place = random_.below(seen_);
    if (place < kept_.size()) kept_[place] = record;
  }
  std::vector<RowId> taken() {
    std::ranges::sort(kept_);
    return std::move(kept_);
  }

 private:
  std::int64_t limit_;
  Random random_;
  std::uint64_t seen_ = 0;
  std::vector<RowId> kept_;
};

/// The tasks of a file by id, and whether their programs are for a GPU.
struct KnownTask {
  TaskRow row;
  bool isForGpu = false;
};
std::unordered_map<RowId, KnownTask> knownTasks(const RecordStore& store) {
  std::unordered_map<RowId, bool> gpus;
  for (const TargetRow& row : store.targets().all()) {
    const std::optional<TargetFacts> facts = factsIfKnown(row);
    gpus[row.id] = facts && facts->gpu.has_value();
  }
  std::unordered_map<RowId, KnownTask> tasks;
  for (TaskRow& row : store.tasks().all()) {
    const RowId id = row.id;
    const bool isForGpu = gpus[row.target];
    tasks[id] = {std::move(row), isForGpu};
  }
  return tasks;
}

std::vector<RowId> chosenRecords(const RecordStore& store, const AgainWish& wish, bool onGpu,
                                 const std::unordered_map<RowId, KnownTask>& tasks,
                                 AgainSession& opened, const std::function<void()>& check = {}) {
  Reservoir chosen(wish.limit, wish.seed);
  const auto take = [&](const Record& record) {
    const KnownTask& task = tasks.at(record.task);
    const std::optional<Trace> trace = traceOf(record);
    if (trace && trace->source != 0)
      ++opened.repeats;
    else if (task.row.dag.empty())
      ++opened.withoutDag;
    else if (task.isForGpu != onGpu)
      ++opened.forOthers;
    else if (trace && trace->config && findTemplate(trace->config->kind) == nullptr)
      ++opened.withoutTemplate;
    else
      chosen.add(record.id);
  };
  forEachRecord(store, wish.query, take, check);
  return chosen.taken();
}

/// The tasks of the records on the target, by the networks that they belong to.
std::vector<SessionNetwork> networksOf(RecordStore& store, const std::vector<RowId>& records,
                                       const std::unordered_map<RowId, KnownTask>& tasks,
                                       RowId target) {
  std::map<RowId, std::string> names{{0, "operators"}};
  for (const NetworkRow& row : store.networks().all())
    names[row.id] = row.name;
  std::map<RowId, SessionNetwork> networks;
  std::map<std::pair<RowId, std::string>, bool> known; // tasks of a network, by their keys
  for (const RowId record : records) {
    TaskRow row = tasks.at(store.records().one(record)->task).row;
    if (!known.insert({{row.network, row.key}, true}).second) continue;
    SessionNetwork& network = networks[row.network];
    network.network = row.network;
    network.name = names[row.network];
    const double weight = row.weight;
    row.id = 0;
    row.target = target;
    network.weights.push_back({store.tasks().add(row), weight});
  }
  std::vector<SessionNetwork> all;
  for (auto& [id, network] : networks)
    all.push_back(std::move(network));
  return all;
}

/// What leaves the session no choice: each program once, in the order of its tasks, whatever
/// becomes of it.
SessionConfig configFor(const AgainWish& wish, std::int64_t records) {
  SessionConfig config = wish.config;
  config.subjects.clear();
  config.policy = "random";
  config.scheduler = "round-robin";
  config.objective = {};
  config.confirmBest = false;
  config.stopFailures = 0;
  config.trials = records;
  return config;
}

std::optional<RowId> sessionOf(const RecordStore& store, const std::vector<RowId>& records,
                               const std::string& target) {
  std::optional<RowId> found;
  for (const SessionRow& row : store.sessions().all()) {
    if (recordsToMeasureAgain(row) != records) continue;
    const std::vector<TaskRow> tasks = store.sessions().tasks(row.id);
    if (!tasks.empty() && std::ranges::any_of(store.targets().all(), [&](const TargetRow& known) {
          return known.id == tasks.front().target && known.key == target;
        }))
      found = row.id;
  }
  return found;
}

RowId createAgainSession(RecordStore& store, const AgainWish& wish, const TargetFacts& facts,
                         const std::vector<RowId>& records,
                         const std::unordered_map<RowId, KnownTask>& tasks) {
  RowId session = 0;
  store.transaction([&] {
    const RowId target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
    const std::vector<SessionNetwork> networks = networksOf(store, records, tasks, target);
    std::vector<RowId> sessionTasks;
    for (const SessionNetwork& network : networks)
      for (const TaskWeight& weight : network.weights)
        if (std::ranges::find(sessionTasks, weight.task) == sessionTasks.end())
          sessionTasks.push_back(weight.task);
    nlohmann::json config = toJson(configFor(wish, std::ssize(records)));
    config[kAgainKey] = {{"records", records}};
    SessionRow row;
    row.network = networks.front().network;
    row.title = fmt::format("{} of {} measured again", quantity(std::ssize(records), "program"),
                            quantity(std::ssize(sessionTasks), "task"));
    row.config = config.dump();
    row.schedulerState = toText(TuningState{});
    row.product = versionText();
    row.createdAt = row.updatedAt = nowMicroseconds();
    session = store.sessions().add(row);
    store.sessions().setTasks(session, sessionTasks);
    store.sessions().setNetworks(session, networks);
  });
  return session;
}

void requireAny(const std::vector<RowId>& records, const AgainSession& opened,
                const TargetFacts& facts) {
  if (!records.empty()) return;
  std::string why = "no record matches";
  if (opened.repeats > 0)
    why = fmt::format("{} came from measuring again; choose those that were measured then",
                      quantity(opened.repeats, "record"));
  if (opened.withoutTemplate > 0)
    why = fmt::format("{} of templates that are not known here; `nestwright doctor` "
                      "shows the plugins, which bring templates",
                      quantity(opened.withoutTemplate, "record"));
  if (opened.withoutDag > 0)
    why = fmt::format("the compute DAG of {} is not known; import it with --dag",
                      quantity(opened.withoutDag, "record"));
  if (opened.forOthers > 0)
    why = fmt::format("{} of programs {}", quantity(opened.forOthers, "record"),
                      facts.gpu ? "without threads and blocks"
                                : "for a GPU: choose one with --target");
  throw InputError(fmt::format("nothing can be measured again on {}: {}", facts.text(), why));
}

} // namespace

AgainSession countMeasureAgain(const RecordStore& store, const AgainWish& wish, bool onGpu,
                               const std::function<void()>& check) {
  AgainSession counted;
  counted.records =
      std::ssize(chosenRecords(store, wish, onGpu, knownTasks(store), counted, check));
  return counted;
}

std::vector<std::string> leftOutText(const AgainSession& opened) {
  std::vector<std::string> clauses;
  const auto say = [&](std::int64_t count, const char* what) {
    if (count > 0) clauses.push_back(fmt::format("{} {}", quantity(count, "record"), what));
  };
  say(opened.withoutDag, "of tasks whose compute DAG is not known");
  say(opened.forOthers, "of programs for the other kind of machine");
  say(opened.withoutTemplate, "of templates that are not known here");
  say(opened.repeats, "of programs that were themselves measured again");
  return clauses;
}

AgainSession openMeasureAgain(RecordStore& store, const AgainWish& wish,
                              const WorkerLaunch& launch) {
  return openMeasureAgain(store, wish,
                          measuredTarget(wish.config.target, wish.config.measure, launch));
}

AgainSession openMeasureAgain(RecordStore& store, const AgainWish& wish, const TargetFacts& facts) {
  const std::unordered_map<RowId, KnownTask> tasks = knownTasks(store);
  AgainSession opened;
  const std::vector<RowId> records =
      chosenRecords(store, wish, facts.gpu.has_value(), tasks, opened);
  requireAny(records, opened, facts);
  opened.records = std::ssize(records);
  const std::optional<RowId> there =
      wish.anew ? std::nullopt : sessionOf(store, records, facts.id());
  opened.isNew = !there;
  opened.session = there ? *there : createAgainSession(store, wish, facts, records, tasks);
  return opened;
}

std::vector<RowId> recordsToMeasureAgain(const SessionRow& session) {
  return recordsToMeasureAgain(configJson(session));
}

std::vector<RowId> recordsToMeasureAgain(const nlohmann::json& sessionConfig) {
  const auto kept = sessionConfig.find(kAgainKey);
  if (kept == sessionConfig.end()) return {};
  try {
    return kept->at("records").get<std::vector<RowId>>();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        fmt::format("which records the session measures again cannot be read ({})", error.what()));
  }
}

GivenPrograms::GivenPrograms(const RecordStore& store, const std::vector<RowId>& records) {
  if (records.empty()) return;
  std::unordered_map<RowId, std::string> keys;
  for (TaskRow& row : store.tasks().all())
    keys[row.id] = std::move(row.key);
  for (const RowId id : records)
    if (const std::optional<Record> record = store.records().one(id))
      records_[keys[record->task]].push_back(id);
}

namespace {

GivenProgram givenProgram(RecordPrograms& programs, const Record& record) {
  GivenProgram given{record.steps, record.id};
  if (!isOfTemplate(record)) return given;
  try {
    RecordProgram program = programs.program(record);
    given.config = std::move(program.config);
    given.steps = std::move(program.steps);
    given.variant = std::move(program.dag);
  } catch (const Error& error) {
    given.problem = error.what();
  }
  return given;
}

} // namespace

std::vector<GivenProgram> GivenPrograms::programs(const RecordStore& store,
                                                  const std::string& taskKey,
                                                  const ComputeDag& task, std::uint64_t first,
                                                  int count) const {
  std::vector<GivenProgram> programs;
  const auto found = records_.find(taskKey);
  if (found == records_.end()) return programs;
  const std::vector<RowId>& ids = found->second;
  RecordPrograms made(task);
  for (std::uint64_t i = first; i < ids.size() && std::ssize(programs) < count; ++i)
    if (const std::optional<Record> record = store.records().one(ids[i]))
      programs.push_back(givenProgram(made, *record));
  return programs;
}

namespace {

/// Pairs of a task, and how many of its programs ran only before.
struct TaskPairs {
  std::vector<TimeAgain> pairs;
  std::int64_t failed = 0;
};

std::map<RowId, TaskPairs> pairsOf(const RecordStore& store, RowId session) {
  std::map<RowId, TaskPairs> tasks;
  RecordQuery query;
  query.session = session;
  forEachRecord(store, query, [&](const Record& now) {
    const std::optional<Trace> trace = traceOf(now);
    if (!trace || trace->source == 0) return;
    const std::optional<Record> before = store.records().one(trace->source);
    if (!before || before->result.verdict != Verdict::Ok) return;
    TaskPairs& task = tasks[now.task];
    if (now.result.verdict == Verdict::Ok)
      task.pairs.push_back({before->id, now.id, before->result.latency(), now.result.latency(), 1});
    else
      ++task.failed;
  });
  return tasks;
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

} // namespace

std::vector<TaskAgreement> agreementOf(const RecordStore& store, RowId session, int worst) {
  std::map<RowId, TaskPairs> tasks = pairsOf(store, session);
  std::vector<TaskAgreement> agreements;
  for (const TaskRow& row : store.sessions().tasks(session)) {
    auto& [pairs, failed] = tasks[row.id];
    if (pairs.empty() && failed == 0) continue;
    TaskAgreement& task = agreements.emplace_back();
    task.task = row.id;
    task.name = row.name;
    task.programs = std::ssize(pairs);
    task.failed = failed;
    if (pairs.empty()) continue;
    std::vector<double> before, now, ratios;
    for (const TimeAgain& pair : pairs) {
      before.push_back(pair.secondsBefore);
      now.push_back(pair.secondsNow);
      ratios.push_back(pair.secondsNow / pair.secondsBefore);
    }
    task.rankCorrelation = rankCorrelation(before, now);
    task.ratioOfMedians = medianOf(now) / medianOf(before);
    const double usual = medianOf(ratios);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i].surprise = ratios[i] / usual;
    std::ranges::sort(pairs, std::greater{},
                      [](const TimeAgain& pair) { return std::abs(std::log(pair.surprise)); });
    pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(std::max(worst, 0))));
    task.worst = std::move(pairs);
  }
  return agreements;
}

} // namespace nestwright
