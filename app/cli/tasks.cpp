#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/session/subject.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

void tasks(const std::string& text, bool asJson, bool withDags) {
  const Subject subject = resolveSubject(text);
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  double total = 0;
  for (const SubjectTask& task : subject.tasks) {
    const double work = flops(task.dag);
    total += work * task.weight;
    list.push_back({{"index", list.size()},
                    {"name", task.name},
                    {"key", workloadKey(task.dag)},
                    {"weight", task.weight},
                    {"flops", work},
                    {"dag", print(task.dag)}});
    rows.push_back({fmt::format("{}", rows.size()), task.name, fmt::format("{:g}", task.weight),
                    formatFlops(work)});
  }
  if (asJson) {
    printJson({{"network", subject.spec}, {"tasks", list}});
    return;
  }
  printTable({"#", "task", "weight", "work"}, rows, {0, 2, 3});
  fmt::print("\n{}: {} tasks, {} in all\n", subject.spec, subject.tasks.size(), formatFlops(total));
  if (!withDags) return;
  for (std::size_t i = 0; i < subject.tasks.size(); ++i)
    fmt::print("\n# {} {}\n{}", i, subject.tasks[i].name, print(subject.tasks[i].dag));
}

} // namespace

void addTasks(CLI::App& app) {
  struct Options {
    std::string subject;
    bool json = false, dags = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("tasks", "The tasks of a network: weight, operations, compute DAG");
  verb->add_option("network", options->subject, "Network: resnet50:batch=1,image=224, model.onnx")
      ->required();
  verb->add_flag("--dags", options->dags, "Print the compute DAGs too");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { tasks(options->subject, options->json, options->dags); });
}

} // namespace nestwright::cli
