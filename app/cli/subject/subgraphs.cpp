#include "core/network/onnx/subgraphs.h"

#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/network/graph/spec.h"
#include "core/support/error.h"
#include "core/support/first_names.h"
#include "core/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::cli {

namespace {

struct SubgraphsOptions {
  std::string model, output;
  bool json = false;
};

constexpr std::size_t kNamed = 3; // tensors of a border, which may have hundreds

std::string workText(std::int64_t macs) {
  return fmt::format("{:.3f} M", static_cast<double>(macs) / 1e6);
}

nlohmann::json document(const OnnxSubgraphs& found, const std::vector<std::string>& files) {
  nlohmann::json subgraphs = nlohmann::json::array(), left = nlohmann::json::array();
  for (std::size_t i = 0; i < found.subgraphs.size(); ++i) {
    const OnnxSubgraph& one = found.subgraphs[i];
    subgraphs.push_back({{"nodes", one.nodes},
                         {"macs", one.macs},
                         {"inputs", one.inputs},
                         {"outputs", one.outputs},
                         {"file", files.empty() ? nlohmann::json() : nlohmann::json(files[i])}});
  }
  for (const NodeLeftOut& one : found.left)
    left.push_back({{"node", one.node}, {"operator", one.op}, {"reason", reasonText(one)}});
  return {{"subgraphs", subgraphs}, {"left", left}};
}

/// Nodes of the same operator that are left for the same kind of reason share a row, which tells
/// that of the first.
void printLeft(const std::vector<NodeLeftOut>& left) {
  std::vector<std::pair<const NodeLeftOut*, std::size_t>> kinds;
  for (const NodeLeftOut& one : left) {
    const auto known = std::ranges::find_if(kinds, [&](const auto& kind) {
      return kind.first->op == one.op && kind.first->why == one.why;
    });
    if (known == kinds.end())
      kinds.emplace_back(&one, 1);
    else
      ++known->second;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [one, count] : kinds)
    rows.push_back({one->op, fmt::format("{}", count), one->node, reasonText(*one)});
  cli::print("\nLeft to who runs the model:\n");
  printTable({"operator", "nodes", "the first", "why"}, rows, {1});
}

void printFound(const OnnxSubgraphs& found, const std::vector<std::string>& files) {
  if (found.subgraphs.empty()) cli::print("Nothing in it is worth cutting out.\n");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < found.subgraphs.size(); ++i) {
    const OnnxSubgraph& one = found.subgraphs[i];
    rows.push_back({files.empty() ? fmt::format("{}", i + 1) : files[i],
                    fmt::format("{}", one.nodes), workText(one.macs),
                    firstNames(one.inputs, kNamed), firstNames(one.outputs, kNamed)});
  }
  if (!rows.empty()) printTable({"subgraph", "nodes", "MACs", "takes", "gives"}, rows, {1, 2});
  if (!found.left.empty()) printLeft(found.left);
  if (files.empty()) return;
  std::vector<std::string> words;
  for (const std::string& file : files)
    words.push_back(shellWord(file));
  cli::print("\ntune them: nestwright tune {} --db FILE.nwdb\n", fmt::join(words, " "));
}

void subgraphs(const SubgraphsOptions& options) {
  const Spec spec = parseSpec(options.model);
  const OnnxSubgraphs found = onnxSubgraphs(spec.name, {spec.parameters, {}});
  std::vector<std::string> files;
  if (!options.output.empty()) {
    if (found.subgraphs.empty())
      throw InputError(fmt::format("nothing in '{}' is worth cutting out; without "
                                   "-o it is said why",
                                   spec.name));
    files = writeSubgraphs(found, spec.name, options.output);
  }
  if (options.json)
    printJson(document(found, files));
  else
    printFound(found, files);
}

} // namespace

void addSubgraphs(CLI::App& app) {
  auto options = std::make_shared<SubgraphsOptions>();
  CLI::App* verb = app.add_subcommand(
      "subgraphs", "Cut out of an ONNX file what can be tuned, where not all of it can");
  verb->footer("Each subgraph becomes an ONNX file that is tuned, run and deployed as any other. "
               "Deployed with\n--onnxruntime it takes its place in the whole model, and ONNX "
               "Runtime computes the rest.\n\n"
               "  nestwright subgraphs detector.onnx:batch=1 -o parts\n"
               "  nestwright tune parts/*.onnx --db detector.nwdb\n"
               "  nestwright deploy parts/*.onnx --db detector.nwdb --onnxruntime -o detector");
  verb->add_option("model", options->model,
                   "ONNX file, with values for its symbolic dimensions: model.onnx:batch=1")
      ->required();
  verb->add_option("-o,--output", options->output,
                   "The folder to write them to, which must not be there yet (default: only say "
                   "what there is)");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { subgraphs(*options); });
}

} // namespace nestwright::cli
