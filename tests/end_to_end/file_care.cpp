/// `nestwright db` as a user runs it: what it prints, its exit codes, and that files come through
/// it.

#include "core/record/file/schema.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::file_care_test {

using nlohmann::json;

class FileCare : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    QVERIFY(folder_.isValid());
    for (const QString& file : QDir(folder_.path()).entryList(QDir::Files))
      QFile::remove(folder_.filePath(file));
    const ProgramResult imported =
        run({"import", path("a.nwdb"), logs("matmul_512.records.json"), "--no-zoo"});
    QVERIFY2(imported.exitCode == 0, imported.errors);
    const ProgramResult other =
        run({"import", path("b.nwdb"), logs("bmm_12_128_128_64.records.json"), "--no-zoo"});
    QVERIFY2(other.exitCode == 0, other.errors);
  }

  void everyVerbHelps_data() {
    QTest::addColumn<QString>("verb");
    for (const char* verb : {"check", "compact", "merge", "split", "stats", "salvage"})
      QTest::newRow(verb) << verb;
  }
  void everyVerbHelps() {
    QFETCH(QString, verb);
    const ProgramResult result = run({"db", verb, "--help"});
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.output.contains("db " + verb.toUtf8()));
    QVERIFY(result.output.contains("--json"));
    QCOMPARE(run({"db", verb}).exitCode, 2);
  }

  void soundFilesAreTold() {
    const ProgramResult result = run({"db", "check", path("a.nwdb"), path("b.nwdb")});
    QVERIFY2(result.exitCode == 0, result.errors);
    QCOMPARE(result.output.count(": sound; "), 2);
  }

  void damagedFilesAreToldWithWhatToDo() {
    QFile file(path("a.nwdb"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.resize(file.size() / 2));
    file.close();
    const ProgramResult result = run({"db", "check", path("a.nwdb"), path("b.nwdb"), "--json"});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("1 of 2 files is not sound"), result.errors);
    const json document = result.json();
    QVERIFY(!document.at("sound").get<bool>());
    const std::string problem = document.at("files").at(0).at("problems").at(0);
    QVERIFY2(problem.find("cut off") != std::string::npos, problem.c_str());
    QVERIFY2(problem.find("restore a backup") != std::string::npos, problem.c_str());
    QVERIFY(document.at("files").at(1).at("sound").get<bool>());
  }

  /// What can be read of a file that was cut off, in a new one.
  void damagedFilesAreSalvaged() {
    const std::int64_t before = records("b.nwdb");
    QVERIFY(QFile::copy(path("b.nwdb"), path("damaged.nwdb")));
    QFile file(path("damaged.nwdb"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.seek(file.size() / 2 / 4096 * 4096));
    file.write(QByteArray(4096, '\xa5'));
    file.close();
    const json document =
        run({"db", "salvage", path("damaged.nwdb"), "-o", path("saved.nwdb"), "--json"}).json();
    QVERIFY(document.at("problems").empty());
    const auto saved = document.at("records").get<std::int64_t>();
    QVERIFY(saved <= before);
    QCOMPARE(records("saved.nwdb"), saved);
    QCOMPARE(run({"db", "check", path("saved.nwdb")}).exitCode, 0);
    const ProgramResult again =
        run({"db", "salvage", path("damaged.nwdb"), "-o", path("saved.nwdb")});
    QCOMPARE(again.exitCode, 1);
    QVERIFY2(again.errors.contains("is there already"), again.errors);
    // A script is told when nothing came of it: the file was cut off before its records.
    QVERIFY(QFile::resize(path("damaged.nwdb"), qint64{3} * 4096));
    const ProgramResult nothing =
        run({"db", "salvage", path("damaged.nwdb"), "-o", path("nothing.nwdb")});
    QCOMPARE(nothing.exitCode, 1);
    QVERIFY2(nothing.errors.contains("no record of"), nothing.errors);
    QFile::remove(path("damaged.nwdb"));
  }

  void quickChecksSeeTheSums() {
    QVERIFY(QFile::copy(path("b.nwdb"), path("sums.nwdb")));
    QCOMPARE(run({"db", "check", "--quick", path("sums.nwdb")}).exitCode, 0);
    sqlite::Database(path("sums.nwdb").toStdString(), sqlite::Access::ReadWrite)
        .execute("UPDATE tally SET records = records + 1");
    const ProgramResult checked = run({"db", "check", "--quick", path("sums.nwdb")});
    QCOMPARE(checked.exitCode, 1);
    QVERIFY2(checked.output.contains("the tally says"), checked.output);
  }

  void foreignObjectsAreNamedAndOnlyRead() {
    sqlite::Database(path("a.nwdb").toStdString(), sqlite::Access::ReadWrite)
        .execute("CREATE TRIGGER evil AFTER INSERT ON record BEGIN DELETE FROM task; END");
    const ProgramResult checked = run({"db", "check", "--quick", path("a.nwdb")});
    QCOMPARE(checked.exitCode, 1);
    QVERIFY2(checked.output.contains("the trigger 'evil'"), checked.output);
    QCOMPARE(run({"query", "--db", path("a.nwdb"), "--limit", "1"}).exitCode, 0);
    QCOMPARE(run({"export", path("a.nwdb"), "--output", path("a.json")}).exitCode, 0);
    const ProgramResult written = run({"db", "compact", path("a.nwdb")});
    QCOMPARE(written.exitCode, 1);
    QVERIFY2(written.errors.contains("the trigger 'evil'"), written.errors);
    QVERIFY2(written.errors.contains("db merge --output"), written.errors);
    QCOMPARE(run({"db", "merge", path("a.nwdb"), "--output", path("own.nwdb")}).exitCode, 0);
    QCOMPARE(run({"db", "check", path("own.nwdb")}).exitCode, 0);
  }

  void mergedAndSplitAgainNothingIsLost() {
    const std::int64_t both = records("a.nwdb") + records("b.nwdb");
    const ProgramResult merged =
        run({"db", "merge", path("a.nwdb"), path("b.nwdb"), "--output", path("all.nwdb")});
    QVERIFY2(merged.exitCode == 0, merged.errors);
    QCOMPARE(records("all.nwdb"), both);
    const json again =
        run({"db", "merge", path("b.nwdb"), "--output", path("all.nwdb"), "--json"}).json();
    QCOMPARE(again.at("files").at(0).at("records").get<int>(), 0);
    const json parts = run({"db", "split", path("all.nwdb"), "--by", "session", "--output",
                            path("parts"), "--json"})
                           .json();
    QCOMPARE(parts.at("files").size(), std::size_t(2));
    std::int64_t sum = 0;
    for (const json& part : parts.at("files"))
      sum += part.at("records").get<std::int64_t>();
    QCOMPARE(sum, both);
    // A second time there is something in the way, and nothing is written.
    const ProgramResult inTheWay =
        run({"db", "split", path("all.nwdb"), "--by", "session", "--output", path("parts")});
    QCOMPARE(inTheWay.exitCode, 1);
    QVERIFY2(inTheWay.errors.contains("is there already"), inTheWay.errors);
    QDir(path("parts")).removeRecursively();
  }

  void splitTakesWhatTheFilterSays() {
    const ProgramResult split = run({"db", "split", path("a.nwdb"), "--filter", "error:none",
                                     "--output", path("good.nwdb"), "--json"});
    QVERIFY2(split.exitCode == 0, split.errors);
    QVERIFY(records("good.nwdb") > 0 && records("good.nwdb") <= records("a.nwdb"));
    QCOMPARE(run({"db", "check", path("good.nwdb")}).exitCode, 0);
    QCOMPARE(run({"db", "split", path("a.nwdb"), "--filter", "error:none"}).exitCode, 2);
    QCOMPARE(run({"db", "split", path("a.nwdb")}).exitCode, 2);
    QCOMPARE(run({"db", "split", path("a.nwdb"), "--by", "colour"}).exitCode, 2);
  }

  void compactTellsSizes() {
    const json document = run({"db", "compact", path("a.nwdb"), "--rebuild", "--json"}).json();
    const json& file = document.at("files").at(0);
    QCOMPARE(file.at("bytes_after").get<std::int64_t>(), QFile(path("a.nwdb")).size());
    QVERIFY(file.at("bytes_before").get<std::int64_t>() > 0);
    QCOMPARE(run({"db", "check", path("a.nwdb")}).exitCode, 0);
    QCOMPARE(run({"db", "compact", path("none.nwdb")}).exitCode, 1);
  }

  void statsTellsSizesAndCounts() {
    const json file = run({"db", "stats", path("a.nwdb"), "--json"}).json().at("files").at(0);
    QCOMPARE(file.at("records").get<std::int64_t>(), records("a.nwdb"));
    QCOMPARE(file.at("version").get<int>(), schemaVersion());
    QVERIFY(file.at("bytes_per_record").get<double>() > 0);
    QCOMPARE(file.at("sessions").size(), std::size_t(1));
    const ProgramResult table = run({"db", "stats", path("a.nwdb"), "--rows", "3"});
    QVERIFY(table.output.contains("bytes per record"));
    QVERIFY(table.output.contains("smaller ones"));
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  static QString logs(const char* name) {
    return QStringLiteral(NESTWRIGHT_TEST_DATA "/logs/") + QString::fromUtf8(name);
  }
  std::int64_t records(const char* name) const {
    return RecordStore::open(path(name).toStdString(), OpenMode::ReadOnly).records().total();
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(FileCare)

} // namespace nestwright::file_care_test

#include "file_care.moc"
