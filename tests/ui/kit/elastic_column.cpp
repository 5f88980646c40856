/// A column of names is as wide as its longest name where there is room, and no wider.

#include "ui/kit/table/elastic_column.h"

#include "tests/support/test_program.h"

#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

namespace nestwright::elastic_column_test {

using namespace nestwright::ui;

constexpr int kOther = 100; // pixels of the column that is not elastic

class ElasticColumnTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    model_.setColumnCount(2);
    model_.setRowCount(1);
    model_.setData(model_.index(0, 0), QString(20, 'x'));
    table_ = std::make_unique<QTableView>();
    table_->setModel(&model_);
    table_->setColumnWidth(1, kOther);
    new ElasticColumn(table_.get(), 0, QStringLiteral("xx"));
    table_->resize(2000, 200);
    table_->show();
    QVERIFY(QTest::qWaitForWindowExposed(table_.get()));
  }
  void cleanup() {
    table_.reset();
    model_.clear();
  }

  void isAsWideAsItsLongestText() {
    const int width = table_->columnWidth(0);
    QVERIFY(width > advance(20) && width < advance(40));
    add(60);
    QTRY_VERIFY(table_->columnWidth(0) > advance(60));
    QVERIFY(table_->columnWidth(0) < advance(80));
    model_.setData(model_.index(0, 0), QString(90, 'x')); // at the next occasion
    table_->resize(2001, 200);
    QTRY_VERIFY(table_->columnWidth(0) > advance(90));
  }

  void leavesRoomToTheOthers() {
    add(60);
    table_->resize(kOther + advance(30), 200);
    QTRY_COMPARE(table_->columnWidth(0), table_->viewport()->width() - kOther);
    table_->resize(20, 200);
    QTRY_VERIFY(table_->columnWidth(0) < advance(20)); // never less than its least text
    QVERIFY(table_->columnWidth(0) > advance(2));
  }

  /// A file may have tens of thousands of tasks, and each name takes microseconds.
  void looksAtTheFirstThousandRows() {
    model_.setRowCount(1500);
    model_.setData(model_.index(999, 0), QString(40, 'x'));
    model_.setData(model_.index(1000, 0), QString(90, 'x'));
    table_->resize(2001, 200);
    QTRY_VERIFY(table_->columnWidth(0) > advance(40));
    QVERIFY(table_->columnWidth(0) < advance(60));
  }

 private:
  int advance(int letters) const {
    return table_->fontMetrics().horizontalAdvance(QString(letters, 'x'));
  }
  void add(int letters) {
    model_.appendRow({new QStandardItem(QString(letters, 'x')), new QStandardItem()});
  }

  QStandardItemModel model_;
  std::unique_ptr<QTableView> table_;
};

NW_TEST_GUI(ElasticColumnTest)

} // namespace nestwright::elastic_column_test

#include "elastic_column.moc"
