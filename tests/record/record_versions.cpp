/// Every version of the schema keeps a file in tests/data, with something in each of its tables, as
/// programs of that time wrote it. It opens today, and nothing in it changes. Files of before the
/// first release are refused by name.

#include "core/record/care/merge_files.h"
#include "core/record/file/schema.h"
#include "core/record/format/record_json.h"
#include "core/record/query/record_browser.h"
#include "core/record/sql/sqlite.h"
#include "core/support/error.h"
#include "tests/record/full_file.h"
#include "tests/record/problems.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

namespace nestwright::record_versions_test {

using nlohmann::json;

json recordJson(const Record& record) {
  json j = toJson(record);
  j["all_steps"] = toJson(record.steps);
  j["error_text"] = record.result.error;
  j["started_at"] = record.result.startedAt;
  j["repeats"] = record.result.seconds;
  j["trace_text"] = record.trace;
  j["flags"] = {record.verified,  record.implausible, record.best,
                record.contested, record.onDemand,    record.forgotten};
  j["original_record"] = record.original;
  return j;
}

json sessionJson(const RecordStore& store, const SessionRow& row) {
  json j = {{"row",
             {row.network, row.title, row.config, int(row.status), row.createdAt, row.updatedAt,
              row.wallSeconds, row.schedulerState, row.product}}};
  for (const TaskRow& task : store.sessions().tasks(row.id))
    j["tasks"].push_back({task.id, task.weight});
  for (const SessionNetwork& network : store.sessions().networks(row.id)) {
    json weights;
    for (const TaskWeight& weight : network.weights)
      weights.push_back({weight.task, weight.weight});
    j["networks"].push_back({network.network, network.name, weights});
  }
  for (const EventRow& event : store.events().of(row.id))
    j["events"].push_back({event.at, event.kind, event.json, event.trials, event.wallSeconds});
  for (const MarkRow& mark : store.marks().of(row.id))
    j["marks"].push_back({mark.wallSeconds, mark.trials, mark.sentence});
  for (const EvolvedRound& round : store.evolutions().rounds(row.id))
    j["rounds"].push_back(
        {round.round, round.task, store.evolutions().of(row.id, round.round)->task});
  j["model"] = store.models().of(row.id, "trees").value_or("none");
  const SessionSummary summary = store.sessions().summary(row.id);
  j["summary"] = {summary.trials, summary.errors, summary.kernelSeconds, summary.forgotten};
  return j;
}

/// Everything that the file says, as programs read it.
std::string contentOf(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  json all;
  for (const NetworkRow& row : store.networks().all())
    all["networks"].push_back({row.id, row.name, row.spec});
  for (const TargetRow& row : store.targets().all())
    all["targets"].push_back({row.id, row.key, row.text, row.facts});
  for (const TaskRow& row : store.tasks().all()) {
    const TaskSummary summary = store.tasks().summary(row.id);
    all["tasks"].push_back({row.id, row.network, row.target, row.index, row.key, row.name, row.dag,
                            row.weight, row.flops, summary.trials, summary.errors,
                            summary.bestRecord, summary.naiveSeconds, summary.kernelSeconds});
  }
  for (const SessionRow& row : store.sessions().all())
    all["sessions"].push_back(sessionJson(store, row));
  RecordQuery query;
  query.forgotten = RecordQuery::Forgotten::With;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1000;
  for (const Record& record : store.records().page(query))
    all["records"].push_back(recordJson(record));
  query.order = RecordQuery::Order::Fastest;
  for (const Record& record : store.records().page(query))
    all["by_speed"].push_back(record.id);
  for (const RecombinationRow& row : store.recombinations().all()) {
    all["recombinations"].push_back({row.network, row.target, row.state, int(row.status)});
    for (const SampleRow& sample : store.recombinations().samples(row.id))
      all["samples"].push_back({sample.sample, sample.draw, sample.choice, sample.seconds});
  }
  if (const auto choice = store.choices().of(1, 1))
    all["choice"] = {choice->recombination, choice->gain, choice->programs.at(0).record};
  for (const TagCount& tag : store.tags().all())
    all["tags"].push_back({tag.tag, tag.records});
  all["kept"] = kept(path, "window/state").value_or("none");
  return all.dump(1);
}

void compare(const std::string& actual, const std::string& expected) {
  const QStringList a = QString::fromStdString(actual).split('\n');
  const QStringList b = QString::fromStdString(expected).split('\n');
  for (qsizetype i = 0; i < std::min(a.size(), b.size()); ++i)
    QCOMPARE(a[i], b[i]);
  QCOMPARE(a.size(), b.size());
}

QByteArray bytesOf(const std::string& path) {
  QFile file(QString::fromStdString(path));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString fixture(int version) {
  return QStringLiteral(NESTWRIGHT_TEST_DATA "/schema_version%1.nwdb").arg(version);
}

void copyTo(const std::string& path, const QString& from) {
  QVERIFY2(QFile::copy(from, QString::fromStdString(path)), qPrintable(from));
  QFile::setPermissions(QString::fromStdString(path), QFile::ReadOwner | QFile::WriteOwner);
}

class RecordVersions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyVersionOpens_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version <= schemaVersion(); ++version)
      QTest::addRow("%d", version) << version;
  }

  void everyVersionOpens() {
    QFETCH(int, version);
    const QString kept = fixture(version);
    if (!QFile::exists(kept))
      QFAIL(qPrintable(
          QStringLiteral("%1 is missing: each version of the schema keeps a file. Extend "
                         "tests/record/full_file.h by what is new in it, run `record_helper full "
                         "FILE`, and commit the file.")
              .arg(kept)));
    const samples::Folder folder;
    const std::string path = folder.file("old.nwdb"), today = folder.file("today.nwdb");
    copyTo(path, kept);
    QVERIFY(QFile(kept).size() < 100'000);
    QCOMPARE(sqlite::Database(path, sqlite::Access::Frozen).integer("PRAGMA user_version"),
             std::int64_t(version));

    samples::writeFull(today);
    const std::string expected = contentOf(today);
    const QByteArray before = bytesOf(path);
    compare(contentOf(path), expected);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).check(), std::vector<std::string>());
    QCOMPARE(bytesOf(path), before);

    {
      const RecordStore migrated = RecordStore::open(path);
      QCOMPARE(migrated.check(), std::vector<std::string>());
    }
    QCOMPARE(sqlite::Database(path, sqlite::Access::Frozen).integer("PRAGMA user_version"),
             std::int64_t(schemaVersion()));
    compare(contentOf(path), expected);
  }

  /// What came with later versions can be stored in a file that began as an old one.
  void oldFilesTakeWhatIsNew_data() { everyVersionOpens_data(); }

  void oldFilesTakeWhatIsNew() {
    QFETCH(int, version);
    const samples::Folder folder;
    const std::string path = folder.file("old.nwdb");
    copyTo(path, fixture(version));
    {
      RecordStore store = RecordStore::open(path);
      store.records().add(samples::record({1, 1, 1, {1}}, samples::kFullTrials + 1, 1e-6));
      QCOMPARE(store.records().best(1)->trial, std::int64_t(samples::kFullTrials + 1));
      store.models().save(1, "trees", "new");
      store.sessions().setNetworks(1, {{1, "first", {{1, 2}}}, {0, "second", {{2, 3}}}});
      store.recombinations().add({0, 1, 1, "{}", "{}", SessionStatus::Paused, 1, 2, 3, "p"});
      QCOMPARE(store.records().setForgotten({2}, true), std::vector<RowId>{2});
      EvolutionRow evolution;
      evolution.session = 1, evolution.task = 1, evolution.round = 2;
      store.evolutions().save(evolution);
      store.marks().save({0, 1, 4, 5, "new"});
      QCOMPARE(store.tags().set("new", {5}, true), std::vector<RowId>{5});
      store.events().add({0, 1, 5, "state", "{}", 17, 2.5});
    }
    keep(path, "window/new", "kept");
    samples::importLog(path);
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.check(), std::vector<std::string>());
    QCOMPARE(store.records().total(),
             std::int64_t(samples::kFullTrials + 1 + samples::kFullImported - 2));
  }

  /// Their numbers are given anew, so nothing else tells them from files of today, or of tomorrow.
  void filesOfBeforeTheReleaseAreRefused_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("version 11") << "";
    QTest::newRow("version 10") << "DROP TABLE generation; ALTER TABLE model DROP COLUMN hash; "
                                   "PRAGMA user_version = 10";
    QTest::newRow("version 2") << "ALTER TABLE event DROP COLUMN trials; "
                                  "ALTER TABLE event DROP COLUMN wall_seconds; "
                                  "DROP TABLE evolution; DROP TABLE mark; DROP TABLE record_block; "
                                  "PRAGMA user_version = 2";
    QTest::newRow("version 1") << "ALTER TABLE event DROP COLUMN trials; "
                                  "ALTER TABLE event DROP COLUMN wall_seconds; "
                                  "DROP TABLE evolution; DROP TABLE mark; DROP TABLE record_block; "
                                  "DROP TABLE model; PRAGMA user_version = 1";
  }

  void filesOfBeforeTheReleaseAreRefused() {
    QFETCH(QString, sql);
    const samples::Folder folder;
    const std::string path = folder.file("old.nwdb"), own = folder.file("own.nwdb");
    copyTo(path, QStringLiteral(NESTWRIGHT_TEST_DATA "/before_first_release.nwdb"));
    sqlite::Database(path, sqlite::Access::ReadWrite).execute(sql.toStdString());
    const QByteArray before = bytesOf(path);
    const std::atomic<bool> stop{false};
    const std::vector<std::function<void()>> ways{
        [&] { RecordStore::open(path, OpenMode::ReadOnly); },
        [&] { RecordStore::open(path, OpenMode::ReadWrite); },
        [&] { RecordStore::open(path, OpenMode::Create); },
        [&] { kept(path, "window/state"); },
        [&] { RecordBrowser browser(path); },
        [&] { mergeFile(own, path, stop); }};
    for (const auto& way : ways) {
      const std::string text = refusalOf<InputError>(way);
      QVERIFY2(contains(text, path), text.c_str());
      QVERIFY2(contains(text, "from before the first release"), text.c_str());
      QVERIFY2(contains(text, "nestwright export"), text.c_str());
      QVERIFY2(!contains(text, "damaged") && !contains(text, "newer"), text.c_str());
    }
    QCOMPARE(bytesOf(path), before);
  }
};

NW_TEST_GUILESS(RecordVersions)

} // namespace nestwright::record_versions_test

#include "record_versions.moc"
