#include "tests/bench/gpu_figures.h"

#include "tests/bench/gpu_policies.h"
#include "tests/bench/gpu_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace nestwright::bench {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kOverheadGoal = 0.06; // seconds of a trial beside its kernels

class Reader {
 public:
  Reader(std::string folder, std::string step)
      : folder_(std::move(folder)), step_(std::move(step)) {}

  GpuFigures all() {
    if (wants("programs")) programs();
    if (wants("hostile")) hostile();
    if (wants("tuning")) tunings();
    if (wants("network")) network();
    if (wants("table")) table();
    if (wants("policies")) policies();
    return std::move(figures_);
  }

 private:
  bool wants(const char* step) const { return step_.empty() || step_ == step; }

  void say(std::string line) { figures_.lines.push_back(std::move(line)); }
  void blame(std::string fault) { figures_.faults.push_back(std::move(fault)); }

  /// The file's document; nothing when it is not there, or is none.
  std::optional<json> read(const std::string& name) {
    const fs::path path = fs::path(folder_) / name;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    std::ifstream file(path);
    json document = json::parse(file, nullptr, false);
    if (!document.is_discarded()) return document;
    blame(fmt::format("{} ends in the middle", name));
    return std::nullopt;
  }

  /// The names that begin so, in order.
  std::vector<std::string> names(const std::string& begin) const {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with(begin) && name.ends_with(".json")) found.push_back(std::move(name));
    }
    std::ranges::sort(found);
    return found;
  }

  /// Refused ones are none that could be wrong: they spill, which is known once they are compiled.
  void programs() {
    std::map<std::string, std::uint64_t> sums;
    json tasks = json::array();
    for (const std::string& name : names("programs-")) {
      const std::optional<json> one = read(name);
      if (!one || !one->contains("run")) continue;
      const json& ran = one->at("run");
      for (const char* key : {"agree", "refused", "wrong", "unchecked", "failed"})
        sums[key] += ran.at(key).get<std::uint64_t>();
      sums["drawn"] += one->at("legal").get<std::uint64_t>();
      tasks.push_back({{"task", one->at("task")}, {"run", ran}});
      for (const auto& [reason, count] : ran.at("failures").items())
        if (!reason.starts_with("illegal"))
          say(fmt::format("  {}: {} of {}", one->at("task").get<std::string>(), count.dump(),
                          reason));
    }
    if (tasks.empty()) return;
    say(fmt::format("{} of {} random programs compute what they should; {} were refused since they "
                    "spill registers or take too much, {} gave wrong answers, {} could not be "
                    "compared, {} failed",
                    sums["agree"], sums["drawn"], sums["refused"], sums["wrong"], sums["unchecked"],
                    sums["failed"]));
    for (const char* key : {"wrong", "unchecked", "failed"})
      if (sums[key] > 0) blame(fmt::format("{} random programs: {}", sums[key], key));
    if (sums["agree"] == 0) blame("no random program ran");
    figures_.document["programs"] = {{"sums", sums}, {"tasks", tasks}};
  }

  void hostile() {
    const std::optional<json> document = read("hostile.json");
    if (!document) return;
    const auto right = document->at("right").get<std::size_t>(),
               all = document->at("kernels").size();
    say(fmt::format("{} of {} hostile kernels gave the one error that they should, and the next "
                    "kernel ran as ever",
                    right, all));
    if (right != all) blame(fmt::format("{} hostile kernels", all - right));
    figures_.document["hostile"] = *document;
  }

  /// Of `nestwright tune --json`.
  json tuning(const json& tuned) {
    const double trials = std::max(1.0, tuned.at("trials").get<double>()),
                 beside = (tuned.at("wall_seconds").get<double>() -
                           tuned.at("kernel_seconds").get<double>()) /
                          trials;
    const json& best = tuned.at("total_seconds");
    say(fmt::format("{}: {} after {} trials, {} errors; {:.0f} ms of a trial beside its kernels, "
                    "goal {:.0f}",
                    tuned.at("network").get<std::string>(),
                    best.is_null() ? "no best" : fmt::format("{:.4f} ms", best.get<double>() * 1e3),
                    tuned.at("trials").dump(), tuned.at("errors").dump(), beside * 1e3,
                    kOverheadGoal * 1e3));
    return {{"task", tuned.at("network")},          {"best_seconds", best},
            {"trials", tuned.at("trials")},         {"errors", tuned.at("errors")},
            {"overhead_seconds_per_trial", beside}, {"overhead_goal_seconds", kOverheadGoal}};
  }

  void tunings() {
    for (const std::string& name : names("tuning-"))
      if (const std::optional<json> tuned = read(name))
        figures_.document["tuning"].push_back(tuning(*tuned));
  }

  void network() {
    const std::optional<json> tuned = read("network.json"), ran = read("run.json"),
                              torch = read("torch.json");
    if (tuned) figures_.document["network"]["tuning"] = tuning(*tuned);
    if (!ran) return;
    json& result = figures_.document["network"];
    const double ours = ran->at("latency_seconds");
    result["latency_seconds"] = ours;
    result["network"] = ran->at("network");
    const std::string what = ran->at("network");
    if (ran->contains("unchecked_reason")) {
      result["unchecked_reason"] = ran->at("unchecked_reason");
      blame(fmt::format("{} was not checked: {}", what,
                        ran->at("unchecked_reason").get<std::string>()));
    } else if (!ran->at("relative_error").is_null()) {
      result["relative_error"] = ran->at("relative_error");
      result["checked_against"] = ran->at("checked_against");
    }
    say(fmt::format("{} in {:.4f} ms; relative error against the naive programs ({}): {}", what,
                    ours * 1e3,
                    ran->at("checked_against") == "device" ? "on the device: there is no LLVM here"
                                                           : "on the processor",
                    ran->at("relative_error").dump()));
    if (!torch) return;
    const double theirs = torch->at("seconds");
    result["pytorch"] = *torch;
    result["ratio"] = ours / theirs;
    result["goal"] = 1.0;
    say(fmt::format("PyTorch {} with graphs: {:.4f} ms; ours takes {:.2f} of its time, goal 1.00",
                    torch->at("torch").get<std::string>(), theirs * 1e3, ours / theirs));
  }

  void table() {
    const std::optional<json> document = read("table.json");
    if (!document) return;
    for (std::string& line : tableMeans(*document))
      say(std::move(line));
    for (const json& row : document->at("rows"))
      if (row.contains("problem"))
        blame(fmt::format("{}: {}", row.at("operator").get<std::string>(),
                          row.at("problem").get<std::string>()));
      else if (row.contains("skipped"))
        say(fmt::format("{}: {}", row.at("operator").get<std::string>(),
                        row.at("skipped").get<std::string>()));
    figures_.document["table"] = *document;
  }

  void policies() {
    const std::optional<json> document = read("policies.json");
    if (!document) return;
    for (std::string& line : policyLines(*document))
      say(std::move(line));
    figures_.document["policies"] = *document;
  }

  const std::string folder_, step_;
  GpuFigures figures_;
};

} // namespace

GpuFigures gpuFigures(const std::string& folder, const std::string& step) {
  return Reader(folder, step).all();
}

} // namespace nestwright::bench
