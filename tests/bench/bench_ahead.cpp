/// What proposing rounds ahead costs a search: sessions that do and sessions that do not, on a
/// made-up machine whose times are the draft's cycles and nothing else. The best after so many
/// trials is compared seed by seed; no clock takes part, so a busy machine changes nothing.
///
///     bench ahead [TASK ...] [--seeds 10] [--trials 160]

#include "core/record/store/store.h"
#include "core/schedule/bounds.h"
#include "core/search/draft/draft_score.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/student_t.h"
#include "core/tensor/text.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/temporary_database.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace nestwright::bench::ahead {
namespace {

constexpr double kHertz = 2.6e9, kNaiveSeconds = 1;

struct Options {
  std::vector<std::string> tasks{"matmul:m=512,n=512,k=512",
                                 "conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1,bias=1,relu=1",
                                 "depthwise_conv2d:n=1,h=56,w=56,c=128,k=3,s=1,p=1"};
  int seeds = 10, trials = 160, perRound = 16;
};

void answer(const std::vector<MeasureRequest>& requests,
            const std::function<void(const MeasureResult&)>& onResult, const TargetFacts& target) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result;
    result.id = request.id;
    double seconds = kNaiveSeconds;
    if (!request.naive) {
      const ComputeDag dag = parseDag(request.dag);
      seconds =
          std::exp(-draftScore(withBounds(State::replay(dag, request.steps)), target)) / kHertz;
    }
    result.seconds = {seconds, seconds, seconds};
    result.checked = true;
    onResult(result);
  }
}

/// The best so far after each trial.
std::vector<double> bestsOf(const std::string& task, const Options& options, std::uint64_t seed,
                            Ahead ahead) {
  const bench::TemporaryDatabase database("bench_ahead");
  SessionConfig config;
  config.subjects = {task};
  config.policy = "evolutionary";
  config.trials = options.trials;
  config.trialsPerRound = options.perRound;
  config.seed = seed;
  config.ahead = ahead;
  config.confirmBest = false; // the same program takes the same time again
  const TargetFacts target = hostTarget(1);
  RowId id = 0;
  {
    RecordStore store = RecordStore::open(database.path(), OpenMode::Create);
    id = createSession(store, config, target);
  }
  std::vector<double> bests;
  const auto observe = [&](const Event& event) {
    if (const auto* measured = std::get_if<Measured>(&event))
      bests.push_back(std::min(bests.empty() ? kInfinity : bests.back(), measured->seconds));
  };
  Session session(database.path(), id, observe,
                  [&](const auto& requests, const auto& onResult, const auto*) {
                    answer(requests, onResult, target);
                  });
  session.post(Start{});
  if (session.wait() != SessionStatus::Finished)
    throw SystemError(fmt::format("the session of {} did not finish", task));
  return bests;
}

/// Of the logarithms of best throughput with rounds ahead over that without, one a seed.
void tell(int trials, const std::vector<double>& logs) {
  const MeanInterval of = meanInterval(logs);
  const auto faster = std::ranges::count_if(logs, [](double value) { return value > 1e-9; });
  const auto slower = std::ranges::count_if(logs, [](double value) { return value < -1e-9; });
  fmt::print("  after {:>4} trials: {:.3f} × ({:.3f} to {:.3f}), faster {}, slower {} of {}\n",
             trials, std::exp(of.mean), std::exp(of.mean - of.half), std::exp(of.mean + of.half),
             faster, slower, logs.size());
}

void run(const Options& options) {
  fmt::print("best throughput with rounds proposed ahead, over that without; 95 % interval\n");
  std::vector<std::vector<double>> all;
  std::vector<int> marks;
  for (int trials = 4 * options.perRound; trials <= options.trials; trials += 2 * options.perRound)
    marks.push_back(trials);
  all.resize(marks.size());
  for (const std::string& task : options.tasks) {
    std::vector<std::vector<double>> logs(marks.size());
    for (int seed = 1; seed <= options.seeds; ++seed) {
      const std::vector<double> off = bestsOf(task, options, std::uint64_t(seed), Ahead::Off);
      const std::vector<double> on = bestsOf(task, options, std::uint64_t(seed), Ahead::On);
      for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto at = [&](const std::vector<double>& bests) {
          return bests[std::min(bests.size(), std::size_t(marks[i])) - 1];
        };
        logs[i].push_back(std::log(at(off) / at(on)));
        all[i].push_back(logs[i].back());
      }
    }
    fmt::print("{}\n", task);
    for (std::size_t i = 0; i < marks.size(); ++i)
      tell(marks[i], logs[i]);
    std::fflush(stdout);
  }
  fmt::print("all\n");
  for (std::size_t i = 0; i < marks.size(); ++i)
    tell(marks[i], all[i]);
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("What rounds ahead cost a search, on a made-up machine");
  app.add_option("task", options.tasks, "Operators");
  app.add_option("--seeds", options.seeds, "Of each operator")->capture_default_str();
  app.add_option("--trials", options.trials, "Of each session")->capture_default_str();
  app.add_option("--trials-per-round", options.perRound, "Largest batch")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  run(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"ahead", start});

} // namespace
} // namespace nestwright::bench::ahead
