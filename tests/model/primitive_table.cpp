/// Steps of programs in the table that models read.

#include "core/model/from_features.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::primitive_table_test {

class PrimitiveTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Cut to the shape, never filled up; a program without steps keeps its place.
  void aBlockAProgram() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const PrimitiveEncoder encoder(vocabulary, {3, 22});
    const std::vector<Steps> programs = {
        Steps(2, Step(ComputeInlineStep{1})), {}, Steps(5, Step(ComputeInlineStep{7}))};
    PrimitiveCounts counts;
    const FeatureTable table = primitiveTable(programs, encoder, counts);
    QCOMPARE(table.columns(), std::size_t{22});
    QCOMPARE(table.programs(), std::size_t{3});
    QCOMPARE(table.rowCount(0), std::size_t{2});
    QCOMPARE(table.rowCount(1), std::size_t{0});
    QCOMPARE(table.rowCount(2), std::size_t{3});
    QCOMPARE(table.row(4)[0], 1.0F);
    QCOMPARE(table.row(4)[11], 7.0F);
    QCOMPARE(counts.programs, std::size_t{3});
    QCOMPARE(counts.longPrograms, std::size_t{1});
  }
};

NW_TEST_APPLESS(PrimitiveTable)

} // namespace nestwright::primitive_table_test

#include "primitive_table.moc"
