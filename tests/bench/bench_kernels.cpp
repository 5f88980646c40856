/// \file How fast the best programs of a tuning session are, beside oneDNN and OpenBLAS on the same
/// operators and inputs in the same run.

#include "core/measure/elements.h"
#include "core/plugin/plugin.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "tests/bench/operators.h"
#include "tests/bench/peers.h"
#include "tests/bench/tuned.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

namespace nestwright::bench {
namespace {

struct Options {
  SessionConfig config;
  std::string database, only, json;
  std::vector<std::string> others;
  int turns = 12;
  double batchSeconds = 0.02, rotateMib = 0;
  bool loops = false, narrow = false, streamed = false;
  /// The peer in the second column.
  const char* second() const { return streamed ? "copy" : "OpenBLAS"; }
};

/// One line of the table.
struct Line {
  const BenchOperator* op = nullptr;
  double work = 0; // FLOPs
  Tuned tuned;
  std::vector<Contender> contenders; // ours first
  std::vector<Times> times;
  std::string problem; // what is wrong with our answer; empty when it agrees

  /// Index of the fastest contender of this name, or 0 when there is none; any peer when empty.
  std::size_t fastest(const std::string& name = {}) const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < contenders.size(); ++c)
      if ((name.empty() || contenders[c].name == name) &&
          (best == 0 || times[c].best < times[best].best))
        best = c;
    return best;
  }
  double rate(std::size_t c) const { return work / times[c].best / 1e9; }
  /// Our speed relative to a contender's; 0 when it is our own.
  double ratio(std::size_t c) const { return c == 0 ? 0 : times[c].best / times[0].best; }
  double ratioToTvm() const { return op->tvmRate > 0 ? work / times[0].best / op->tvmRate : 0; }
};

std::span<const std::uint8_t> bytesOf(const void* data, std::int64_t bytes) {
  return {static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(bytes)};
}

/// Runs all once and compares our output with each of the others.
std::string disagreement(const std::vector<Contender>& contenders, const ComputeDag& dag) {
  const Buffer output = dag.outputs()[0]->output;
  const Tolerance tolerance = toleranceFor(output->type, {});
  for (const Contender& contender : contenders)
    contender.run(0);
  const auto ours = bytesOf(contenders[0].output(0), output->bytes());
  for (std::size_t c = 1; c < contenders.size(); ++c) {
    if (!contenders[c].output) continue; // it computes nothing
    const Difference difference = compareElements(
        ours, bytesOf(contenders[c].output(0), output->bytes()), output->type, tolerance);
    if (difference.elements > 0)
      return fmt::format("differs from {}: {}", contenders[c].name,
                         inWords(difference, output->name, output->shape, tolerance));
  }
  return {};
}

/// Enough copies of the tensors to cover the bytes that are asked for.
std::size_t inputSets(const ComputeDag& dag, double rotateMib) {
  double bytes = 0;
  for (const Op& op : dag.ops())
    if (op->isPlaceholder()) bytes += static_cast<double>(op->output->bytes());
  for (const Op& op : dag.outputs())
    bytes += static_cast<double>(op->output->bytes());
  return static_cast<std::size_t>(std::clamp(std::ceil(rotateMib * 1048576 / bytes), 1.0, 64.0));
}

std::optional<Line> measure(const BenchOperator& op, Options options) {
  options.config.subjects = {op.task};
  const std::optional<Tuned> tuned =
      options.config.trials > 0
          ? tune(options.database, options.config, {{NESTWRIGHT_PROGRAM, "worker"}})
          : bestOf(options.database, options.config);
  if (!tuned) {
    fmt::print("{}: {} holds no verified program\n", op.label, options.database);
    return std::nullopt;
  }
  Line line;
  line.op = &op;
  line.tuned = *tuned;
  const ComputeDag dag = resolveSubject(op.task).tasks.front().dag;
  line.work = flops(dag);
  const InputSets inputs(dag, inputSets(dag, options.rotateMib));
  const int threads = options.config.measure.threads;
  line.contenders.push_back(nestwrightContender(inputs, tuned->record.steps, threads));
  if (op.peers)
    for (Contender& peer : op.peers(inputs, threads))
      line.contenders.push_back(std::move(peer));
  line.problem = disagreement(line.contenders, dag);
  line.times = timeInTurns(line.contenders, inputs.size(), options.turns, options.batchSeconds);
  for (Contender& contender : line.contenders)
    contender.run = nullptr, contender.output = nullptr;
  if (options.loops)
    fmt::print("{}\n{}\n", op.task, printLoopNest(State::replay(dag, tuned->record.steps)));
  return line;
}

std::string ratioText(double ratio) {
  return ratio > 0 ? fmt::format("{:.2f}", ratio) : "-";
}

void printLine(const Line& line, const char* second) {
  const auto peer = [&](const std::string& name) {
    const std::size_t c = line.fastest(name);
    return c == 0 ? fmt::format("{:>8} {:>6}", "-", "-")
                  : fmt::format("{:>8.4f} {:>6.1f}", line.times[c].best * 1e3, line.rate(c));
  };
  fmt::print("{:<36} {:>8.4f} {:>8.4f} {:>6.1f} | {} | {} | {:>6} {:>6} | {:>6} {:>6} | {:>4} "
             "trials, {} errors, {:.0f} s\n",
             line.op->label, line.times[0].best * 1e3, line.times[0].median * 1e3, line.rate(0),
             peer("oneDNN"), peer(second), ratioText(line.ratio(line.fastest())),
             ratioText(line.ratio(line.fastest("oneDNN"))),
             line.op->tvmRate > 0 ? fmt::format("{:.0f}", line.op->tvmRate / 1e9) : "-",
             ratioText(line.ratioToTvm()), line.tuned.trials, line.tuned.errors,
             line.tuned.wallSeconds);
  if (!line.problem.empty()) fmt::print("  WRONG ANSWER: {}\n", line.problem);
  std::fflush(stdout);
}

void printHeader(const Options& options) {
  const SessionConfig& config = options.config;
  fmt::print("peers: {}\n", peersText());
  fmt::print("{} thread(s); {} trials of policy {} with rules {}, seed {}, records in {}\n",
             config.measure.threads, config.trials, config.policy, config.rules, config.seed,
             options.database);
  fmt::print("{} turns of {:g} s each; {}\n", options.turns, options.batchSeconds,
             options.rotateMib > 0 ? fmt::format("tensors rotate over {:g} MiB", options.rotateMib)
                                   : "the same tensors in every run (warm caches, as in tuning)");
  fmt::print("constant weights are laid out beforehand on both sides, which is not timed\n");
  fmt::print("ratios above 1: nestwright is faster; from the best times\n\n");
  fmt::print("{:<36} {:>8} {:>8} {:>6} | {:>8} {:>6} | {:>8} {:>6} | {:>6} {:>6} | {:>6} {:>6} |\n",
             "operator", "ours ms", "median", "GF/s", "oneDNN", "GF/s", options.second(), "GF/s",
             "better", "oneDNN", "TVM", "ratio");
}

/// Of the positive ones; 0 when there is none.
double geometricMean(const std::vector<double>& ratios) {
  double sum = 0;
  int count = 0;
  for (const double ratio : ratios) {
    if (!(ratio > 0)) continue;
    sum += std::log(ratio);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

/// Means are geometric; those to oneDNN leave out operators that it has no kernel for.
struct Totals {
  double toBetter = 0, toOneDnn = 0, toTvm = 0, worst = 0; // worst: to oneDNN
  std::size_t aboveTvm = 0, comparedToTvm = 0, wrong = 0;
};

Totals totals(const std::vector<Line>& lines) {
  std::vector<double> better, oneDnn, tvm;
  Totals result;
  for (const Line& line : lines) {
    better.push_back(line.ratio(line.fastest()));
    const std::size_t peer = line.fastest("oneDNN");
    oneDnn.push_back(line.contenders[peer].standIn ? 0 : line.ratio(peer));
    tvm.push_back(line.ratioToTvm());
    if (oneDnn.back() > 0 && (result.worst == 0 || oneDnn.back() < result.worst))
      result.worst = oneDnn.back();
    result.comparedToTvm += tvm.back() > 0;
    result.aboveTvm += tvm.back() > 1;
    result.wrong += !line.problem.empty();
  }
  result.toBetter = geometricMean(better);
  result.toOneDnn = geometricMean(oneDnn);
  result.toTvm = geometricMean(tvm);
  return result;
}

nlohmann::json toJson(const Line& line) {
  nlohmann::json contenders = nlohmann::json::array();
  for (std::size_t c = 0; c < line.contenders.size(); ++c)
    contenders.push_back({{"name", line.contenders[c].name},
                          {"detail", line.contenders[c].detail},
                          {"best_seconds", line.times[c].best},
                          {"median_seconds", line.times[c].median},
                          {"gflops", line.rate(c)}});
  return {{"operator", line.op->label},
          {"task", line.op->task},
          {"flops", line.work},
          {"contenders", contenders},
          {"ratio_to_better_peer", line.ratio(line.fastest())},
          {"ratio_to_onednn", line.ratio(line.fastest("oneDNN"))},
          {"tvm_gflops", line.op->tvmRate / 1e9},
          {"ratio_to_tvm", line.ratioToTvm()},
          {"record", line.tuned.record.id},
          {"trials", line.tuned.trials},
          {"errors", line.tuned.errors},
          {"tuning_seconds", line.tuned.wallSeconds},
          {"problem", line.problem}};
}

void writeJson(const Options& options, const std::vector<Line>& lines, const Totals& totals) {
  nlohmann::json operators = nlohmann::json::array();
  for (const Line& line : lines)
    operators.push_back(toJson(line));
  std::ofstream(options.json) << nlohmann::json{{"peers", peersText()},
                                                {"session", nestwright::toJson(options.config)},
                                                {"turns", options.turns},
                                                {"batch_seconds", options.batchSeconds},
                                                {"rotate_mib", options.rotateMib},
                                                {"operators", operators},
                                                {"geometric_mean_to_better_peer", totals.toBetter},
                                                {"geometric_mean_to_onednn", totals.toOneDnn},
                                                {"worst_to_onednn", totals.worst},
                                                {"geometric_mean_to_tvm", totals.toTvm},
                                                {"above_tvm", totals.aboveTvm}}
                                     .dump(2)
                              << '\n';
}

/// Returns the exit code: 1 when an answer is wrong.
int run(const Options& options) {
  std::vector<BenchOperator> operators = options.narrow     ? narrowOperators()
                                         : options.streamed ? streamedOperators()
                                                            : benchOperators();
  const std::regex only(options.only);
  std::erase_if(operators, [&](const BenchOperator& op) {
    return !std::regex_search(op.label, only) && !std::regex_search(op.task, only);
  });
  if (options.config.measure.threads != 1) // the published figures are of one thread
    for (BenchOperator& op : operators)
      op.tvmRate = 0;
  for (const std::string& task : options.others)
    operators.push_back({task, task, 0, nullptr});
  printHeader(options);
  std::vector<Line> lines;
  for (const BenchOperator& op : operators) {
    if (std::optional<Line> line = measure(op, options)) {
      printLine(*line, options.second());
      lines.push_back(std::move(*line));
    }
  }
  const Totals sums = totals(lines);
  fmt::print("\ngeometric mean {} to the better peer, {} to oneDNN (worst {}), {} to TVM 0.11.1 "
             "(above it on {} of {})\n",
             ratioText(sums.toBetter), ratioText(sums.toOneDnn), ratioText(sums.worst),
             ratioText(sums.toTvm), sums.aboveTvm, sums.comparedToTvm);
  if (!options.json.empty()) writeJson(options, lines, sums);
  return sums.wrong > 0 ? 1 : 0;
}

/// A folder that goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "bench_kernels_XXXXXX";
    if (!mkdtemp(pattern.data())) throw SystemError("no temporary folder can be made");
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void addOptions(CLI::App& app, Options& options) {
  SessionConfig& config = options.config;
  app.add_option("--tune", config.trials,
                 "Trials of the session for each operator (0: take the best record of --db)")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--db", options.database,
                 "Record file to keep; complete sessions in it are used, others go on (default: a "
                 "temporary file)");
  app.add_option("--policy", config.policy, "Search policy")->capture_default_str();
  app.add_option("--rules", config.rules, "Sketch rules")->capture_default_str();
  app.add_option("--seed", config.seed, "Seed of the sessions")->capture_default_str();
  app.add_option("--threads", config.measure.threads, "Threads of all kernels")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--only", options.only, "Operators whose label or task matches this expression");
  app.add_option("--turns", options.turns, "Timed batches of each contender")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batchSeconds, "Seconds of each batch")->capture_default_str();
  app.add_option("--rotate", options.rotateMib,
                 "MiB of tensors to rotate over from run to run (0: the same tensors)")
      ->capture_default_str();
  app.add_option("--json", options.json, "File to write all numbers to");
  app.add_flag("--loops", options.loops, "Print the loop nest of each of our programs");
  CLI::Option* narrow =
      app.add_flag("--narrow", options.narrow,
                   "Products of bfloat16 and of 8 bits in place of the table's operators");
  app.add_flag("--streamed", options.streamed,
               "In place of them operators that memory limits, beside a copy of as many bytes by "
               "one core; "
               "--rotate has them come from there")
      ->excludes(narrow);
  app.add_option("task", options.others, "further operators, without a peer: conv1d:l=64,...");
}

} // namespace
} // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright::bench;
#ifdef NESTWRIGHT_HAS_OPENBLAS
  restartForOpenBlas(argv);
#endif
  CLI::App app("The best programs of a tuning session against oneDNN and OpenBLAS");
  Options options;
  options.config.trials = 200;
  options.config.seed = 1;
  options.config.measure.threads = 1;
  addOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  setenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_PLUGIN_FOLDER, 0);
  try {
    const TemporaryFolder folder;
    if (options.database.empty()) options.database = folder.file("bench.nwdb");
    return run(options);
  } catch (const nestwright::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
