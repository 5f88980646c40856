/// \file States: what each step does to the loops, and which steps are refused.

#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::state_test {

using namespace nestwright::test;

Steps steps(const QString& text) {
  return stepsFromJson(nlohmann::json::parse(text.toStdString()));
}

QString loopNames(const Stage& stage) {
  QStringList names;
  for (const Iterator& iterator : stage.iterators) {
    const QString extent = iterator.extent ? QString::number(*iterator.extent) : "?";
    names << QString::fromStdString(iterator.name) + ":" + extent;
  }
  return names.join(' ');
}

/// C = A x B, D = relu(C), 512 each way.
ComputeDag matmulRelu() {
  const ComputeDag matmul = matmulDag(512, 512, 512);
  const Op c = matmul[2];
  std::vector<Op> ops = matmul.ops();
  ops.push_back(compute("D", {512, 512},
                        [&](const auto& i) { return max(read(c, i), floatImm(0)); }, {"i", "j"}));
  return ComputeDag(ops);
}

class StateTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loopsGetTheirNames_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("loops");
    QTest::newRow("initial") << "[]"
                             << "i:512 j:512 k:512";
    QTest::newRow("split") << R"([["SP", 2, 0, 512, [2, 4], 1]])"
                           << "i.0:64 i.1:2 i.2:4 j:512 k:512";
    QTest::newRow("imperfect") << R"([["SP", 2, 0, 512, [7, 5], 1]])"
                               << "i.0:15 i.1:7 i.2:5 j:512 k:512";
    QTest::newRow("outside in") << R"([["SP", 2, 1, 512, [7, 5], 0]])"
                                << "i:512 j.0:7 j.1:5 j.2:15 k:512";
    QTest::newRow("undecided") << R"([["SP", 2, 0, 512, [2, null, 4], 1]])"
                               << "i.0:? i.1:? i.2:? i.3:4 j:512 k:512";
    QTest::newRow("fuse") << R"([["FU", 2, [0, 1]]])"
                          << "i@j@:262144 k:512";
    QTest::newRow("nested") << R"([["FU", 2, [0, 1]], ["SP", 2, 0, 0, [4], 1],
                                   ["SP", 2, 1, 4, [2], 1]])"
                            << "i@j@.0:65536 i@j@.1.0:2 i@j@.1.1:2 k:512";
    QTest::newRow("reorder") << R"([["RE", 2, [2, 0, 1]]])"
                             << "k:512 i:512 j:512";
    QTest::newRow("follow-split") << R"([["SP", 2, 0, 512, [2, 4, 8], 1], ["FSP", 2, 4, 0, 2]])"
                                  << "i.0:8 i.1:2 i.2:4 i.3:8 j.0:8 j.1:2 j.2:32 k:512";
    QTest::newRow("follow-split deeper") << R"([["SP", 2, 0, 512, [2, 4], 1], ["FSP", 2, 3, 0, 3]])"
                                         << "i.0:64 i.1:2 i.2:4 j.0:64 j.1:2 j.2:4 j.3:1 k:512";
    QTest::newRow("follow-fused-split")
        << R"([["SP", 2, 0, 512, [2, 4], 1], ["SP", 2, 3, 512, [8, 2], 1],
               ["FFSP", 2, 6, [0, 1], 1, 1]])"
        << "i.0:64 i.1:2 i.2:4 j.0:32 j.1:8 j.2:2 k.0:64 k.1:8";
    QTest::newRow("follow-fused-split outside in")
        << R"([["SP", 2, 0, 512, [2, 4], 1], ["FFSP", 2, 4, [0], 0, 0]])"
        << "i.0:64 i.1:2 i.2:4 j:512 k.0:2 k.1:256";
    QTest::newRow("moved") << R"([["CA", 2, 3, 0]])"
                           << "i:? j:? k:?";
    QTest::newRow("moved back") << R"([["CA", 2, 3, 0], ["CR", 2]])"
                                << "i:? j:? k:?";
  }

  void loopsGetTheirNames() {
    QFETCH(QString, text);
    QFETCH(QString, loops);
    QCOMPARE(loopNames(State::replay(matmulRelu(), steps(text)).stage(2)), loops);
  }

  void fusingMarksTheKind() {
    const auto kindOf = [](const char* text) {
      return State::replay(matmulRelu(), steps(text)).stage(2).iterators[0].kind;
    };
    QVERIFY(kindOf(R"([["FU", 2, [0, 1]]])") == IteratorKind::Spatial);
    QVERIFY(kindOf(R"([["RE", 2, [2, 0, 1]]])") == IteratorKind::Reduction);
    QVERIFY(kindOf(R"([["FU", 2, [0, 1, 2]]])") == IteratorKind::Mixed);
  }

  void attachmentsMoveWithTheirLoops_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("iterator");
    QTest::newRow("none") << R"([["CA", 2, 3, 1]])" << 1;
    QTest::newRow("split it") << R"([["CA", 2, 3, 1], ["SP", 3, 1, 0, [2, 4], 1]])" << 3;
    QTest::newRow("split before") << R"([["CA", 2, 3, 1], ["SP", 3, 0, 0, [2], 1]])" << 2;
    QTest::newRow("split after") << R"([["CA", 2, 3, 0], ["SP", 3, 1, 0, [2], 1]])" << 0;
    QTest::newRow("fuse it") << R"([["CA", 2, 3, 1], ["FU", 3, [0, 1]]])" << 0;
    QTest::newRow("fuse before") << R"([["SP", 3, 0, 512, [2], 1], ["CA", 2, 3, 2],
                                        ["FU", 3, [0, 1]]])"
                                 << 1;
    QTest::newRow("reorder") << R"([["CA", 2, 3, 0], ["RE", 3, [1, 0]]])" << 0;
    QTest::newRow("again") << R"([["CA", 2, 3, 0], ["CA", 2, 3, 1]])" << 1;
  }

  void attachmentsMoveWithTheirLoops() {
    QFETCH(QString, text);
    QFETCH(int, iterator);
    const State state = State::replay(matmulRelu(), steps(text));
    const AttachPoint point{3, iterator};
    QVERIFY(state.attachPoint(2) == point);
    QVERIFY(state.attachedAt(point) == std::vector<int>{2});
    QVERIFY(state.hasAttachedAt(point));
    QVERIFY(!state.hasAttachedAt({3, iterator + 1}));
  }

  void cacheWriteAddsAStage() {
    const ComputeDag dag = matmulRelu();
    const State state = State::replay(dag, steps(R"([["CA", 2, 3, 0], ["CR", 2]])"));
    QVERIFY(!state.attachPoint(2).has_value());
    const State cached = State::replay(dag, steps(R"([["CHW", 2, "local"]])"));
    QCOMPARE(cached.stageCount(), 5);
    QCOMPARE(cached.stage(2).name(), std::string("C.local"));
    QCOMPARE(loopNames(cached.stage(2)), "i_c:512 j_c:512 k:512");
    QCOMPARE(loopNames(cached.stage(3)), "i:512 j:512");
    QVERIFY(cached.stage(3).op->output == dag[2]->output);
    QVERIFY(cached.dag()[2] == cached.stage(2).op && cached.dag()[4] == dag[3]);
    QCOMPARE(cached.originalDag().size(), dag.size());
    QCOMPARE(cached.dag().outputs().size(), std::size_t(1));
  }

  void cacheWriteShiftsLaterStages() {
    const State state =
        State::replay(conv2dDag(8, 4, 4, 3, 1),
                      steps(R"([["CI", 5], ["CA", 1, 3, 1], ["CHW", 6, "local"], ["CI", 1]])"));
    QVERIFY(state.stage(1).location == ComputeLocation::Inlined);
    const State shifted = State::replay(
        conv2dDag(8, 4, 4, 3, 1), steps(R"([["CI", 5], ["CA", 3, 6, 1], ["CHW", 1, "local"]])"));
    QVERIFY((shifted.attachPoint(4) == AttachPoint{7, 1}));
    QVERIFY(shifted.stage(6).location == ComputeLocation::Inlined);
  }

  void cacheReadAddsACopy() {
    const ComputeDag dag = matmulRelu();
    const State state = State::replay(
        dag, steps(R"([["SP", 2, 2, 512, [8], 1], ["CA", 2, 3, 1], ["CHR", 0, "shared", [2]],
                       ["CA", 1, 3, 2], ["CHR", 0, "shared", [1]]])"));
    QStringList names;
    for (int id = 0; id < state.stageCount(); ++id)
      names << QString::fromStdString(state.stage(id).name());
    QCOMPARE(names.join(' '), "A A.d.shared A.shared B C D");
  }

  /// Memory is what the step names; a copy that stays behind keeps its own.
  void cacheStepsNameTheMemory() {
    const ComputeDag dag = matmulRelu();
    const State state = State::replay(
        dag, steps(R"([["CHR", 0, "shared", [2]], ["CHW", 3, "local"], ["CHR", 2, "warp", [3]]])"));
    QStringList scopes;
    for (int id = 0; id < state.stageCount(); ++id) {
      const Stage& stage = state.stage(id);
      if (stage.scope == StorageScope::Shared) scopes << QString::fromStdString(stage.name());
      if (stage.scope == StorageScope::Local) scopes << QString::fromStdString(stage.name());
    }
    QCOMPARE(scopes.join(' '), "A.shared C.local");
    const State twice =
        State::replay(dag, steps(R"([["CHR", 0, "shared", [2]], ["CHW", 1, "local"]])"));
    QVERIFY(twice.stage(1).scope == StorageScope::Local);
    QVERIFY(twice.stage(2).scope == StorageScope::Shared);
  }

  /// So that a scalar result has a block: outside of all loops that it has.
  void anEmptyFusePutsALoopAroundAScalar() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [64]\nB() += A[k]\n");
    const State state =
        State::replay(dag, steps(R"([["SP", 1, 0, 64, [32], 1], ["FU", 1, []], ["AN", 1, 0, 5]])"));
    QCOMPARE(loopNames(state.stage(1)), ":1 k.0:2 k.1:32");
    QVERIFY(state.stage(1).iterators[0].annotation == Annotation::BlockX);
    QCOMPARE(inferBounds(state).stages[1].extents, (std::vector<std::int64_t>{1, 2, 32}));
  }

  void rfactorTakesALoopOutOfTheReduction() {
    const ComputeDag dag = matmulRelu();
    const auto loops = [&](const char* text, int stage) {
      return loopNames(State::replay(dag, steps(text)).stage(stage));
    };
    const char* outer = R"([["SP", 2, 2, 512, [8], 1], ["RF", 2, 2, 2]])";
    QCOMPARE(loops(outer, 2), "i:512 j:512 k_o:64 k_i:8");
    QCOMPARE(loops(outer, 3), "ax0:512 ax1:512 k_o_v:64");
    const char* inner = R"([["SP", 2, 2, 512, [8], 1], ["RF", 2, 3, 0]])";
    QCOMPARE(loops(inner, 2), "k_i:8 i:512 j:512 k_o:64");
    QCOMPARE(loops(inner, 3), "ax0:512 ax1:512 k_i_v:8");
    const State state = State::replay(dag, steps(inner));
    QCOMPARE(state.stageCount(), 5);
    QCOMPARE(state.stage(2).name(), std::string("C.rf"));
    QCOMPARE(state.stage(3).name(), std::string("C.repl"));
    // Who reads C still does.
    QVERIFY(state.stage(3).op->output == dag[2]->output && state.stage(4).op == dag[3]);
    // A loop that does not divide leaves iterations out.
    QVERIFY(State::replay(dag, steps(R"([["SP", 2, 2, 512, [7], 1], ["RF", 2, 3, 0]])"))
                .stage(2)
                .op->body->kind == ExprKind::IfThenElse);
  }

  /// The open factor of a sketch counts as 1, as in the public implementation.
  void rfactorOfAnUndecidedSplitHasExtents() {
    const State state =
        State::replay(matmulRelu(), steps(R"([["SP", 2, 2, 512, [null], 1], ["RF", 2, 2, 2]])"));
    QCOMPARE(loopNames(state.stage(2)), "i:512 j:512 k_o:512 k_i:1");
    QVERIFY(!state.isConcrete());
  }

  void stagesInsideLoopsStayThere() {
    const ComputeDag dag = matmulRelu();
    const State cached = State::replay(dag, steps(R"([["CA", 2, 3, 0], ["CHR", 0, "s", [2]]])"));
    QVERIFY((cached.attachPoint(3) == AttachPoint{4, 0}));
    const State factored = State::replay(dag, steps(R"([["CA", 2, 3, 0], ["RF", 2, 2, 0]])"));
    QVERIFY((factored.attachPoint(3) == AttachPoint{4, 0}));
    QVERIFY(factored.stage(2).location == ComputeLocation::Root);
  }

  /// All loops over the threads of a block have one extent, however little there is to do.
  void threadsKeepTheirNumber() {
    const auto loops = [](const char* annotation) {
      const std::string text =
          fmt::format(R"([["SP", 2, 0, 512, [1024], 1], ["AN", 2, 1, {}]])", annotation);
      const State state = State::replay(matmulRelu(), steps(QString::fromStdString(text)));
      return loopNames(withBounds(state).stage(2));
    };
    QCOMPARE(loops("6"), "i.0:1 i.1:1024 j:512 k:512");
    QCOMPARE(loops("3"), "i.0:1 i.1:512 j:512 k:512");
  }

  void alignmentStaysWithTheStage() {
    const State state = State::replay(
        matmulRelu(), steps(R"([["SA", 2, 0, 16, 4], ["SA", 2, 0, 32, 8], ["SA", 2, 1, 2, 1]])"));
    QCOMPARE(state.stage(2).alignments.size(), std::size_t(2));
    QCOMPARE(state.stage(2).alignments[0].factor, 32);
    QCOMPARE(state.stage(2).storageOffset, 1);
    QVERIFY(printLoopNest(state).find("C storage_offset: 1\n") != std::string::npos);
  }

  void copiesAreIndependent() {
    State original(matmulRelu());
    State copy = original;
    copy.apply(SplitStep{2, 0, 512, {4}, true});
    copy.apply(ComputeAtStep{2, 3, 0});
    QCOMPARE(loopNames(original.stage(2)), "i:512 j:512 k:512");
    QVERIFY(!original.attachPoint(2).has_value());
    QVERIFY(original.steps().empty());
    QVERIFY(&original.stage(3) == &copy.stage(3));
  }

  /// As in the public implementation: something for blocks or threads to be bound to.
  void fusingNothingMakesALoopOutsideOfAllOthers() {
    const State state =
        withBounds(State::replay(matmulRelu(), steps(R"([["SP", 2, 0, 512, [8], 1], ["FU", 2, []],
                                                         ["AN", 2, 0, 5]])")));
    const Stage& stage = state.stage(2);
    QCOMPARE(stage.iterators.size(), std::size_t{5});
    QCOMPARE(stage.iterators[0].annotation, Annotation::BlockX);
    QCOMPARE(stage.iterators[0].extent, TileSize(1));
    QCOMPARE(stage.iterators[1].extent, TileSize(64));
  }

  void illegalStepsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* text, const char* reason) {
      QTest::newRow(name) << QString(text) << QString(reason);
    };
    row("stage", R"([["SP", 4, 0, 0, [2], 1]])", "there is no stage 4");
    row("input", R"([["SP", 0, 0, 0, [2], 1]])", "A is an input");
    row("loop", R"([["SP", 2, 3, 0, [2], 1]])", "C has no loop 3");
    row("extent", R"([["SP", 2, 0, 256, [2], 1]])", "made for an extent of 256");
    row("annotated twice", R"([["AN", 2, 0, 3], ["AN", 2, 0, 2]])", "already annotated");
    row("annotated split", R"([["AN", 2, 0, 3], ["SP", 2, 0, 0, [2], 1]])", "already annotated");
    row("annotated fuse", R"([["AN", 2, 1, 3], ["FU", 2, [0, 1]]])", "already annotated");
    row("fuse gap", R"([["FU", 2, [0, 2]]])", "not consecutive");
    row("fuse over attachment", R"([["CA", 2, 3, 0], ["FU", 3, [0, 1]]])", "not the innermost");
    row("short order", R"([["RE", 2, [0, 1]]])", "names 2 of the 3 loops");
    row("double order", R"([["RE", 2, [0, 1, 1]]])", "no permutation");
    row("no split", R"([["AN", 2, 1, 3], ["FSP", 3, 0, 0, 1]])", "no earlier split step");
    row("later split", R"([["FSP", 3, 0, 0, 1]])", "no earlier split step");
    row("too many parts", R"([["SP", 2, 0, 512, [2], 1], ["FSP", 3, 0, 0, 3]])", "asks for 3");
    row("no parts", R"([["SP", 2, 0, 512, [2], 1], ["FSP", 3, 0, 0, 0]])", "asks for 0");
    row("pragma", R"([["PR", 2, 0, "prefetch"]])", "not known");
    row("pragma value", R"([["PR", 2, 0, "auto_unroll_max_step$x"]])", "number of steps");
    row("at producer", R"([["CA", 3, 2, 0]])", "does not read it");
    row("at itself", R"([["CA", 2, 2, 0]])", "does not read it");
    row("at no loop", R"([["CA", 2, 3, 2]])", "D has no loop 2");
    row("inline reduction", R"([["CI", 2]])", "is a reduction");
    row("inline output", R"([["CI", 3]])", "is an output");
    row("cache twice", R"([["CHW", 2, "local"], ["CHW", 3, "local"]])", "already a stage C.local");
    row("cache late", R"([["SP", 2, 0, 512, [2], 1], ["CHW", 2, "local"]])", "already changed");
    row("cache target", R"([["CA", 2, 3, 0], ["CHW", 3, "local"]])", "C is computed inside D");
    row("endless loop",
        R"([["SP", 2, 0, 512, [1099511627776, 1099511627776], 1], ["FU", 2, [1, 2]]])", "too long");
    row("cache of nothing", R"([["CHR", 4, "shared", [2]]])", "there is no stage 4");
    row("cache for nobody", R"([["CHR", 0, "shared", []]])", "no stage is to read");
    row("cache not read", R"([["CHR", 0, "shared", [2, 3]]])", "D does not read A");
    row("cache for an input", R"([["CHR", 0, "shared", [1]]])", "B is an input");
    row("factor space", R"([["RF", 2, 1, 0]])", "loop j of C does not reduce");
    row("factor no reduction", R"([["RF", 3, 0, 0]])", "loop i of D does not reduce");
    row("factor dimension", R"([["RF", 2, 2, 3]])", "dimension 3 cannot be added to the 2 of C");
    row("factor late", R"([["SP", 2, 0, 512, [2], 1], ["RF", 2, 3, 0]])", "more of C than");
    row("factor reordered", R"([["RE", 2, [1, 0, 2]], ["RF", 2, 2, 0]])", "more of C than");
    row("factor annotated", R"([["AN", 2, 0, 3], ["RF", 2, 2, 0]])", "more of C than");
    row("factor unrolled", R"([["PR", 2, 0, "auto_unroll_max_step$64"], ["RF", 2, 2, 0]])",
        "more of C than");
    row("factor mixed", R"([["FU", 2, [1, 2]], ["RF", 2, 1, 0]])", "does not reduce");
    row("fused split of nothing", R"([["FFSP", 2, 0, [0], 1, 1]])", "no earlier split step");
    row("fused split level", R"([["SP", 2, 0, 512, [2], 1], ["FFSP", 3, 0, [0], 1, 1]])",
        "asks for factor 1, but step 0 has 1");
    row("align output", R"([["SA", 3, 0, 4, 1]])", "D is an output");
    row("align reduction", R"([["SA", 2, 2, 4, 1]])", "no whole dimension");
    row("align part", R"([["SP", 2, 0, 512, [2], 1], ["SA", 2, 0, 4, 1]])", "no whole dimension");
    row("align to nothing", R"([["SA", 2, 0, 0, 1]])", "cannot be aligned to 0");
  }

  void illegalStepsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const Steps all = steps(text);
    const int last = static_cast<int>(all.size()) - 1;
    try {
      State::replay(matmulRelu(), all);
      QFAIL("accepted");
    } catch (const IllegalSchedule& error) {
      QCOMPARE(error.stepIndex(), last);
      const QString message = QString::fromUtf8(error.what());
      QVERIFY2(message.contains(reason), error.what());
      QVERIFY2(message.contains(QStringLiteral("step %1 ").arg(last)), error.what());
    }
    State prefix = State::replay(matmulRelu(), Steps(all.begin(), all.end() - 1));
    const std::string before = printLoopNest(prefix);
    QVERIFY_EXCEPTION_THROWN(prefix.apply(all.back()), IllegalSchedule);
    QCOMPARE(printLoopNest(prefix), before);
    QCOMPARE(static_cast<int>(prefix.steps().size()), last);
  }

  void inlinedStagesHaveNoLoops() {
    State state = State::replay(conv2dDag(8, 4, 4, 3, 1), steps(R"([["CI", 5]])"));
    QVERIFY_EXCEPTION_THROWN(state.apply(SplitStep{5, 0, {}, {2}, true}), IllegalSchedule);
    QVERIFY_EXCEPTION_THROWN(state.apply(ComputeAtStep{3, 5, 0}), IllegalSchedule);
    state.apply(ComputeAtStep{3, 6, 0});
    QVERIFY_EXCEPTION_THROWN(state.apply(ComputeInlineStep{6}), IllegalSchedule);
  }

  void misplacedStagesHaveNoBounds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no reader") << R"([["CA", 1, 5, 0]])"
                               << "conv2d_nhwc reads it outside that loop";
    QTest::newRow("reader outside") << R"([["CA", 1, 6, 0]])"
                                    << "conv2d_nhwc reads it outside that loop";
    QTest::newRow("reader further out") << R"([["CI", 5], ["CA", 3, 6, 0], ["CA", 1, 6, 1]])"
                                        << "conv2d_nhwc reads it outside";
    QTest::newRow("undecided") << R"([["SP", 3, 0, 1, [null], 1]])"
                               << "undecided";
  }

  void misplacedStagesHaveNoBounds() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const ComputeDag dag = conv2dDag(8, 4, 4, 3, 1);
    const State state = State::replay(dag, steps(text));
    try {
      inferBounds(state);
      QFAIL("accepted");
    } catch (const IllegalSchedule& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(reason), error.what());
    }
  }

  void programsHaveIdentity() {
    const ComputeDag dag = matmulRelu();
    const Steps one = steps(R"([["SP", 2, 0, 512, [2], 1]])");
    const Steps other = steps(R"([["SP", 2, 0, 512, [4], 1]])");
    QCOMPARE(programId(dag, one).size(), std::size_t(32));
    QCOMPARE(programId(dag, one), programId(matmulRelu(), one));
    QVERIFY(programId(dag, one) != programId(dag, other));
    QVERIFY(programId(dag, one) != programId(matmulDag(512, 512, 512), one));
  }

  void sketchesAreNotConcrete() {
    QVERIFY(State::replay(matmulRelu(), steps(R"([["SP", 2, 0, 512, [4], 1]])")).isConcrete());
    QVERIFY(
        !State::replay(matmulRelu(), steps(R"([["SP", 2, 0, 512, [4, null], 1]])")).isConcrete());
  }
};

NW_TEST_APPLESS(StateTest)

} // namespace nestwright::state_test

#include "state.moc"
