#include "app/cli/output.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "core/network/partition/partition_graph.h"
#include "core/network/zoo/shared_tasks.h"
#include "core/network/zoo/zoo.h"
#include "core/network/zoo/zoo_sets.h"
#include "core/session/insight/subject_preview.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

constexpr const char* kFooter =
    "A set gives one row a distinct task, with the networks that it appears in. The TenSet paper\n"
    "counts 2,308 for its 120 configurations. Ours differ where the partition does: layer norms\n"
    "and softmaxes are one task each and take no other work, dense layers of transformers are\n"
    "matrix products over all tokens (TenSet: batched products, with the three projections of\n"
    "attention joined), and equal work is one task whatever its tensors are called.";

/// What runs in a network beside its tasks: kernels that only move elements or map single ones.
/// They have nothing to search for.
nlohmann::json unsearchedJson(const std::vector<SubjectTask>& others) {
  nlohmann::json list = nlohmann::json::array();
  for (const SubjectTask& task : others)
    list.push_back({{"name", task.name}, {"weight", task.weight}});
  return list;
}

void printUnsearched(const std::vector<SubjectTask>& others, bool all) {
  if (others.empty()) return;
  double weight = 0;
  std::vector<std::vector<std::string>> rows;
  for (const SubjectTask& task : others) {
    weight += task.weight;
    rows.push_back({task.name, fmt::format("{:g}", task.weight)});
  }
  cli::print("beside them {} that only {} elements and {} never searched{}\n",
             weight == 1 ? "runs one kernel" : fmt::format("run {:g} kernels", weight),
             weight == 1 ? "moves or maps" : "move or map", weight == 1 ? "is" : "are",
             all ? ":" : "; --all lists them");
  if (!all) return;
  cli::print("\n");
  printTable({"kernel", "weight"}, rows, {1});
}

/// The error names the first operator that a model asks for in vain; all of them with their nodes
/// stand below it.
[[noreturn]] void refuse(const SubjectPreview& preview) {
  std::string problem = preview.problem;
  for (const UnsupportedOperator& one : preview.unsupported)
    problem += fmt::format("\n  {} in {}", one.name, fmt::join(one.nodes, ", "));
  throw InputError(problem);
}

Subject subjectOf(const std::string& text, Alternatives which) {
  try {
    return resolveSubject(text, which);
  } catch (const InputError&) {
    refuse(previewSubjects({{text}}));
  }
}

void tasks(const std::string& text, Alternatives which, bool asJson, bool withDags, bool all) {
  const Subject subject = subjectOf(text, which);
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  double total = 0;
  std::size_t definitions = 0;
  for (const SubjectTask& task : subject.tasks) {
    const double work = flops(task.dag);
    const std::optional<AlternativeOf> other = alternativeOf(task.dag);
    // One that stands alone is a task.
    const bool isOther = other && subject.tasks.size() > 1;
    if (!isOther) total += work * task.weight, ++definitions;
    list.push_back({{"index", list.size()},
                    {"name", task.name},
                    {"key", workloadKey(task.dag)},
                    {"weight", task.weight},
                    {"flops", work},
                    {"dag", print(task.dag)}});
    if (other) list.back()["alternative"] = {{"name", other->name}, {"of", other->definition}};
    // NETWORK#index names definitions.
    rows.push_back({isOther ? "" : fmt::format("{}", rows.size()), task.name,
                    fmt::format("{:g}", task.weight), formatFlops(work)});
  }
  if (asJson) {
    printJson({{"network", subject.spec},
               {"tasks", list},
               {"others", unsearchedJson(subject.unsearched)}});
    return;
  }
  printTable({"#", "task", "weight", "work"}, rows, {0, 2, 3});
  cli::print("\n{}: {}, {} in all", subject.spec, quantity(std::int64_t(definitions), "task"),
             formatFlops(total));
  if (definitions < subject.tasks.size())
    cli::print(", and {} of them",
               quantity(std::int64_t(subject.tasks.size() - definitions), "alternative"));
  cli::print("\n");
  printUnsearched(subject.unsearched, all);
  if (!withDags) return;
  for (std::size_t i = 0; i < subject.tasks.size(); ++i)
    cli::print("\n# {} {}\n{}", i, subject.tasks[i].name, print(subject.tasks[i].dag));
}

nlohmann::json sharedTaskJson(const SharedTask& entry, const NetworkSet& set) {
  nlohmann::json uses = nlohmann::json::array();
  for (const SharedTask::Use& use : entry.uses)
    uses.push_back({{"network", set.networks[static_cast<std::size_t>(use.network)].spec},
                    {"weight", use.weight}});
  return {{"name", entry.task.description}, {"key", entry.task.key},
          {"weight", entry.task.weight},    {"flops", entry.task.flops},
          {"networks", std::move(uses)},    {"dag", print(entry.task.dag)}};
}

/// The distinct tasks of a set of networks.
void tasksOfSet(const NetworkSet& set, bool asJson) {
  std::vector<std::string> specs;
  for (const NetworkConfiguration& network : set.networks)
    specs.push_back(network.spec);
  std::vector<SharedTask> all = sharedTasks(specs);
  std::erase_if(all, [](const SharedTask& entry) { return !entry.task.tunable; });
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  std::size_t inNetworks = 0;
  for (const SharedTask& entry : all) {
    inNetworks += entry.uses.size();
    if (asJson)
      list.push_back(sharedTaskJson(entry, set));
    else
      rows.push_back({fmt::format("{}", rows.size()), entry.task.description,
                      fmt::format("{}", entry.task.weight), fmt::format("{}", entry.uses.size()),
                      formatFlops(entry.task.flops)});
  }
  if (asJson) {
    printJson({{"set", set.name}, {"networks", specs}, {"tasks", list}});
    return;
  }
  printTable({"#", "task", "weight", "networks", "work"}, rows, {0, 2, 3, 4});
  cli::print("\n{}, {}: {}, {} when each network is counted by itself\n", set.name, set.description,
             quantity(std::ssize(all), "distinct task"), inNetworks);
}

nlohmann::json previewJson(const SubjectPreview& preview, const std::string& text) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const PreviewedTask& task : preview.tasks) {
    nlohmann::json one = {{"name", task.name}, {"weight", task.weight}, {"flops", task.flops}};
    if (task.known.isKnown())
      one["best"] = {{"seconds", task.known.seconds}, {"file", task.known.file}};
    one["trials"] = task.known.trials;
    tasks.push_back(std::move(one));
  }
  return {{"network", text},
          {"tasks", std::move(tasks)},
          {"suggested_trials", preview.suggestedTrials},
          {"seconds_per_trial", preview.secondsPerTrial}};
}

void printPreview(const SubjectPreview& preview) {
  std::vector<std::vector<std::string>> rows;
  for (const PreviewedTask& task : preview.tasks)
    rows.push_back({task.name, fmt::format("{:g}", task.weight),
                    formatFlops(task.weight * task.flops),
                    task.known.isKnown() ? formatSeconds(task.known.seconds) : "-",
                    task.known.trials > 0 ? fmt::format("{}", task.known.trials) : "-"});
  printTable({"task", "weight", "work", "known best", "trials"}, rows, {1, 2, 3, 4});
  cli::print("\n{}, {} in one run; {} known on this target\n",
             quantity(std::ssize(preview.tasks), "task"), formatFlops(preview.flops()),
             preview.knownTasks());
  cli::print("to search them well: {}{}\n", quantity(preview.suggestedTrials, "trial"),
             preview.secondsPerTrial > 0
                 ? fmt::format(", about {}", formatDuration(double(preview.suggestedTrials) *
                                                            preview.secondsPerTrial))
                 : "");
}

/// The same as the window shows before it makes a session.
void preview(const PreviewWish& wish, bool asJson) {
  const SubjectPreview preview = previewSubjects(wish);
  if (!preview.problem.empty()) refuse(preview);
  if (!preview.targetProblem.empty()) throw InputError(preview.targetProblem);
  if (asJson)
    printJson(previewJson(preview, wish.subjects.front()));
  else
    printPreview(preview);
}

void graph(const std::string& text, bool asJson) {
  const Partition partition = optimisedPartition(parseNetworkSpec(text));
  if (asJson)
    printJson(partitionJson(partition));
  else
    cli::print("{}", partitionDot(partition));
}

} // namespace

void addTasks(CLI::App& app) {
  struct Options {
    std::string subject, alternatives = "off";
    bool json = false, dags = false, graph = false, all = false;
    PreviewWish known;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("tasks", "The tasks of a network: weight, operations, compute DAG");
  verb->add_option("network", options->subject,
                   "Network: resnet50:batch=1,image=224, model.onnx; or a set: zoo, zoo_batch1, "
                   "zoo_test, zoo_train (nestwright networks lists them)")
      ->required();
  verb->add_flag("--dags", options->dags, "Print the compute DAGs too");
  verb->add_flag("--all", options->all, "Also list the kernels that are never searched");
  verb->add_option("--alternatives", options->alternatives,
                   "Also list other definitions of the tasks that tune can search: off, exact or "
                   "all")
      ->check(CLI::IsMember({"off", "exact", "all"}))
      ->capture_default_str();
  verb->add_flag("--graph", options->graph,
                 "Print the network's operators with their groups instead, as text for Graphviz "
                 "(| dot -Tsvg) or, with --json, as JSON");
  CLI::Option* known =
      verb->add_option("--known", options->known.memory,
                       "Say instead what these documents know of each task on --target, how many "
                       "trials are worth while, and how long they take, as the window does before "
                       "it makes a session")
          ->check(CLI::ExistingFile);
  addTarget(*verb, options->known.target, "What the tasks are to be tuned for")->needs(known);
  addDevice(*verb, options->known.measure.device);
  verb->add_option("--threads", options->known.measure.threads,
                   "Threads of the tuned kernels; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->needs(known);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->footer(kFooter);
  verb->callback([options] {
    if (!options->known.memory.empty()) {
      options->known.subjects = {options->subject};
      return preview(options->known, options->json);
    }
    if (options->graph)
      graph(options->subject, options->json);
    else if (const NetworkSet* set = findNetworkSet(options->subject))
      tasksOfSet(*set, options->json);
    else
      tasks(options->subject, alternativesNamed(options->alternatives), options->json,
            options->dags, options->all);
  });
}

} // namespace nestwright::cli
