/// \file What `packaging/gpu` asks of a machine with a GPU: kernels that misbehave, and how fast
/// our tuned programs are beside NVIDIA's libraries in the same run.

#include "core/measure/worker_pool.h"
#include "core/measure/worker_target.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "tests/bench/gpu_peers.h"
#include "tests/bench/hostile_kernels.h"
#include "tests/bench/tuned.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <functional>

namespace nestwright::bench {
namespace {

using nlohmann::json;

// As the program has it: a machine without a device is no failure of the programs.
constexpr int kNoDevice = 3;

struct Options {
  std::string program, device, json, database = "gpu.nwdb", rules = kDefaultRules, only;
  int times = 6, trials = 150, seed = 1;
  double seconds = 2;
};

std::vector<std::string> workerOf(const Options& options) {
  return options.program.empty() ? workerCommand("worker")
                                 : std::vector<std::string>{options.program, "worker"};
}

void writeJson(const std::string& path, const json& document) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << document.dump(2) << "\n";
  if (!file.flush()) throw SystemError(fmt::format("{} cannot be written", path));
}

int hostile(const Options& options) {
  const TargetFacts target = measuredTarget("cuda", {}, {workerOf(options)});
  std::vector<std::string> command = workerOf(options);
  command.insert(command.end(), {"--target", "cuda"});
  const std::vector<HostileOutcome> outcomes =
      runHostileKernels(command, target, cuda::Nvrtc::instance(), options.times, options.seconds);
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
  writeJson(options.json, {{"device", target.gpu->name}, {"kernels", list}, {"right", right}});
  return right == outcomes.size() ? 0 : 1;
}

/// One line of the table.
struct Row {
  std::string label, task;
  double goal = 0; // of the ratio
  std::function<std::optional<PeerTime>(GpuPeers&, std::string& missing)> peer;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const std::int64_t n : {512, 1024, 2048, 4096})
    rows.push_back({fmt::format("fp32 product {}^3", n), fmt::format("matmul:m={0},n={0},k={0}", n),
                    0.80, [n](GpuPeers& peers, std::string& missing) {
                      return peers.product({n, n, n, false}, missing);
                    }});
  const GpuConvolution convolutions[] = {
      {224, 3, 64, 7, 2, 3},   {56, 64, 64, 3, 1, 1},   {56, 64, 128, 3, 2, 1},
      {28, 128, 128, 3, 1, 1}, {28, 128, 256, 3, 2, 1}, {14, 256, 256, 3, 1, 1},
      {14, 256, 512, 3, 2, 1}, {7, 512, 512, 3, 1, 1},  {56, 64, 128, 1, 2, 0}};
  for (const GpuConvolution& c : convolutions)
    rows.push_back({fmt::format("conv {0}x{0} {1}^2 {2}->{3} /{4}", c.kernel, c.size, c.inputs,
                                c.outputs, c.stride),
                    fmt::format("conv2d:n=1,h={0},w={0},ci={1},co={2},k={3},s={4},p={5}", c.size,
                                c.inputs, c.outputs, c.kernel, c.stride, c.padding),
                    1.0, [c](GpuPeers& peers, std::string& missing) {
                      return peers.convolution(c, missing);
                    }});
  // Each reads its input once; softmax also writes as much.
  constexpr std::int64_t kRows = 16384, kColumns = 2048;
  rows.push_back({"softmax 16384 x 2048", fmt::format("softmax:m={},n={}", kRows, kColumns), 0.85,
                  [](GpuPeers& peers, std::string&) {
                    return std::optional(peers.copy(kRows * kColumns * 4));
                  }});
  rows.push_back({"norm 4096 x 8192", "norm:b=4096,m=64,n=128", 0.85,
                  [](GpuPeers& peers, std::string&) { // half of what a copy moves
                    PeerTime copy = peers.copy(kRows * kColumns * 4);
                    copy.seconds /= 2;
                    copy.detail += ", half of its bytes";
                    return std::optional(copy);
                  }});
  for (const std::int64_t n : {2048, 4096})
    rows.push_back({fmt::format("bf16 product {}^3", n),
                    fmt::format("matmul:m={0},n={0},k={0},bf16=1", n), 0.50,
                    [n](GpuPeers& peers, std::string& missing) {
                      return peers.product({n, n, n, true}, missing);
                    }});
  return rows;
}

json rowResult(const Row& row, const Options& options, GpuPeers& peers) {
  json result = {{"operator", row.label}, {"task", row.task}, {"goal", row.goal}};
  try {
    SessionConfig config;
    config.subjects = {row.task};
    config.target = "cuda";
    config.trials = options.trials;
    config.seed = static_cast<std::uint64_t>(options.seed);
    config.rules = options.rules;
    config.measure.device = options.device;
    const std::optional<Tuned> tuned = tune(options.database, config, {workerOf(options)});
    if (!tuned) throw Error("no program was verified");
    const double work = flops(parseTaskSpec(row.task).dag), ours = tuned->record.result.median();
    result["trials"] = tuned->trials;
    result["errors"] = tuned->errors;
    result["seconds_per_trial"] = tuned->wallSeconds / std::max<double>(1, double(tuned->trials));
    result["ours_seconds"] = ours;
    result["ours_tflops"] = work / ours / 1e12;
    result["ours_at"] = inWords(tuned->record.result.machine);
    std::string missing;
    if (const std::optional<PeerTime> peer = row.peer(peers, missing)) {
      result["peer_seconds"] = peer->seconds;
      result["peer_tflops"] = work / peer->seconds / 1e12;
      result["peer"] = peer->detail;
      result["peer_at"] = inWords(peers.state());
      result["ratio"] = peer->seconds / ours;
    } else {
      result["peer_missing"] = missing;
    }
  } catch (const DeviceError& error) {
    if (error.isSticky()) throw;
    result["problem"] = error.what();
  } catch (const Error& error) { // costs this row
    result["problem"] = error.what();
  }
  return result;
}

void print(const json& row) {
  const std::string label = row.at("operator");
  if (row.contains("problem")) {
    const std::string problem = row.at("problem");
    return fmt::print("{:<28} {}\n", label, problem.substr(0, problem.find('\n')));
  }
  const auto number = [&](const char* key, double scale, const char* form) {
    return row.contains(key) ? fmt::format(fmt::runtime(form), row.at(key).get<double>() * scale)
                             : std::string("-");
  };
  fmt::print("{:<28} {:>9} {:>8} {:>9} {:>8} {:>6} {:>5} {:>8}  {}\n", label,
             number("ours_seconds", 1e3, "{:.4f}"), number("ours_tflops", 1, "{:.2f}"),
             number("peer_seconds", 1e3, "{:.4f}"), number("peer_tflops", 1, "{:.2f}"),
             number("ratio", 1, "{:.2f}"), number("goal", 1, "{:.2f}"),
             number("seconds_per_trial", 1e3, "{:.0f}"),
             row.value("peer", row.value("peer_missing", "")));
  std::fflush(stdout);
}

int table(const Options& options) {
  GpuPeers peers(options.device);
  const std::string versions = peers.versions();
  fmt::print("{}; {}\n", versions, inWords(peers.state()));
  fmt::print("{} trials each, seed {}, rules {}; the device's own clock, warm caches; ratios above "
             "1: ours is faster\n\n",
             options.trials, options.seed, options.rules);
  fmt::print("{:<28} {:>9} {:>8} {:>9} {:>8} {:>6} {:>5} {:>8}  peer\n", "operator", "ours ms",
             "TFLOP/s", "peer ms", "TFLOP/s", "ratio", "goal", "ms/trial");
  json list = json::array();
  for (const Row& row : rows()) {
    if (row.label.find(options.only) == std::string::npos) continue;
    list.push_back(rowResult(row, options, peers));
    print(list.back());
    // What ends early has all that was measured.
    writeJson(options.json,
              {{"versions", versions}, {"state", inWords(peers.state())}, {"rows", list}});
  }
  std::map<std::string, std::vector<double>> byKind; // the ratios, by the first word
  for (const json& row : list) {
    if (!row.contains("ratio")) continue;
    const std::string label = row.at("operator");
    byKind[label.substr(0, label.find(' '))].push_back(row.at("ratio"));
  }
  fmt::print("\n");
  for (const auto& [kind, ratios] : byKind) {
    double sum = 0;
    for (const double ratio : ratios)
      sum += std::log(ratio);
    fmt::print("{}: geometric mean {:.2f} of {} operators\n", kind,
               std::exp(sum / static_cast<double>(ratios.size())), ratios.size());
  }
  return 0;
}

} // namespace
} // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright;
  bench::Options options;
  int code = 0;
  CLI::App app("Faults and figures of a GPU");
  app.require_subcommand(1);
  app.add_option("--program", options.program, "nestwright (default: beside this program)");
  app.add_option("--device", options.device, "A number or a part of a name");
  app.add_option("--json", options.json, "Write the figures here, too");
  CLI::App* hostile = app.add_subcommand("hostile", "Kernels that misbehave");
  hostile->add_option("--times", options.times, "Each so often")->capture_default_str();
  hostile->add_option("--seconds", options.seconds, "That a kernel gets")->capture_default_str();
  hostile->callback([&] { code = bench::hostile(options); });
  CLI::App* table = app.add_subcommand("table", "Our programs and NVIDIA's libraries");
  table->add_option("--trials", options.trials, "Of each operator")->capture_default_str();
  table->add_option("--seed", options.seed)->capture_default_str();
  table->add_option("--rules", options.rules)->capture_default_str();
  table->add_option("--db", options.database, "Records")->capture_default_str();
  table->add_option("--only", options.only, "Operators with this in their name");
  table->callback([&] { code = bench::table(options); });
  try {
    app.parse(argc, argv);
    return code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const DeviceError& error) {
    fmt::print(stderr, "bench_cuda: {}\n", error.what());
    return error.fault() == DeviceFault::Absent ? bench::kNoDevice : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cuda: {}\n", error.what());
    return 1;
  }
}
