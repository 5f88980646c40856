/// Tables of ours are sorted by keys that are asked for once a row, and stay right as rows change.

#include "ui/kit/table/sorted_rows.h"

#include "tests/support/test_program.h"
#include "ui/kit/roles.h"

#include <QAbstractTableModel>
#include <QTest>

#include <limits>

namespace nestwright::sorted_rows_test {

using namespace nestwright::ui;

namespace {

/// One column of values, which counts how often it was asked for their sort keys.
class Values : public QAbstractTableModel {
 public:
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(values.size());
  }
  int columnCount(const QModelIndex& = {}) const override { return 2; }
  QVariant data(const QModelIndex& index, int role) const override {
    if (role != SortRole) return {};
    ++asked;
    const QVariant& value = values[index.row()];
    return index.column() == 0 ? value : QVariant(-value.toDouble());
  }
  void set(int row, const QVariant& value) {
    values[row] = value;
    Q_EMIT dataChanged(index(row, 0), index(row, 1));
  }
  void append(const QVariant& value) {
    beginInsertRows({}, rowCount(), rowCount());
    values.append(value);
    endInsertRows();
  }
  void removeFirst() {
    beginRemoveRows({}, 0, 0);
    values.removeFirst();
    endRemoveRows();
  }
  void reset(QVariantList all) {
    beginResetModel();
    values = std::move(all);
    endResetModel();
  }

  QVariantList values;
  mutable int asked = 0;
};

} // namespace

class SortedRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersComeBeforeTextsAndNothingLast();
  void asksForEachRowOnce();
  void followsChanges();
  void followsAnotherModel();

 private:
  static QVariantList shown(const SortedRows& rows, int column = 0) {
    QVariantList all;
    for (int row = 0; row < rows.rowCount(); ++row)
      all.append(rows.index(row, column).data(SortRole));
    return all;
  }
};

void SortedRowsTest::numbersComeBeforeTextsAndNothingLast() {
  Values values;
  values.values = {QStringLiteral("b"),
                   QVariant(),
                   2.5,
                   QStringLiteral("a"),
                   3,
                   qint64(-1),
                   std::numeric_limits<double>::infinity()};
  SortedRows rows;
  rows.setSourceModel(&values);
  rows.sort(0);
  const QVariantList wanted = {qint64(-1),
                               2.5,
                               3,
                               std::numeric_limits<double>::infinity(),
                               QStringLiteral("a"),
                               QStringLiteral("b"),
                               QVariant()};
  QCOMPARE(shown(rows), wanted);
  values.reset({std::numeric_limits<double>::quiet_NaN(), 1, 2});
  QCOMPARE(shown(rows).mid(0, 2), QVariantList({1, 2}));
}

void SortedRowsTest::asksForEachRowOnce() {
  Values values;
  for (int i = 0; i < 1000; ++i)
    values.values.append((i * 7919) % 1000);
  SortedRows rows;
  rows.setSourceModel(&values);
  rows.sort(0);
  QCOMPARE(values.asked, 1000);
  QCOMPARE(rows.index(10, 0).data(SortRole).toInt(), 10);
}

void SortedRowsTest::followsChanges() {
  Values values;
  values.values = {3, 1, 2};
  SortedRows rows;
  rows.setSourceModel(&values);
  rows.sort(0);
  values.set(1, 9);
  QCOMPARE(shown(rows), QVariantList({2, 3, 9}));
  values.append(0);
  QCOMPARE(shown(rows), QVariantList({0, 2, 3, 9}));
  values.removeFirst();
  values.set(0, 1);
  QCOMPARE(shown(rows), QVariantList({0, 1, 2}));
  values.reset({8, 7});
  QCOMPARE(shown(rows), QVariantList({7, 8}));
  rows.sort(1);
  QCOMPARE(shown(rows), QVariantList({8, 7}));
  rows.sort(0, Qt::DescendingOrder);
  QCOMPARE(shown(rows), QVariantList({8, 7}));
}

void SortedRowsTest::followsAnotherModel() {
  Values first, second;
  first.values = {1, 2};
  second.values = {6, 5, 4};
  SortedRows rows;
  rows.setSourceModel(&first);
  rows.sort(0);
  rows.setSourceModel(&second);
  QCOMPARE(shown(rows), QVariantList({4, 5, 6}));
  first.set(0, 7);
  QCOMPARE(shown(rows), QVariantList({4, 5, 6}));
}

NW_TEST_GUI(SortedRowsTest)

} // namespace nestwright::sorted_rows_test

#include "sorted_rows.moc"
