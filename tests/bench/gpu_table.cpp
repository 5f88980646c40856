#include "tests/bench/gpu_table.h"

#include "core/network/graph/workloads.h"
#include "core/search/draft/draft_use.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/tensor/compute_dag.h"
#include "plugins/cuda/system/child_process.h"
#include "tests/bench/gpu_peers.h"
#include "tests/bench/tuned.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace nestwright::bench {
namespace {

using nlohmann::json;

/// One line of the table.
struct Row {
  std::string kind; // rows of one kind share a goal and a geometric mean
  std::string label, task;
  double goal = 0; // of the ratio
  std::function<std::optional<PeerTime>(GpuPeers&, std::string& missing)> peer;
  bool isFirst = false; // measured before the others
  bool paper = false;   // with the paper's rules
};

std::vector<Row> products(const std::vector<std::int64_t>& sizes, bool bf16, bool paper) {
  std::vector<Row> rows;
  for (const std::int64_t n : sizes) {
    const std::string type = bf16 ? "bf16" : "fp32", with = paper ? ", paper rules" : "";
    const std::string kind = type + " product" + with;
    rows.push_back({kind, fmt::format("{} product {}^3{}", type, n, with),
                    fmt::format("matmul:m={0},n={0},k={0}{1}", n, bf16 ? ",bf16=1" : ""),
                    bf16    ? 0.50
                    : paper ? 0.80
                            : 0.95,
                    [n, bf16](GpuPeers& peers, std::string& missing) {
                      return peers.product({n, n, n, bf16}, missing);
                    },
                    sizes.size() == 1 || n == 1024 || (bf16 && n == 2048), paper});
  }
  return rows;
}

Row convolution(const GpuConvolution& c, bool isFirst) {
  return {"convolution",
          fmt::format("conv {0}x{0} {1}^2 {2}->{3} /{4}", c.kernel, c.size, c.inputs, c.outputs,
                      c.stride),
          fmt::format("conv2d:n=1,h={0},w={0},ci={1},co={2},k={3},s={4},p={5}", c.size, c.inputs,
                      c.outputs, c.kernel, c.stride, c.padding),
          1.0,
          [c](GpuPeers& peers, std::string& missing) { return peers.convolution(c, missing); },
          isFirst};
}

/// As fast as this part of a copy of so many bytes, in both directions together.
Row bandwidth(const std::string& kind, const std::string& label, const std::string& task,
              std::int64_t bytes, double part) {
  return {kind,
          label,
          task,
          0.85,
          [bytes, part](GpuPeers& peers, std::string&) {
            PeerTime copy = peers.copy(bytes);
            copy.seconds *= part;
            if (part < 1) copy.detail += ", half of its bytes";
            return std::optional(copy);
          },
          true};
}

std::vector<Row> rowsOf(bool small) {
  std::vector<Row> rows;
  const auto add = [&](std::vector<Row> more) {
    std::ranges::move(more, std::back_inserter(rows));
  };
  const std::vector<std::int64_t> sizes =
      small ? std::vector<std::int64_t>{16} : std::vector<std::int64_t>{512, 1024, 2048, 4096};
  add(products(sizes, false, false));
  add(products(sizes, false, true));
  if (small) {
    add({convolution({6, 4, 4, 3, 1, 1}, true),
         bandwidth("softmax", "softmax 8 x 32", "softmax:m=8,n=32", 8 * 32 * 4, 1)});
    return rows;
  }
  for (const GpuConvolution& c : {GpuConvolution{28, 128, 128, 3, 1, 1},
                                  {224, 3, 64, 7, 2, 3},
                                  {56, 64, 64, 3, 1, 1},
                                  {56, 64, 128, 3, 2, 1},
                                  {28, 128, 256, 3, 2, 1},
                                  {14, 256, 256, 3, 1, 1},
                                  {14, 256, 512, 3, 2, 1},
                                  {7, 512, 512, 3, 1, 1},
                                  {56, 64, 128, 1, 2, 0}})
    rows.push_back(convolution(c, c.size == 28 && c.stride == 1));
  // Each reads its input once; softmax also writes as much.
  constexpr std::int64_t kRows = 16384, kColumns = 2048, kBytes = kRows * kColumns * 4;
  rows.push_back(bandwidth("softmax", "softmax 16384 x 2048",
                           fmt::format("softmax:m={},n={}", kRows, kColumns), kBytes, 1));
  rows.push_back(bandwidth("norm", "norm 4096 x 8192", "norm:b=4096,m=64,n=128", kBytes, 0.5));
  add(products({2048, 4096, 8192}, true, false));
  std::ranges::stable_partition(rows, &Row::isFirst);
  return rows;
}

/// gpuPeer() of a process of its own. One that fails lacks what it was asked for, with the reason.
/// Throws DeviceError (Absent).
json askPeer(const GpuBench& bench, const std::string& label, bool small) {
  constexpr double kMostSeconds = 60;
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string()};
  if (!bench.device.empty()) command.insert(command.end(), {"--device", bench.device});
  command.insert(command.end(), {"peer", "--operator", label});
  if (small) command.emplace_back("--small");
  const cuda::ChildOutput child = cuda::runProgram(command, kMostSeconds);
  json answer = json::parse(child.out, nullptr, false);
  if (answer.is_object() && answer.contains("absent"))
    throw DeviceError(DeviceFault::Absent, "", answer.at("absent").get<std::string>());
  if (answer.is_object()) return answer;
  const std::string why = child.exitCode < 0
                              ? child.problem
                              : fmt::format("its process ended with exit code {}", child.exitCode);
  return {{"versions", "unknown libraries"}, {"state", ""}, {"missing", why}};
}

/// `known` has the peers of the tasks that were asked about before.
void addPeer(json& result, const Row& row, const GpuBench& bench, bool small,
             std::map<std::string, json>& known) {
  if (!known.contains(row.task)) known[row.task] = askPeer(bench, row.label, small);
  const json& peer = known.at(row.task);
  if (peer.contains("missing")) {
    result["peer_missing"] = peer.at("missing");
    return;
  }
  const double seconds = peer.at("seconds");
  result["peer_seconds"] = seconds;
  result["peer_tflops"] = flops(parseTaskSpec(row.task).dag) / seconds / 1e12;
  result["peer"] = peer.at("detail");
  result["peer_at"] = peer.at("state");
  result["ratio"] = seconds / result.at("ours_seconds").get<double>();
}

json rowResult(const Row& row, const GpuBench& bench, const TableOptions& options, double seconds,
               std::map<std::string, json>& peers) {
  json result = {
      {"operator", row.label}, {"kind", row.kind}, {"task", row.task}, {"goal", row.goal}};
  try {
    SessionConfig config = gpuSession(bench, row.task, options.trials, options.seed);
    config.rules = row.paper ? "paper" : options.rules;
    config.draft = name(DraftUse::All); // there is time for few trials
    config.ahead = Ahead::On;
    config.maxSeconds = seconds;
    const std::optional<Tuned> tuned = tune(options.database, config, bench.launch, &bench.target);
    if (!tuned) throw Error("no program was verified");
    const double work = flops(parseTaskSpec(row.task).dag), ours = tuned->record.result.latency();
    result["trials"] = tuned->trials;
    result["errors"] = tuned->errors;
    result["overhead_seconds_per_trial"] = tuned->overheadPerTrial();
    result["ours_seconds"] = ours;
    result["ours_tflops"] = work / ours / 1e12;
    result["ours_at"] = inWords(tuned->record.result.machine);
    addPeer(result, row, bench, options.small, peers);
  } catch (const Error& error) { // costs this row
    result["problem"] = error.what();
  }
  return result;
}

/// Of the ratios by kind, beside the goal.
json meansOf(const json& rows) {
  struct Sum {
    double logarithms = 0, goal = 0;
    int count = 0;
  };
  std::map<std::string, Sum> kinds;
  for (const json& row : rows) {
    if (!row.contains("ratio")) continue;
    Sum& sum = kinds[row.at("kind")];
    sum.logarithms += std::log(row.at("ratio").get<double>());
    sum.goal = row.at("goal");
    ++sum.count;
  }
  json means = json::array();
  for (const auto& [kind, sum] : kinds) {
    const double mean = std::exp(sum.logarithms / sum.count);
    means.push_back({{"kind", kind},
                     {"operators", sum.count},
                     {"geometric_mean", mean},
                     {"goal", sum.goal},
                     {"reached", mean >= sum.goal}});
  }
  return means;
}

} // namespace

json gpuPeer(const std::string& device, const std::string& label, bool small) {
  GpuPeers peers(device);
  json answer = {{"versions", peers.versions()}, {"state", inWords(peers.state())}};
  if (label.empty()) return answer;
  const std::vector<Row> rows = rowsOf(small);
  const auto row = std::ranges::find(rows, label, &Row::label);
  if (row == rows.end()) throw UsageError(fmt::format("the table has no operator \"{}\"", label));
  std::string missing;
  try {
    if (const std::optional<PeerTime> peer = row->peer(peers, missing)) {
      answer["seconds"] = peer->seconds;
      answer["detail"] = peer->detail;
      answer["state"] = inWords(peers.state());
      return answer;
    }
  } catch (const Error& error) { // of a library, or of the device
    missing = error.what();
  }
  answer["missing"] = missing;
  return answer;
}

json gpuTable(GpuBench bench, const TableOptions& options,
              const std::function<void(const json&)>& onRow) {
  const json here = askPeer(bench, {}, options.small);
  bench.askForTarget();
  json table = {
      {"rows", json::array()}, {"versions", here.at("versions")}, {"state", here.at("state")}};
  std::map<std::string, json> peers;
  std::vector<Row> rows = rowsOf(options.small);
  std::erase_if(rows,
                [&](const Row& row) { return row.label.find(options.only) == std::string::npos; });
  // What a row does beside its session: the peer, and starting workers.
  constexpr double kBeside = 3, kLeast = 2;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double seconds = 0;
    if (options.seconds > 0) {
      const double left = options.seconds - secondsSince(start);
      if (i > 0 && left <= kBeside + kLeast) { // the others keep their place, and say why
        table["rows"].push_back({{"operator", rows[i].label},
                                 {"kind", rows[i].kind},
                                 {"task", rows[i].task},
                                 {"goal", rows[i].goal},
                                 {"skipped", "no time was left for it"}});
        onRow(table);
        continue;
      }
      seconds = std::max(left / static_cast<double>(rows.size() - i) - kBeside, kLeast);
    }
    table["rows"].push_back(rowResult(rows[i], bench, options, seconds, peers));
    table["means"] = meansOf(table["rows"]);
    onRow(table);
  }
  return table;
}

std::string tableHead() {
  return fmt::format("{:<32} {:>9} {:>8} {:>9} {:>8} {:>6} {:>5} {:>7} {:>9}  peer", "operator",
                     "ours ms", "TFLOP/s", "peer ms", "TFLOP/s", "ratio", "goal", "trials",
                     "beside ms");
}

std::string tableLine(const json& row) {
  const std::string label = row.at("operator");
  if (!row.contains("ours_seconds")) {
    const std::string problem = row.value("problem", row.value("skipped", ""));
    return fmt::format("{:<32} {}", label, problem.substr(0, problem.find('\n')));
  }
  const auto number = [&](const char* key, double scale, const char* form) {
    return row.contains(key) ? fmt::format(fmt::runtime(form), row.at(key).get<double>() * scale)
                             : std::string("-");
  };
  return fmt::format("{:<32} {:>9} {:>8} {:>9} {:>8} {:>6} {:>5} {:>7} {:>9}  {}", label,
                     number("ours_seconds", 1e3, "{:.4f}"), number("ours_tflops", 1, "{:.2f}"),
                     number("peer_seconds", 1e3, "{:.4f}"), number("peer_tflops", 1, "{:.2f}"),
                     number("ratio", 1, "{:.2f}"), number("goal", 1, "{:.2f}"),
                     number("trials", 1, "{:.0f}"),
                     number("overhead_seconds_per_trial", 1e3, "{:.0f}"),
                     row.value("peer", row.value("peer_missing", row.value("problem", ""))));
}

std::vector<std::string> tableMeans(const json& table) {
  std::vector<std::string> lines;
  for (const json& mean : table.value("means", json::array()))
    lines.push_back(fmt::format("{}: geometric mean {:.2f} of {} operators, goal {:.2f}",
                                mean.at("kind").get<std::string>(),
                                mean.at("geometric_mean").get<double>(),
                                mean.at("operators").get<int>(), mean.at("goal").get<double>()));
  return lines;
}

} // namespace nestwright::bench
