/// Parallel loops that are worth waking threads for: for what they compute, or for what they move.

#include "core/lower/lower.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::serial_regions_test {

const char* const kCopy = "A = PLACEHOLDER [%1, %2]\n"
                          "B(i=%2, j=%1) = A[j, i]\n";
const char* const kMatmul = "A = PLACEHOLDER [%1, %2]\n"
                            "B = PLACEHOLDER [%2, %1]\n"
                            "C(i, j) += (A[i, k]*B[k, j])\n";
const char* const kPooling = "A = PLACEHOLDER [%1, %2]\n"
                             "P(c=%2) {s=%1} += A[s, c]\n";

class SerialRegions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void smallOnesAreSerial_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("isParallel");
    // 600 KiB each way, and 784 KiB for 100,352 additions.
    QTest::newRow("the copy of an image") << QString(kCopy) << 3 << 224 * 224 << true;
    QTest::newRow("pooling over an image") << QString(kPooling) << 49 << 2048 << true;
    QTest::newRow("a copy in the cache") << QString(kCopy) << 64 << 64 << false;
    QTest::newRow("pooling in the cache") << QString(kPooling) << 49 << 256 << false;
    // Each element moves once, however often it is read.
    QTest::newRow("a small product") << QString(kMatmul) << 32 << 32 << false;
    QTest::newRow("a product") << QString(kMatmul) << 64 << 64 << true;
  }

  void smallOnesAreSerial() {
    QFETCH(QString, dag);
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(bool, isParallel);
    const ComputeDag task = parseDag(dag.arg(rows).arg(columns).toStdString());
    const int stage = int(task.ops().size()) - 1;
    const State state = State::replay(task, {AnnotationStep{stage, 0, Annotation::Parallel}});
    LowerOptions options; // with vectors of 64 bytes
    options.minParallelWork = 32768 * 16;
    bool found = false;
    visit(lower(state, options).body, [&](const Stmt& s) {
      found |= s->kind == StmtKind::For && s->forKind == ForKind::Parallel;
    });
    QCOMPARE(found, isParallel);
  }
};

NW_TEST_APPLESS(SerialRegions)

} // namespace nestwright::serial_regions_test

#include "serial_regions.moc"
