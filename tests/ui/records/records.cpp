#include "core/record/store/record_rows.h"
#include "core/session/run/again/reproducer.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/notices.h"
#include "ui/document/steering.h"
#include "ui/records/record_details.h"
#include "ui/records/record_model.h"
#include "ui/records/reproducer_saver.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QFile>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>

#include <set>

namespace nestwright::records_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class RecordsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rowsAreRanks_data();
  void rowsAreRanks();
  void filters();
  void newRecordsComeOnTop();
  void detailsTellAll();
  void failuresAreSavedForOthers();
};

void RecordsTest::rowsAreRanks_data() {
  QTest::addColumn<int>("order");
  QTest::newRow("newest") << int(BrowseOrder::Newest);
  QTest::newRow("oldest") << int(BrowseOrder::Oldest);
  QTest::newRow("fastest") << int(BrowseOrder::Fastest);
  QTest::newRow("task") << int(BrowseOrder::ByTask);
  QTest::newRow("throughput") << int(BrowseOrder::ByThroughputDown);
}

void RecordsTest::rowsAreRanks() {
  QFETCH(int, order);
  const auto sample = makeSample(950);
  Document document;
  RecordModel model(document), unseen(document);
  QAbstractItemModelTester tester(&model);
  openSample(document, *sample);
  RecordListing listing;
  listing.order = BrowseOrder(order);
  model.setListing(listing);
  unseen.setListing(listing);
  QTRY_VERIFY(model.isRanked());
  QCOMPARE(model.rowCount(), 950);
  const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
  const RecordRanks ranks =
      RecordBrowser(sample->path.toStdString()).ranks({queryOf(document, listing), listing.order});
  for (int row = 0; row < model.rowCount(); ++row) {
    QCOMPARE(model.recordAt(row), ranks.at(row));
    QCOMPARE(model.rowOf(ranks.at(row)), row);
  }
  // A row is read when someone looks at it, as the tester does, and says so.
  QTRY_VERIFY(unseen.isRanked());
  QSignalSpy read(&unseen, &RecordModel::rowsRead);
  const QModelIndex far = unseen.index(777, RecordModel::Trial);
  QCOMPARE(far.data().toString(), QStringLiteral("…"));
  QTRY_COMPARE(far.data().toString(), QString::number(store.records().one(ranks.at(777))->trial));
  QVERIFY(read.count() >= 1);
  QVERIFY(!unseen.textAt(400, RecordModel::Trial)); // nobody looked at it
}

void RecordsTest::filters() {
  const auto sample = makeSample(300);
  Document document;
  RecordModel model(document);
  openSample(document, *sample);
  QTRY_COMPARE(model.rowCount(), 300);
  RecordListing listing;
  listing.filter = parseRecordFilter("error:any");
  model.setListing(listing);
  QTRY_COMPARE(model.rowCount(), 30);
  QCOMPARE(model.index(0, RecordModel::Outcome).data().toString(), QStringLiteral("run error"));
  QCOMPARE(model.index(0, RecordModel::Latency).data().toString(), QStringLiteral("–"));
  QVERIFY(model.index(0, RecordModel::Notes).data().toString().contains(QStringLiteral("crashed")));
  listing.filter = parseRecordFilter("error:wrong-answer");
  model.setListing(listing);
  QTRY_VERIFY(model.isRanked());
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
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  RecordStore store = RecordStore::open(sample->path.toStdString());
  Record record = *store.records().one(sample->records.back());
  record.trial = 61;
  record.id = store.records().add(record);
  script.tell(
      Measured{record.id, record.task, 61, record.result.verdict, record.result.latency(), 9, ""});
  QTRY_COMPARE(model.rowCount(), 61);
  QCOMPARE(model.index(0, 0).data(RecordRole).toLongLong(), record.id);
}

void RecordsTest::detailsTellAll() {
  const auto sample = makeSample(20);
  RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
  const QString good = detailsText(*store.records().one(sample->records[0]));
  for (const char* part : {"median", "min … max", "repeats", "verified", "draw", "measured at"})
    QVERIFY2(good.contains(QString::fromUtf8(part)), qPrintable(good));
  // In words: no braces, no keys; and a number is never parted from its unit.
  QVERIFY2(!good.contains(QLatin1Char('{')) && !good.contains(QLatin1Char('"')), qPrintable(good));
  QVERIFY2(good.contains(QStringLiteral("made by")), qPrintable(good));
  static const QRegularExpression parted(QStringLiteral("\\d (?:ns|µs|ms|s|%)"));
  QVERIFY2(!parted.match(good).hasMatch(), qPrintable(good));
  const QString bad = detailsText(*store.records().one(sample->records[9]));
  QVERIFY2(bad.contains(QStringLiteral("Signal 11.")), qPrintable(bad));
  QVERIFY2(bad.contains(QStringLiteral("failing step     1")), qPrintable(bad));
}

/// An illegal program becomes a file without the record file; what cannot be repeated does not
/// (C8).
void RecordsTest::failuresAreSavedForOthers() {
#ifndef HAS_BACKEND
  QSKIP("a worker needs a backend");
#endif
  const auto sample = makeSample(20);
  RowId illegal = 0;
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    Record record = *store.records().one(sample->records[9]);
    record.trial = 21;
    record.program = "illegal";
    record.steps.push_back(FuseStep{2, {0, 7}});
    record.result.verdict = Verdict::Illegal;
    record.result.failingStep = 1;
    illegal = store.records().add(record);
  }
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  ReproducerSaver saver(
      document, [&] { return illegal; }, nullptr);
  saver.allow(false);
  QVERIFY(!saver.action()->isEnabled());
  saver.allow(true);
  QVERIFY(saver.action()->isEnabled());
  QSignalSpy saved(&saver, &ReproducerSaver::saved), warned(&document.notices(), &Notices::warned);
  const QString path = sample->folder.filePath(QStringLiteral("failure.json"));
  saver.save(illegal, path);
  QTRY_COMPARE_WITH_TIMEOUT(saved.count() + warned.count(), 1, 60'000);
  QVERIFY2(warned.isEmpty(), qPrintable(warned.value(0).value(0).toString()));
  const Reproducer read = readReproducer(path.toStdString());
  QCOMPARE(read.verdict, Verdict::Illegal);
  QCOMPARE(read.steps.size(), std::size_t(1));
  QVERIFY(saver.action()->isEnabled());
  // The sample's crashes are made up.
  saver.save(sample->records[9], path + QStringLiteral(".2"));
  QTRY_COMPARE_WITH_TIMEOUT(warned.count(), 1, 60'000);
  QVERIFY(warned[0][0].toString().contains(QStringLiteral("cannot be repeated here")));
  QVERIFY(!QFile::exists(path + QStringLiteral(".2")));
  // A worker's command that somebody wrote into the settings' file by hand.
  QSettings().setValue(QStringLiteral("worker/command"), QStringLiteral("\"not closed"));
  saver.save(illegal, path + QStringLiteral(".3"));
  QTRY_COMPARE_WITH_TIMEOUT(warned.count(), 2, 60'000);
  QVERIFY(warned[1][0].toString().contains(QStringLiteral("quote that is not closed")));
  QSettings().remove(QStringLiteral("worker/command"));
  // Nothing is built and run beside a session that times its programs.
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  saver.allow(true);
  QVERIFY(!saver.action()->isEnabled());
}

NW_TEST_GUI(RecordsTest)

} // namespace nestwright::records_test

#include "records.moc"
