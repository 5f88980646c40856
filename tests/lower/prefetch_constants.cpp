/// \file Hints for constants: while a part is read again and again, each line of the next one is
/// named.

#include "tests/lower/loop_hints.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <map>
#include <set>

namespace nestwright::prefetch_constants_test {

/// [j / 16 in parallel, i, k, 16 of j]: each 16 columns of B, 8 KiB where k is 128, are read for
/// all rows of A.
const Steps kColumnsOutside = {SplitStep{2, 1, 64, {16}}, ReorderStep{2, {1, 0, 3, 2}},
                               AnnotationStep{2, 0, Annotation::Parallel}};

using test::lowered;

class PrefetchConstants : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNextPartIsNamed_data() {
    QTest::addColumn<bool>("fused");
    QTest::newRow("loops") << false;
    QTest::newRow("one fused loop") << true;
  }

  /// All lines of the next part, and none of another but where shares are rounded up.
  void theNextPartIsNamed() {
    QFETCH(bool, fused);
    constexpr std::int64_t kPart = 128 * 16, kLine = 16, kParts = 4; // elements
    Steps steps = kColumnsOutside;
    if (fused) { // [j / 16, i / 32] as one, [32 of i, k, 16 of j]
      steps = {SplitStep{2, 1, 64, {16}}, SplitStep{2, 0, 64, {32}},
               ReorderStep{2, {2, 0, 1, 4, 3}}, FuseStep{2, {0, 1}},
               AnnotationStep{2, 0, Annotation::Parallel}};
    }
    const LoopFunction function = lowered("matmul:m=64,n=64,k=128", steps);
    QVERIFY2(test::hintsIn(function) == 1, print(function).c_str());
    std::map<std::int64_t, std::set<std::int64_t>> named; // by the part that is being read
    test::LoopHints(function, [&](const auto& loops, const StmtNode&, std::int64_t element) {
      for (const auto& [name, value] : loops)
        if (name.find("j.0") != std::string::npos) named[fused ? value / 2 : value].insert(element);
    });
    QCOMPARE(named.size(), std::size_t(kParts));
    for (const auto& [part, elements] : named) {
      QVERIFY2(part >= 0 && part < kParts, print(function).c_str());
      const std::int64_t begin = (part + 1) * kPart;
      std::set<std::int64_t> lines;
      for (const std::int64_t element : elements) {
        QVERIFY(element >= begin && element < begin + kPart + kPart / 2);
        lines.insert(element / kLine);
      }
      for (std::int64_t line = begin / kLine; line < (begin + kPart) / kLine; ++line)
        QVERIFY2(lines.contains(line), print(function).c_str());
    }
  }

  void othersAreNot_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<Steps>("steps");
    QTest::newRow("read once") << "matmul:m=4,n=64,k=128" << kColumnsOutside;
    QTest::newRow("a page at most") << "matmul:m=64,n=64,k=32" << kColumnsOutside;
    QTest::newRow("one part alone") << "matmul:m=64,n=16,k=128" << Steps{};
  }

  void othersAreNot() {
    QFETCH(QString, task);
    QFETCH(Steps, steps);
    const LoopFunction function = lowered(task.toStdString(), steps);
    QVERIFY2(test::hintsIn(function) == 0, print(function).c_str());
  }

  void onlyWhereConstantsArePacked() {
    const char* const task = "matmul:m=64,n=64,k=128";
    QCOMPARE(test::hintsIn(lowered(task, kColumnsOutside)), 1);
    LowerOptions options;
    options.packConstants = false;
    QCOMPARE(test::hintsIn(lowered(task, kColumnsOutside, options)), 0);
    options.packConstants = true;
    options.lowering = Lowering::PlainPacked;
    QCOMPARE(test::hintsIn(lowered(task, kColumnsOutside, options)), 0);
  }

  void isReadable() {
    const QString text =
        QString::fromStdString(print(lowered("matmul:m=64,n=64,k=128", kColumnsOutside)));
    QVERIFY2(text.contains("prefetch B["), qPrintable(text));
  }
};

NW_TEST_APPLESS(PrefetchConstants)

} // namespace nestwright::prefetch_constants_test

#include "prefetch_constants.moc"
