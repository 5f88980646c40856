#include "app/cli/isolated.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/execute/network_runner.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <numeric>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct RunOptions {
  std::string network, database, saved;
  std::string check; // "naive", "onnx" or nothing
  std::vector<std::string> inputs, expected;
  LatencyOptions latency;
  int threads = 0;
  std::uint64_t seed = 1;
  double tolerance = 1e-3;
  bool profile = false, json = false, naive = false, best = false;
};

std::vector<Array> inputsOf(const RunOptions& options, const Network& network) {
  if (options.inputs.empty()) return randomInputs(network, options.seed);
  if (options.inputs.size() != network.inputs.size())
    throw UsageError(fmt::format("{} has {} inputs, and {} files were given with --input",
                                 options.network, network.inputs.size(), options.inputs.size()));
  std::vector<Array> inputs;
  for (const std::string& path : options.inputs)
    inputs.push_back(readTensorFile(path));
  return inputs;
}

/// The largest relative L2 deviation over the outputs; infinity where shapes or types differ.
double deviation(const std::vector<Array>& outputs, const std::vector<Array>& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Array &ours = outputs[i], &theirs = reference[i];
    const bool alike = ours.shape == theirs.shape && ours.isFloat() == theirs.isFloat();
    worst = std::max(worst, alike ? relativeError(ours, theirs) : kInfinity);
  }
  return worst;
}

/// What the outputs are checked against.
std::vector<Array> referenceOutputs(const RunOptions& options, const Partition& partition,
                                    const Network& network, const std::vector<Array>& inputs) {
  if (options.check == "onnx") return runOnnxReference(network.source, inputs);
  BuiltNetwork naive = buildNaive(partition);
  return execute(naive.executor, inputs);
}

std::vector<Array> expectedOutputs(const RunOptions& options, const Network& network) {
  if (options.expected.size() > network.outputs.size())
    throw UsageError(fmt::format("{} has {} outputs, and {} files were given with --expect",
                                 options.network, network.outputs.size(), options.expected.size()));
  std::vector<Array> outputs;
  for (const std::string& path : options.expected)
    outputs.push_back(readTensorFile(path));
  return outputs;
}

/// Seconds spent in each task in the profiled run.
std::vector<double> taskSeconds(const LatencyProfile& profile, const Partition& partition) {
  std::vector<double> seconds(partition.tasks.size(), 0);
  for (std::size_t i = 0; i < profile.groups.size(); ++i)
    seconds[static_cast<std::size_t>(partition.groups[i].task)] += profile.groups[i];
  return seconds;
}

/// Writes output_0.pb, output_1.pb, ... into the folder.
void save(const std::vector<Array>& outputs, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: {}", folder, error.message()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    writeTensorFile(std::filesystem::path(folder) / fmt::format("output_{}.pb", i), outputs[i]);
}

struct Report {
  std::vector<double> repeats, perTask;
  double untunedShare = 0; // of the time of one run
  double profiled = 0;     // seconds of the run that perTask is of
  double explained = 0;    // share of it that the tasks take
  std::optional<double> relativeError, expectedError;
};

Report measure(const RunOptions& options, const Partition& partition, BuiltNetwork& built,
               const Network& network) {
  const std::vector<Array> inputs = inputsOf(options, network);
  Report report;
  std::vector<Array> outputs;
  if (options.naive) { // slow enough to be measured by its one run
    for (std::size_t i = 0; i < inputs.size(); ++i)
      built.executor.setInput(i, inputs[i]);
    const LatencyProfile profile = profileRun(built.executor, options.latency);
    report.perTask = taskSeconds(profile, partition);
    report.profiled = profile.total;
    report.repeats = {std::accumulate(report.perTask.begin(), report.perTask.end(), 0.0)};
    for (std::size_t i = 0; i < network.outputs.size(); ++i)
      outputs.push_back(built.executor.output(i));
  } else {
    outputs = execute(built.executor, inputs);
    report.repeats = measureLatency(built.executor, options.latency);
    const LatencyProfile profile = profileRun(built.executor, options.latency);
    report.perTask = taskSeconds(profile, partition);
    report.profiled = profile.total;
  }
  if (!options.saved.empty()) save(outputs, options.saved);
  double all = 0, untuned = 0;
  for (std::size_t i = 0; i < built.tasks.size(); ++i) {
    all += report.perTask[i];
    if (built.tasks[i].origin != KernelOrigin::Tuned) untuned += report.perTask[i];
  }
  report.untunedShare = all > 0 ? untuned / all : 0;
  report.explained = all / report.profiled;
  if (!options.check.empty())
    report.relativeError =
        deviation(outputs, referenceOutputs(options, partition, network, inputs));
  if (!options.expected.empty())
    report.expectedError = deviation(outputs, expectedOutputs(options, network));
  return report;
}

json reportJson(const RunOptions& options, const Report& report, const BuiltNetwork& built) {
  json tasks = json::array();
  for (std::size_t i = 0; i < built.tasks.size(); ++i)
    tasks.push_back({{"name", built.tasks[i].name},
                     {"weight", built.tasks[i].weight},
                     {"origin", name(built.tasks[i].origin)},
                     {"tuned_elsewhere", built.tasks[i].tunedElsewhere},
                     {"record", built.tasks[i].record},
                     {"best_record", built.tasks[i].bestRecord},
                     {"seconds", report.perTask[i]}});
  json document{{"network", options.network},
                {"latency_seconds", median(report.repeats)},
                {"repeats", report.repeats},
                {"untuned_share", report.untunedShare},
                {"profiled_seconds", report.profiled},
                {"explained_share", report.explained},
                {"constant_bytes", built.executor.plan().constantBytes},
                {"peak_arena_bytes", built.executor.plan().arenaBytes},
                {"tasks", tasks},
                {"recombination", built.choice ? json(built.choice->recombination) : json(nullptr)},
                {"checked_against", options.check.empty() ? json(nullptr) : json(options.check)},
                {"relative_error", nullptr}};
  if (report.relativeError) document["relative_error"] = *report.relativeError;
  if (report.expectedError) document["expected_error"] = *report.expectedError;
  return document;
}

std::string originText(const BuiltTask& task) {
  return fmt::format("{}{}", name(task.origin),
                     task.tunedElsewhere ? ", tuned on another machine" : "");
}

/// The slowest task first.
void printProfile(const Report& report, const BuiltNetwork& built) {
  std::vector<std::size_t> order(built.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return report.perTask[a] > report.perTask[b];
  });
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t i : order)
    rows.push_back({fmt::format("{}", i), built.tasks[i].name,
                    fmt::format("{:g}", built.tasks[i].weight), formatSeconds(report.perTask[i]),
                    fmt::format("{:.1f} %", 100 * report.perTask[i] / report.profiled),
                    originText(built.tasks[i])});
  printTable({"#", "task", "weight", "time", "share", "program"}, rows, {0, 2, 3, 4});
  cli::print("\na profiled run took {}, {:.1f} % of it in these tasks\n",
             formatSeconds(report.profiled), 100 * report.explained);
}

/// Which programs it runs with, when they are not simply each task's best.
void printChoice(const BuiltNetwork& built) {
  if (!built.choice) return;
  const auto others = std::ranges::count_if(
      built.tasks, [](const BuiltTask& task) { return task.record != task.bestRecord; });
  cli::print("runs with the combination kept from recombination {}: {} of {} tasks with another "
             "program than their best; --best runs with the bests\n",
             built.choice->recombination, others, built.choice->programs.size());
}

void printReport(const RunOptions& options, const Report& report, const BuiltNetwork& built) {
  if (options.profile) printProfile(report, built);
  printChoice(built);
  const auto [low, high] = std::minmax_element(report.repeats.begin(), report.repeats.end());
  cli::print("{}: {} (median of {}, {} to {}), {:.1f} % of the time not tuned\n", options.network,
             formatSeconds(median(report.repeats)), report.repeats.size(), formatSeconds(*low),
             formatSeconds(*high), 100 * report.untunedShare);
  if (const auto elsewhere = std::ranges::count_if(built.tasks, &BuiltTask::tunedElsewhere))
    cli::print("{} of {} tasks run as a fallback though {} has programs for them, of another "
               "machine; --profile lists them\n",
               elsewhere, built.tasks.size(), options.database);
  const ExecutionPlan& plan = built.executor.plan();
  cli::print("memory: {} of activations at the peak, {} of constants\n",
             formatBytes(static_cast<double>(plan.arenaBytes)),
             formatBytes(static_cast<double>(plan.constantBytes)));
  if (report.relativeError)
    cli::print("relative error against the {}: {:.3g}\n",
               options.check == "onnx" ? "nodes of the ONNX file, one by one" : "naive network",
               *report.relativeError);
  if (report.expectedError)
    cli::print("relative error against the expected output: {:.3g}\n", *report.expectedError);
}

BuiltNetwork build(const RunOptions& options, const Partition& partition) {
  if (options.naive) return buildNaive(partition);
  if (options.database.empty())
    throw UsageError("--db is missing: the file with the records, or --naive to run without any");
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  return buildTuned(partition, store, options.threads,
                    options.best ? ProgramSource::Best : ProgramSource::Kept);
}

void runNetwork(const RunOptions& options) {
  continueInChild();
  const Network network = parseNetworkSpec(options.network);
  if (options.check == "onnx" && !network.source.ends_with(".onnx"))
    throw UsageError(fmt::format("--check=onnx compares with the nodes of an ONNX file, and {} is "
                                 "none; --check compares with its naive programs",
                                 options.network));
  const Partition partition = partitionForCpu(network);
  BuiltNetwork built = build(options, partition);
  const Report report = measure(options, partition, built, network);
  if (options.json)
    printJson(reportJson(options, report, built));
  else
    printReport(options, report, built);
  for (const std::optional<double>& error : {report.relativeError, report.expectedError})
    if (error && !(*error <= options.tolerance))
      throw InputError(fmt::format("the answer is wrong: relative error {:.3g}, allowed {:.3g}",
                                   *error, options.tolerance));
}

} // namespace

void addRun(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb =
      app.add_subcommand("run", "Build a network from the best records and measure it end to end");
  verb->add_option("network", options->network, "Network: resnet18:batch=1, model.onnx")
      ->required();
  CLI::Option* database = verb->add_option("--db", options->database, "Record file");
  verb->add_flag("--naive", options->naive,
                 "Run the naive programs once on one thread, without records")
      ->excludes(database);
  verb->add_flag("--best", options->best,
                 "Run with each task's best, also where a combination was kept")
      ->needs(database);
  verb->add_option("--threads", options->threads, "Threads of the kernels (0: all cores)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--repeats", options->latency.repeats, "Timed runs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of the random inputs")->capture_default_str();
  verb->add_option("--input", options->inputs,
                   "An ONNX tensor file for each input (input_0.pb); default: random values");
  verb->add_option("--expect", options->expected,
                   "ONNX tensor files with the outputs to compare with");
  verb->add_option("--save", options->saved,
                   "A folder for the outputs, as ONNX tensor files (output_0.pb)");
  verb->add_option("--tolerance", options->tolerance, "Largest relative error that is accepted")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_flag("--check{naive}", options->check,
                 "Compare with the naive execution of the same network (relative L2 deviation); "
                 "--check=onnx: with the nodes of the ONNX file one by one, past import and fusion")
      ->check(CLI::IsMember({"naive", "onnx"}));
  verb->add_flag("--profile", options->profile, "Show the time of each task, the slowest first");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { runNetwork(*options); });
}

} // namespace nestwright::cli
