#include "ui/records/pages/sql_page.h"

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/records/pages/record_explorer.h"
#include "ui/records/record_view.h"

#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

namespace nestwright::sql_page_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

struct Shown {
  std::unique_ptr<Sample> sample = makeSample(300);
  Document document;
  RecordView view{document};
  Shown() {
    view.resize(1000, 600);
    view.show();
    openSample(document, *sample);
  }
  SqlPage* page() {
    view.explorer()->setCurrentWidget(view.explorer()->sql());
    return view.explorer()->sql();
  }
};

class SqlPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void freeQuestionsAreAnswered();
  void freeQuestionsCannotHarm_data();
  void freeQuestionsCannotHarm();
  void longQuestionsAreStopped();
  void anExportIsOfWhatIsShown();
};

void SqlPageTest::freeQuestionsAreAnswered() {
  Shown shown;
  SqlPage* page = shown.page();
  page->setText(QString());
  page->editor()->setFocus();
  QTest::keyClicks(page->editor(),
                   QStringLiteral("SELECT verdict, count(*) AS n, min(trial) AS first "
                                  "FROM records GROUP BY 1"));
  QTest::keyClick(page->editor(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE(page->model()->rowCount(), 2);
  QVERIFY2(page->note().startsWith(QStringLiteral("2 rows in ")), qPrintable(page->note()));
  QCOMPARE(page->model()->headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(),
           QStringLiteral("n"));
  QCOMPARE(page->model()->index(0, 1).data().toString(), QStringLiteral("270"));
  QCOMPARE(page->model()->index(1, 2).data().toString(), QStringLiteral("10"));
  // The tables are at hand: a double click writes a name.
  QTRY_VERIFY(page->schema()->topLevelItemCount() > 5);
  QTreeWidgetItem* first = page->schema()->topLevelItem(0);
  QCOMPARE(first->text(0), QStringLiteral("records"));
  page->setText(QStringLiteral("SELECT count(*) FROM "));
  Q_EMIT page->schema()->itemDoubleClicked(first, 0);
  QCOMPARE(page->text(), QStringLiteral("SELECT count(*) FROM records"));
  QTest::mouseClick(page->runButton(), Qt::LeftButton);
  QTRY_COMPARE(page->model()->index(0, 0).data().toString(), QStringLiteral("300"));
  // All rows are exported, though not all of many are shown.
  page->setText(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                               "WHERE i < 10500) SELECT i FROM n"));
  page->run();
  QTRY_COMPARE(page->model()->rowCount(), SqlPage::kMostRows);
  QVERIFY2(page->note().startsWith(QStringLiteral("The first 10,000 rows")),
           qPrintable(page->note()));
  const Exports exports = shown.view.exports();
  QVERIFY(exports.table);
  int rows = 0;
  exports.table->rows([&](const QStringList&) { return ++rows > 0; });
  QCOMPARE(rows, 10500);
}

void SqlPageTest::freeQuestionsCannotHarm_data() {
  QTest::addColumn<QString>("sql");
  QTest::addColumn<QString>("says");
  QTest::newRow("writes") << "DELETE FROM record"
                          << "only SELECT is allowed";
  QTest::newRow("wrong") << "SELECT nonsense FROM records"
                         << "no such column: nonsense";
}

void SqlPageTest::freeQuestionsCannotHarm() {
  QFETCH(QString, sql);
  QFETCH(QString, says);
  Shown shown;
  SqlPage* page = shown.page();
  page->setText(sql);
  page->run();
  QTRY_VERIFY2(page->note().contains(says), qPrintable(page->note()));
  page->setText(QStringLiteral("SELECT count(*) FROM record"));
  page->run();
  QTRY_COMPARE(page->model()->rowCount(), 1);
  QCOMPARE(page->model()->index(0, 0).data().toString(), QStringLiteral("300"));
}

void SqlPageTest::longQuestionsAreStopped() {
  Shown shown;
  SqlPage* page = shown.page();
  page->setText(QStringLiteral(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"));
  page->limit()->setValue(1);
  page->run();
  QTRY_VERIFY_WITH_TIMEOUT(page->note().contains(QStringLiteral("more than 1 s")), 20'000);
  page->limit()->setValue(1000);
  page->run();
  QCOMPARE(page->runButton()->text(), QStringLiteral("Stop"));
  QTest::mouseClick(page->runButton(), Qt::LeftButton);
  QCOMPARE(page->note(), QStringLiteral("Stopped."));
  QCOMPARE(page->runButton()->text(), QStringLiteral("Run"));
}

/// Also after questions that had no answer.
void SqlPageTest::anExportIsOfWhatIsShown() {
  Shown shown;
  SqlPage* page = shown.page();
  const QString answered = QStringLiteral("SELECT count(*) AS n FROM records");
  page->setText(answered);
  page->run();
  QTRY_COMPARE(page->model()->rowCount(), 1);
  const auto compare = [&] {
    const Exports exports = shown.view.exports();
    QCOMPARE(exports.title, answered);
    QVERIFY(exports.table);
    QStringList cells;
    exports.table->rows([&](const QStringList& row) {
      cells += row;
      return true;
    });
    QCOMPARE(cells, QStringList{QStringLiteral("300")});
  };
  page->setText(QStringLiteral("SELECT nonsense FROM records"));
  page->run();
  QTRY_VERIFY(page->note().contains(QStringLiteral("nonsense")));
  compare();
  page->setText(QStringLiteral(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"));
  page->run();
  compare(); // while it is being answered
  QTest::mouseClick(page->runButton(), Qt::LeftButton);
  QCOMPARE(page->note(), QStringLiteral("Stopped."));
  compare();
}

NW_TEST_GUI(SqlPageTest)

} // namespace nestwright::sql_page_test

#include "sql_page.moc"
