/// \file Mutation and crossover of GPU programs: children are legal, their threads fetch together
/// what their tiles need, and everything that the public record has can be reached.

#include "core/schedule/bounds.h"
#include "core/search/crossover.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/mutation.h"
#include "core/search/random_policy.h"
#include "core/search/step_crossover.h"
#include "core/space/annotate.h"
#include "core/space/kernel_decisions.h"
#include "core/space/state_facts.h"
#include "core/space/survey.h"
#include "core/tensor/text.h"
#include "tests/search/fake_scorer.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/binomial.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>
#include <set>

namespace nestwright::gpu_search_test {

using test::sm90;

constexpr std::uint64_t kSeed = 20261123;

std::vector<State> samples(const ComputeDag& dag, const SpaceOptions& options, std::size_t count) {
  return surveyPrograms(workloadKey(dag), generateSketches(dag, options), options, kSeed, count)
      .programs;
}

/// With the sketches of our own rules, too, where the draws are our own.
std::vector<State> samplesOfAllRules(const ComputeDag& dag, const SpaceOptions& options,
                                     std::size_t count) {
  SketchRules rules = paperRules(options.target);
  if (options.draws == Draws::Own)
    for (const auto& rule : nestwrightRules(options.target))
      rules.insert(rules.begin(), rule);
  return surveyPrograms(workloadKey(dag), generateSketches(dag, options, rules), options, kSeed,
                        count)
      .programs;
}

/// Factors of the splits that make vectors, or of all others.
std::vector<std::vector<TileSize>> factorsOf(const State& state, bool fetches) {
  std::vector<std::vector<TileSize>> found;
  for (std::size_t i = 0; i < state.steps().size(); ++i)
    if (const auto* split = std::get_if<SplitStep>(&state.steps()[i]))
      if ((partAnnotations(state, i).back() == Annotation::Vectorize) == fetches)
        found.push_back(split->factors);
  return found;
}

/// Whether every fetch follows the tiles of the stage that it is for.
bool fetchesFollow(const State& state) {
  for (std::size_t i = 0; i < state.steps().size(); ++i)
    if (const auto* follow = std::get_if<FollowFusedSplitStep>(&state.steps()[i])) {
      const int reader = state.attachPoint(finalStageOf(state.steps(), i))->stage;
      if (follow->sourceSteps != spatialSplitSteps(state, reader)) return false;
    }
  return true;
}

const std::vector<std::string> kTasks = {
    "matmul:m=256,n=256,k=256,bias=1,relu=1",
    "conv2d:n=1,h=28,w=28,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1", "softmax:m=64,n=1000", "norm"};

class TestGpuSearch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mutationsStayLegal_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("own");
    for (const std::string& task : kTasks)
      for (const bool own : {false, true})
        QTest::addRow("%s, %s", task.c_str(), own ? "own draws" : "the paper's draws")
            << QString::fromStdString(task) << own;
  }
  void mutationsStayLegal() {
    QFETCH(QString, task);
    QFETCH(bool, own);
    const ComputeDag dag = parseTaskSpec(task.toStdString()).dag;
    const SpaceOptions options = sm90(own ? Draws::Own : Draws::Paper);
    Random random(kSeed);
    int changed = 0;
    for (State state : samplesOfAllRules(dag, options, 20))
      for (int generation = 0; generation < 20; ++generation) {
        const std::uint64_t draw = random.below(own ? 5 : 4);
        const auto child = draw == 0   ? mutateUnroll(state, options, random)
                           : draw == 4 ? mutateKernel(state, options, random)
                                       : mutateTileSize(state, options, random);
        if (!child) continue;
        ++changed;
        QVERIFY(!illegality(State::replay(dag, child->steps()), options));
        QVERIFY(fetchesFollow(*child));
        state = *child;
      }
    QVERIFY2(changed > 40, fmt::format("{} of 400", changed).c_str());
  }

  /// Each stage from another parent: tiles of one, fetches of the other.
  void crossoverFollowsTheTilesOfTheChild() {
    const ComputeDag dag = parseTaskSpec(kTasks[1]).dag;
    const SpaceOptions options = sm90(Draws::Own);
    const std::vector<State> parents = samples(dag, options, 60);
    int children = 0;
    for (std::size_t i = 0; i + 1 < parents.size(); ++i) {
      const State &first = parents[i], &second = parents[i + 1];
      StageOwners owners;
      for (int id = 0; id < first.stageCount(); ++id)
        if (!first.stage(id).isPlaceholder())
          owners[first.stage(id).name()] = first.stage(id).scope == StorageScope::Shared ? 0 : 1;
      const CrossoverResult result = tryCrossover(first, second, owners, options);
      if (!result.child) continue;
      ++children;
      QVERIFY(fetchesFollow(*result.child));
      QVERIFY(!illegality(State::replay(dag, result.child->steps()), options));
      for (const bool fetches : {true, false})
        QCOMPARE(factorsOf(*result.child, fetches), factorsOf(fetches ? first : second, fetches));
      // So do the decisions about a kernel: rows are those of the fetches.
      for (int id = 0; id < first.stageCount(); ++id) {
        const Stage &stage = result.child->stage(id), &a = first.stage(id), &b = second.stage(id);
        QCOMPARE(stage.alignments.size(), a.alignments.size());
        QCOMPARE(stage.pipelineStages, b.pipelineStages);
        QCOMPARE(stage.rasterRows, b.rasterRows);
        QCOMPARE(stage.minBlocks, b.minBlocks);
      }
    }
    QVERIFY2(children > 10, fmt::format("{} of 59", children).c_str());
  }

  /// What two programs decide about a kernel is taken from one or the other; a pragma of another
  /// kind is another decision.
  void decisionsOfOneKindAreShared() {
    const auto shared = [](const Step& a, const Step& b) {
      const SharedSteps found = sharedSteps({a}, {b});
      return std::pair(found.count, found.differing.size());
    };
    using Counts = std::pair<std::size_t, std::size_t>;
    const PragmaStep two{3, 0, "pipeline_stages$2"}, three{3, 0, "pipeline_stages$3"};
    QCOMPARE(shared(two, three), (Counts{1, 1}));
    QCOMPARE(shared(two, PragmaStep{3, 0, "auto_unroll_max_step$16"}), (Counts{0, 0}));
    QCOMPARE(shared(StorageAlignStep{1, 0, 8, 4}, StorageAlignStep{1, 0, 4, 2}), (Counts{1, 1}));
    QCOMPARE(shared(StorageAlignStep{1, 0, 8, 4}, StorageAlignStep{1, 1, 8, 4}), (Counts{0, 0}));
  }

  /// One step comes, goes or changes; the paper's programs have none of them.
  void kernelsAreMutatedByOurDraws() {
    const ComputeDag dag = parseTaskSpec(kTasks[0]).dag;
    const SpaceOptions own = sm90(Draws::Own), paper = sm90(Draws::Paper);
    const State parent = samples(dag, paper, 1)[0];
    std::set<std::string> seen;
    Random random(kSeed);
    for (int i = 0; i < 200; ++i) {
      QVERIFY(!mutateKernel(parent, paper, random));
      const auto child = mutateKernel(parent, own, random);
      if (!child) continue;
      QCOMPARE(child->steps().size(), parent.steps().size() + 1);
      QVERIFY(!illegality(State::replay(dag, child->steps()), own));
      for (const std::string& feature : kernelFeatures(*child, inferBounds(*child), own))
        seen.insert(feature);
    }
    QVERIFY2(seen.size() > 4, fmt::format("{}", fmt::join(seen, ", ")).c_str());
    QVERIFY(seen.contains("padded rows"));
  }

  void tilesAndUnrollingAreMutatedNineToOne() {
    std::map<std::optional<Origin>, int> counts;
    Random random(kSeed);
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i)
      ++counts[drawOperation({}, random, true)];
    QCOMPARE(test::doubt(counts[Origin::TileSize], kDraws, 0.85 * 0.90), QString());
    QCOMPARE(test::doubt(counts[Origin::Unroll], kDraws, 0.85 * 0.10), QString());
    QCOMPARE(test::doubt(counts[Origin::Crossover], kDraws, 0.05), QString());
    QCOMPARE(counts[Origin::Parallel] + counts[Origin::ComputeLocation], 0);
  }

  /// The paper's limit of innermost factors keeps threads at 64; ours is that of a block. Vectors
  /// are as wide as an access.
  void threadsAndVectorsHaveLimitsOfTheirOwn() {
    const auto largest = [](const ComputeDag& dag, Draws draws, Annotation of) {
      const SpaceOptions options = sm90(draws);
      Random random(kSeed);
      std::int64_t most = 0;
      for (State state : samples(dag, options, 10))
        for (int i = 0; i < 60; ++i)
          if (const auto child = mutateTileSize(state, options, random)) {
            state = *child;
            for (std::size_t k = 0; k < state.steps().size(); ++k)
              if (const auto* split = std::get_if<SplitStep>(&state.steps()[k]))
                if (partAnnotations(state, k).back() == of)
                  most = std::max(most, *split->factors.back());
          }
      return most;
    };
    const ComputeDag rows = parseDag("A = PLACEHOLDER [64, 64]\nB(i, j) = (A[i, j]*2f)\n");
    QCOMPARE(largest(rows, Draws::Paper, Annotation::ThreadX), 64);
    QCOMPARE(largest(rows, Draws::Own, Annotation::ThreadX), 1024);
    const ComputeDag product = test::matmul(256, 256, 256);
    QCOMPARE(largest(product, Draws::Own, Annotation::Vectorize), 4);
  }

  /// The public record: from a program that the sampler can draw, by the mutations of two tiles.
  void theRecordOfTheGalleryIsReached() {
    const ComputeDag dag = test::galleryConvolution();
    std::ifstream file(NESTWRIGHT_TEST_DATA "/logs/tvm-gallery-conv2d.json");
    std::string line;
    while (std::getline(file, line))
      if (line.starts_with('{')) break;
    const Steps record = stepsFromJson(nlohmann::json::parse(line).at("i").at(1).at(1));
    constexpr std::size_t kRows = 3, kFetch = 32;
    Steps first = record, second = record;
    std::get<SplitStep>(first[kRows]).factors = {1, 1, 7, 1};
    std::get<SplitStep>(first[kFetch]).factors = {1};
    std::get<SplitStep>(second[kFetch]).factors = {1};
    for (const Draws draws : {Draws::Paper, Draws::Own}) {
      const SpaceOptions options = sm90(draws);
      const auto reaches = [&](const Steps& from, const Steps& to) {
        const State parent = withBounds(State::replay(dag, from));
        Random random(kSeed);
        for (int i = 0; i < 3000; ++i)
          if (const auto child = mutateTileSize(parent, options, random);
              child && child->steps() == to)
            return true;
        return false;
      };
      QVERIFY(!illegality(State::replay(dag, first), options));
      QVERIFY(reaches(first, second));
      QVERIFY(reaches(second, record));
    }
  }

  void evolutionProposesLegalPrograms() {
    const ComputeDag dag = parseTaskSpec(kTasks[1]).dag;
    const test::FakeScorer scorer;
    SearchContext context;
    context.space = sm90(Draws::Own);
    const auto sketches = generateSketches(dag, context.space);
    context.dag = &dag;
    context.sketches = &sketches;
    context.taskKey = workloadKey(dag);
    context.seed = kSeed;
    context.scorer = &scorer;
    SearchLog log;
    context.log = &log;
    EvolutionaryPolicyOptions options;
    options.evolution.population = options.samplesPerProposal = 60;
    const Proposal proposal = EvolutionaryPolicy(options).propose(30, context);
    QCOMPARE(proposal.candidates.size(), std::size_t(30));
    for (const Candidate& candidate : proposal.candidates)
      QVERIFY(!illegality(State::replay(dag, candidate.steps), context.space));
    std::set<Origin> origins;
    for (const SeenGeneration& generation : log.generations)
      for (const auto& program : generation) {
        QVERIFY(!illegality(State::replay(dag, program.steps), context.space));
        origins.insert(program.origin);
      }
    QCOMPARE(origins, (std::set{Origin::RandomSample, Origin::TileSize, Origin::Unroll,
                                Origin::Crossover, Origin::Kernel}));
  }

  /// Counted by kind: what a kernel needs too much of differs from draw to draw (C5).
  void aTaskWithoutLegalProgramsSaysWhy() {
    const ComputeDag dag = test::matmul(256, 256, 256);
    SearchContext context;
    context.space = sm90(Draws::Own);
    context.space.target.gpu->sharedBytesPerBlock = 64;
    context.space.target.gpu->sharedBytesPerBlockOptIn = 64;
    const auto sketches = generateSketches(dag, context.space);
    context.dag = &dag;
    context.sketches = &sketches;
    context.seed = kSeed;
    const Proposal proposal = RandomPolicy().propose(4, context);
    QVERIFY(proposal.candidates.empty());
    QCOMPARE(proposal.attempts, static_cast<std::uint64_t>(context.space.maxSampleAttempts));
    QVERIFY2(proposal.failures.size() < 8 && proposal.failures.contains("too much shared memory"),
             proposal.shortage.c_str());
    QVERIFY(proposal.shortage.starts_with("no valid program: 2000 tried, top reasons: "));
  }
};

NW_TEST_APPLESS(TestGpuSearch)

} // namespace nestwright::gpu_search_test

#include "gpu_search.moc"
