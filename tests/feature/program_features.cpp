#include "core/feature/program_features.h"

#include "core/feature/task_flags.h"
#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "tests/lower/random_program.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <set>

namespace nestwright::program_features_test {

constexpr std::uint64_t kSeed = 20261130;

class TestProgramFeatures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesAreDifferentAndExplained() {
    for (const bool gpu : {false, true}) {
      const FeatureChoice both{true, true, gpu};
      const std::vector<std::string> names = featureNames(both);
      QCOMPARE(names.size(), both.columns());
      QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), names.size());
      QCOMPARE(featureMeanings(both).size(), names.size());
      for (const std::string& meaning : featureMeanings(both))
        QVERIFY(!meaning.empty());
    }
  }

  void choicesAreReadFromText() {
    const TargetFacts cpu, gpu = cudaTarget(gpuPreset({9, 0}));
    QCOMPARE(featureChoice("paper", cpu).columns(), kFeatureCount);
    QCOMPARE(featureChoice("lowered", cpu).columns(), kLoweredFeatureCount);
    QCOMPARE(featureChoice("paper,lowered", cpu).columns(), kFeatureCount + kLoweredFeatureCount);
    QVERIFY_THROWS_EXCEPTION(UsageError, featureChoice("lowered,paper", cpu));
    QCOMPARE(featureChoice("paper", gpu).columns(), kFeatureCount);
    QCOMPARE(featureChoice("lowered", gpu).columns(), kGpuFeatureCount);
    QVERIFY(featureChoice("paper,lowered", gpu) == (FeatureChoice{true, true, true, false}));
    QCOMPARE(featureChoice("paper,flags", cpu).columns(), kFeatureCount + kTaskFlagColumns);
    QVERIFY_THROWS_EXCEPTION(UsageError, featureChoice("flags", cpu));
    for (const char* text : {"paper,flags", "lowered,flags", "paper,lowered,flags", "steps"}) {
      const FeatureChoice choice = featureChoice(text, gpu);
      QCOMPARE(featureNames(choice).size(), choice.columns());
      QCOMPARE(featureMeanings(choice).size(), choice.columns());
    }
  }

  /// A vocabulary and a shape of one's own come back from the text; another one is another choice.
  void stepsAreReadFromText() {
    const TargetFacts cpu, gpu = cudaTarget(gpuPreset({9, 0}));
    QCOMPARE(featureChoice("steps", cpu).columns(), std::size_t{22});
    QCOMPARE(featureChoice("steps,fit", gpu).columns(), std::size_t{20});
    PrimitiveVocabulary own = publishedVocabulary(false);
    learn(own, {StorageAlignStep{0, 0, 32, 0}});
    const FeatureChoice choice = featureChoice(stepFeaturesText({own, {7, 30}}), cpu);
    QCOMPARE(choice.columns(), std::size_t{30});
    QVERIFY(choice.steps->vocabulary() == own);
    QVERIFY(choice == featureChoice(stepFeaturesText({own, {7, 30}}), cpu));
    QVERIFY(!(choice == featureChoice(stepFeaturesText({own, {8, 30}}), cpu)));
    QVERIFY(!(choice == featureChoice("steps", cpu)) && !(choice == featureChoice("paper", cpu)));
    QVERIFY_THROWS_EXCEPTION(UsageError, featureChoice("steps {\"steps\": 7}", cpu));
    QVERIFY_THROWS_EXCEPTION(UsageError, featureChoice("steps,wide", cpu));
    QVERIFY_THROWS_EXCEPTION(InputError,
                             featureChoice(stepFeaturesText({own, {7, 30}})
                                               .replace(6, std::string::npos,
                                                        R"({"vocabulary":)" + toJson(own).dump() +
                                                            R"(,"steps":7,"columns":3})"),
                                           cpu));
  }

  /// The flags of the task stand behind each statement, and the steps of the program in their
  /// order, also where many programs are asked for at once.
  void rowsHaveFlagsOrAreSteps() {
    const TargetFacts cpu;
    const ComputeDag dag = parseTaskSpec("matmul:n=16,m=16,k=16").dag;
    const Steps steps = {SplitStep{2, 0, 16, {TileSize(4)}, true},
                         AnnotationStep{2, 0, Annotation::Parallel}};
    const State program = withBounds(State::replay(dag, steps));
    ProgramFeatureOptions options;
    options.choice = featureChoice("paper,flags", cpu);
    const std::vector<float> rows = programFeatures(program, options).values;
    const auto flags = taskFlags(dag);
    QCOMPARE(rows.size(), options.choice.columns());
    QVERIFY(std::ranges::equal(std::span(rows).last(kTaskFlagColumns), flags));
    options.choice = featureChoice("steps", cpu);
    const ProgramFeatures read = programFeatures(program, options);
    QCOMPARE(read.statements.size(), std::size_t{2});
    QCOMPARE(read.statements[0], inWords(steps[0]));
    PrimitiveCounts counts;
    QCOMPARE(read.values, stepRows(steps, *options.choice.steps, counts));
    QCOMPARE(read.counts.steps, counts.steps);
    const State programs[] = {program, program};
    const std::vector<ProgramFeatures> many = programFeatures(programs, options, 2);
    QCOMPARE(many[1].values, read.values);
    QCOMPARE(many[1].counts.steps, counts.steps);
  }

  /// Many at once have the rows that each has alone, whatever the number of threads; a sketch and
  /// what else cannot be executed has none.
  void ofManyPrograms() {
    const ComputeDag dag = parseTaskSpec("conv2d:n=1,h=9,w=7,ci=3,co=18,k=3,s=2,p=1").dag;
    std::vector<State> programs;
    for (std::uint64_t n = 0; n < 40; ++n) {
      Random random = Random::stream(kSeed, "many programs", n);
      programs.push_back(randomProgram(dag, random));
    }
    constexpr std::size_t kSketch = 20;
    State sketch(dag);
    sketch.apply(SplitStep{3, 0, 1, {std::nullopt}});
    programs.insert(programs.begin() + kSketch, sketch);
    ProgramFeatureOptions options;
    options.choice = featureChoice("paper,lowered", TargetFacts());
    const std::vector<ProgramFeatures> one = programFeatures(programs, options, 1);
    const std::vector<ProgramFeatures> four = programFeatures(programs, options, 4);
    QCOMPARE(one.size(), programs.size());
    QVERIFY(one[kSketch].values.empty());
    const auto alone = [&](const State& program) {
      try {
        return programFeatures(program, options).values;
      } catch (const IllegalSchedule&) {
        return std::vector<float>();
      }
    };
    std::size_t withRows = 0;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      QVERIFY(one[i].values == four[i].values);
      QVERIFY(one[i].values == alone(programs[i]));
      withRows += !one[i].values.empty();
    }
    QVERIFY2(withRows >= 10, "hardly any random program can be executed");
  }
};

NW_TEST_GUILESS(TestProgramFeatures)

} // namespace nestwright::program_features_test

#include "program_features.moc"
