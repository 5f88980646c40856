#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/network/workloads.h"
#include "core/network/zoo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

std::string text(const std::string& name, const std::vector<ParameterInfo>& parameters) {
  std::map<std::string, std::int64_t> defaults;
  for (const ParameterInfo& parameter : parameters)
    defaults[parameter.name] = parameter.byDefault;
  return specText(name, parameters, defaults);
}

json parametersJson(const std::vector<ParameterInfo>& parameters) {
  json list = json::array();
  for (const ParameterInfo& parameter : parameters)
    list.push_back({{"name", parameter.name},
                    {"default", parameter.byDefault},
                    {"meaning", parameter.meaning}});
  return list;
}

void networks(bool asJson) {
  json networkList = json::array(), operatorList = json::array();
  std::vector<std::vector<std::string>> networkRows, operatorRows;
  for (const ZooEntry& entry : zoo()) {
    const Network network = buildFromZoo({entry.name, {}});
    const std::int64_t macs = multiplyAccumulates(network), parameters = parameterCount(network);
    networkList.push_back({{"name", entry.name},
                           {"description", entry.description},
                           {"parameters", parametersJson(entry.parameters)},
                           {"macs", macs},
                           {"weights", parameters}});
    networkRows.push_back({text(entry.name, entry.parameters),
                           fmt::format("{:.3f} G", static_cast<double>(macs) / 1e9),
                           fmt::format("{:.2f} M", static_cast<double>(parameters) / 1e6),
                           entry.description});
  }
  for (const WorkloadInfo& workload : workloads()) {
    operatorList.push_back({{"name", workload.name},
                            {"description", workload.description},
                            {"parameters", parametersJson(workload.parameters)}});
    operatorRows.push_back({text(workload.name, workload.parameters), workload.description});
  }
  if (asJson) {
    printJson({{"networks", networkList}, {"operators", operatorList}});
    return;
  }
  printTable({"network", "MACs", "weights", ""}, networkRows, {1, 2});
  fmt::print("\nAn ONNX file works in place of a name: model.onnx, model.onnx:batch=1\n\n");
  printTable({"operator", ""}, operatorRows);
}

} // namespace

void addNetworks(CLI::App& app) {
  auto asJson = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("networks", "The networks and operators that can be tuned");
  verb->add_flag("--json", *asJson, "Print as one JSON document");
  verb->callback([asJson] { networks(*asJson); });
}

} // namespace nestwright::cli
