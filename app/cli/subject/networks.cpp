#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/network/graph/workloads.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/zoo/zoo.h"
#include "core/network/zoo/zoo_sets.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

constexpr const char* kOnnxLimits =
    "Tensors are float32, bool or integers of 8 to 64 bits (not uint64); float16, bfloat16 and\n"
    "double are computed in float32. Quantised networks are read in both forms that ONNX "
    "Runtime's\n"
    "quantiser writes; their products are of 8-bit integers, summed in int32. Shapes, indices of "
    "slices, repeats and the like must be constant once the symbolic\n"
    "dimensions have their values (model.onnx:batch=1). Out of scope: control flow (If, Loop, "
    "Scan),\n"
    "training, sequences, strings, and operators whose result's shape depends on values\n"
    "(NonZero, Unique, Compress, NonMaxSuppression).\n"
    "Where ONNX leaves the result open: integers divided by zero give zero, and indices beyond a\n"
    "tensor's end read its nearest element.\n";

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

json setsJson() {
  json list = json::array();
  for (const NetworkSet& set : networkSets()) {
    json members = json::array();
    for (const NetworkConfiguration& network : set.networks)
      members.push_back({{"tenset_name", network.tensetName}, {"network", network.spec}});
    list.push_back({{"name", set.name}, {"description", set.description}, {"networks", members}});
  }
  return list;
}

/// "resnet50:batch=1,image=224" and its like, one family a row: the values that a set has.
void printConfigurations(const NetworkSet& set) {
  std::vector<std::vector<std::string>> rows;
  for (const NetworkConfiguration& network : set.networks) {
    const std::size_t colon = network.spec.find(':');
    const std::string name = network.spec.substr(0, colon);
    if (rows.empty() || rows.back()[0] != name) rows.push_back({name, network.tensetName, ""});
    std::string& list = rows.back()[2];
    list += fmt::format("{}{}", list.empty() ? "" : "  ", network.spec.substr(colon + 1));
  }
  printTable({"network", "TenSet's name", "configurations"}, rows);
}

void printSets(bool configurations) {
  std::vector<std::vector<std::string>> rows;
  for (const NetworkSet& set : networkSets())
    rows.push_back({set.name, fmt::format("{}", set.networks.size()), set.description});
  cli::print("\n");
  printTable({"set", "networks", ""}, rows, {1});
  if (!configurations) {
    cli::print("\n--configurations lists them; nestwright tasks SET gives all their tasks\n");
    return;
  }
  cli::print("\n");
  printConfigurations(networkSets().front());
}

void networks(bool asJson, bool configurations) {
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
    printJson({{"networks", networkList}, {"sets", setsJson()}, {"operators", operatorList}});
    return;
  }
  printTable({"network", "MACs", "weights", ""}, networkRows, {1, 2});
  printSets(configurations);
  cli::print("\nAn ONNX file works in place of a name: model.onnx, model.onnx:batch=1\n\n");
  printTable({"operator", ""}, operatorRows);
}

/// What an ONNX file may contain.
void onnxScope(bool asJson) {
  const std::vector<std::string> operators = importableOperators();
  if (asJson) {
    printJson({{"onnx_operators", operators}});
    return;
  }
  std::string line = "  ";
  cli::print("Operators that can be imported (up to ONNX opset {}):\n\n", newestOpset());
  for (const std::string& name : operators) {
    if (line.size() + name.size() > 96) {
      cli::print("{}\n", line);
      line = "  ";
    }
    line += name + " ";
  }
  cli::print("{}\n\n{}", line, kOnnxLimits);
}

} // namespace

void addNetworks(CLI::App& app) {
  struct Options {
    bool json = false, onnx = false, configurations = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("networks", "The networks and operators that can be tuned");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->add_flag("--onnx", options->onnx, "Show what an ONNX file may contain instead");
  verb->add_flag("--configurations", options->configurations,
                 "List the 120 configurations of the TenSet data set");
  verb->callback([options] {
    if (options->onnx)
      onnxScope(options->json);
    else
      networks(options->json, options->configurations);
  });
}

} // namespace nestwright::cli
