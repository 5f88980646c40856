#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "core/deploy/deploy_library.h"
#include "core/plugin/target_named.h"
#include "core/record/store/store.h"
#include "core/session/insight/missing_instruction.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

namespace nestwright::cli {

namespace {

struct DeployVerbOptions {
  std::vector<std::string> subjects;
  std::string database, output, target = "llvm";
  DeployOptions deploy;
  int cores = 0; // 0: all
  bool force = false, json = false;
};

/// The libraries with the folders that they go to: of several, each has one of its own.
struct Plan {
  Deployment deployment;
  std::string folder;
};

std::optional<RecordStore> storeOf(const DeployVerbOptions& options) {
  if (!options.database.empty()) return RecordStore::open(options.database, OpenMode::ReadOnly);
  if (!options.deploy.allowNaive)
    throw UsageError("--db is missing: the file with the records, or --allow-naive to ship "
                     "programs that nobody tuned");
  return std::nullopt;
}

std::vector<Plan> planned(const DeployVerbOptions& options, const RecordStore* store,
                          const NetworkPlace& place) {
  if (options.subjects.size() > 1 && !options.deploy.name.empty())
    throw UsageError("--name names one library, and there are several subjects; leave it out");
  std::vector<Plan> plans;
  std::set<std::string> names;
  for (const std::string& subject : options.subjects) {
    Deployment deployment = planDeployment(subject, store, place.target, options.deploy);
    const std::string& name = deployment.options.name;
    if (!names.insert(name).second)
      throw UsageError(
          fmt::format("two of the subjects would be called {}; deploy them one by one, "
                      "each with its --name",
                      name));
    const std::string folder = options.subjects.size() == 1
                                   ? options.output
                                   : (std::filesystem::path(options.output) / name).string();
    requirePlace(folder, options.force);
    plans.push_back({std::move(deployment), folder});
  }
  return plans;
}

void print(const DeployedVariant& variant) {
  std::vector<std::vector<std::string>> rows;
  for (const DeployedTask& task : variant.tasks)
    rows.push_back({task.name, fmt::format("{:g}", task.weight), name(task.origin),
                    name(task.program), task.record ? fmt::format("{}", task.record) : kUnknownText,
                    formatSeconds(task.seconds), formatSeconds(task.naiveSeconds)});
  printTable({"task", "weight", "where", "program", "record", "time", "naive"}, rows, {1, 4, 5, 6});
  cli::print("\n{}\nfor {}\n", coverageText(variant), variant.target.text());
}

void print(const DeployedLibrary& library) {
  const std::vector<DeployedVariant>& variants = library.deployment.variants;
  for (const DeployedVariant& variant : variants) {
    if (variants.size() > 1) cli::print("{}\n\n", variant.processor());
    print(variant);
    if (variants.size() > 1) cli::print("\n");
  }
  const WrittenLibrary& written = library.written;
  cli::print("{}: {} in {} files: {}\n", library.folder,
             formatBytes(static_cast<double>(written.bytes)), written.files.size(),
             fmt::join(written.files, ", "));
  cli::print("try it: {}\n", exampleCommand(library.folder, library.deployment.options.name));
}

/// Of each processor that the library has code for.
void noteMissingInstructions(const Deployment& deployment) {
  for (const DeployedVariant& variant : deployment.variants)
    if (const std::string note = missingInstruction(deployment.partition, variant.target);
        !note.empty())
      cli::print(stderr, "note: {}, for {}: {}\n", deployment.options.name, variant.processor(),
                 note);
}

void deploy(const DeployVerbOptions& options) {
  const CTools tools = requiredCTools();
  std::optional<RecordStore> records = storeOf(options);
  const RecordStore* const store = records ? &*records : nullptr;
  const NetworkPlace place = deployPlace(options.target, store, options.cores);
  std::vector<Plan> plans = planned(options, store, place);
  records.reset(); // others may write while kernels are compiled
  for (const Plan& plan : plans)
    noteMissingInstructions(plan.deployment);
  if (plans.size() > 1) {
    std::error_code error;
    std::filesystem::create_directories(options.output, error);
    if (error) throw SystemError(fmt::format("{}: {}", options.output, error.message()));
  }
  nlohmann::json documents = nlohmann::json::array();
  std::vector<DeployedLibrary> libraries;
  for (Plan& plan : plans) {
    const DeployedLibrary& library = libraries.emplace_back(
        writeDeployment(std::move(plan.deployment), place, tools, plan.folder, options.force));
    if (options.json)
      documents.push_back({{"folder", library.folder},
                           {"files", library.written.files},
                           {"bytes", library.written.bytes},
                           {"manifest", library.written.manifest}});
    else
      print(library);
  }
  const std::optional<std::string> model = writeCommonModel(libraries, options.output);
  if (options.json)
    printJson({{"libraries", std::move(documents)},
               {"model", model ? nlohmann::json(*model) : nlohmann::json()}});
  else if (model)
    cli::print("{} calls all of them\n", *model);
}

} // namespace

void addDeploy(CLI::App& app) {
  auto options = std::make_shared<DeployVerbOptions>();
  DeployOptions& deploy = options->deploy;
  CLI::App* verb = app.add_subcommand(
      "deploy", "Write a tuned network or operator as a library for C and Python");
  verb->footer(
      "The folder has a shared and a static library, a header, an example that builds with "
      "one\ncommand, a module for NumPy and PyTorch, files for CMake and pkg-config, and a "
      "manifest.\n"
      "Programs that link it need neither Nestwright nor LLVM.\n\n"
      "  nestwright deploy resnet18 --db resnet18.nwdb -o resnet18\n"
      "  nestwright deploy matmul:n=512,m=512,k=512 --db mm.nwdb -o mm --threads serial\n"
      "  nestwright deploy resnet18 --db resnet18.nwdb -o resnet18 --cpu x86-64-v3,x86-64-v4\n"
      "  nestwright deploy resnet18 --db gpu.nwdb -o resnet18 --target cuda:sm_90");
  verb->add_option("subjects", options->subjects,
                   "Networks, ONNX files, operators, tasks (resnet18#3) or DAG files; of several, "
                   "each gets a folder of its own in the one of -o")
      ->required();
  verb->add_option("--db", options->database, "Record file");
  verb->add_option("-o,--output", options->output, "The folder to write")->required();
  verb->add_option("--name", deploy.name,
                   "Name of the library and beginning of its functions' names (default: after the "
                   "subject)");
  addTarget(*verb, options->target, "What the library runs on");
  CLI::Option* cpu = verb->add_option_function<std::string>(
      "--cpu",
      [&deploy](const std::string& names) { deploy.instructionSets = parseProcessors(names); },
      "The processor that the code is for: native (this machine's, all that it has), or no more "
      "than x86-64-v2, x86-64-v3 or x86-64-v4, with the records of --isa sse4.2, avx2 or avx512. "
      "Several of these levels with commas: the library has code for each, and takes the best that "
      "the processor can run");
  CLI::Option* threads =
      verb->add_option_function<std::string>(
              "--threads",
              [&deploy](const std::string& name) { deploy.threading = threadingFromName(name); },
              "Who runs parallel loops: openmp (libgomp, as while tuning; default), serial "
              "(nobody), "
              "or "
              "callback (the application's threads)")
          ->check(CLI::IsMember(threadingNames()));
  CLI::Option* cores =
      verb->add_option(
              "--cores", options->cores,
              "How many threads the programs were tuned for, as tune --threads had it (0: all "
              "cores)")
          ->check(notNegative());
  verb->add_option_function<std::string>(
          "--alternatives",
          [options](const std::string& text) {
            options->deploy.alternatives = alternativesNamed(text);
          },
          "Which definitions of an operator its records may choose: all (the default), exact "
          "(those that sum the same products: no Winograd) or off (its own)")
      ->check(CLI::IsMember({"off", "exact", "all"}));
  addTf32Programs(*verb, deploy.tf32);
  verb->add_flag("--embed", deploy.embed, "Put the constants into the library");
  verb->add_flag("--onnxruntime", deploy.onnxRuntime,
                 "Of an ONNX file: also write an operator of ONNX Runtime, and a model.onnx that "
                 "calls it; of one that nestwright subgraphs wrote the whole model with the "
                 "operator in its place, and of several of one model one that calls them all");
  verb->add_option_function<std::string>(
      "--require-tuned",
      [&deploy](const std::string& text) { deploy.requireTuned = parseShare(text); },
      "Fail unless so many of the searched tasks have a record of this target: 95% (default: all)");
  verb->add_flag("--allow-naive", deploy.allowNaive,
                 "Also ship tasks without a record, with a program that nobody tuned");
  verb->add_flag("--force", options->force, "Replace a folder that deploy wrote");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options, cpu, threads, cores] {
    for (const CLI::Option* option : {cpu, threads, cores})
      if (namesGpu(options->target) && option->count() > 0)
        throw UsageError(fmt::format("{} is for processors, and {} is a GPU; leave it out",
                                     option->get_name(), options->target));
    cli::deploy(*options);
  });
}

} // namespace nestwright::cli
