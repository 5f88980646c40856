/// Which loops are replicated: limits at their borders.

#include "core/lower/unroll_loops.h"

#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::unroll_loops_test {

/// One store inside loops of these extents, outermost first, all under the same pragma.
Stmt nest(const std::vector<std::int64_t>& extents, std::int64_t limit,
          ForKind kind = ForKind::Serial) {
  Stmt body = makeStore(makeBuffer("A", {1}), {Expr(0)}, floatImm(0));
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    auto loop = std::make_shared<StmtNode>(*makeFor(makeVar("i"), Expr(0), *extent, kind, body));
    loop->unrollMaxStep = limit;
    body = loop;
  }
  return body;
}

/// Each loop's kind, outermost first: "su" is an unrolled loop in a serial one.
QString kindsAfter(const Stmt& stmt) {
  QString kinds;
  visit(unrollLoops(stmt), [&](const Stmt& s) {
    if (s->kind == StmtKind::For)
      kinds += s->forKind == ForKind::Unrolled ? QChar('u') : QChar('s');
  });
  return kinds;
}

class TestUnrollLoops : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thePragmaCountsTheStatementsThatComeOfIt() {
    QCOMPARE(kindsAfter(nest({16}, 16)), QString("u")); // the limit itself is within it
    QCOMPARE(kindsAfter(nest({17}, 16)), QString("s"));
    QCOMPARE(kindsAfter(nest({4, 4}, 16)), QString("uu"));
    QCOMPARE(kindsAfter(nest({4, 4}, 15)), QString("su"));
    QCOMPARE(kindsAfter(nest({4, 17}, 16)), QString("ss")); // nothing around what stays a loop
    QCOMPARE(kindsAfter(nest({1}, 0)), QString("s"));
  }

  void nineLoopsAreReplicatedInOneAnother() {
    QCOMPARE(kindsAfter(nest(std::vector<std::int64_t>(11, 1), 512)), QString("ssuuuuuuuuu"));
  }

  /// What was annotated is replicated whatever the pragma says, up to what a cache can hold.
  void annotatedLoopsAreReplicatedWithinReason() {
    QCOMPARE(kindsAfter(nest({4096}, 0, ForKind::Unrolled)), QString("u"));
    QCOMPARE(kindsAfter(nest({4097}, 0, ForKind::Unrolled)), QString("s"));
  }

  void keepsLoopsAroundBarriers() {
    const Stmt inner = nest({4}, 512);
    auto around = std::make_shared<StmtNode>(
        *makeFor(makeVar("k"), 0, 2, ForKind::Serial, makeSequence({makeBarrier(), inner})));
    around->unrollMaxStep = 512;
    QCOMPARE(kindsAfter(around), QString("su"));
  }
};

NW_TEST_APPLESS(TestUnrollLoops)

} // namespace nestwright::unroll_loops_test

#include "unroll_loops.moc"
