#include "tests/ui/fixture.h"
#include "ui/record_details.h"
#include "ui/record_model.h"
#include "ui/record_view.h"

#include <QAbstractItemModelTester>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <set>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class RecordsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void pagesByKey_data();
  void pagesByKey();
  void filters();
  void newRecordsComeOnTop();
  void scrollingFetches();
  void detailsTellAll();
};

void RecordsTest::pagesByKey_data() {
  QTest::addColumn<int>("order");
  QTest::newRow("newest") << int(RecordQuery::Order::Newest);
  QTest::newRow("oldest") << int(RecordQuery::Order::Oldest);
  QTest::newRow("fastest") << int(RecordQuery::Order::Fastest);
}

void RecordsTest::pagesByKey() {
  QFETCH(int, order);
  const auto sample = makeSample(950);
  Document document;
  RecordModel model(document);
  QAbstractItemModelTester tester(&model);
  openSample(document, *sample);
  RecordListing listing;
  listing.order = RecordQuery::Order(order);
  model.setListing(listing);
  QTRY_VERIFY(model.rowCount() >= RecordModel::kPage);
  while (model.canFetchMore({})) {
    const int before = model.rowCount();
    model.fetchMore({});
    QTRY_VERIFY(!model.isLoading());
    QVERIFY(model.rowCount() > before || model.isComplete());
  }
  std::set<RowId> seen;
  for (int row = 0; row < model.rowCount(); ++row)
    seen.insert(model.index(row, 0).data(RecordModel::RecordRole).toLongLong());
  QCOMPARE(seen.size(), std::size_t(model.rowCount())); // none twice
  QCOMPARE(model.rowCount(), 950);
}

void RecordsTest::filters() {
  const auto sample = makeSample(300);
  Document document;
  RecordModel model(document);
  openSample(document, *sample);
  QTRY_COMPARE(model.rowCount(), 200);
  RecordListing listing;
  listing.filter = parseRecordFilter("error:any");
  model.setListing(listing);
  QTRY_COMPARE(model.rowCount(), 30);
  QCOMPARE(model.index(0, RecordModel::Outcome).data().toString(), QStringLiteral("run error"));
  QCOMPARE(model.index(0, RecordModel::Latency).data().toString(), QStringLiteral("–"));
  QVERIFY(model.index(0, RecordModel::Notes).data().toString().contains(QStringLiteral("crashed")));
  listing.filter = parseRecordFilter("error:wrong-answer");
  model.setListing(listing);
  QTRY_VERIFY(!model.isLoading());
  QCOMPARE(model.rowCount(), 0);
  listing.filter = {};
  listing.task = sample->tasks[0];
  model.setListing(listing);
  QTRY_COMPARE(model.rowCount(), 100);
  // A filter that names tasks goes before the selected one.
  listing.filter = parseRecordFilter("task:T1,T2");
  model.setListing(listing);
  QTRY_COMPARE(model.rowCount(), 200);
}

void RecordsTest::newRecordsComeOnTop() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  RecordModel model(document);
  QAbstractItemModelTester tester(&model);
  openSample(document, *sample);
  QTRY_COMPARE(model.rowCount(), 60);
  document.start();
  QTRY_VERIFY(document.isRunning());
  RecordStore store = RecordStore::open(sample->path.toStdString());
  Record record = *store.record(sample->records.back());
  record.trial = 61;
  record.id = store.addRecord(record);
  script.tell(
      Measured{record.id, record.task, 61, record.result.verdict, record.result.median(), 9, ""});
  QTRY_COMPARE(model.rowCount(), 61);
  QCOMPARE(model.index(0, 0).data(RecordModel::RecordRole).toLongLong(), record.id);
}

void RecordsTest::scrollingFetches() {
  const auto sample = makeSample(900);
  Document document;
  RecordView view(document);
  view.resize(800, 400);
  view.show();
  openSample(document, *sample);
  QTRY_VERIFY(view.model()->rowCount() >= RecordModel::kPage);
  const int before = view.model()->rowCount();
  QVERIFY(before < 900); // never all of them
  view.table()->verticalScrollBar()->setValue(view.table()->verticalScrollBar()->maximum());
  QTRY_VERIFY(view.model()->rowCount() > before);
}

void RecordsTest::detailsTellAll() {
  const auto sample = makeSample(20);
  RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
  const QString good = detailsText(*store.record(sample->records[0]));
  for (const char* part : {"median", "min … max", "repeats", "verified", "draw", "measured at"})
    QVERIFY2(good.contains(QString::fromUtf8(part)), qPrintable(good));
  const QString bad = detailsText(*store.record(sample->records[9]));
  QVERIFY2(bad.contains(QStringLiteral("Signal 11.")), qPrintable(bad));
  QVERIFY2(bad.contains(QStringLiteral("failing step  1")), qPrintable(bad));
}

QTEST_MAIN(RecordsTest)
#include "records.moc"
