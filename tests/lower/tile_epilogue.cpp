/// What follows a reduction is done while its results are in registers, where that changes nothing;
/// that programs compute the same with it is what random programs are checked for.

#include "core/lower/lower.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::tile_epilogue_test {

const std::string kProduct = "A = PLACEHOLDER [24, 32]\n"
                             "B = PLACEHOLDER [32, 48]\n"
                             "b = PLACEHOLDER [48]\n"
                             "R = PLACEHOLDER [24, 48, 16]\n"
                             "C(i, j) += (A[i, k]*B[k, j])\n";
/// Rows of C four at a time, each when the reader wants it.
const Steps kByRows = {SplitStep{5, 0, 24, {4}, true}, ComputeAtStep{4, 5, 0}};

class TileEpilogueTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isDoneInRegisters_data() {
    QTest::addColumn<QString>("reader");
    QTest::addColumn<Steps>("steps");
    QTest::addColumn<bool>("done");
    const auto of = [](const char* value) { return QString("D(i, j) = %1\n").arg(value); };
    QTest::newRow("bias and activation") << of("max((C[i, j] + b[j]), 0f)") << kByRows << true;
    QTest::newRow("read twice at the same place") << of("(C[i, j]*C[i, j])") << kByRows << true;
    QTest::newRow("turned") << QString("D(j, i) = (C[i, j] + b[j])\n")
                            << Steps{SplitStep{5, 1, 24, {4}, true}, ReorderStep{5, {1, 0, 2}},
                                     ComputeAtStep{4, 5, 0}}
                            << true;
    QTest::newRow("its neighbour, too") << of("(C[i, j] + C[i, (47 - j)])") << kByRows << false;
    QTest::newRow("summed up") << QString("D(i) += C[i, j]\n") << kByRows << false;
    QTest::newRow("apart") << of("max(C[i, j], 0f)") << Steps{} << true;
    QTest::newRow("apart, in parallel")
        << of("max(C[i, j], 0f)") << Steps{AnnotationStep{5, 0, Annotation::Parallel}} << false;
    QTest::newRow("a part of them")
        << QString("D(i, j=20) = max(C[i, j], 0f)\n") << Steps{} << false;
    QTest::newRow("each several times")
        << QString("D(i, j, r=2) = (C[i, j] + b[j])\n") << kByRows << false;
    QTest::newRow("with much besides") << of("(C[i, j] + R[i, j, 3])") << kByRows << false;
    QTest::newRow("by two loops") << of("(C[i, j] + if_then_else((j < 20), b[j], 0f))") << kByRows
                                  << false;
    QTest::newRow("lanes part ways")
        << of("(C[i, j] + if_then_else(((j % 3) < 1), b[j], 0f))") << kByRows << false;
  }
  void isDoneInRegisters() {
    QFETCH(QString, reader);
    QFETCH(Steps, steps);
    QFETCH(bool, done);
    LowerOptions options;
    options.vectorBytes = 32, options.vectorRegisters = 16;
    const State state = State::replay(parseDag(kProduct + reader.toStdString()), steps);
    const LoopFunction function = lower(state, options);
    bool stored = false;
    visit(function.body,
          [&](const Stmt& s) { stored |= s->kind == StmtKind::Store && s->buffer->name == "C"; });
    if (stored == done) QFAIL(print(function).c_str());
  }
};

NW_TEST_APPLESS(TileEpilogueTest)

} // namespace nestwright::tile_epilogue_test

#include "tile_epilogue.moc"
