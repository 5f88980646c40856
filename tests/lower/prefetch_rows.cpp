/// \file Hints for rows that are gone through several times: while one is computed with, all lines
/// of the next are named, and those that it will be written to. Hints for windows: all that the
/// next one has and this one has not.

#include "tests/lower/loop_hints.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <map>
#include <set>

namespace nestwright::prefetch_rows_test {

/// The maximum, the exponentials, their sum and the quotients of a row, one after the other.
const Steps kRowByRow = {ComputeAtStep{3, 4, 0}, ComputeAtStep{2, 4, 0}, ComputeAtStep{1, 2, 0},
                         AnnotationStep{4, 0, Annotation::Parallel}};

/// A row at a time, of it six neighbouring positions, of these eight channels.
const char* const kDepthwise = "depthwise_conv2d:n=1,h=48,w=60,c=96,k=3,s=1,p=1";
const Steps kAlongRows = {ComputeInlineStep{1}, FuseStep{3, {0, 1}},
                          AnnotationStep{3, 0, Annotation::Parallel}};

using test::lowered;

class PrefetchRows : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// All lines of it, and no other.
  void aRowIsNamedBeforeItsTurn() {
    constexpr std::int64_t kRows = 64, kColumns = 1024, kLine = 16; // elements
    const LoopFunction function = lowered("softmax:m=64,n=1024", kRowByRow);
    std::map<std::int64_t, std::set<std::int64_t>> read, written; // lines, by the row that is read
    test::LoopHints(function, [&](const auto& loops, const StmtNode& hint, std::int64_t element) {
      auto& lines = hint.prefetchFor == PrefetchFor::Reading ? read : written;
      QCOMPARE(QString::fromStdString(hint.buffer->name),
               QString(hint.prefetchFor == PrefetchFor::Reading ? "A" : "T_softmax_norm"));
      lines[loops.at("i0")].insert(element / kLine);
    });
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::set<std::int64_t> own, next;
      for (std::int64_t line = 0; line < kColumns / kLine; ++line) {
        own.insert(row * kColumns / kLine + line);
        next.insert((row + 1) * kColumns / kLine + line);
      }
      if (read[row] != next || written[row] != own) QFAIL(print(function).c_str());
    }
  }

  /// Memory is idle while the exponentials are computed.
  void whereMostIsComputed() {
    const LoopFunction function = lowered("softmax:m=64,n=1024", kRowByRow);
    int loops = 0;
    visit(function.body, [&](const Stmt& s) {
      if (s->kind != StmtKind::Sequence || s->body[0]->kind != StmtKind::Prefetch) return;
      ++loops;
      QCOMPARE(QString::fromStdString(s->body.back()->buffer->name), QString("T_softmax_exp"));
    });
    QCOMPARE(loops, 1);
  }

  /// Of the input from the second window's last row on, each line once or, where shares are rounded
  /// up, in the next step, too; and of the output all but the first window's.
  void aWindowIsNamedBeforeItsTurn() {
    constexpr std::int64_t kElements = 48 * 60 * 96, kRow = 60 * 96, kLine = 16;
    LowerOptions options;
    options.vectorBytes = 32, options.vectorRegisters = 16;
    const LoopFunction function = lowered(kDepthwise, kAlongRows, options);
    std::map<std::string, std::map<std::int64_t, int>> lines;
    test::LoopHints(function, [&](const auto&, const StmtNode& hint, std::int64_t element) {
      if (element < kElements) ++lines[hint.buffer->name][element / kLine];
    });
    QVERIFY2(lines.size() == 2, print(function).c_str());
    for (std::int64_t line = 2 * kRow / kLine; line < kElements / kLine; ++line)
      for (const char* array : {"data", "DepthwiseConv2d"}) {
        const int times = lines[array][line];
        if (times != 1 && times != 2) QFAIL(print(function).c_str());
      }
  }

  /// What neighbouring results read in common stays in registers beside them.
  void windowsFitIntoRegisters() {
    for (const int registers : {16, 32}) {
      LowerOptions options;
      options.vectorBytes = 32, options.vectorRegisters = registers;
      int tiles = 0;
      visit(lowered(kDepthwise, kAlongRows, options).body, [&](const Stmt& s) {
        if (s->kind != StmtKind::Allocate || s->scope != MemoryScope::Register) return;
        ++tiles;
        const int results = int(s->buffer->bytes()) / options.vectorBytes;
        QVERIFY2(2 * results + 2 < registers, qPrintable(QString::number(results)));
        QVERIFY2(results > 1, qPrintable(QString::number(results)));
      });
      QVERIFY(tiles > 0);
    }
  }

  void othersAreNot_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<Steps>("steps");
    QTest::newRow("all rows in each phase") << "softmax:m=64,n=1024" << Steps{};
    QTest::newRow("an array that a cache holds") << "softmax:m=16,n=1024" << kRowByRow;
    QTest::newRow("rows of few lines") << "softmax:m=1024,n=64" << kRowByRow;
    QTest::newRow("windows over what a cache holds")
        << "depthwise_conv2d:n=1,h=28,w=60,c=96,k=3,s=1,p=1" << kAlongRows;
    QTest::newRow("a window at a time")
        << "depthwise_conv2d:n=1,h=48,w=60,c=96,k=1,s=1,p=0" << Steps{};
    QTest::newRow("rows that push all else out") << "softmax:m=16,n=32768" << kRowByRow;
  }

  void othersAreNot() {
    QFETCH(QString, task);
    QFETCH(Steps, steps);
    const LoopFunction function = lowered(task.toStdString(), steps);
    QVERIFY2(test::hintsIn(function) == 0, print(function).c_str());
  }

  /// A compiler would not vectorise such a loop.
  void notBesideScalars() {
    LowerOptions options;
    options.vectorBytes = 4;
    QCOMPARE(test::hintsIn(lowered("softmax:m=64,n=1024", kRowByRow, options)), 0);
  }

  void notWherePlain() {
    LowerOptions options;
    options.lowering = Lowering::Plain;
    QCOMPARE(test::hintsIn(lowered("softmax:m=64,n=1024", kRowByRow, options)), 0);
  }

  void isReadable() {
    const QString text = QString::fromStdString(print(lowered("softmax:m=64,n=1024", kRowByRow)));
    QVERIFY2(text.contains("prefetch A["), qPrintable(text));
    QVERIFY2(text.contains("] to write"), qPrintable(text));
  }
};

NW_TEST_APPLESS(PrefetchRows)

} // namespace nestwright::prefetch_rows_test

#include "prefetch_rows.moc"
