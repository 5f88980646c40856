#include "core/search/random_policy.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::random_policy_test {

/// A context with what it points to.
struct Task {
  ComputeDag dag;
  std::vector<Sketch> sketches;
  SearchContext context;

  explicit Task(ComputeDag d, SpaceOptions options = {}) : dag(std::move(d)) {
    options.target.cores = 2;
    sketches = generateSketches(dag, options);
    context.dag = &dag;
    context.sketches = &sketches;
    context.taskKey = workloadKey(dag);
    context.space = options;
    context.seed = 7;
  }
};

QStringList ids(const Proposal& proposal) {
  QStringList result;
  for (const Candidate& candidate : proposal.candidates)
    result << QString::fromStdString(candidate.programId);
  return result;
}

class TestRandomPolicy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void proposesNewPrograms() {
    Task task(test::matmul(512, 512, 512));
    const Proposal proposal = RandomPolicy().propose(64, task.context);
    QCOMPARE(proposal.candidates.size(), 64u);
    QVERIFY(proposal.shortage.empty());
    QCOMPARE(proposal.nextDraw, proposal.attempts);
    const QStringList all = ids(proposal);
    QCOMPARE(QSet<QString>(all.begin(), all.end()).size(), all.size());
    for (const Candidate& candidate : proposal.candidates) {
      QCOMPARE(candidate.programId, programId(task.dag, candidate.steps));
      QCOMPARE(candidate.trace.origin, Origin::RandomSample);
      QVERIFY(candidate.trace.sketch >= 0 && candidate.trace.sketch < 3);
    }
  }

  void goesOnWhereItStopped() {
    Task task(test::conv2dNhwc(14, 16, 32, 3, 1));
    const RandomPolicy policy;
    const QStringList whole = ids(policy.propose(48, task.context));
    std::set<std::string> measured;
    task.context.known = [&](const std::string& id) { return measured.contains(id); };
    QStringList parts;
    for (const int count : {1, 20, 27}) {
      const Proposal proposal = policy.propose(count, task.context);
      QCOMPARE(ids(policy.propose(count, task.context)), ids(proposal));
      for (const Candidate& candidate : proposal.candidates)
        measured.insert(candidate.programId);
      parts += ids(proposal);
      task.context.firstDraw = proposal.nextDraw;
    }
    QCOMPARE(parts, whole);
    task.context.seed = 8;
    QVERIFY(ids(policy.propose(27, task.context)) != whole.mid(21));
  }

  void passesOverKnownPrograms() {
    Task task(test::matmul(64, 64, 64));
    const RandomPolicy policy;
    const Proposal first = policy.propose(10, task.context);
    const std::string known = first.candidates[3].programId;
    task.context.known = [&](const std::string& id) { return id == known; };
    QStringList expected = ids(first);
    expected.removeAt(3);
    QCOMPARE(ids(policy.propose(9, task.context)), expected);
  }

  void leavesAnImpossibleSpaceInBoundedTime() {
    SpaceOptions nothing;
    nothing.target.memoryBytes = 1;
    Task task(test::matmul(64, 64, 64), nothing);
    const Proposal proposal = RandomPolicy().propose(16, task.context);
    QVERIFY(proposal.candidates.empty());
    QCOMPARE(proposal.attempts, 2000u);
    QCOMPARE(QString::fromStdString(proposal.shortage),
             "no valid program: 2000 tried, top reasons: its tensors need 0 MB, more than the 0 MB "
             "of memory (2000 times)");
  }

  void saysWhenASmallSpaceIsUsedUp() {
    Task task(test::matmul(1, 1, 2));
    const Proposal proposal = RandomPolicy().propose(1000, task.context);
    QVERIFY(!proposal.candidates.empty() && proposal.candidates.size() < 1000);
    QVERIFY(proposal.shortage.starts_with("no further valid program: "));
    QVERIFY(proposal.shortage.find("the program was proposed before") != std::string::npos);
  }

  void tracesSurviveJson() {
    Trace trace{Origin::TileSize, {"a", "b"}, 12345678901234567890u, 2, 0.25};
    for (const bool scored : {true, false}) {
      if (!scored) trace.predictedScore.reset();
      const Trace back = traceFromJson(toJson(trace));
      QCOMPARE(toJson(back), toJson(trace));
      QCOMPARE(back.draw, trace.draw);
      QCOMPARE(back.predictedScore, trace.predictedScore);
    }
    QVERIFY_THROWS_EXCEPTION(InputError, traceFromJson(nlohmann::json::object()));
  }

  /// As files have them, for ever.
  void originsHaveNames() {
    const std::vector<std::string> names = {"",
                                            "random sample",
                                            "measured before",
                                            "seeded by the user",
                                            "tile-size mutation",
                                            "parallel mutation",
                                            "unroll mutation",
                                            "compute-location mutation",
                                            "crossover",
                                            "measured on demand",
                                            "edited by hand",
                                            "imported"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      QCOMPARE(std::string(name(static_cast<Origin>(i))), names[i]);
      QCOMPARE(originFromName(names[i]), static_cast<Origin>(i));
    }
    QCOMPARE(originFromName("of a later version"), Origin::Unknown);
  }
};

NW_TEST_APPLESS(TestRandomPolicy)

} // namespace nestwright::random_policy_test

#include "random_policy.moc"
