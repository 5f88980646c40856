/// What each annotation chooses, one by one, on loops made by hand: limits at their borders, and
/// shares over thousands of draws.

#include "core/schedule/bounds.h"
#include "core/space/annotate.h"
#include "core/space/annotation.h"
#include "core/tensor/text.h"
#include "tests/support/binomial.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>

#include <QtTest>

#include <map>

namespace nestwright::annotation_choices_test {

using test::doubt;

constexpr std::uint64_t kSeed = 20261122;
constexpr int kDraws = 4000;

/// A stage 1, "B", that copies a tensor of this shape element for element, in loops i, j, ...
State copyOf(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shape.size(); ++i)
    names.emplace_back(1, static_cast<char>('i' + i));
  const Op a = placeholder("A", shape);
  const Op b = compute(
      "B", shape, [&](const std::vector<Expr>& i) { return read(a, i); }, names);
  return withBounds(State(ComputeDag({a, b})));
}

/// The loop of stage B with this annotation, empty when there is none.
QString annotated(const State& state, Annotation annotation) {
  for (const Iterator& iterator : state.stage(1).iterators)
    if (iterator.annotation == annotation) return QString::fromStdString(iterator.name);
  return {};
}

/// How often each text was told over draws of one generator.
template <class Draw>
std::map<QString, int> counted(const Draw& draw) {
  std::map<QString, int> counts;
  Random random(kSeed);
  for (int i = 0; i < kDraws; ++i)
    ++counts[draw(random)];
  return counts;
}

QString vectorOf(const std::vector<std::int64_t>& shape, Random& random) {
  State state = copyOf(shape);
  annotateVectorize(state, {}, random);
  return annotated(state, Annotation::Vectorize);
}

QString parallelOf(const std::vector<std::int64_t>& shape) {
  SpaceOptions options;
  options.target.cores = 2; // 32 iterations are enough
  State state = copyOf(shape);
  annotateParallel(state, options);
  return annotated(state, Annotation::Parallel);
}

class TestAnnotationChoices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Three loops fit into a vector of 16 elements: one of them or two, never all three.
  void vectorsTakeSomeOfTheLoopsButNeverAll() {
    const State start = copyOf({64, 2, 4, 2});
    const auto counts = counted([&](Random& random) {
      State state = start;
      annotateVectorize(state, {}, random);
      return annotated(state, Annotation::Vectorize);
    });
    QCOMPARE(counts.size(), 2u);
    QCOMPARE(doubt(counts.at("l"), kDraws, 0.5), QString());
    QCOMPARE(doubt(counts.at("k@l@"), kDraws, 0.5), QString());
  }

  void vectorsHaveSixteenElementsAtMost() {
    Random random(kSeed);
    QCOMPARE(vectorOf({64, 16}, random), QString("j")); // one loop alone is always taken
    QCOMPARE(vectorOf({64, 17}, random), QString());
    for (int i = 0; i < 100; ++i) // with j they would be 32
      QCOMPARE(vectorOf({64, 2, 4, 4}, random), QString("l"));
  }

  /// Only loops that reduce are worth unrolling; every limit is drawn as often.
  void unrollLimitsAreDrawnForWhatReduces() {
    const State start = withBounds(State(test::softmax(8, 32)));
    std::map<std::string, std::map<std::string, int>> limits; // by stage
    Random random(kSeed);
    for (int i = 0; i < kDraws; ++i) {
      State state = start;
      annotateUnroll(state, SpaceOptions(), random);
      for (const Step& step : state.steps()) {
        const auto& pragma = std::get<PragmaStep>(step);
        QCOMPARE(pragma.iterator, 0);
        ++limits[state.stage(pragma.stage).name()][pragma.pragma];
      }
    }
    QCOMPARE(limits.size(), 2u);
    for (const char* stage : {"T_softmax_maxelem", "T_softmax_expsum"})
      for (const int limit : {0, 16, 64, 512})
        QCOMPARE(
            doubt(limits.at(stage)[fmt::format("auto_unroll_max_step${}", limit)], kDraws, 0.25),
            QString());
  }

  /// Loops are joined until there are more than enough iterations; just enough is not more.
  void parallelLoopsAreJoinedUntilThereAreMoreThanEnough() {
    QCOMPARE(parallelOf({4, 4, 4, 4}), QString("i@j@k@")); // 64 of 32
    QCOMPARE(parallelOf({32, 4, 4}), QString("i@j@"));     // 32 alone is not more
    QCOMPARE(parallelOf({33, 4, 4}), QString("i"));
    QCOMPARE(parallelOf({4, 4}), QString("i@j@")); // all that there is
  }

  void parallelLoopsEndAtOneThatCarriesAStage() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [2, 2, 2]\n"
                                    "B(i, j, k) = exp(A[i, j, k])\n"
                                    "C(i, j, k) = (B[i, j, k]*2f)\n");
    State state = State(dag);
    state.apply(ComputeAtStep{1, 2, 1});
    state = withBounds(state);
    annotateParallel(state, SpaceOptions());
    QCOMPARE(QString::fromStdString(state.stage(2).iterators[0].name),
             QString("i@j@")); // and that one with it
    QCOMPARE(state.stage(2).iterators[0].annotation, Annotation::Parallel);
  }

  /// At root (twice: as it is, and put there) or inside one of three loops.
  void locationsAreDrawnAlike() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4, 4, 4]\n"
                                    "B(i, j, k) = exp(A[i, j, k])\n"
                                    "C(i, j, k) = (B[i, j, k]*2f)\n");
    const State start(dag);
    const AccessAnalysis analysis(dag);
    const auto counts = counted([&](Random& random) {
      State state = start;
      chooseComputeLocations(state, analysis, random);
      const auto point = state.attachPoint(1);
      return point ? QString::number(point->iterator) : QString("root");
    });
    QCOMPARE(counts.size(), 4u);
    QCOMPARE(doubt(counts.at("root"), kDraws, 0.4), QString());
    for (const char* loop : {"0", "1", "2"})
      QCOMPARE(doubt(counts.at(loop), kDraws, 0.2), QString());
  }

  /// An attached stage without reduction may be inlined, too.
  void attachedStagesAreMovedOrInlined() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4, 4]\n"
                                    "B(i, j) = exp(A[i, j])\n"
                                    "C(i, j) = (B[i, j]*2f)\n");
    State start(dag);
    start.apply(ComputeAtStep{1, 2, 1});
    const AccessAnalysis analysis(dag);
    const auto counts = counted([&](Random& random) {
      State state = start;
      chooseComputeLocations(state, analysis, random);
      const auto point = state.attachPoint(1);
      return point ? QString::number(point->iterator)
                   : QString(state.stage(1).location == ComputeLocation::Inlined ? "inlined"
                                                                                 : "root");
    });
    QCOMPARE(counts.size(), 4u);
    for (const auto& [location, count] : counts)
      QCOMPARE(doubt(count, kDraws, 0.25), QString());
  }

  void sketchesAreDrawnAlike() {
    const auto sketches = generateSketches(test::matmul(16, 16, 16), {});
    QCOMPARE(sketches.size(), 3u);
    const auto counts = counted([&](Random& random) {
      return QString::number(sampleProgram(sketches, {}, random).sketch);
    });
    for (const auto& [sketch, count] : counts)
      QCOMPARE(doubt(count, kDraws, 1 / 3.0), QString());
  }
};

NW_TEST_APPLESS(TestAnnotationChoices)

} // namespace nestwright::annotation_choices_test

#include "annotation_choices.moc"
