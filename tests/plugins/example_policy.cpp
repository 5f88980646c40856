/// \file Search policies and task schedulers that are chosen by name, ours and those of plugins,
/// and what the example of a policy does.

#include "core/plugin/plugin.h"
#include "core/search/mutation.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QTemporaryDir>

#include <limits>
#include <set>

namespace nestwright::example_policy_test {

SpaceOptions space() {
  SpaceOptions options;
  options.target.cores = 2;
  options.target.vectorBytes = 32;
  return options;
}

/// A task to propose programs of.
struct Asked {
  ComputeDag dag = test::matmul(64, 64, 64);
  std::vector<Sketch> sketches = generateSketches(dag, space(), sketchRules("nestwright,paper"));

  SearchContext context() const {
    SearchContext context;
    context.dag = &dag;
    context.taskKey = "matmul";
    context.sketches = &sketches;
    context.space = space();
    context.seed = 20261123;
    return context;
  }
};

std::vector<std::string> ids(const Proposal& proposal) {
  std::vector<std::string> all;
  for (const Candidate& candidate : proposal.candidates)
    all.push_back(candidate.programId);
  return all;
}

class TestExamplePolicy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oursAreKnownWithoutPlugins() {
    QTemporaryDir nothing;
    const QByteArray before = qgetenv("NESTWRIGHT_PLUGIN_PATH");
    qputenv("NESTWRIGHT_PLUGIN_PATH", nothing.path().toUtf8());
    QCOMPARE(searchPolicy("random").make({})->name(), std::string("random"));
    QCOMPARE(searchPolicy("evolutionary").make({})->name(), std::string("evolutionary"));
    QVERIFY(learnsModel("evolutionary") && !learnsModel("random"));
    QVERIFY(followsObjective("gradient") && !followsObjective("round-robin"));
    qputenv("NESTWRIGHT_PLUGIN_PATH", before);
  }

  void unknownNamesAreRefusedWithThoseThatExist() {
    const auto refusal = [](const auto& choose) {
      try {
        choose();
      } catch (const UsageError& error) {
        return QString::fromUtf8(error.what());
      }
      return QStringLiteral("accepted");
    };
    const QString policy = refusal([] { searchPolicy("clairvoyant"); });
    QVERIFY2(policy.contains("random, evolutionary, beam, annealing, contextual, genetic, grid, "
                             "example_policy"),
             qPrintable(policy));
    const QString scheduler = refusal([] { taskScheduler("clairvoyant"); });
    QVERIFY2(scheduler.contains("gradient, round-robin, example_policy"), qPrintable(scheduler));
    // A plugin that brings something else, and a path.
    for (const char* name : {"example_rule", "llvm", "../example_policy", ""}) {
      QVERIFY_EXCEPTION_THROWN(searchPolicy(name), UsageError);
      QVERIFY(!learnsModel(name) && !followsObjective(name));
    }
  }

  void pluginsAreListedBehindOurs() {
    QStringList names;
    for (const SearchPolicyKind& kind : searchPolicies()) {
      names << QString::fromStdString(kind.name);
      QVERIFY2(!kind.purpose.empty(), kind.name.c_str());
    }
    QCOMPARE(names, QStringList({"random", "evolutionary", "beam", "annealing", "contextual",
                                 "genetic", "grid", "example_policy"}));
    const std::vector<TaskSchedulerKind> schedulers = taskSchedulers();
    QCOMPARE(schedulers.size(), builtInTaskSchedulers().size() + 1);
    QCOMPARE(schedulers.back().name, std::string("example_policy"));
    QVERIFY(!followsObjective("example_policy"));
  }

  void itsSchedulerTakesTheLargestShare() {
    const auto scheduler = taskScheduler("example_policy").make({});
    std::vector<TaskProgress> tasks(3);
    for (TaskProgress& task : tasks) {
      task.weights = {1};
      task.rounds = 1;
      task.bestSeconds = 1e-3;
    }
    tasks[1].weights = {2, 1};
    QCOMPARE(scheduler->next(tasks, 0).index, 1);
    tasks[1].rounds = 9; // a share for each of them
    tasks[2].importance = 2;
    QCOMPARE(scheduler->next(tasks, 0).index, 2);
    tasks[0].rounds = 0; // no program yet
    tasks[0].bestSeconds = std::numeric_limits<double>::infinity();
    QCOMPARE(scheduler->next(tasks, 0).index, 0);
    for (TaskProgress& task : tasks)
      task.mode = TaskMode::Paused;
    QCOMPARE(scheduler->next(tasks, 0).index, -1);
  }

  void itClimbsFromTheFastest() {
    const Asked asked;
    const auto policy = searchPolicy("example_policy").make({});
    SearchContext context = asked.context();
    const Proposal first = policy->propose(16, context);
    QCOMPARE(first.candidates.size(), std::size_t(16));
    for (const Candidate& candidate : first.candidates)
      QCOMPARE(candidate.trace.origin, Origin::RandomSample);

    const std::string best = first.candidates[3].programId;
    const std::vector<std::string> measured = ids(first);
    context.firstDraw = first.nextDraw;
    context.measuredBest = {first.candidates[3].steps};
    context.known = [&](const std::string& id) {
      return std::find(measured.begin(), measured.end(), id) != measured.end();
    };
    const Proposal second = policy->propose(16, context);
    QCOMPARE(second.candidates.size(), std::size_t(16));
    std::set<std::string> distinct;
    int neighbours = 0;
    for (const Candidate& candidate : second.candidates) {
      QVERIFY(!context.known(candidate.programId));
      QVERIFY(distinct.insert(candidate.programId).second);
      QVERIFY(legalProgram(asked.dag, candidate.steps, context.space));
      if (candidate.trace.origin != Origin::TileSize) continue;
      ++neighbours;
      QCOMPARE(candidate.trace.parents, std::vector<std::string>{best});
      QCOMPARE(candidate.steps.size(), context.measuredBest[0].size());
    }
    QCOMPARE(neighbours, 8);
    // An interrupted session asks again.
    QCOMPARE(ids(policy->propose(16, context)), ids(second));
    QVERIFY(second.nextDraw > first.nextDraw);
  }
};

NW_TEST_APPLESS(TestExamplePolicy)

} // namespace nestwright::example_policy_test

#include "example_policy.moc"
