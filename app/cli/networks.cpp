#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/network/onnx_import.h"
#include "core/network/workloads.h"
#include "core/network/zoo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

constexpr const char* kOnnxLimits =
    "Tensors are float32, int64, int32 or bool; float16, bfloat16 and double are computed in\n"
    "float32. Shapes, indices of slices, repeats and the like must be constant once the symbolic\n"
    "dimensions have their values (model.onnx:batch=1). Out of scope: control flow (If, Loop, "
    "Scan),\n"
    "recurrent layers, training, quantised operators, sequences, strings, and operators whose\n"
    "result's shape depends on values (NonZero, Unique, Compress, NonMaxSuppression).\n";

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

/// What an ONNX file may contain.
void onnxScope(bool asJson) {
  const std::vector<std::string> operators = importableOperators();
  if (asJson) {
    printJson({{"onnx_operators", operators}});
    return;
  }
  std::string line = "  ";
  fmt::print("Operators that can be imported (up to ONNX opset 17):\n\n");
  for (const std::string& name : operators) {
    if (line.size() + name.size() > 96) {
      fmt::print("{}\n", line);
      line = "  ";
    }
    line += name + " ";
  }
  fmt::print("{}\n\n{}", line, kOnnxLimits);
}

} // namespace

void addNetworks(CLI::App& app) {
  auto asJson = std::make_shared<bool>(false), onnx = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("networks", "The networks and operators that can be tuned");
  verb->add_flag("--json", *asJson, "Print as one JSON document");
  verb->add_flag("--onnx", *onnx, "Show what an ONNX file may contain instead");
  verb->callback([asJson, onnx] { *onnx ? onnxScope(*asJson) : networks(*asJson); });
}

} // namespace nestwright::cli
