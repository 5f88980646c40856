#include "app/cli/checks.h"
#include "app/cli/isolated.h"
#include "app/cli/output.h"
#include "app/cli/precision.h"
#include "app/cli/run_report.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "core/execute/fastest_definitions.h"
#include "core/execute/network_measurer.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/network/pass/passes.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/target_named.h"
#include "core/record/store/store.h"
#include "core/session/insight/missing_instruction.h"
#include "core/session/run/tuned_on.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace nestwright::cli {

namespace {

struct RunOptions {
  std::string network, database, saved;
  std::string target, device; // empty: on what the network was tuned
  std::string check;          // "naive", "device", "onnx" or nothing
  std::vector<std::string> inputs, expected;
  LatencyOptions latency;
  int threads = 0;
  std::uint64_t seed = 1;
  std::optional<double> tolerance; // kNetworkTolerance or kNarrowNetworkTolerance
  bool profile = false, json = false, naive = false, best = false, tf32 = false;
  std::string alternatives = "all"; // that records may choose
  std::string precision = "float32";
};

std::vector<Array> inputsOf(const RunOptions& options, const Network& network) {
  if (options.inputs.empty()) return randomInputs(network, options.seed);
  if (options.inputs.size() != network.inputs.size())
    throw UsageError(fmt::format("{} has {}, and --input named {}", options.network,
                                 quantity(std::ssize(network.inputs), "input"),
                                 quantity(std::ssize(options.inputs), "file")));
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
                                    const Network& network, const NetworkPlace& place,
                                    const std::vector<Array>& inputs) {
  if (options.check == "onnx") return runOnnxReference(network.source, inputs);
  BuiltNetwork naive =
      options.check == "device" ? buildNaive(partition, place) : buildNaive(partition);
  return execute(naive.executor, inputs);
}

std::vector<Array> expectedOutputs(const RunOptions& options, const Network& network) {
  if (options.expected.size() > network.outputs.size())
    throw UsageError(fmt::format("{} has {}, and --expect named {}", options.network,
                                 quantity(std::ssize(network.outputs), "output"),
                                 quantity(std::ssize(options.expected), "file")));
  std::vector<Array> outputs;
  for (const std::string& path : options.expected)
    outputs.push_back(readTensorFile(path));
  return outputs;
}

/// What the same network of float32 gives, by its naive programs.
std::vector<Array> wideOutputs(Network network, const std::vector<Array>& inputs) {
  network.parameters.erase(kBFloat16Parameter);
  BuiltNetwork naive = buildNaive(optimisedPartition(network));
  return execute(naive.executor, inputs);
}

/// Writes output_0.pb, output_1.pb, ... into the folder.
void save(const std::vector<Array>& outputs, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: {}", folder, error.message()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    writeTensorFile(std::filesystem::path(folder) / fmt::format("output_{}.pb", i), outputs[i]);
}

/// `definitions` has each task by its own definition, which answers are compared with.
RunReport measure(const RunOptions& options, const Partition& definitions,
                  const Partition& partition, BuiltNetwork& built, const Network& network,
                  const NetworkPlace& place) {
  const std::vector<Array> inputs = inputsOf(options, network);
  const Executor& executor = built.executor;
  RunReport report;
  report.network = options.network;
  report.database = options.database;
  report.checkedAgainst = options.check;
  std::vector<Array> outputs;
  if (options.naive) { // slow enough to be measured by its one run
    for (std::size_t i = 0; i < inputs.size(); ++i)
      built.executor.setInput(i, inputs[i]);
    report.profile = profileRun(executor, options.latency);
    report.repeats = {
        std::accumulate(report.profile.groups.begin(), report.profile.groups.end(), 0.0)};
    for (std::size_t i = 0; i < network.outputs.size(); ++i)
      outputs.push_back(executor.output(i));
  } else {
    outputs = execute(built.executor, inputs);
    report.repeats = measureLatency(executor, options.latency);
    report.profile = profileRun(executor, options.latency);
  }
  executor.device().checkGuards();
  if (!executor.device().isHostMemory()) report.copies = executor.copySeconds();
  if (!options.saved.empty()) save(outputs, options.saved);
  addShares(report, partition, built);
  if (!options.check.empty()) try {
      report.relativeError =
          deviation(outputs, referenceOutputs(options, definitions, network, place, inputs));
      if (hasNarrowProducts(network))
        report.precisionError = deviation(outputs, wideOutputs(network, inputs));
    } catch (const DeviceError& error) {
      if (error.isSticky()) throw;
      report.uncheckedReason = error.what();
    } catch (const Error& error) { // what was measured is told all the same
      report.uncheckedReason = error.what();
    }
  if (!options.expected.empty())
    report.expectedError = deviation(outputs, expectedOutputs(options, network));
  return report;
}

/// A network that is slower than this hangs.
constexpr double kMostGpuSeconds = 120;

/// Where the network runs: as asked for, or on what it was tuned.
NetworkPlace placeOf(const RunOptions& options, const RecordStore* store, const Network& network) {
  TunedOn on;
  if (store && options.target.empty()) on = lastTunedOn(*store, specText(network));
  for (const std::string& note : on.notes)
    cli::print(stderr, "note: {}\n", note);
  if (!options.target.empty()) on.target = options.target;
  if (!options.device.empty()) on.device = options.device;
  // Naive programs are the same for every number of threads.
  return openPlace(backendToRunOn(on.target), options.naive ? 1 : options.threads,
                   {on.device, 0, kMostGpuSeconds}, instructionSetOf(on.target));
}

BuiltNetwork build(const RunOptions& options, const Partition& partition, const RecordStore* store,
                   const NetworkPlace& place) {
  if (!store) return buildNaive(partition, place);
  return buildTuned(partition, *store, place,
                    options.best ? ProgramSource::Best : ProgramSource::Kept, options.tf32);
}

std::optional<RecordStore> storeOf(const RunOptions& options) {
  if (options.naive) return std::nullopt;
  if (options.database.empty())
    throw UsageError("--db is missing: the file with the records, or --naive to run without any");
  return RecordStore::open(options.database, OpenMode::ReadOnly);
}

void runNetwork(const RunOptions& options) {
  continueInChild();
  const Network network = parseNetworkSpec(withPrecision(options.network, options.precision));
  if (options.check == "onnx" && !network.source.ends_with(".onnx"))
    throw UsageError(fmt::format("--check=onnx compares with the nodes of an ONNX file, and {} is "
                                 "none; --check compares with its naive programs",
                                 options.network));
  const std::optional<RecordStore> records = storeOf(options);
  const RecordStore* const store = records ? &*records : nullptr;
  const NetworkPlace place = placeOf(options, store, network);
  const Partition definitions = optimisedPartition(network);
  const ProgramSource source = options.best ? ProgramSource::Best : ProgramSource::Kept;
  const Partition partition =
      store ? fastestPartition(network, alternativesNamed(options.alternatives), *store,
                               {&place.target, 1}, source, options.tf32)
            : definitions;
  if (store) // naive programs use none anyway
    if (const std::string note = missingInstruction(definitions, place.target); !note.empty())
      cli::print(stderr, "note: {}\n", note);
  BuiltNetwork built = build(options, partition, store, place);
  RunReport report = measure(options, definitions, partition, built, network, place);
  report.target = place.target.text();
  if (options.json)
    printJson(toJson(report, partition, built));
  else
    printReport(report, built, options.profile);
  if (!report.uncheckedReason.empty())
    throw SystemError(fmt::format("the answer was not compared: {}", report.uncheckedReason));
  const bool rounds =
      hasNarrowProducts(network) || std::ranges::any_of(built.tasks, &BuiltTask::tf32);
  const double allowed =
      options.tolerance.value_or(rounds ? kNarrowNetworkTolerance : kNetworkTolerance);
  for (const std::optional<double>& error : {report.relativeError, report.expectedError})
    if (error && !(*error <= allowed))
      throw InputError(fmt::format("the answer is wrong: relative error {:.3g}, allowed {:.3g}",
                                   *error, allowed));
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
                 "Run the naive programs once on one thread, or on a GPU, without records")
      ->excludes(database);
  verb->add_flag("--best", options->best,
                 "Run with each task's best, also where a combination was kept")
      ->needs(database);
  addPrecision(*verb, options->precision);
  addTf32Programs(*verb, options->tf32);
  addPlace(*verb, options->target);
  addInstructionSet(*verb, options->target);
  addDevice(*verb, options->device);
  verb->add_option("--alternatives", options->alternatives,
                   "Which definitions of an operator may be chosen, by their records: all, exact "
                   "(those that sum the same products: no Winograd) or off (its own)")
      ->check(CLI::IsMember({"off", "exact", "all"}))
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "Threads of the kernels (0: all cores)")
      ->check(notNegative());
  verb->add_option("--repeats", options->latency.repeats, "Timed runs")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of the random inputs")->capture_default_str();
  verb->add_option("--input", options->inputs,
                   "An ONNX tensor file for each input (input_0.pb); default: random values");
  verb->add_option("--expect", options->expected,
                   "ONNX tensor files with the outputs to compare with");
  verb->add_option("--save", options->saved,
                   "A folder for the outputs, as ONNX tensor files (output_0.pb)");
  verb->add_option("--tolerance", options->tolerance,
                   fmt::format("Largest relative error that is accepted (default: {}; {} with "
                               "products of bfloat16 or TF32)",
                               kNetworkTolerance, kNarrowNetworkTolerance))
      ->check(notNegative());
  verb->add_flag(
          "--check{naive}", options->check,
          "Compare with the naive execution of the same network on this machine's "
          "processor (relative L2 deviation); "
          "--check=device: with the naive execution where the network runs; "
          "--check=onnx: with the nodes of the ONNX file one by one, past import and fusion. "
          "With --precision bf16 the deviation from float32 is told, too")
      ->check(CLI::IsMember({"naive", "device", "onnx"}));
  verb->add_flag("--profile", options->profile, "Show the time of each task, the slowest first");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { runNetwork(*options); });
}

} // namespace nestwright::cli
