/// \file Sketch rules from plugins: how they are named, and what the example does.

#include "core/lower/lower.h"
#include "core/plugin/plugin.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_tensors.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

namespace nestwright::example_rule_test {

SpaceOptions options() {
  SpaceOptions result;
  result.target.cores = 2;
  result.target.vectorBytes = 32;
  return result;
}

QStringList nests(const ComputeDag& dag, const char* rules) {
  QStringList texts;
  for (const Sketch& sketch : generateSketches(dag, options(), sketchRules(rules)))
    texts << QString::fromStdString(printLoopNest(sketch.state));
  return texts;
}

class TestExampleRule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void paperStandsForTheBuiltInRules() {
    const SketchRules rules = sketchRules("paper"), builtIn = cpuRules();
    QCOMPARE(rules.size(), builtIn.size());
    for (std::size_t i = 0; i < rules.size(); ++i)
      QCOMPARE(rules[i]->name(), builtIn[i]->name());
  }

  void rulesStandInTheOrderOfTheList() {
    QCOMPARE(sketchRules("example_rule,paper").front()->name(), std::string("Vector Strips"));
    QCOMPARE(sketchRules("paper,example_rule").back()->name(), std::string("Vector Strips"));
    QCOMPARE(sketchRules("example_rule").size(), std::size_t(1));
  }

  void badListsAreRefused() {
    for (const char* list : {"", ",paper", "paper,,example_rule", "paper,paper"})
      QVERIFY_EXCEPTION_THROWN(sketchRules(list), UsageError);
    QVERIFY_EXCEPTION_THROWN(sketchRules("no_such_rule,paper"), SystemError);
    try {
      sketchRules("llvm,paper");
      QFAIL("accepted");
    } catch (const SystemError& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains("it brings no sketch rules"), error.what());
    }
  }

  /// Names of rules and models stand in documents, too: none may lead to a library elsewhere.
  void aNameIsNoPath() {
    const QDir installed(QStringLiteral(NESTWRIGHT_BINARIES "/../plugins"));
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("plugins/nestwright_x")));
    QVERIFY(QFile::copy(installed.filePath(QStringLiteral("nestwright_example_rule.so")),
                        folder.filePath(QStringLiteral("planted.so"))));
    const QByteArray before = qgetenv("NESTWRIGHT_PLUGIN_PATH");
    qputenv("NESTWRIGHT_PLUGIN_PATH", folder.filePath(QStringLiteral("plugins")).toUtf8());
    for (const char* name : {"x/../../planted", "/planted", "..", "a b", "x\n"}) {
      QVERIFY_EXCEPTION_THROWN(sketchRules(name), InputError);
      QVERIFY_EXCEPTION_THROWN(costModel(name), InputError);
      QVERIFY_EXCEPTION_THROWN(backend(name), InputError);
    }
    qputenv("NESTWRIGHT_PLUGIN_PATH", before);
  }

  void elementWiseStagesBecomeStrips() {
    const QStringList sketches = nests(test::softmax(4, 64), "example_rule,paper");
    QCOMPARE(sketches.size(), nests(test::softmax(4, 64), "paper").size());
    for (const QString& nest : sketches)
      for (const char* stage : {"exp", "norm"})
        QVERIFY2(nest.contains(QString("for i0 (0,4)\n"
                                       "  for i1.0 (0,8)\n"
                                       "    vectorize i1.1 (0,8)\n"
                                       "      T_softmax_%1 = ...\n")
                                   .arg(stage)),
                 qPrintable(nest));
    // Behind the paper's rules it finds nothing left to skip, and adds to what they made.
    QVERIFY(nests(test::softmax(4, 64), "paper,example_rule").size() > sketches.size());
  }

  void otherStagesStayAsTheyWere() {
    QCOMPARE(nests(test::matmul(64, 64, 64), "example_rule,paper"),
             nests(test::matmul(64, 64, 64), "paper"));
    // The padding becomes strips; the end of the convolution is left to fusion.
    const ComputeDag conv = test::conv2dNhwc(8, 16, 16, 3, 1);
    const QStringList strips = nests(conv, "example_rule,paper"), paper = nests(conv, "paper");
    QCOMPARE(strips.size(), paper.size());
    for (int i = 0; i < strips.size(); ++i) {
      QVERIFY(strips[i].contains("vectorize i3.1 (0,8)\n        pad_temp = ...\n"));
      QCOMPARE(strips[i].section("pad_temp = ...\n", 1), paper[i].section("pad_temp = ...\n", 1));
    }
    // Rows of 12 do not divide into vectors of 8.
    QCOMPARE(nests(test::softmax(4, 12), "example_rule,paper"),
             nests(test::softmax(4, 12), "paper"));
  }

  void firingsNameTheRule() {
    const auto sketches =
        generateSketches(test::softmax(4, 64), options(), sketchRules("example_rule,paper"));
    const RuleFiring& firing = sketches[0].firings[0];
    QCOMPARE(firing.rule, std::string("Vector Strips"));
    QCOMPARE(firing.stage, std::string("T_softmax_norm"));
    QCOMPARE(firing.reason, std::string("it is element-wise, and its rows of 64 elements divide "
                                        "into vectors of 8"));
  }

  void programsComputeWhatTheDagSays_data() {
    QTest::addColumn<int>("workload");
    QTest::newRow("softmax") << 0;
    QTest::newRow("convolution") << 1;
  }
  void programsComputeWhatTheDagSays() {
    QFETCH(int, workload);
    const ComputeDag dag = workload == 0 ? test::softmax(3, 32) : test::conv2dNhwc(5, 16, 16, 3, 1);
    const auto sketches = generateSketches(dag, options(), sketchRules("example_rule,paper"));
    constexpr std::uint64_t kSeed = 20261121;
    Random inputRandom(kSeed);
    const auto inputs = randomInputs(dag, inputRandom);
    const auto expected = evaluate(dag, inputs);
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      Random random = Random::stream(kSeed, "example rule", draw);
      const SampledProgram sample = sampleProgram(sketches, options(), random);
      QVERIFY2(sample.state, sample.failure.c_str());
      const std::string nest = printLoopNest(*sample.state);
      for (const auto& [name, values] : interpret(lower(*sample.state), inputs))
        for (std::size_t i = 0; i < values.size(); ++i)
          QVERIFY2(std::abs(values[i] - expected.at(name)[i]) <= 1e-5, nest.c_str());
    }
  }
};

NW_TEST_APPLESS(TestExampleRule)

} // namespace nestwright::example_rule_test

#include "example_rule.moc"
