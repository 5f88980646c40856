/// \file How the products that one instruction adds are written, and how what they read is laid
/// out; and that what is counted of them is what the definition says.

#include "core/lower/dot_product.h"
#include "core/lower/executed_work.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::dot_products_test {

LoopFunction lowered(const std::string& text, const Steps& steps, DotProducts dots = {true, true}) {
  LowerOptions options;
  options.dotProducts = dots;
  const ComputeDag dag = isTaskSpec(text) ? parseTaskSpec(text).dag : parseDag(text);
  return lower(State::replay(dag, steps), options);
}

QString loopsOf(const LoopFunction& function) {
  return QString::fromStdString(print(function));
}

int dotsIn(const LoopFunction& function) {
  int count = 0;
  visit(function.body, [&](const Stmt& s) { count += dotProduct(*s).has_value(); });
  return count;
}

class DotProductsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// k j becomes k/4 j 4.
  void constantsHoldWhatIsAddedSideBySide() {
    const LoopFunction function = lowered("matmul:m=4,n=16,k=8,int8=1", {});
    QCOMPARE(loopsOf(function),
             QString("kernel(A: uint8[4, 8], B: int8[2, 16, 4] stored as 2k16j4k) -> (C: int32[4, "
                     "16])\n"
                     "  allocate C.tile: int32[4, 16] in registers\n"
                     "  unrolled i.u in [0, 4)\n"
                     "    C.tile[i.u, ramp(0, 1, 16)] = x16(0)\n"
                     "  for k in [0, 2)\n"
                     "    unrolled i.u in [0, 4)\n"
                     "      unrolled dot in [0, 4)\n"
                     "        C.tile[i.u, ramp(0, 1, 16)] = C.tile[i.u, ramp(0, 1, 16)] + "
                     "x16(int32(A[i.u, k*4 + dot]))*int32x16(B[ramp(k*64 + dot, 4, 16)])\n"
                     "  unrolled i.u in [0, 4)\n"
                     "    C[i.u, ramp(0, 1, 16)] = C.tile[i.u, ramp(0, 1, 16)]\n"));
  }

  /// Copies inside of the program, too: the store goes to every second element.
  void panelsHoldWhatIsAddedSideBySide() {
    const LoopFunction function =
        lowered("A = PLACEHOLDER [16, 8] bfloat16\nB = PLACEHOLDER [8, 32] bfloat16\n"
                "C(i, j) += (float32(A[i, k])*float32(B[k, j]))\n",
                {CacheReadStep{1, "local", {2}}, SplitStep{2, 0, std::nullopt, {2}, true},
                 ReorderStep{2, {0, 2, 1}}, AnnotationStep{2, 2, Annotation::Unroll},
                 AnnotationStep{2, 1, Annotation::Vectorize}, SplitStep{3, 1, 32, {16}, true},
                 ReorderStep{3, {1, 0, 2, 3}}, ComputeAtStep{2, 3, 0}});
    const QString text = loopsOf(function);
    QVERIFY2(text.contains("allocate B.local: bfloat16[4, 16, 2]"), qPrintable(text));
    QVERIFY2(text.contains("B.local[ramp(ax0.0*32 + ax0.1, 2, 16)] = B[ax0.0*2 + ax0.1, "),
             qPrintable(text));
    QVERIFY2(text.contains("float32x16(B.local[ramp(k*32 + dot, 2, 16)])"), qPrintable(text));
  }

  void areWrittenWhereThereIsAnInstruction_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("int8");
    QTest::addColumn<bool>("widened");
    QTest::addColumn<bool>("written");
    const auto row = [](const char* text, bool bf16, bool int8, bool written,
                        bool widened = false) {
      QTest::addRow("%s %d %d %d", text, bf16, int8, widened)
          << QString(text) << bf16 << int8 << widened << written;
    };
    row("matmul:m=4,n=16,k=8,bf16=1", true, false, true);
    row("matmul:m=4,n=16,k=8,bf16=1", false, true, false);
    row("matmul:m=4,n=16,k=8,int8=1", false, true, true);
    row("matmul:m=4,n=16,k=8,int8=1", true, false, false);
    row("matmul:m=4,n=16,k=6,int8=1", true, true, false); // no number of fours
    row("matmul:m=4,n=16,k=6,bf16=1", true, true, true);
    row("matmul:m=4,n=16,k=8,fp16=1", true, true, false);
    row("matmul:m=4,n=16,k=8", true, true, false);
    row("conv2d:n=1,h=5,w=5,ci=4,co=16,k=3,s=1,p=1,int8=1", true, true, true);
    row("depthwise_conv2d:n=1,h=5,w=5,c=16,k=3,s=1,p=1,int8=1", true, true, false);
    row("matmul:m=4,n=16,k=8,int8=1", false, false, true, true);
    row("matmul:m=4,n=16,k=6,int8=1", false, false, false, true);
    row("matmul:m=4,n=16,k=8,bf16=1", false, false, true, true);
  }

  void areWrittenWhereThereIsAnInstruction() {
    QFETCH(QString, text);
    QFETCH(bool, bf16);
    QFETCH(bool, int8);
    QFETCH(bool, widened);
    QFETCH(bool, written);
    const LoopFunction function = lowered(text.toStdString(), {}, {bf16, int8, widened});
    QCOMPARE(dotsIn(function) > 0, written);
  }

  /// Halves of what is widened take registers, so that the tile is smaller.
  void widenedBytesLeaveRoom() {
    const auto rows = [](DotProducts dots) {
      LowerOptions options;
      options.vectorBytes = 32, options.vectorRegisters = 16, options.dotProducts = dots;
      const ComputeDag dag = parseTaskSpec("matmul:m=64,n=64,k=64,int8=1").dag;
      std::int64_t accumulators = 0;
      visit(lower(State(dag), options).body, [&](const Stmt& s) {
        if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Register)
          accumulators = std::max(accumulators, s->buffer->elements() / 8);
      });
      return accumulators;
    };
    QCOMPARE(rows({.int8 = true}), 12);
    QCOMPARE(rows({.widened = true}), 8);
  }

  void areCountedAsTheDefinitionSays() {
    for (const char* const type : {"bf16=1", "int8=1"}) {
      const std::string text = std::string("matmul:m=4,n=32,k=8,") + type;
      const auto work = executedWork(lowered(text, {}));
      QVERIFY(work);
      QCOMPARE(work->operations, 2.0 * 4 * 32 * 8);
      QCOMPARE(work->multiplications, 1.0 * 4 * 32 * 8);
    }
  }
};

NW_TEST_APPLESS(DotProductsTest)

} // namespace nestwright::dot_products_test

#include "dot_products.moc"
