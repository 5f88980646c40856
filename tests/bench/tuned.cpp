#include "tests/bench/tuned.h"

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/bounds.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace nestwright::bench {
namespace {

/// All choices but the budget, in the form that a session stores.
nlohmann::json choices(SessionConfig config) {
  config.subjects = {resolveSubject(config.subjects.front()).spec};
  config.trials = 0;
  config.maxSeconds = 0;
  return toJson(config);
}

std::optional<SessionRow> sessionOf(const RecordStore& store, const SessionConfig& config) {
  for (const SessionRow& row : store.sessions().all())
    if (choices(sessionConfigFromJson(nlohmann::json::parse(row.config))) == choices(config))
      return row;
  return std::nullopt;
}

Tuned summary(const RecordStore& store, Record record, const SessionRow& session) {
  const SessionSummary sums = store.sessions().summary(session.id);
  return {std::move(record), sums.trials, sums.errors, session.wallSeconds, sums.kernelSeconds};
}

} // namespace

double Tuned::overheadPerTrial() const {
  return (wallSeconds - kernelSeconds) / std::max<double>(1, static_cast<double>(trials));
}

std::optional<Tuned> tune(const std::string& database, const SessionConfig& config,
                          const WorkerLaunch& launch, const TargetFacts* target) {
  RecordStore store = RecordStore::open(database, OpenMode::Create);
  const std::optional<SessionRow> earlier = sessionOf(store, config);
  const RowId id = earlier  ? earlier->id
                   : target ? createSession(store, config, *target)
                            : createSession(store, config, launch);
  if (store.sessions().summary(id).trials < config.trials) {
    std::string reason;
    const auto observe = [&](const Event& event) {
      if (const auto* state = std::get_if<StateChanged>(&event)) reason = state->reason;
    };
    Session session(database, id, observe, nullptr, launch);
    session.post(SetTrialBudget{config.trials});
    if (earlier && config.maxSeconds > 0)
      session.post(SetTimeBudget{earlier->wallSeconds + config.maxSeconds});
    session.post(Start{});
    if (session.wait() == SessionStatus::Failed) throw SystemError(reason);
  }
  RecordQuery query;
  query.session = id;
  query.order = RecordQuery::Order::Fastest;
  query.verdict = Verdict::Ok;
  for (const Record& record : store.records().page(query))
    if (record.verified && !record.implausible)
      return summary(store, record, *store.sessions().one(id));
  return std::nullopt;
}

std::vector<double> bestAfterTrials(const std::string& database, const SessionConfig& config) {
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  const std::optional<SessionRow> session = sessionOf(store, config);
  std::vector<double> curve;
  if (!session) return curve;
  RecordQuery query;
  query.session = session->id;
  query.order = RecordQuery::Order::FirstTrial;
  query.limit = std::numeric_limits<int>::max();
  double best = std::numeric_limits<double>::infinity();
  for (const Record& record : store.records().page(query)) {
    if (record.onDemand) continue;
    if (record.result.verdict == Verdict::Ok && !record.implausible)
      best = std::min(best, record.result.latency());
    curve.push_back(best);
  }
  return curve;
}

std::optional<Tuned> bestOf(const std::string& database, const SessionConfig& config) {
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  const std::string key = workloadKey(resolveSubject(config.subjects.front()).tasks.front().dag);
  std::optional<Record> best;
  for (const TaskRow& task : store.tasks().all()) {
    if (task.key != key) continue;
    const std::optional<Record> record = store.records().best(task.id);
    if (record && (!best || record->result.latency() < best->result.latency())) best = record;
  }
  if (!best) return std::nullopt;
  return summary(store, *best, *store.sessions().one(best->session));
}

Contender nestwrightContender(const InputSets& inputs, const Steps& steps, int threads) {
  const LowerOptions options = lowerOptionsFor(backend("llvm").target(threads));
  const State state = withBounds(State::replay(inputs.dag(), steps));
  auto kernels = std::make_shared<std::vector<std::unique_ptr<test::RunnableKernel>>>();
  for (std::size_t set = 0; set < inputs.size(); ++set) {
    kernels->push_back(std::make_unique<test::RunnableKernel>(lower(state, options), threads));
    const std::vector<void*> pointers = inputs.inputs(set);
    for (std::size_t i = 0; i < pointers.size(); ++i)
      std::memcpy(kernels->back()->buffer<void>(i), pointers[i], kernels->back()->bufferBytes(i));
  }
  const std::size_t output = inputs.dag().inputs().size();
  return {
      "nestwright", "", [kernels](std::size_t set) { (*kernels)[set]->run(); },
      [kernels, output](std::size_t set) { return (*kernels)[set]->buffer<const float>(output); }};
}

} // namespace nestwright::bench
