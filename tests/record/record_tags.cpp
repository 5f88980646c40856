#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/tag_rows.h"
#include "core/support/error.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::record_tags_test {

using Ids = std::vector<RowId>;
using Words = std::vector<std::string>;
class RecordTags : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void tagsStayWithRecords();
  void whatCannotBeATag_data();
  void whatCannotBeATag();
  void unknownRecordChangesNothing();
  void readersSeeWhatComesIn();

 private:
  std::optional<samples::Folder> folder_;
  std::string path_;
  std::optional<RecordStore> store_;
};

void RecordTags::init() {
  store_.reset();
  folder_.emplace();
  path_ = folder_->file("a.nwdb");
  store_ = RecordStore::open(path_, OpenMode::Create);
  const samples::Ground ground = samples::fill(*store_);
  for (int trial = 1; trial <= 5; ++trial)
    store_->records().add(samples::record(ground, trial, trial));
}

void RecordTags::tagsStayWithRecords() {
  QCOMPARE(store_->tags().set("keep", {3, 1, 3}, true), (Ids{1, 3}));
  QCOMPARE(store_->tags().set("a word", {3}, true), Ids{3});
  QCOMPARE(store_->tags().set("keep", {1, 2}, true), Ids{2}); // 1 has it already
  QCOMPARE(store_->records().one(3)->tags, (Words{"a word", "keep"}));
  {
    const RecordStore reader = RecordStore::open(path_, OpenMode::ReadOnly);
    QCOMPARE(reader.records().one(2)->tags, Words{"keep"});
    QCOMPARE(reader.records().one(4)->tags, Words{});
    QCOMPARE(reader.tags().all().size(), std::size_t(2));
    QCOMPARE(reader.tags().all()[1].tag, std::string("keep"));
    QCOMPARE(reader.tags().all()[1].records, std::int64_t(3));
  }
  QCOMPARE(store_->tags().set("keep", {1, 2, 3, 4}, false), (Ids{1, 2, 3}));
  QCOMPARE(store_->tags().all().size(), std::size_t(1)); // "keep" is gone
  QVERIFY(store_->check().empty());
}

void RecordTags::whatCannotBeATag_data() {
  QTest::addColumn<QByteArray>("tag");
  for (const char* tag : {"", " keep", "keep ", "any", "none"})
    QTest::newRow(tag) << QByteArray(tag);
  QTest::newRow("long") << QByteArray(101, 'x');
}

void RecordTags::whatCannotBeATag() {
  QFETCH(QByteArray, tag);
  QVERIFY_THROWS_EXCEPTION(InputError, store_->tags().set(tag.toStdString(), {1}, true));
  QVERIFY(store_->tags().all().empty());
}

void RecordTags::unknownRecordChangesNothing() {
  QVERIFY_THROWS_EXCEPTION(InputError, store_->tags().set("keep", {1, 99}, true));
  QVERIFY(store_->tags().all().empty() && store_->records().one(1)->tags.empty());
}

void RecordTags::readersSeeWhatComesIn() {
  store_.reset();
  const RecordStore reader = RecordStore::open(path_, OpenMode::ReadOnly);
  QVERIFY(reader.tags().all().empty() && reader.records().one(1)->tags.empty());
  RecordQuery query;
  query.filter = parseRecordFilter("tag:none");
  QCOMPARE(reader.records().count(query), std::int64_t(5));
  query.filter = parseRecordFilter("tag:keep");
  QCOMPARE(reader.records().page(query).size(), std::size_t(0));
  store_ = RecordStore::open(path_);
  QCOMPARE(store_->tags().set("keep", {2}, true), Ids{2});
  QCOMPARE(reader.records().one(2)->tags, Words{"keep"});
  QCOMPARE(reader.records().count(query), std::int64_t(1));
}

NW_TEST_GUILESS(RecordTags)

} // namespace nestwright::record_tags_test

#include "record_tags.moc"
