/// How well the draft score orders the programs of record files: of each task Kendall's tau with
/// the measured throughput, and how much faster the best of sixteen drafted programs is than the
/// best of sixteen random ones. Records of random sessions are what it is meant for.
///
///     bench draft FILE.nwdb ... [--parts]

#include "core/model/metrics.h"
#include "core/record/format/record_program.h"
#include "core/record/format/target_facts.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/bounds.h"
#include "core/search/draft/draft_score.h"
#include "core/search/draft/drafted_work.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/bench/bench_program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::bench::draft {
namespace {

constexpr std::size_t kBatch = 16;
constexpr int kDraws = 2000;

struct Scored {
  double score = 0, seconds = 0;
};

/// Expected best of a batch drawn at random.
double randomBest(const std::vector<Scored>& programs) {
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random = Random::stream(1, "batch", std::uint64_t(draw));
    double best = programs[random.below(programs.size())].seconds;
    for (std::size_t i = 1; i < kBatch; ++i)
      best = std::min(best, programs[random.below(programs.size())].seconds);
    sum += std::log(best);
  }
  return std::exp(sum / kDraws);
}

double draftedBest(std::vector<Scored> programs) {
  std::ranges::stable_sort(programs,
                           [](const Scored& a, const Scored& b) { return a.score > b.score; });
  double best = programs.front().seconds;
  for (std::size_t i = 0; i < std::min(kBatch, programs.size()); ++i)
    best = std::min(best, programs[i].seconds);
  return best;
}

void printParts(const State& program, const TargetFacts& target, double seconds) {
  if (target.gpu) return fmt::print("{}", inWords(draftedWork(program, target), target, seconds));
  for (const DraftedStage& stage : draftedStages(program, target))
    fmt::print(
        "    {:.3e} s {}: {:.3g} points, {:.1f} lanes, {:.0f} accumulators, arithmetic {:.2e}, "
        "loads {:.2e}, l2 {:.2e}, l3 {:.2e}, memory {:.2e}, overhead {:.2e}, {:.1f} cores: "
        "{:.2e}\n",
        seconds, stage.stage, stage.points, stage.lanes, stage.accumulators, stage.arithmetic,
        stage.loads, stage.l2, stage.l3, stage.memory, stage.overhead, stage.parallel,
        stage.cycles());
}

int start(int argc, char** argv) {
  CLI::App app("The draft score against measurements");
  std::vector<std::string> files;
  bool parts = false;
  app.add_option("file", files, "Record files")->required();
  app.add_flag("--parts", parts, "Print what the draft says of each program, fastest first");
  CLI11_PARSE(app, argc, argv);
  double logRatios = 0, taus = 0;
  int tasks = 0;
  for (const std::string& path : files) {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    for (const TaskRow& row : store.tasks().all()) {
      const std::optional<ComputeDag> dag = dagIfKnown(row);
      std::optional<TargetFacts> target;
      for (const TargetRow& known : store.targets().all())
        if (known.id == row.target) target = factsIfKnown(known);
      if (!dag || !target) continue;
      std::vector<Scored> programs;
      std::vector<double> scores, rates;
      RecordQuery query;
      query.task = row.id;
      query.verdict = Verdict::Ok;
      query.order = RecordQuery::Order::Fastest;
      query.limit = 4096;
      for (const Record& record : store.records().page(query)) {
        if (isOfTemplate(record)) continue;
        const State program = withBounds(State::replay(*dag, record.steps));
        const double score = draftScore(program, *target);
        if (parts) printParts(program, *target, record.result.latency());
        programs.push_back({score, record.result.latency()});
        scores.push_back(score);
        rates.push_back(1 / record.result.latency());
      }
      if (programs.size() < 2 * kBatch) continue;
      const double ratio = randomBest(programs) / draftedBest(programs);
      const double tau = rankCorrelation(scores, rates);
      fmt::print("{:<44} {:5} programs  tau {:6.3f}  best of random over drafted {:6.3f}\n",
                 row.name, programs.size(), tau, ratio);
      logRatios += std::log(ratio);
      taus += tau;
      ++tasks;
    }
  }
  if (tasks > 0)
    fmt::print("{} tasks: tau {:.3f}, best of random over drafted {:.3f} (geometric mean)\n", tasks,
               taus / tasks, std::exp(logRatios / tasks));
  return tasks > 0 ? 0 : 1;
}

[[maybe_unused]] const bool isKnown = add({"draft", start});

} // namespace
} // namespace nestwright::bench::draft
