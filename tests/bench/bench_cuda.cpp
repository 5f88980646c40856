/// \file What `packaging/gpu` asks of a machine with a GPU: kernels that misbehave, how fast our
/// tuned programs are beside NVIDIA's libraries in the same run, and what learning pays.

#include "core/backend/device_error.h"
#include "core/support/error.h"
#include "tests/bench/gpu_figures.h"
#include "tests/bench/gpu_policies.h"
#include "tests/bench/gpu_table.h"
#include "tests/bench/hostile_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nestwright::bench {
namespace {

using nlohmann::json;

// As the program has it: a machine without a device is no failure of the programs.
constexpr int kNoDevice = 3;

struct Options {
  std::string program, device, json;
  HostileLimits hostile;
  TableOptions table{"gpu.nwdb", kDefaultRules, ""};
  PolicyComparison policies{
      "policies.nwdb",
      kDefaultRules,
      {"conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1", "matmul:m=1024,n=1024,k=1024"}};
  std::string folder, step, peer;
};

GpuBench benchOf(const Options& options) {
  GpuBench bench;
  if (!options.program.empty()) { // sessions of this process use that program's plugins
    const auto folder = std::filesystem::path(options.program).parent_path() / "../plugins";
    setenv("NESTWRIGHT_PLUGIN_PATH", folder.c_str(), 0);
    bench.launch.command = {options.program, "worker"};
  }
  bench.device = options.device;
  return bench;
}

void writeJson(const std::string& path, const json& document) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << document.dump(2) << "\n";
  if (!file.flush()) throw SystemError(fmt::format("{} cannot be written", path));
}

int hostile(const Options& options) {
  GpuBench bench = benchOf(options);
  bench.askForTarget();
  const std::vector<HostileOutcome> outcomes =
      runHostileKernels(bench, cuda::Nvrtc::instance(), options.hostile);
  json list = json::array();
  std::size_t right = 0;
  for (const HostileOutcome& outcome : outcomes) {
    right += outcome.isRight() ? 1 : 0;
    list.push_back({{"kernel", outcome.kernel->name},
                    {"wanted", name(outcome.kernel->verdict)},
                    {"verdict", name(outcome.result.verdict)},
                    {"error", outcome.result.error},
                    {"next", name(outcome.next.verdict)}});
    if (outcome.isRight()) continue;
    fmt::print("{}: {} ({}); the next one: {} ({})\n", outcome.kernel->name,
               name(outcome.result.verdict), outcome.result.error, name(outcome.next.verdict),
               outcome.next.error);
  }
  fmt::print(
      "{} of {} hostile kernels gave the one error that they should, and the next kernel ran "
      "as ever\n",
      right, outcomes.size());
  writeJson(options.json,
            {{"device", bench.target.gpu->name}, {"kernels", list}, {"right", right}});
  return right == outcomes.size() ? 0 : 1;
}

int table(const Options& options) {
  bool isBegun = false;
  const auto onRow = [&](const json& table) {
    if (!isBegun)
      fmt::print("{}; {}\n{} trials each at most, seed {}; the device's own clock, warm caches; "
                 "ratios above 1: ours is faster; beside: of a trial, without its kernels\n\n{}\n",
                 table.at("versions").get<std::string>(), table.at("state").get<std::string>(),
                 options.table.trials, options.table.seed, tableHead());
    isBegun = true;
    fmt::print("{}\n", tableLine(table.at("rows").back()));
    std::fflush(stdout);
    writeJson(options.json, table);
  };
  const json all = gpuTable(benchOf(options), options.table, onRow);
  fmt::print("\n");
  for (const std::string& line : tableMeans(all))
    fmt::print("{}\n", line);
  return 0;
}

int peer(const Options& options) {
  json answer;
  try {
    answer = gpuPeer(options.device, options.peer, options.table.small);
  } catch (const DeviceError& error) {
    if (error.fault() != DeviceFault::Absent) throw;
    answer["absent"] = error.what();
  }
  fmt::print("{}\n", answer.dump());
  return 0;
}

int policies(const Options& options) {
  GpuBench bench = benchOf(options);
  bench.askForTarget();
  const json comparison = comparePolicies(bench, options.policies);
  for (const std::string& line : policyLines(comparison))
    fmt::print("{}\n", line);
  writeJson(options.json, comparison);
  return 0;
}

int figures(const Options& options) {
  const GpuFigures found = gpuFigures(options.folder, options.step);
  for (const std::string& line : found.lines)
    fmt::print("{}\n", line);
  for (const std::string& fault : found.faults)
    fmt::print("not as it should be: {}\n", fault);
  json document = found.document;
  document["faults"] = found.faults;
  writeJson(options.json, document);
  return found.faults.empty() ? 0 : 1;
}

void addVerbs(CLI::App& app, Options& options, int& code) {
  CLI::App* verb = app.add_subcommand("hostile", "Kernels that misbehave");
  verb->add_option("--times", options.hostile.times, "Each so often")->capture_default_str();
  verb->add_option("--seconds", options.hostile.seconds, "That a kernel gets")
      ->capture_default_str();
  verb->add_option("--within", options.hostile.allSeconds,
                   "Seconds after which no further round begins (0: no limit)");
  verb->callback([&] { code = hostile(options); });

  verb = app.add_subcommand("table", "Our programs and NVIDIA's libraries");
  TableOptions& table = options.table;
  verb->add_option("--trials", table.trials, "Of each operator")->capture_default_str();
  verb->add_option("--seconds", table.seconds, "For all operators together (0: no limit)");
  verb->add_option("--seed", table.seed)->capture_default_str();
  verb->add_option("--rules", table.rules, "Of all rows but the paper's")->capture_default_str();
  verb->add_option("--db", table.database, "Records")->capture_default_str();
  verb->add_option("--only", table.only, "Operators with this in their name");
  verb->add_flag("--small", table.small, "A rehearsal, with operators of a few elements");
  verb->callback([&] { code = bench::table(options); });

  verb = app.add_subcommand("peer", "One operator by NVIDIA's libraries, as the table asks for it");
  verb->add_option("--operator", options.peer, "Its name in the table");
  verb->add_flag("--small", table.small);
  verb->callback([&] { code = peer(options); });

  verb = app.add_subcommand("policies", "The policy that learns, and random search; goes on with "
                                        "what the file of records has");
  PolicyComparison& policies = options.policies;
  verb->add_option("--trials", policies.trials, "Of each session")->capture_default_str();
  verb->add_option("--seconds", policies.seconds, "For all that is to do now (0: no limit)");
  verb->add_option("--seeds", policies.seeds)->delimiter(',')->capture_default_str();
  verb->add_option("--rules", policies.rules)->capture_default_str();
  verb->add_option("--db", policies.database, "Records")->capture_default_str();
  verb->add_option("--task", policies.tasks, "Tasks in place of the two usual ones");
  verb->callback([&] { code = bench::policies(options); });

  verb = app.add_subcommand("figures", "What the steps of the script left in a folder");
  verb->add_option("folder", options.folder)->required();
  verb->add_option("--step", options.step, "Only this one: programs, hostile, tuning, ...");
  verb->callback([&] { code = figures(options); });
}

int run(int argc, char** argv) {
  Options options;
  int code = 0;
  CLI::App app("Faults and figures of a GPU");
  app.require_subcommand(1);
  app.add_option("--program", options.program, "nestwright (default: beside this program)");
  app.add_option("--device", options.device, "A number or a part of a name");
  app.add_option("--json", options.json, "Write the figures here, too");
  addVerbs(app, options, code);
  try {
    app.parse(argc, argv);
    return code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const DeviceError& error) {
    std::fflush(stdout);
    fmt::print(stderr, "bench_cuda: {}\n", error.what());
    return error.fault() == DeviceFault::Absent ? kNoDevice : 1;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "bench_cuda: {}\n", error.what());
    return 1;
  }
}

} // namespace
} // namespace nestwright::bench

int main(int argc, char** argv) {
  return nestwright::bench::run(argc, argv);
}
