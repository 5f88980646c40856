/// Programs that people change by hand.

#include "core/schedule/hand_edit.h"

#include "core/support/error.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/schedule/random_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::hand_edit_test {

using namespace nestwright::test;

/// Tiled in two levels; the second stage follows nothing.
Steps tiled() {
  return {SplitStep{2, 0, 64, {{4}, {8}}, true}, SplitStep{2, 3, 64, {{16}}, true},
          ReorderStep{2, {0, 3, 1, 5, 2, 4}}, AnnotationStep{2, 0, Annotation::Parallel},
          PragmaStep{2, 0, "auto_unroll_max_step$64"}};
}

std::string text(const Steps& steps) {
  return recordText(toJson(steps));
}

const EditableStep& rowOf(const std::vector<EditableStep>& rows, int step) {
  for (const EditableStep& row : rows)
    if (row.step == step) return row;
  qFatal("step %d cannot be edited", step);
}

class TestHandEdit : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tellsWhatCanBeChanged() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    const std::vector<EditableStep> rows = editableSteps(dag, tiled());
    QCOMPARE(rows.size(), std::size_t(5));
    QCOMPARE(rowOf(rows, 0).value, std::string("4, 8"));
    QCOMPARE(rowOf(rows, 3).value, std::string("parallel"));
    QCOMPARE(rowOf(rows, 4).value, std::string("64"));
    QVERIFY(rowOf(rows, 0).words.find("split loop") == 0);
    // Each value put back gives the same program.
    for (const EditableStep& row : rows)
      QCOMPARE(text(withValue(dag, tiled(), row.step, row.value)), text(tiled()));
  }

  void changesValues() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    const Steps split = withValue(dag, tiled(), 0, " 2 ,32");
    QCOMPARE(std::get<SplitStep>(split[0]).factors, (std::vector<TileSize>{2, 32}));
    QCOMPARE(illegality(dag, split), std::string());
    const Steps none = withValue(dag, tiled(), 3, "none");
    QCOMPARE(State::replay(dag, none).stage(2).iterators[0].annotation, Annotation::None);
    const Steps unrolled = withValue(dag, tiled(), 4, "512");
    QCOMPARE(State::replay(dag, unrolled).stage(2).autoUnrollMaxStep, 512);
    // The loops the other way round.
    std::vector<std::string> names;
    const State before = State::replay(dag, Steps(split.begin(), split.begin() + 2));
    for (const Iterator& loop : before.stage(2).iterators)
      names.insert(names.begin(), loop.name);
    std::string order;
    for (const std::string& name : names)
      order += (order.empty() ? "" : ", ") + name;
    const Steps turned = withValue(dag, tiled(), 2, order);
    QCOMPARE(std::get<ReorderStep>(turned[2]).order, (std::vector<int>{5, 4, 3, 2, 1, 0}));
  }

  void refusesWhatIsNoValue_data() {
    QTest::addColumn<int>("step");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("too few sizes") << 0 << "8"
                                   << "2 sizes";
    QTest::newRow("too many sizes") << 0 << "2, 2, 2"
                                    << "2 sizes";
    QTest::newRow("zero") << 0 << "0, 8"
                          << "whole number";
    QTest::newRow("a word") << 0 << "4, big"
                            << "whole number";
    QTest::newRow("nothing") << 0 << ""
                             << "2 sizes";
    QTest::newRow("more than there is") << 0 << "16, 8"
                                        << "64 iterations";
    QTest::newRow("very much more") << 0 << "4611686018427387904, 8"
                                    << "64 iterations";
    QTest::newRow("no loop of that name") << 2 << "q"
                                          << "no loop";
    QTest::newRow("a loop left out") << 2 << "i.0"
                                     << "each is needed";
    QTest::newRow("a loop twice") << 2 << "i.0, i.0"
                                  << "twice";
    QTest::newRow("no annotation") << 3 << "fast"
                                   << "unroll, vectorize, parallel";
    QTest::newRow("no number of steps") << 4 << "-1"
                                        << "whole number";
  }
  void refusesWhatIsNoValue() {
    QFETCH(int, step);
    QFETCH(QString, value);
    QFETCH(QString, says);
    try {
      withValue(matmulDag(64, 64, 64), tiled(), step, value.toStdString());
      QFAIL("it was taken");
    } catch (const InputError& error) {
      QVERIFY2(QString::fromStdString(error.what()).contains(says), error.what());
    }
  }

  void annotatesLoops() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    const auto loopsOf = [&](const Steps& steps) {
      const State state = State::replay(dag, steps);
      return editableLoops(state, inferBounds(state));
    };
    const std::vector<EditableLoop> loops = loopsOf(tiled());
    QCOMPARE(loops.size(), std::size_t(6));
    QCOMPARE(loops.front().annotation, Annotation::Parallel);
    const Steps vectorised = withAnnotation(tiled(), 2, 5, Annotation::Vectorize);
    QCOMPARE(vectorised.size(), tiled().size() + 1);
    QCOMPARE(loopsOf(vectorised).back().annotation, Annotation::Vectorize);
    // Another word about the same loop takes the place of the first.
    const Steps unrolled = withAnnotation(vectorised, 2, 5, Annotation::Unroll);
    QCOMPARE(unrolled.size(), vectorised.size());
    QCOMPARE(loopsOf(unrolled).back().annotation, Annotation::Unroll);
    const Steps plain = withAnnotation(tiled(), 2, 0, Annotation::None);
    QCOMPARE(plain.size(), tiled().size());
    QCOMPARE(loopsOf(plain).front().annotation, Annotation::None);
    // Before a split of the stage an annotation is about another loop.
    Steps early = tiled();
    early.push_back(SplitStep{2, 5, 16, {{4}}, true});
    QCOMPARE(withAnnotation(early, 2, 0, Annotation::None).size(), early.size() + 1);
  }

  void tellsWhyAProgramIsNone() {
    const ComputeDag dag = matmulDag(64, 64, 64);
    QCOMPARE(illegality(dag, tiled()), std::string());
    Steps broken = tiled();
    broken.push_back(FuseStep{2, {0, 2}});
    QVERIFY(!illegality(dag, broken).empty());
    Steps open = tiled();
    std::get<SplitStep>(open[0]).factors[0].reset();
    QVERIFY(illegality(dag, open).find("tile sizes") != std::string::npos);
  }

  void everyValueOfRandomProgramsCanBePutBack() {
    Random random(11);
    int rows = 0;
    for (const ComputeDag& dag : smallDags())
      for (int i = 0; i < 30; ++i) {
        const Steps steps = randomState(dag, 20, random).steps();
        for (const EditableStep& row : editableSteps(dag, steps)) {
          const auto* annotation = std::get_if<AnnotationStep>(&steps[std::size_t(row.step)]);
          if (annotation && std::ranges::find(kHandAnnotations, annotation->annotation) ==
                                std::end(kHandAnnotations))
            continue; // of a GPU
          ++rows;
          // Where the wild program splits into more parts than there are iterations, that is said.
          try {
            QCOMPARE(text(withValue(dag, steps, row.step, row.value)), text(steps));
          } catch (const InputError& error) {
            QVERIFY2(std::string(error.what()).find("come to more") != std::string::npos,
                     error.what());
          }
        }
      }
    QVERIFY(rows > 200);
  }
};

NW_TEST_GUILESS(TestHandEdit)

} // namespace nestwright::hand_edit_test

#include "hand_edit.moc"
