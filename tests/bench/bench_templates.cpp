/// \file How many configurations of a template a second the features of AutoTVM's models can be
/// computed for, and what one plan takes: fitting on 1,000 configurations, and 500 steps of 128
/// chains, each scored. How fast the configurations are is made up.

#include "core/feature/template_features.h"
#include "core/model/data_set.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/support/clock.h"
#include "tests/bench/bench_program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nestwright::bench::templates {
namespace {

struct Options {
  std::size_t configs = 2000, learned = 1000, chains = 128, steps = 500;
  std::string model = "autotvm";
  bool json = false;
};

using Configs = std::vector<std::int64_t>;

Configs randomConfigs(const ConfigSpace& space, std::size_t count, Random& random) {
  Configs configs;
  for (std::size_t i = 0; i < count; ++i)
    configs.push_back(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(space.size()))));
  return configs;
}

/// Sizes in the middle are the fastest.
double madeUpSeconds(const ConfigSpace& space, std::int64_t config) {
  double seconds = 1e-3;
  const std::vector<std::size_t> digits = space.digits(config);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto values = static_cast<double>(space.knobs()[i].values.size());
    const double offCentre = std::abs(static_cast<double>(digits[i]) / values - 0.5);
    seconds *= 1 + 2 * offCentre;
  }
  return seconds;
}

std::size_t longest(const std::vector<std::vector<float>>& rows) {
  std::size_t columns = 1;
  for (const std::vector<float>& row : rows)
    columns = std::max(columns, row.size());
  return columns;
}

std::vector<float> filledUp(std::vector<float> row, std::size_t columns) {
  row.resize(columns, 0);
  return row;
}

struct Plan {
  double fitSeconds = 0, scoreSeconds = 0, featureSeconds = 0;
  int trees = 0;
};

Plan makePlan(const ConfigSpace& space, TemplateFeatures& features, const Options& options) {
  Random random(7);
  Plan plan;
  const Configs known = randomConfigs(space, options.learned, random);
  const std::vector<std::vector<float>> rows = features.of(known);
  const std::size_t columns = longest(rows);
  DataSet set(columns);
  for (std::size_t i = 0; i < known.size(); ++i)
    set.add("task", fmt::format("{} {}", known[i], i), "machine", filledUp(rows[i], columns),
            madeUpSeconds(space, known[i]));
  const auto model = costModel(options.model);
  auto start = std::chrono::steady_clock::now();
  plan.trees = model->update(set).trees;
  plan.fitSeconds = secondsSince(start);
  Configs chains = randomConfigs(space, options.chains, random);
  for (std::size_t step = 0; step < options.steps; ++step) {
    for (std::int64_t& config : chains)
      config = space.neighbour(config, random);
    start = std::chrono::steady_clock::now();
    const std::vector<std::vector<float>> each = features.of(chains);
    plan.featureSeconds += secondsSince(start);
    start = std::chrono::steady_clock::now();
    FeatureTable table(columns);
    for (const std::vector<float>& row : each)
      table.add(filledUp(row, columns));
    model->predict(table);
    plan.scoreSeconds += secondsSince(start);
  }
  return plan;
}

nlohmann::json bench(const std::string& task, const Options& options) {
  auto document = nlohmann::json::array();
  const ComputeDag dag = parseTaskSpec(task).dag;
  const TaskTemplate of = templatesFor(dag).fitting.at(0);
  for (const char* each : {"itervar", "knob", "curve"}) {
    const TemplateFeatureKind kind = templateFeatureKind(each);
    Random random(3);
    const bool isKnob = kind == TemplateFeatureKind::Knob;
    const Configs configs = randomConfigs(of.space, options.configs * (isKnob ? 100 : 1), random);
    TemplateFeatures features(dag, of, kind);
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::vector<float>> rows = features.of(configs);
    const double seconds = secondsSince(start);
    const std::size_t computed = isKnob ? configs.size() : features.kept();
    const double rate = static_cast<double>(computed) / seconds;
    const Plan plan = makePlan(of.space, features, options);
    if (!options.json)
      fmt::print("{:<30} {:<8} {:>10} {:>8} {:>12.0f} {:>7} {:>8.2f} {:>8.2f} {:>8.2f}\n", task,
                 each, of.space.size(), longest(rows), rate, plan.trees, plan.fitSeconds,
                 plan.featureSeconds, plan.scoreSeconds);
    document.push_back({{"task", task},
                        {"template", of.kind->name},
                        {"features", each},
                        {"configurations", of.space.size()},
                        {"columns", longest(rows)},
                        {"configurations_per_second", rate},
                        {"trees", plan.trees},
                        {"fit_seconds", plan.fitSeconds},
                        {"plan_feature_seconds", plan.featureSeconds},
                        {"plan_score_seconds", plan.scoreSeconds}});
  }
  return document;
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("features of a template's configurations, and what a plan takes");
  app.add_option("--configs", options.configs, "configurations, a hundred times as many for knob")
      ->capture_default_str();
  app.add_option("--learned", options.learned, "that the model learns from")->capture_default_str();
  app.add_option("--model", options.model, "autotvm or forest")->capture_default_str();
  app.add_flag("--json", options.json, "machine-readable");
  CLI11_PARSE(app, argc, argv);
  if (!options.json)
    fmt::print("{:<30} {:<8} {:>10} {:>8} {:>12} {:>7} {:>8} {:>8} {:>8}\n", "task", "features",
               "space", "columns", "a second", "trees", "fit s", "walk s", "score s");
  auto document = nlohmann::json::array();
  for (const char* task : {"matmul:m=1024,n=1024,k=1024", "matmul:m=1,n=768,k=768",
                           "conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1"})
    document.push_back(bench(task, options));
  if (options.json) fmt::print("{}\n", document.dump(2));
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"templates", start});

} // namespace
} // namespace nestwright::bench::templates
