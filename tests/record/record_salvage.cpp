/// Of a damaged file everything comes into a new one that can be read, and the new one is sound.

#include "core/record/care/salvage_file.h"
#include "core/record/format/record_json.h"
#include "core/record/intake/import_report.h"
#include "core/record/sql/integrity.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/support/error.h"
#include "tests/record/bulk_records.h"
#include "tests/record/file_bytes.h"
#include "tests/record/full_file.h"
#include "tests/record/problems.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

#include <filesystem>
#include <map>

namespace nestwright::record_salvage_test {

const std::atomic<bool> kGoOn{false};
constexpr int kPageBytes = 4096;
const std::string kLost = R"({"import":[]})";

std::string textOf(const Record& record) {
  nlohmann::json json = toJson(record);
  json["steps"] = toJson(record.steps);
  json["at"] = record.result.startedAt;
  json.erase("best");  // another may be the best where one is lost
  json.erase("error"); // texts and tags lie in other tables, and may be lost alone
  json.erase("tags");
  return json.dump();
}

std::map<RowId, std::string> recordsOf(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  std::map<RowId, std::string> records;
  RecordQuery query;
  query.forgotten = RecordQuery::Forgotten::With;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1'000'000;
  for (const Record& record : store.records().page(query))
    records[record.id] = textOf(record);
  return records;
}

/// All that tables hold, but what every file has of its own.
std::string everythingOf(const std::string& path) {
  sqlite::Database db(path, sqlite::Access::ReadWrite);
  std::string all;
  std::vector<std::string> tables;
  sqlite::Statement names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND "
                                       "name NOT IN ('generation') ORDER BY name");
  while (names.step())
    tables.push_back(names.text(0));
  for (const std::string& table : tables) {
    std::vector<std::string> columns;
    sqlite::Statement info = db.prepare("SELECT name FROM pragma_table_info(?)");
    info.bind(table);
    while (info.step())
      columns.push_back(fmt::format("quote({})", info.view(0)));
    sqlite::Statement rows =
        db.prepare(fmt::format("SELECT {} FROM {}", fmt::join(columns, " || ',' || "), table));
    while (rows.step())
      all += fmt::format("{}: {}\n", table, rows.view(0));
  }
  return all;
}

/// A file of a hundred pages or two with something in every table.
void writeLarge(const std::string& path) {
  samples::writeFull(path);
  SessionRow row;
  row.title = "Import of many";
  row.config = R"({"import":["many.json"]})";
  row.createdAt = row.updatedAt = 1;
  row.status = SessionStatus::Finished;
  samples::importMany(path, row, 300, 100, 7);
}

class RecordSalvage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    path_ = folder_.file("whole.nwdb");
    writeLarge(path_);
    bytes_ = contents(path_);
    whole_ = recordsOf(path_);
    const std::string problems = problemsOf(RecordStore::open(path_, OpenMode::ReadOnly));
    QVERIFY2(problems == "[]", problems.c_str());
  }

  void aSoundFileComesOutAsItWas() {
    const std::string into = folder_.file("copy.nwdb");
    const SalvageReport report = salvageFile(path_, into, kLost, kGoOn);
    QCOMPARE(fmt::format("{}", report.losses), std::string("[]"));
    QCOMPARE(report.records, std::int64_t(whole_.size()) - 1); // one is forgotten
    QCOMPARE(contents(path_), bytes_);
    QVERIFY_THROWS_EXCEPTION(InputError, salvageFile(path_, into, kLost, kGoOn));
    QCOMPARE(problemsOf(RecordStore::open(into, OpenMode::ReadOnly)), std::string("[]"));
    // Sums of times may be summed in another order, and this log is not known to the end.
    const std::string a = everythingOf(path_), b = everythingOf(into);
    QCOMPARE(b.size() > a.size() * 9 / 10, true);
    QCOMPARE(recordsOf(into), whole_);
  }

  /// Wherever a page is damaged: what is there is what was there, and it is sound.
  void aDamagedPageCostsWhatIsOnIt() {
    std::size_t refused = 0, worst = 0, total = 0;
    const auto pages = int(bytes_.size() / kPageBytes);
    for (int page = 1; page < pages; ++page) {
      QByteArray damaged = bytes_;
      damaged.replace(page * kPageBytes, kPageBytes, QByteArray(kPageBytes, '\xa5'));
      const std::optional<std::size_t> lost = salvagedFrom(damaged);
      if (QTest::currentTestFailed()) return qWarning("page %d", page + 1);
      refused += lost ? 0 : 1;
      worst = std::max(worst, lost.value_or(0));
      total += lost.value_or(0);
    }
    qInfo("%d pages, %zu refused, at worst %zu of %zu records lost", pages, refused, worst,
          whole_.size());
    QVERIFY(refused < std::size_t(pages) / 20);              // the pages of the schema
    QVERIFY(total / std::size_t(pages) < whole_.size() / 2); // some pages name all that there is
  }

  void aFileThatIsCutOffComesAsFarAsItGoes() {
    std::size_t most = 0;
    for (int part = 1; part < 8; ++part) {
      const std::optional<std::size_t> lost =
          salvagedFrom(bytes_.left(bytes_.size() / 8 * part / kPageBytes * kPageBytes));
      if (QTest::currentTestFailed()) return;
      if (lost) most = std::max(most, whole_.size() - *lost);
    }
    QVERIFY(most > 0);
  }

  void wrongBytesAnywhereLeaveASoundFile() {
    Random random(3);
    for (int i = 0; i < 30; ++i) {
      QByteArray damaged = bytes_;
      for (int n = 0; n < 40; ++n)
        damaged[kPageBytes + int(random.below(std::uint64_t(damaged.size() - kPageBytes)))] =
            char(random.below(256));
      salvagedFrom(damaged, true);
      if (QTest::currentTestFailed()) return;
    }
  }

  /// Few wrong bytes leave most of a page as it was, and what stands on it looks like records.
  void aFewWrongBytesChangeNoRecord() {
    const auto pages = int(bytes_.size() / kPageBytes);
    for (int page = 2; page < pages; page += 3) {
      QByteArray damaged = bytes_;
      damaged.replace(page * kPageBytes + kPageBytes / 2, 16, QByteArray(16, '\xa5'));
      salvagedFrom(damaged);
      if (QTest::currentTestFailed()) return qWarning("page %d", page + 1);
    }
  }

  /// The log comes in again, and with it what was lost.
  void logsOfLostRecordsAreReadAgain() {
    const std::string damaged = folder_.file("block.nwdb"), into = folder_.file("again.nwdb");
    samples::writeFull(damaged);
    {
      sqlite::Database db(damaged, sqlite::Access::ReadWrite);
      db.execute("UPDATE record_block SET bytes = x'0102'");
    }
    const SalvageReport report = salvageFile(damaged, into, kLost, kGoOn);
    QCOMPARE(report.lost, std::optional<std::int64_t>(samples::kFullImported + 1));
    QVERIFY(!report.losses.empty());
    QCOMPARE(importSources(into).at(0).finished, false);
    QCOMPARE(importSources(into).at(0).lines, std::int64_t(0));
    QVERIFY(report.problems.empty());
  }

  void whatIsNoFileOfOursIsRefused() {
    const std::string other = folder_.file("other.nwdb"), into = folder_.file("none.nwdb");
    for (const QByteArray& bytes :
         {QByteArray(), QByteArray(9000, 'x'), QByteArray(kPageBytes, '\xff') + bytes_}) {
      overwrite(other, bytes);
      QVERIFY_THROWS_EXCEPTION(InputError, salvageFile(other, into, kLost, kGoOn));
      QVERIFY(!std::filesystem::exists(into));
    }
  }

  void stoppedItLeavesNothing() {
    const std::string into = folder_.file("stopped.nwdb");
    QVERIFY(salvageFile(path_, into, kLost, std::atomic<bool>{true}).cancelled);
    QVERIFY(!std::filesystem::exists(into));
  }

  void damageIsToldInOurWords() {
    const auto words = [](const char* text) {
      return fmt::format("{}", fmt::join(sqlite::integrityInWords(text), "; "));
    };
    QCOMPARE(words("ok"), std::string());
    QCOMPARE(
        words("*** in database main ***\nOn tree page 229 cell 1: Rowid 5 out of order\n"
              "On tree page 229 cell 2: Rowid 4 out of order\nPage 12 is never used"),
        std::string("page 229 of the file is damaged; page 12 of the file belongs to nothing"));
    QCOMPARE(words("row 5 missing from index record_by_time"),
             std::string("row 5 is missing in the index record_by_time"));
    QCOMPARE(words("Page 7: btreeInitPage() returns error code 11"),
             std::string("page 7 of the file is damaged"));
    QCOMPARE(words("whatever comes"), std::string("a part of the file cannot be made sense of"));
  }

 private:
  /// Salvages a file of these bytes and compares; how many records were lost, or nothing when it
  /// was refused. With `altered` contents may differ, since nothing tells wrong bytes of a text.
  std::optional<std::size_t> salvagedFrom(const QByteArray& bytes, bool altered = false) {
    const std::string damaged = folder_.file("damaged.nwdb"), into = folder_.file("salvaged.nwdb");
    std::filesystem::remove(into);
    overwrite(damaged, bytes);
    SalvageReport report;
    try {
      report = salvageFile(damaged, into, kLost, kGoOn);
    } catch (const InputError& error) {
      if (std::filesystem::exists(into)) qFatal("it was refused, and is there");
      return std::nullopt;
    }
    compare(report, into, altered);
    return whole_.size() - std::min(whole_.size(), recordsOf(into).size());
  }

  void compare(const SalvageReport& report, const std::string& into, bool altered) {
    QCOMPARE(fmt::format("{}", report.problems), std::string("[]"));
    const std::map<RowId, std::string> there = recordsOf(into);
    if (!altered)
      for (const auto& [id, text] : there)
        if (whole_.contains(id)) QCOMPARE(text, whole_.at(id));
    if (there.size() < whole_.size()) QVERIFY(!report.losses.empty());
  }

  const samples::Folder folder_;
  std::string path_;
  QByteArray bytes_;
  std::map<RowId, std::string> whole_; // by id
};

NW_TEST_GUILESS(RecordSalvage)

} // namespace nestwright::record_salvage_test

#include "record_salvage.moc"
