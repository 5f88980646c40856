#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/plugin/plugin.h"
#include "core/session/subject.h"
#include "core/space/sketch.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

json sketchesJson(const std::vector<Sketch>& sketches) {
  json result = json::array();
  for (const Sketch& sketch : sketches) {
    json rules = json::array();
    for (const RuleFiring& firing : sketch.firings)
      rules.push_back({{"stage", firing.stage}, {"rule", firing.rule}, {"reason", firing.reason}});
    result.push_back({{"steps", toJson(sketch.state.steps())},
                      {"rules", rules},
                      {"loop_nest", printLoopNest(sketch.state)}});
  }
  return result;
}

void printSketches(const SubjectTask& task, const std::vector<Sketch>& sketches) {
  fmt::print("{}\n{} sketches\n", print(task.dag), sketches.size());
  int number = 0;
  for (const Sketch& sketch : sketches) {
    fmt::print("\nSketch {}\n", ++number);
    for (const RuleFiring& firing : sketch.firings)
      fmt::print("  {}: {} ({})\n", firing.stage, firing.rule, firing.reason);
    fmt::print("{}", printLoopNest(sketch.state));
  }
}

void sketches(const std::string& text, int threads, bool asJson) {
  const Subject subject = resolveSubject(text);
  if (subject.tasks.size() != 1)
    throw UsageError(
        fmt::format("{} has {} tasks; name one of them, e.g. {}#0 (nestwright tasks {} "
                    "lists them)",
                    text, subject.tasks.size(), text, text));
  SpaceOptions options;
  options.target = hostTarget(threads);
  const std::vector<Sketch> found = generateSketches(subject.tasks[0].dag, options);
  if (asJson)
    printJson(sketchesJson(found));
  else
    printSketches(subject.tasks[0], found);
}

} // namespace

void addSketches(CLI::App& app) {
  struct Options {
    std::string subject;
    int threads = 0;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("sketches", "The sketches of a task and the rules that made each");
  verb->add_option("task", options->subject, "Task: matmul:m=512,n=512,k=512, resnet18#3, my.dag")
      ->required();
  verb->add_option("--threads", options->threads, "Threads of the tuned kernels (0: all cores)")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { sketches(options->subject, options->threads, options->json); });
}

} // namespace nestwright::cli
