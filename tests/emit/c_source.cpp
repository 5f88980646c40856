/// What C sources look like: a recorded text, and what must never be in one.

#include "core/emit/c_source.h"

#include "core/emit/line_breaks.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QFile>
#include <QTest>

namespace nestwright::c_source_test {

class CSourceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// NESTWRIGHT_WRITE_GOLDEN records it anew.
  void aProductReadsLikeOne() {
    const ComputeDag dag = parseTaskSpec("matmul:m=16,n=16,k=16,const_b=0").dag;
    State state(dag);
    const int product = state.stageCount() - 1;
    state.apply(SplitStep{product, 0, 16, {4}, true});
    state.apply(ReorderStep{product, {0, 3, 1, 2}});
    state.apply(AnnotationStep{product, 0, Annotation::Parallel});
    state.apply(AnnotationStep{product, 3, Annotation::Vectorize});
    state.apply(AnnotationStep{product, 2, Annotation::Unroll});
    LowerOptions options;
    options.lowering = Lowering::Plain;
    CSourceOptions names;
    names.name = "matmul";
    const std::string text = cSource(lower(state, options), names).text();
    QFile file(NESTWRIGHT_TEST_DATA "/emit/matmul.c");
    if (qEnvironmentVariableIsSet("NESTWRIGHT_WRITE_GOLDEN")) {
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray::fromStdString(text));
      return;
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QByteArray::fromStdString(text), file.readAll());
  }

  void programsOfAGpuAreRefused() {
    Launch launch;
    launch.kernel = "one";
    LoopFunction function;
    const Buffer out = makeBuffer("out", {1});
    function.parameters = {out};
    function.body = makeLaunch(launch, makeStore(out, {Expr(0)}, floatImm(1)));
    const std::string message = test::messageOf([&] { (void)cSource(function); });
    QVERIFY2(message.find("program of a GPU") != std::string::npos, message.c_str());
  }

  void typesThatCDoesNotHaveAreRefused() {
    LoopFunction function;
    const Buffer out = makeBuffer("out", {2}, {DataType::Code::Int, 4, 1});
    function.parameters = {out};
    function.body = makeStore(out, {Expr(0)}, intImm(1, out->type));
    const std::string message = test::messageOf([&] { (void)cSource(function); });
    QVERIFY2(message.find("C has no type int4") != std::string::npos, message.c_str());
  }

  void namesAreNoWordsOfTheLanguage() {
    LoopFunction function;
    const Buffer a = makeBuffer("restrict", {2}), b = makeBuffer("LANES", {2}),
                 c = makeBuffer("workspace", {2});
    function.parameters = {a, b, c};
    function.inputCount = 2;
    function.body = makeStore(c, {Expr(0)}, load(a, {Expr(1)}) + load(b, {Expr(1)}));
    const CSource source = cSource(function);
    QCOMPARE(source.parameters[0].name, std::string("v_restrict"));
    QCOMPARE(source.parameters[1].name, std::string("LANES_2"));
    QVERIFY(!source.takesWorkspace && !source.takesThreads);
  }

  void longLinesBreakWhereOperatorsBindLoosely() {
    QCOMPARE(brokenLines("  ", "a = b;"), std::string("  a = b;\n"));
    const std::string x(40, 'x'), y(30, 'y');
    QCOMPARE(brokenLines("  ", fmt::format("a = {0} && f({0}, b) + {1};", x, y)),
             fmt::format("  a =\n      {0} &&\n      f({0}, b) + {1};\n", x, y));
    QCOMPARE(brokenLines("", fmt::format("a[{1}] = c ? {0} + {0} : f({1});", x, y)),
             fmt::format("a[{1}] =\n    c\n        ? {0} + {0}\n        : f({1});\n", x, y));
    // There is no place to break in.
    const std::string z(120, 'z');
    QCOMPARE(brokenLines("", z + ";"), z + ";\n");
  }
};

NW_TEST_APPLESS(CSourceTest)

} // namespace nestwright::c_source_test

#include "c_source.moc"
