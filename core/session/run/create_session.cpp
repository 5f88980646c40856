#include "core/feature/program_features.h"
#include "core/measure/worker_target.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/search/search_policy.h"
#include "core/session/run/finish/effort.h"
#include "core/session/run/finish/polish_session.h"
#include "core/session/run/history/session_history.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/memory/session_seeds.h"
#include "core/session/run/pretrained/model_named.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/race_entry.h"
#include "core/session/run/recorded_machine.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_method.h"
#include "core/session/run/session.h"
#include "core/session/run/session_template.h"
#include "core/session/run/subject.h"
#include "core/session/run/tuning/kept_models.h"
#include "core/session/run/tuning_state.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/version.h"
#include "core/target/target_json.h"
#include "core/tensor/check_bounds.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace nestwright {

namespace {

std::string title(const std::vector<Subject>& subjects) {
  std::vector<std::string> names;
  std::set<std::string> tasks, alternatives;
  for (const Subject& subject : subjects) {
    names.push_back(subject.name);
    for (const SubjectTask& task : subject.tasks)
      (alternativeOf(task.dag) ? alternatives : tasks).insert(workloadKey(task.dag));
  }
  // An alternative that is tuned on its own is a task.
  if (tasks.empty()) tasks.swap(alternatives);
  return fmt::format(
      "{} ({}{})", fmt::join(names, " + "), quantity(std::ssize(tasks), "task"),
      alternatives.empty() ? "" : ", " + quantity(std::ssize(alternatives), "alternative"));
}

std::vector<std::string> specsOf(const std::vector<Subject>& subjects) {
  std::vector<std::string> specs;
  for (const Subject& subject : subjects)
    specs.push_back(subject.spec);
  return specs;
}

/// The subject's tasks in the file. Tasks that an earlier subject has too become the same rows.
SessionNetwork addSubject(RecordStore& store, const Subject& subject, RowId target) {
  SessionNetwork network;
  network.name = subject.name;
  if (subject.isNetwork) network.network = store.networks().add({0, subject.name, subject.spec});
  int index = 0;
  for (const SubjectTask& task : subject.tasks)
    network.weights.push_back(
        {store.tasks().add({0, network.network, target, index++, workloadKey(task.dag), task.name,
                            print(task.dag), task.weight, flops(task.dag)}),
         task.weight});
  return network;
}

/// The state of a session that has not begun.
TuningState stateBegunWith(const SessionSeeds& seeds, const SessionMemory& memory,
                           const std::string& file, const std::vector<Subject>& subjects,
                           const std::vector<SessionNetwork>& networks) {
  TuningState state;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    for (std::size_t j = 0; j < subjects[i].tasks.size(); ++j) {
      const std::string key = workloadKey(subjects[i].tasks[j].dag);
      const RowId task = networks[i].weights[j].task;
      if (state.tasks.contains(task)) continue; // of an earlier subject, too
      if (const auto of = seeds.programs.find(key); of != seeds.programs.end())
        state.tasks[task].first = of->second;
      if (const TaskRecall* recall = memory.of(key); recall && !recall->programs.empty())
        remember(*recall, file, state.tasks[task]);
    }
  return state;
}

/// No program of a task that memory cannot hold would ever run.
void requireRoom(const SubjectTask& task, const TargetFacts& target) {
  if (target.memoryBytes <= 0) return; // not known
  try {
    requireMemory(task.dag, target.memoryBytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} cannot be tuned here: {}", task.name, error.what()));
  }
}

/// All tasks of the networks, each once, in the order of their first appearance.
std::vector<RowId> tasksOf(const std::vector<SessionNetwork>& networks) {
  std::vector<RowId> tasks;
  for (const SessionNetwork& network : networks)
    for (const TaskWeight& weight : network.weights)
      if (std::find(tasks.begin(), tasks.end(), weight.task) == tasks.end())
        tasks.push_back(weight.task);
  return tasks;
}

/// A search that could not propose anything for the target is none.
void requireProposals(const SessionConfig& config, const std::vector<Subject>& subjects) {
  if (!searchPolicy(config.policy).forGpus && namesGpu(config.target))
    throw UsageError(fmt::format("the policy {} grows programs for processors; on a GPU choose "
                                 "evolutionary",
                                 config.policy));
  if (config.space != SearchSpace::Templates) return;
  const std::vector<std::string> names = templateNames(config.templates);
  std::string whyNone;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks) {
      const ChosenTemplate chosen = chosenTemplate(task.dag, names, templateMachine(config.target));
      if (chosen.of) return;
      if (whyNone.empty()) whyNone = fmt::format("{}: {}", task.name, chosen.whyNone);
    }
  throw UsageError(
      fmt::format("there is no template to search; search sketches instead\n{}", whyNone));
}

/// Alternatives are definitions for processors, made for sketches.
void checkAlternatives(const SessionConfig& config) {
  if (alternativesNamed(config.alternatives) != Alternatives::All) return;
  if (namesGpu(config.target))
    throw UsageError("alternatives of operators are for processors; on a GPU leave them off");
  if (config.space == SearchSpace::Templates)
    throw UsageError("templates know an operator by its own definition; search sketches, or leave "
                     "alternatives off");
}

/// A cost model of configurations has nothing to say of statements.
void checkModelOfSketches(const SessionConfig& config) {
  const bool asks = config.space == SearchSpace::Sketches && searchPolicy(config.policy).learns;
  if (!asks || !config.pretrained.empty() || config.model == usualModel(config)) return;
  if (costModelKind(config.model).ofConfigurations)
    throw UsageError(fmt::format("the cost model {} reads configurations of templates, and this "
                                 "session searches sketches: choose one of programs, such as {}",
                                 config.model, usualModel(config)));
}

} // namespace

void checkObjective(const SessionConfig& config) {
  const Objective& objective = config.objective;
  const bool takesSeconds = objective.kind == ObjectiveKind::LatencyRequirement ||
                            objective.kind == ObjectiveKind::SpeedUp;
  const bool anySeconds =
      std::any_of(objective.networkSeconds.begin(), objective.networkSeconds.end(),
                  [](double seconds) { return seconds > 0; });
  if (anySeconds && !takesSeconds)
    throw UsageError(fmt::format("objective {} takes no seconds per network; latency requirements "
                                 "belong to f2, reference latencies to f3",
                                 name(objective.kind)));
  if (objective.kind == ObjectiveKind::LatencyRequirement && !anySeconds)
    throw UsageError("objective f2 needs the latency that a network must reach: give at least one");
  if (objective.networkSeconds.size() > config.subjects.size())
    throw UsageError(fmt::format("the objective names {} latencies for {}",
                                 objective.networkSeconds.size(),
                                 quantity(std::ssize(config.subjects), "network")));
  if (objective.kind != ObjectiveKind::TotalLatency && !followsObjective(config.scheduler))
    throw UsageError(fmt::format("objective {} guides the gradient scheduler; {} takes no notice "
                                 "of it. Choose the scheduler gradient, or objective f1",
                                 name(objective.kind), config.scheduler));
}

void checkConfig(const SessionConfig& config) {
  checkAlternatives(config);
  const std::vector<Subject> subjects = subjectsOf(config);
  if (const std::optional<std::string> recording = recordedFile(config.machine))
    recordedTarget(*recording, subjects, config.target, config.measure.threads); // says what fails
  searchPolicy(config.policy);
  taskScheduler(config.scheduler);
  withSearchOptions(config, searchOptions(config)); // its checks
  if (config.measure.flushCache && config.measure.evaluator.hasBatches())
    throw UsageError(fmt::format("caches are flushed between repeats, and in a micro-batch a run "
                                 "finds what the one before left there: leave --flush-cache out, "
                                 "or the evaluator {}",
                                 toText(config.measure.evaluator)));
  if (!(config.checkShare >= 0 && config.checkShare <= 1))
    throw UsageError("the share of answers to compare is a number from 0 to 1");
  if (config.stopFailures < 0 || config.stopFailures > config.stopWindow)
    throw UsageError(fmt::format("a task cannot pause after {} in {}",
                                 quantity(config.stopFailures, "failure"),
                                 quantity(config.stopWindow, "program")));
  const std::vector<std::string> targets = targetNames();
  if (std::ranges::find(targets, config.target) == targets.end())
    targetNamed(config.target); // says so
  checkSpace(config);
  checkMemory(config);
  checkPolish(config);
  checkModelOfSketches(config);
  requireProposals(config, subjects);
  sketchRules(config.rules);
  featureChoice(config.features, TargetFacts()); // its check of the text
}

RowId createSession(RecordStore& store, const SessionConfig& config, const WorkerLaunch& launch) {
  checkConfig(config); // before anybody is asked
  const std::optional<std::string> recording = recordedFile(config.machine);
  if (!recording)
    return createSession(store, config, measuredTarget(config.target, config.measure, launch));
  return createSession(
      store, config,
      recordedTarget(*recording, subjectsOf(config), config.target, config.measure.threads));
}

RowId createSession(RecordStore& store, const SessionConfig& config, const TargetFacts& facts) {
  checkConfig(config);
  sketchRules(config.rules, facts);
  const std::vector<Subject> subjects = subjectsOf(config);
  RowId session = 0;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks)
      requireRoom(task, facts);
  KeptModels taught;
  if (!config.history.empty()) taught.histories = learnHistory(config, subjects, facts);
  std::optional<ModelFile> pretrained;
  if (!config.pretrained.empty()) {
    pretrained = modelNamed(config.pretrained);
    requireUsable(*pretrained, facts);
  }
  const SessionSeeds seeds = sessionSeeds(config, subjects, facts);
  if (!config.seeds.empty() && !seeds.problem().empty())
    throw InputError(fmt::format("{}: {}", config.seeds, seeds.problem()));
  const SessionMemory memory = recall(config, subjects, facts, store.path());
  store.transaction([&] {
    const RowId target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
    std::vector<SessionNetwork> networks;
    for (const Subject& subject : subjects)
      networks.push_back(addSubject(store, subject, target));
    const std::vector<RowId> tasks = tasksOf(networks);
    SessionRow row;
    row.network = networks.front().network;
    row.title = title(subjects);
    SessionConfig complete = pretrained ? withPretrained(config, *pretrained) : config;
    complete.subjects = specsOf(subjects); // complete: resuming finds it however it is spelled
    if (const std::optional<std::string> recording = recordedFile(config.machine)) {
      complete.machine = "recorded:" + std::filesystem::absolute(*recording).string();
      complete.confirmBest = false; // measured again it says the same
      row.title += ", on a recorded machine";
    }
    for (std::string& file : complete.history)
      file = std::filesystem::absolute(file).string();
    if (pretrained) complete.pretrained = std::filesystem::absolute(config.pretrained).string();
    if (!config.seeds.empty()) complete.seeds = std::filesystem::absolute(config.seeds).string();
    for (std::string& file : complete.memory)
      if (file != kOwnMemory) file = std::filesystem::absolute(file).string();
    complete.memoryModel = !memory.model.empty();
    row.config = toJson(complete).dump();
    row.schedulerState = toText(stateBegunWith(seeds, memory, store.path(), subjects, networks));
    row.product = versionText();
    row.createdAt = row.updatedAt = nowMicroseconds();
    session = store.sessions().add(row);
    store.sessions().setTasks(session, tasks);
    store.sessions().setNetworks(session, networks);
    if (!taught.histories.empty()) store.models().save(session, config.model, toBytes(taught));
    if (pretrained)
      store.models().save(session, complete.model,
                          toBytes(KeptPretrained{modelFileBytes(*pretrained), {}}));
    if (!memory.model.empty())
      store.models().save(session, complete.model, toBytes(KeptPretrained{memory.model, {}}));
  });
  return session;
}

std::optional<SessionRow> resumableSession(const RecordStore& store,
                                           const std::vector<std::string>& subjects) {
  std::vector<std::string> wanted;
  if (!subjects.empty()) wanted = specsOf(resolveSubjects(subjects));
  std::optional<SessionRow> newest;
  for (const SessionRow& row : store.sessions().all()) {
    const nlohmann::json config = configJson(row);
    // Records of logs are nothing to go on with; a polish and a race go on by their own commands.
    if (isImport(row) || isPolishSession(row) || raceEntryFromJson(config)) continue;
    const std::vector<std::string> specs = sessionConfigFromJson(config).subjects;
    if (!wanted.empty() &&
        !std::is_permutation(specs.begin(), specs.end(), wanted.begin(), wanted.end()))
      continue;
    if (!newest || row.id > newest->id) newest = row;
  }
  return newest;
}

} // namespace nestwright
