#include "core/session/run/collection.h"

#include "core/dataset/network_tasks.h"
#include "core/measure/worker_target.h"
#include "core/network/zoo/zoo_sets.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/support/first_names.h"
#include "core/support/quantity.h"
#include "core/tensor/definition.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace nestwright {

namespace {

constexpr const char* kCollectionKey = "collection";

int naturalNumber(std::string_view text, std::string_view all, const char* example) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw UsageError(fmt::format("\"{}\" is not understood; write {}", all, example));
  return number;
}

std::vector<std::string> specsOf(const std::vector<std::string>& subjects) {
  std::vector<std::string> specs;
  for (const Subject& subject : resolveSubjects(subjects))
    specs.push_back(subject.spec);
  return specs;
}

std::string hostName() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// The parts of several machines are told apart by it, also when they are merged.
std::string titleOf(const std::vector<std::string>& subjects, std::size_t tasks,
                    const TaskRange& range) {
  constexpr std::size_t kNamed = 3;
  const std::string part =
      range.count == 0 ? quantity(std::int64_t(tasks), "task")
                       : fmt::format("tasks {} to {}", range.first, range.first + int(tasks) - 1);
  return fmt::format("Collection of {} ({}) on {}", firstNames(subjects, kNamed, " + "), part,
                     hostName());
}

/// Which tasks a collection leaves out for what they compute.
class UnwantedTasks {
 public:
  explicit UnwantedTasks(const CollectionPart& part) : maxFlops_(part.maxFlops) {
    for (const NetworkTasks& network : networkTasks(part.without, {}))
      for (const auto& [definition, weight] : network.weights)
        without_.insert(definition);
  }
  bool none() const { return maxFlops_ <= 0 && without_.empty(); }
  bool contains(const ComputeDag& dag) const {
    return (maxFlops_ > 0 && flops(dag) >= maxFlops_) ||
           (!without_.empty() && without_.contains(definitionHash(dag)));
  }

 private:
  double maxFlops_;
  std::set<std::string> without_;
};

/// Only those of the session's tasks that the part is of.
void keepTasks(RecordStore& store, RowId session, const CollectionPart& part) {
  const UnwantedTasks unwanted(part);
  const TaskRange& range = part.tasks;
  if (range.count == 0 && unwanted.none()) return;
  std::vector<RowId> tasks;
  for (const TaskRow& task : store.sessions().tasks(session))
    if (unwanted.none() || !unwanted.contains(parseDag(task.dag))) tasks.push_back(task.id);
  if (tasks.empty())
    throw UsageError("no task is left: each has as many operations as --max-flops, or is one of "
                     "--without");
  const auto all = static_cast<std::int64_t>(tasks.size());
  if (range.first >= all)
    throw UsageError(fmt::format("tasks {} to {}: there are the tasks 0 to {}", range.first,
                                 range.first + range.count - 1, all - 1));
  const std::int64_t end =
      range.count == 0 ? all : std::min<std::int64_t>(all, std::int64_t(range.first) + range.count);
  store.sessions().setTasks(session, {tasks.begin() + range.first, tasks.begin() + end});
}

} // namespace

std::vector<std::string> withSetsSpelledOut(const std::vector<std::string>& subjects) {
  std::vector<std::string> spelled;
  for (const std::string& subject : subjects) {
    const NetworkSet* set = findNetworkSet(subject);
    if (set == nullptr) {
      spelled.push_back(subject);
      continue;
    }
    for (const NetworkConfiguration& network : set->networks)
      spelled.push_back(network.spec);
  }
  return spelled;
}

TaskRange parseTaskRange(std::string_view text) {
  constexpr const char* kExample = "0..199 for the first 200 tasks, or 7 for one";
  const std::size_t dots = text.find("..");
  const int first = naturalNumber(text.substr(0, dots), text, kExample);
  const int last =
      dots == std::string_view::npos ? first : naturalNumber(text.substr(dots + 2), text, kExample);
  if (last < first) throw UsageError(fmt::format("\"{}\" ends before it begins", text));
  return {first, last - first + 1};
}

TaskRange parseShard(std::string_view text, int tasks) {
  constexpr const char* kExample = "3/8 for the third of eight parts";
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    throw UsageError(fmt::format("\"{}\" is not understood; write {}", text, kExample));
  const int part = naturalNumber(text.substr(0, slash), text, kExample);
  const int parts = naturalNumber(text.substr(slash + 1), text, kExample);
  if (part < 1 || part > parts)
    throw UsageError(fmt::format("\"{}\": parts are numbered from 1 to their number", text));
  if (parts > tasks)
    throw UsageError(fmt::format("\"{}\": {} cannot be divided into {} parts", text,
                                 quantity(tasks, "task"), parts));
  const auto border = [&](int n) { return int(std::int64_t(tasks) * n / parts); };
  return {border(part - 1), border(part) - border(part - 1)};
}

std::optional<CollectionPart> collectionPartFromJson(const nlohmann::json& sessionConfig) {
  const auto kept = sessionConfig.find(kCollectionKey);
  if (kept == sessionConfig.end() || !kept->is_object()) return std::nullopt;
  return CollectionPart{kept->value("programs_per_task", std::int64_t(0)),
                        {kept->value("first_task", 0), kept->value("tasks", 0)},
                        kept->value("max_flops", 0.0),
                        kept->value("without", std::vector<std::string>())};
}

SessionConfig collectionConfig(SessionConfig config) {
  config.policy = "random";
  config.scheduler = "round-robin";
  config.objective = {};
  config.confirmBest = false; // what is wanted is many programs, not the best of them,
  config.stopFailures = 0;    // those that fail included
  return config;
}

int countTasks(const std::vector<std::string>& subjects, const CollectionPart& part) {
  const UnwantedTasks unwanted(part);
  std::set<std::string> keys;
  for (const Subject& subject : resolveSubjects(subjects))
    for (const SubjectTask& task : subject.tasks)
      if (!unwanted.contains(task.dag)) keys.insert(workloadKey(task.dag));
  return static_cast<int>(keys.size());
}

RowId openCollection(RecordStore& store, const SessionConfig& wanted, const CollectionPart& part,
                     bool& isNew, const WorkerLaunch& launch) {
  SessionConfig config = wanted;
  config.subjects = specsOf(wanted.subjects);
  const TargetFacts facts = measuredTarget(config.target, config.measure, launch);
  const std::string target = facts.id();
  const auto isThis = [&](const SessionRow& row) {
    const nlohmann::json json = configJson(row);
    const std::optional<CollectionPart> known = collectionPartFromJson(json);
    if (!known || known->tasks.first != part.tasks.first ||
        known->tasks.count != part.tasks.count || known->maxFlops != part.maxFlops ||
        known->without != part.without)
      return false;
    const SessionConfig stored = sessionConfigFromJson(json);
    const std::vector<TaskRow> tasks = store.sessions().tasks(row.id);
    return stored.subjects == config.subjects && stored.seed == config.seed &&
           stored.rules == config.rules && stored.space == config.space &&
           stored.templates == config.templates && !tasks.empty() &&
           std::ranges::any_of(store.targets().all(), [&](const TargetRow& known_) {
             return known_.id == tasks.front().target && known_.key == target;
           });
  };
  RowId id = 0;
  store.transaction([&] {
    for (const SessionRow& row : store.sessions().all())
      if (isThis(row)) id = row.id;
    isNew = id == 0;
    if (isNew) {
      id = createSession(store, config, facts);
      keepTasks(store, id, part);
    }
    SessionRow row = sessionRow(store, id);
    const std::size_t tasks = store.sessions().tasks(id).size();
    nlohmann::json json = configJson(row);
    SessionConfig stored = sessionConfigFromJson(json);
    stored.trials = part.programsPerTask * std::int64_t(tasks);
    stored.measure = config.measure;
    json.update(toJson(stored));
    json[kCollectionKey] = {{"programs_per_task", part.programsPerTask},
                            {"first_task", part.tasks.first},
                            {"tasks", part.tasks.count},
                            {"max_flops", part.maxFlops},
                            {"without", part.without}};
    if (isNew) row.title = titleOf(wanted.subjects, tasks, part.tasks);
    row.config = json.dump();
    store.sessions().update(row);
  });
  return id;
}

} // namespace nestwright
