/// \file Layouts of buffers with aligned rows.

#include "core/lower/aligned_storage.h"

#include "core/lower/lower.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::aligned_storage_test {

using Sizes = std::vector<std::int64_t>;

/// The distance of neighbours along each dimension, from the buffer's indices.
Sizes distances(const AlignedRows& rows, std::size_t rank) {
  Sizes result;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::vector<Expr> unit(rank, Expr(0));
    unit[axis] = Expr(1);
    const std::vector<Expr> indices = rows.indices(unit);
    std::int64_t position = 0;
    for (std::size_t d = 0; d < indices.size(); ++d)
      position = position * rows.shape[d] + *asInt(indices[d]);
    result.push_back(position);
  }
  return result;
}

class TestAlignedStorage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsAreAligned_data() {
    QTest::addColumn<Sizes>("region");
    QTest::addColumn<std::vector<StorageAlignment>>("alignments");
    QTest::addColumn<Sizes>("strides");
    using Alignments = std::vector<StorageAlignment>;
    QTest::newRow("rows") << Sizes{4, 30} << Alignments{{0, 32, 0}} << Sizes{32, 1};
    QTest::newRow("offset") << Sizes{4, 30} << Alignments{{0, 32, 4}} << Sizes{36, 1};
    QTest::newRow("already") << Sizes{4, 32} << Alignments{{0, 32, 0}} << Sizes{32, 1};
    QTest::newRow("offset too large") << Sizes{4, 30} << Alignments{{0, 8, 9}} << Sizes{33, 1};
    QTest::newRow("planes") << Sizes{2, 3, 5} << Alignments{{0, 16, 0}} << Sizes{16, 5, 1};
    QTest::newRow("both") << Sizes{2, 3, 5} << Alignments{{1, 4, 0}, {0, 16, 1}} << Sizes{33, 8, 1};
    QTest::newRow("elements") << Sizes{2, 3} << Alignments{{1, 4, 2}} << Sizes{6, 2};
  }
  void rowsAreAligned() {
    QFETCH(Sizes, region);
    QFETCH(std::vector<StorageAlignment>, alignments);
    QFETCH(Sizes, strides);
    const auto rows = alignedRows(region, alignments);
    QVERIFY(rows.has_value());
    QCOMPARE(distances(*rows, region.size()), strides);
    std::int64_t elements = 1;
    for (const std::int64_t size : rows->shape)
      elements *= size;
    QVERIFY(elements >= strides[0] * region[0]);
  }

  void withoutAlignmentNothingChanges() { QVERIFY(!alignedRows({4, 30}, {}).has_value()); }

  void programsUseTheLayout() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [6, 10]\n"
                                    "B(i, j) = exp(A[i, j])\n"
                                    "C(i, j) = (B[i, j]*2f)\n");
    const State state =
        State::replay(dag, stepsFromJson(nlohmann::json::parse(R"([["SA", 1, 0, 16, 0]])")));
    bool found = false;
    const LoopFunction function = lower(state);
    visit(function.body, [&](const Stmt& s) {
      if (s->kind != StmtKind::Allocate || s->buffer->name != "B") return;
      found = true;
      QCOMPARE(s->buffer->shape, (Sizes{6, 16}));
    });
    QVERIFY(found);
  }
};

NW_TEST_APPLESS(TestAlignedStorage)

} // namespace nestwright::aligned_storage_test

#include "aligned_storage.moc"
