/// \file Legality is checked before anything is compiled (C4): what a policy proposes for a task,
/// the backend compiles; and what would race is refused on the way.

#include "core/backend/backend.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/schedule/bounds.h"
#include "core/search/evolutionary_policy.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/search/fake_scorer.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <fstream>
#include <sstream>

namespace nestwright::compilable_programs_test {

constexpr std::uint64_t kSeed = 20261122;
constexpr int kProgramsPerTask = 6;

const Backend& compiler() {
  return backend("llvm");
}

ComputeDag sampleTask(const std::string& name) {
  if (!name.ends_with(".dag")) return parseTaskSpec(name).dag;
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/../../resources/samples/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return parseDag(text.str());
}

/// Every operator of the command line, with its defaults, and the sample that comes with it.
std::vector<std::string> sampleTasks() {
  std::vector<std::string> names{"dense_relu.dag"};
  for (const WorkloadInfo& workload : workloads())
    names.push_back(workload.name);
  return names;
}

std::vector<Candidate> proposals(const ComputeDag& dag, const SpaceOptions& space) {
  const auto sketches = generateSketches(dag, space);
  SearchContext context;
  context.space = space;
  context.dag = &dag;
  context.sketches = &sketches;
  context.taskKey = workloadKey(dag);
  context.seed = kSeed;
  const test::FakeScorer scorer;
  context.scorer = &scorer;
  EvolutionaryPolicyOptions options;
  options.evolution.population = options.samplesPerProposal = 40;
  return EvolutionaryPolicy(options).propose(kProgramsPerTask, context).candidates;
}

class CompilableProgramsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// At least 95 of a hundred; here all of them do.
  void candidatesCompile() {
    const TargetFacts target = compiler().target(4);
    SpaceOptions space;
    space.target = target;
    int sent = 0, compiled = 0;
    std::string failures;
    for (const std::string& name : sampleTasks()) {
      const ComputeDag dag = sampleTask(name);
      for (const Candidate& candidate : proposals(dag, space)) {
        ++sent;
        try {
          compiler().compile(lower(State::replay(dag, candidate.steps), lowerOptionsFor(target)));
          ++compiled;
        } catch (const Error& error) {
          failures += fmt::format("{}: {}\n", name, error.what());
        }
      }
    }
    qInfo("seed %llu: %d of %d candidates compile", static_cast<unsigned long long>(kSeed),
          compiled, sent);
    QVERIFY(sent >= 50);
    QVERIFY2(compiled * 100 >= sent * 95, failures.c_str());
  }

  /// A candidate whose reduction is made parallel is refused before lowering, and by lowering.
  void parallelReductionsAreRefused() {
    SpaceOptions space;
    space.target = compiler().target(4);
    int refused = 0;
    for (const char* name : {"matmul", "conv2d", "softmax", "norm"}) {
      const ComputeDag dag = sampleTask(name);
      for (const Candidate& candidate : proposals(dag, space)) {
        const State state = withBounds(State::replay(dag, candidate.steps));
        for (int id = 0; id < state.stageCount(); ++id)
          for (std::size_t i = 0; i < state.stage(id).iterators.size(); ++i) {
            const Iterator& loop = state.stage(id).iterators[i];
            if (!loop.isReduction() || !loop.extent || *loop.extent == 1) continue;
            State racing = state;
            racing.apply(AnnotationStep{id, static_cast<int>(i), Annotation::Parallel});
            QVERIFY(illegalReason(racing, space).has_value());
            QVERIFY_EXCEPTION_THROWN(lower(racing), IllegalSchedule);
            ++refused;
          }
      }
    }
    QVERIFY(refused > 50);
  }
};

NW_TEST_APPLESS(CompilableProgramsTest)

} // namespace nestwright::compilable_programs_test

#include "compilable_programs.moc"
