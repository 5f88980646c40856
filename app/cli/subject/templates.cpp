#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/plugin/target_named.h"
#include "core/schedule/bounds.h"
#include "core/session/run/session_template.h"
#include "core/session/run/subject.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/template/task_template.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct TemplatesOptions {
  std::string subject, config, kind, target;
  std::string version = name(TemplateVersion::V0_11);
  bool json = false;
};

/// Below the options of `templates --help`.
constexpr const char* kAboutTemplates =
    "A template is a schedule with knobs; its space is their product. Configurations are numbered, "
    "the first knob's values changing fastest, and the numbers hold for one version of the "
    "templates; the values themselves hold for all of them. --config takes a number, a list of "
    "values as AutoTVM writes them, [[\"tile_y\", \"sp\", [-1, 4]], ...], or an object with such a "
    "list as \"entity\", and prints the loop nest that they mean. A program's tensors lie as its "
    "configuration asks; re-laying inputs and results is no part of it. With --target cuda:sm_90 "
    "the "
    "templates are those for GPUs, and a configuration that such a device cannot run is shown with "
    "the reason.";

const char* knobKind(const Entity& entity) {
  struct Namer {
    const char* operator()(const SplitEntity&) const { return "split"; }
    const char* operator()(const ReorderEntity&) const { return "order"; }
    const char* operator()(const AnnotateEntity&) const { return "annotation"; }
    const char* operator()(const OptionEntity&) const { return "option"; }
  };
  return std::visit(Namer{}, entity);
}

std::string valuesText(const Knob& knob) {
  constexpr std::size_t kAll = 4;
  std::vector<std::string> shown;
  for (const Entity& value : knob.values)
    if (knob.values.size() <= kAll || shown.size() + 1 < kAll) shown.push_back(text(value));
  if (knob.values.size() > kAll) {
    shown.emplace_back("...");
    shown.push_back(text(knob.values.back()));
  }
  return fmt::format("{}", fmt::join(shown, "  "));
}

json templateJson(const TaskTemplate& of) {
  json knobs = json::array();
  for (const Knob& knob : of.space.knobs())
    knobs.push_back({{"name", knob.name},
                     {"kind", knobKind(knob.values.front())},
                     {"values", knob.values.size()}});
  return {{"template", of.kind->name},   {"purpose", of.kind->purpose},
          {"version", name(of.version)}, {"arguments", of.arguments.list()},
          {"size", of.space.size()},     {"knobs", knobs}};
}

void printTemplate(const TaskTemplate& of) {
  cli::print("\n{} ({}), {}: {}\n  arguments {}\n", of.kind->name, of.kind->purpose,
             name(of.version), quantity(of.space.size(), "configuration"),
             of.arguments.list().dump());
  std::vector<std::vector<std::string>> rows;
  for (const Knob& knob : of.space.knobs())
    rows.push_back({"  " + knob.name, knobKind(knob.values.front()),
                    std::to_string(knob.values.size()), valuesText(knob)});
  printTable({"  knob", "kind", "values", ""}, rows, {2});
}

/// What the templates are for: the target, and without one the machine of the template that is
/// named.
TemplateMachine machineOf(const TemplatesOptions& options) {
  const TemplateKind* kind = options.kind.empty() ? nullptr : &knownTemplate(options.kind);
  if (options.target.empty()) return kind != nullptr ? kind->machine : TemplateMachine::Cpu;
  const std::vector<std::string> known = targetNames();
  if (std::ranges::find(known, options.target) == known.end())
    targetNamed(options.target); // says so
  const TemplateMachine machine = templateMachine(options.target);
  if (kind != nullptr && kind->machine != machine)
    throw UsageError(fmt::format("{} is for {}, and {} is none", kind->name,
                                 kind->machine == TemplateMachine::Gpu ? "GPUs" : "processors",
                                 options.target));
  return machine;
}

/// The one of this name alone.
void keepNamed(TaskTemplates& templates, const std::string& kind) {
  std::erase_if(templates.fitting,
                [&](const TaskTemplate& each) { return each.kind->name != kind; });
  if (templates.fitting.empty() && templates.whyNone.empty())
    templates.whyNone = fmt::format("{} does not compute it", kind);
}

/// The templates of one task or, where the subject has several, of each.
void listTemplates(const Subject& subject, const TemplatesOptions& options,
                   TemplateVersion version) {
  json tasks = json::array();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < subject.tasks.size(); ++i) {
    const SubjectTask& task = subject.tasks[i];
    TaskTemplates templates = templatesFor(task.dag, version, machineOf(options));
    if (!options.kind.empty()) keepNamed(templates, options.kind);
    std::vector<std::string> names;
    json fitting = json::array();
    for (const TaskTemplate& each : templates.fitting) {
      names.push_back(fmt::format("{}: {}", each.kind->name, each.space.size()));
      fitting.push_back(templateJson(each));
    }
    const json reason = names.empty() ? json(templates.whyNone) : json(nullptr);
    tasks.push_back({{"task", task.name}, {"templates", fitting}, {"reason", reason}});
    rows.push_back({std::to_string(i), task.name,
                    names.empty() ? templates.whyNone : fmt::format("{}", fmt::join(names, ", "))});
    if (options.json || subject.tasks.size() > 1) continue;
    cli::print("{}", nestwright::print(task.dag));
    if (names.empty()) cli::print("\n{}\n", templates.whyNone);
    for (const TaskTemplate& each : templates.fitting)
      printTemplate(each);
  }
  if (options.json)
    printJson(tasks.size() == 1 ? tasks[0] : tasks);
  else if (rows.size() > 1)
    printTable({"#", "task", "templates and their configurations"}, rows, {0});
}

/// A number, a list of entities, or an object with one.
std::vector<NamedEntity> givenConfig(const std::string& text, const ConfigSpace& space) {
  std::int64_t index = 0;
  const char* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, index);
      read.ptr == end && !text.empty()) {
    if (read.ec == std::errc::result_out_of_range)
      throw InputError(
          fmt::format("configuration {} is not there; the space has those from 0 to {}", text,
                      space.size() - 1));
    return space.at(index);
  }
  const json value = json::parse(text, nullptr, false);
  const json& list = value.is_object() && value.contains("entity") ? value["entity"] : value;
  if (!list.is_array())
    throw InputError(fmt::format("--config {} is neither a number nor a list of values, "
                                 "[[\"tile_y\", \"sp\", [-1, 4]], ...]",
                                 text));
  std::vector<NamedEntity> entities;
  for (const json& entity : list)
    entities.push_back(namedEntityFromJson(entity));
  return entities;
}

TaskTemplate chosenTemplate(const ComputeDag& task, const TemplatesOptions& options,
                            TemplateVersion version) {
  if (!options.kind.empty()) return templateNamed(task, options.kind, version);
  TaskTemplates templates = templatesFor(task, version, machineOf(options));
  if (templates.fitting.empty()) throw InputError(templates.whyNone);
  return std::move(templates.fitting.front());
}

/// Why the GPU that is the target cannot run the program.
std::optional<Illegality> illegalityOf(const State& state, const TemplatesOptions& options) {
  if (options.target.empty() || machineOf(options) == TemplateMachine::Cpu) return std::nullopt;
  return illegality(state, spaceOptionsFor(targetNamed(options.target)), KernelLimits::Templates);
}

void printProgram(const SubjectTask& task, const TemplatesOptions& options,
                  TemplateVersion version) {
  const TaskTemplate of = chosenTemplate(task.dag, options, version);
  const std::vector<NamedEntity> config = givenConfig(options.config, of.space);
  const std::int64_t index = of.space.indexOf(config);
  const TemplateProgram program = templateProgram(task.dag, of, config);
  const State state = withBounds(State::replay(program.dag, program.steps));
  const std::string nest = printLoopNest(state);
  const std::optional<Illegality> illegal = illegalityOf(state, options);
  json entities = json::array();
  for (const NamedEntity& entity : config)
    entities.push_back(nestwright::toJson(entity));
  if (options.json)
    return printJson({{"template", of.kind->name},
                      {"version", name(of.version)},
                      {"index", index},
                      {"entity", entities},
                      {"dag", nestwright::print(program.dag)},
                      {"steps", nestwright::toJson(program.steps)},
                      {"program", programId(program.dag, program.steps)},
                      {"illegal", illegal ? json(illegal->text) : json(nullptr)},
                      {"loop_nest", nest}});
  cli::print("{}, {}: configuration {} of {}\n", of.kind->name, name(of.version), index,
             of.space.size());
  for (const NamedEntity& entity : config)
    cli::print("  {} = {}\n", entity.knob, text(entity.entity));
  cli::print("\n{}\n{}", nestwright::print(program.dag), nest);
  if (illegal)
    cli::print("\nillegal for {}: {} ({})\n", options.target, illegal->text, name(illegal->kind));
}

void templates(const TemplatesOptions& options) {
  const TemplateVersion version = templateVersion(options.version);
  const Subject subject = resolveSubject(options.subject);
  machineOf(options); // before anything is printed
  if (options.config.empty()) return listTemplates(subject, options, version);
  if (subject.tasks.size() != 1)
    throw UsageError(fmt::format("{} has {} tasks; name one of them, e.g. {}#0", options.subject,
                                 subject.tasks.size(), options.subject));
  printProgram(subject.tasks[0], options, version);
}

} // namespace

void addTemplates(CLI::App& app) {
  auto options = std::make_shared<TemplatesOptions>();
  CLI::App* verb = app.add_subcommand(
      "templates", "AutoTVM's templates that fit a task: knobs, sizes, and the loop nest of a "
                   "configuration");
  verb->add_option("task", options->subject,
                   "Task: matmul:m=512,n=512,k=512, resnet18#3, my.dag; or a network")
      ->required();
  verb->add_option("--template", options->kind, "This one (default: the first that fits)");
  verb->add_option("--target", options->target,
                   fmt::format("What the programs are for: {} (default: this machine's processor)",
                               fmt::join(targetNames(), ", ")));
  verb->add_option("--config", options->config,
                   "Print the program of this configuration: its number, or its values as JSON");
  verb->add_option("--version", options->version, "Of the templates: v0.11, v0.8.dev, tophub-v0.04")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->footer(kAboutTemplates);
  verb->callback([options] { templates(*options); });
}

} // namespace nestwright::cli
