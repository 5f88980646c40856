/// \file Loop nests as data, and what differs between two programs.

#include "core/schedule/program_diff.h"

#include "core/schedule/bounds.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/schedule/random_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::program_diff_test {

using namespace nestwright::test;

nlohmann::json oracle(const std::string& task) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + task + ".oracle.json");
  if (!file) qFatal("the fixture %s is missing", task.c_str());
  return nlohmann::json::parse(file);
}

/// As printLoopNest() writes it, from the tree.
std::string textOf(const LoopTree& tree) {
  std::string text = fmt::format("Placeholder: {}\n", fmt::join(tree.inputs, ", "));
  for (const LoopNode& node : tree.nodes)
    text += std::string(2 * static_cast<std::size_t>(node.depth), ' ') + node.line() + '\n';
  return text;
}

Steps tiledMatmul(std::int64_t inner, bool vectorised) {
  Steps steps{SplitStep{2, 0, 64, {{8}}, true}, SplitStep{2, 2, 64, {{inner}}, true},
              ReorderStep{2, {0, 2, 4, 1, 3}}, AnnotationStep{2, 0, Annotation::Parallel}};
  if (vectorised) steps.push_back(AnnotationStep{2, 4, Annotation::Vectorize});
  return steps;
}

QStringList diffText(const Steps& a, const Steps& b) {
  const ComputeDag dag = matmulDag(64, 64, 64);
  const LoopTree left = loopTree(State::replay(dag, a)), right = loopTree(State::replay(dag, b));
  QStringList lines;
  for (const LoopDiffRow& row : diffLoopTrees(left, right)) {
    const auto line = [](const LoopTree& tree, int at) {
      return at < 0 ? std::string("-") : tree.nodes[static_cast<std::size_t>(at)].line();
    };
    lines << QString::fromStdString(fmt::format(
        "{}: {} | {}{}{}", name(row.row.mark), line(left, row.row.left), line(right, row.row.right),
        row.differences.empty() ? "" : " : ", row.differences));
  }
  return lines;
}

void requireComplete(const std::vector<DiffRow>& rows, std::size_t left, std::size_t right) {
  std::size_t i = 0, j = 0;
  for (const DiffRow& row : rows) {
    if (row.left >= 0) QCOMPARE(row.left, static_cast<int>(i++));
    if (row.right >= 0) QCOMPARE(row.right, static_cast<int>(j++));
  }
  QCOMPARE(i, left);
  QCOMPARE(j, right);
}

std::vector<DiffRow> rowsOf(const std::vector<LoopDiffRow>& diff) {
  std::vector<DiffRow> rows;
  for (const LoopDiffRow& row : diff)
    rows.push_back(row.row);
  return rows;
}

class ProgramDiffTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void treeIsThePrintedLoopNest_data() {
    QTest::addColumn<std::string>("task");
    for (const std::string task : kOracleTasks)
      QTest::newRow(task.c_str()) << task;
  }
  void treeIsThePrintedLoopNest() {
    QFETCH(std::string, task);
    for (const auto& program : oracle(task)) {
      const State state = State::replay(oracleDag(task), stepsFromJson(program["steps"]));
      const LoopTree tree = loopTree(state);
      QCOMPARE(textOf(tree), program["loop_nest"].get<std::string>());
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const LoopNode& node = tree.nodes[i];
        QVERIFY(node.parent < static_cast<int>(i));
        const int around = node.parent < 0 ? -1 : tree.nodes[node.parent].depth;
        QCOMPARE(node.depth, around + 1);
        if (node.kind == LoopNode::Kind::Loop) QVERIFY(!node.axes.empty());
      }
    }
  }

  void tileLevelsCountFromOutside() {
    const Steps steps{SplitStep{2, 0, 64, {{2}, {4}}, true}, SplitStep{2, 3, 64, {{16}}, true},
                      FuseStep{2, {0, 1}}};
    const LoopTree tree = loopTree(State::replay(matmulDag(64, 64, 64), steps));
    QStringList found;
    for (const LoopNode& node : tree.nodes)
      if (node.kind == LoopNode::Kind::Loop)
        found << QString::fromStdString(fmt::format("{} over {}: {} of {}", node.name, node.axes,
                                                    node.tile.level, node.tile.of));
    QCOMPARE(found, (QStringList{"i.0@i.1@ over i: 0 of 1", "i.2 over i: 2 of 3",
                                 "j.0 over j: 0 of 2", "j.1 over j: 1 of 2", "k over k: 0 of 1"}));
  }

  void sketchesHaveUnknownExtents() {
    const Steps steps{SplitStep{2, 0, 64, {{}}, true}};
    const LoopTree tree = loopTree(State::replay(matmulDag(64, 64, 64), steps));
    QCOMPARE(tree.nodes[0].line(), std::string("for i.0 (None)"));
    QVERIFY(!tree.nodes[0].extent);
  }

  void changedLoopsAreNamed() {
    QCOMPARE(
        diffText(tiledMatmul(8, false), tiledMatmul(16, true)),
        (QStringList{"same: parallel i.0 (0,8) | parallel i.0 (0,8)",
                     "changed: for j.0 (0,8) | for j.0 (0,4) : extent 8 → 4",
                     "same: for k (0,64) | for k (0,64)", "same: for i.1 (0,8) | for i.1 (0,8)",
                     "changed: for j.1 (0,8) | vectorize j.1 (0,16) : extent 8 → 16, a plain "
                     "loop → vectorised",
                     "same: C = ... | C = ..."}));
  }

  void aStageInsideOfAnotherLoopHasMoved() {
    LoopNode loop;
    loop.kind = LoopNode::Kind::Loop, loop.owner = "C", loop.name = "i", loop.axes = "i";
    LoopNode statement;
    statement.owner = "D", statement.parent = 0, statement.depth = 1;
    LoopTree left{{loop, statement}, {}, {}, {}}, right = left;
    right.nodes[1].parent = -1, right.nodes[1].depth = 0;
    const std::vector<LoopDiffRow> rows = diffLoopTrees(left, right);
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[1].row.mark, DiffMark::Changed);
    QCOMPARE(rows[1].differences, std::string("inside i → outermost"));
    const ComputeDag dag = matmulDag(64, 64, 64);
    // A loop around everything moves nothing.
    for (const LoopDiffRow& row :
         diffLoopTrees(loopTree(State(dag)),
                       loopTree(State::replay(dag, {SplitStep{2, 0, 64, {{8}}, true}}))))
      QVERIFY2(row.differences.find("inside") == std::string::npos, row.differences.c_str());
  }

  void aMissingTileIsOnlyOnOneSide() {
    const QStringList lines = diffText({}, tiledMatmul(8, false));
    QCOMPARE(lines.filter("only right").size(), 2); // one further tile of i and of j
    QCOMPARE(lines.filter("only left").size(), 0);
    QCOMPARE(lines.filter("C = ...").size(), 1);
  }

  /// A cache stage shifts all later stage numbers; the names, and so the steps, stay.
  void stepsAreComparedByName() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    const Steps plain{SplitStep{2, 0, 64, {{8}}, true}, AnnotationStep{2, 0, Annotation::Parallel}};
    const Steps cached{CacheWriteStep{2, "local"}, SplitStep{3, 0, 64, {{8}}, true},
                       AnnotationStep{3, 0, Annotation::Parallel}};
    const auto rows = diffSteps(namedSteps(dag, plain), namedSteps(dag, cached));
    QCOMPARE(rows,
             (std::vector<DiffRow>{
                 {DiffMark::OnlyRight, -1, 0}, {DiffMark::Same, 0, 1}, {DiffMark::Same, 1, 2}}));
    QCOMPARE(diffSummary(rows, "step"), std::string("1 step only right"));
    const Steps other{SplitStep{2, 0, 64, {{16}}, true}};
    const auto changed = diffSteps(namedSteps(dag, plain), namedSteps(dag, other));
    QCOMPARE(diffSummary(changed, "step"), std::string("1 step changed, 1 step only left"));
  }

  void followersAreKnownByWhatTheyFollow() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    const Steps a{CacheWriteStep{2, "local"}, SplitStep{2, 0, 64, {{8}}, true},
                  FollowSplitStep{3, 0, 1, 1}};
    Steps b = a;
    b.insert(b.begin() + 1, AnnotationStep{2, 2, Annotation::Unroll});
    b[3] = FollowSplitStep{3, 0, 2, 1};
    QCOMPARE(diffSummary(diffSteps(namedSteps(dag, a), namedSteps(dag, b)), "step"),
             std::string("1 step only right"));
  }

  void illegalStepsAreStillListed() {
    const ComputeDag dag = matmulDag(8, 8, 8);
    const std::vector<NamedStep> steps = namedSteps(
        dag, {SplitStep{2, 9, 8, {{2}}, true}, AnnotationStep{2, 0, Annotation::Unroll}});
    QCOMPARE(steps.size(), std::size_t(2));
    QCOMPARE(steps[1].words, std::string("make loop 0 of stage 2 \"unroll\""));
  }

  void randomProgramsAreAlignedCompletely() {
    Random random(11);
    int changed = 0;
    for (const ComputeDag& dag : smallDags())
      for (int round = 0; round < 60; ++round) {
        const State a = randomState(dag, 10, random), b = randomState(dag, 10, random);
        const LoopTree left = loopTree(a), right = loopTree(b);
        const auto nest = diffLoopTrees(left, right);
        requireComplete(rowsOf(nest), left.nodes.size(), right.nodes.size());
        for (const LoopDiffRow& row : nest) {
          QCOMPARE(row.row.mark == DiffMark::Changed, !row.differences.empty());
          changed += row.row.mark == DiffMark::Changed ? 1 : 0;
          if (row.row.left >= 0 && row.row.right >= 0)
            QCOMPARE(left.nodes[row.row.left].owner, right.nodes[row.row.right].owner);
        }
        const auto stepsLeft = namedSteps(dag, a.steps()), stepsRight = namedSteps(dag, b.steps());
        requireComplete(diffSteps(stepsLeft, stepsRight), stepsLeft.size(), stepsRight.size());
        QCOMPARE(diffSummary(diffLoopTrees(left, left), "loop"), std::string("no difference"));
        QCOMPARE(diffSummary(diffSteps(stepsLeft, stepsLeft), "step"),
                 std::string("no difference"));
      }
    QVERIFY(changed > 50);
  }
};

NW_TEST_APPLESS(ProgramDiffTest)

} // namespace nestwright::program_diff_test

#include "program_diff.moc"
