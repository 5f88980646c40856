#include "core/plugin/plugin.h"
#include "core/search/search_policy.h"
#include "core/session/session.h"
#include "core/session/subject.h"
#include "core/session/task_scheduler.h"
#include "core/session/tuning_state.h"
#include "core/support/error.h"
#include "core/support/version.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace nestwright {

namespace {

std::string title(const Subject& subject) {
  return fmt::format("{} ({} {})", subject.name, subject.tasks.size(),
                     subject.tasks.size() == 1 ? "task" : "tasks");
}

} // namespace

void checkConfig(const SessionConfig& config) {
  resolveSubject(config.subject);
  makeSearchPolicy(config.policy);
  makeTaskScheduler(config.scheduler, config.objective, config.seed);
  sketchRules(config.rules);
}

RowId createSession(RecordStore& store, const SessionConfig& config) {
  checkConfig(config);
  const Subject subject = resolveSubject(config.subject);
  const TargetFacts facts = backend("llvm").target(config.measure.threads);
  RowId session = 0;
  store.transaction([&] {
    const RowId target = store.addTarget({0, facts.id(), facts.text(), toJson(facts).dump()});
    const RowId network =
        subject.isNetwork ? store.addNetwork({0, subject.name, subject.spec}) : RowId{0};
    std::vector<RowId> tasks;
    int index = 0;
    for (const SubjectTask& task : subject.tasks)
      tasks.push_back(store.addTask({0, network, target, index++, workloadKey(task.dag), task.name,
                                     print(task.dag), task.weight, flops(task.dag)}));
    SessionRow row;
    row.network = network;
    row.title = title(subject);
    SessionConfig complete = config;
    complete.subject = subject.spec; // complete: resuming finds it however it is spelled
    row.config = toJson(complete).dump();
    row.schedulerState = toText(TuningState{});
    row.product = versionText();
    row.createdAt = row.updatedAt = std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count();
    session = store.addSession(row);
    store.setSessionTasks(session, tasks);
  });
  return session;
}

std::optional<SessionRow> resumableSession(const RecordStore& store, const std::string& subject) {
  const std::string spec = subject.empty() ? subject : resolveSubject(subject).spec;
  std::optional<SessionRow> newest;
  for (const SessionRow& row : store.sessions()) {
    if (!spec.empty() && sessionConfigFromJson(nlohmann::json::parse(row.config)).subject != spec)
      continue;
    if (!newest || row.id > newest->id) newest = row;
  }
  return newest;
}

} // namespace nestwright
