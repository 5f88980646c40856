#include "core/record/file/free_query.h"

#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_rows.h"
#include "core/support/error.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QFile>
#include <QtTest>

namespace nestwright::free_query_test {

class FreeQueryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void gives_data();
  void gives();
  void refuses_data();
  void refuses();
  void examplesRun();
  void endsWhenItTakesTooLong();
  void endsWhenItIsStopped();
  void endsWhenNoMoreIsWanted();
  void tellsTheTables();

 private:
  std::string ask(const std::string& sql);
  std::string path() const { return folder_.file("a.nwdb"); }

  samples::Folder folder_;
};

void FreeQueryTest::initTestCase() {
  RecordStore store = RecordStore::open(path(), OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  for (int trial = 1; trial <= 20; ++trial) {
    const RowId task = ground.tasks[std::size_t(trial) % 2];
    store.records().add(trial % 5 == 0 ? samples::failure(ground, trial, Verdict::RunTimeout, task)
                                       : samples::record(ground, trial, 1e-3 * trial, task));
  }
  store.records().setForgotten({3}, true);
}

/// Lines of cells with | between them, the columns' names first.
std::string FreeQueryTest::ask(const std::string& sql) {
  std::string text;
  runFreeQuery(
      path(), sql, {},
      [&](const std::vector<std::string>& columns) {
        for (const std::string& column : columns)
          text += column + "|";
      },
      [&](const std::vector<SqlCell>& row) {
        text += "\n";
        for (const SqlCell& cell : row)
          text += textOf(cell) + "|";
        return true;
      });
  return text;
}

void FreeQueryTest::gives_data() {
  QTest::addColumn<QByteArray>("sql");
  QTest::addColumn<QByteArray>("result");
  const auto row = [](const char* name, const char* sql, const char* result) {
    QTest::newRow(name) << QByteArray(sql) << QByteArray(result);
  };
  row("count", "SELECT count(*) AS n FROM records", "n|\n20|");
  row("verdicts", "select verdict, count(*) from records group by 1 order by 2",
      "verdict|count(*)|\nrun timeout|4|\nok|16|");
  row("units", "SELECT ms, gflops, forgotten FROM records WHERE trial IN (4, 3) ORDER BY trial",
      "ms|gflops|forgotten|\n3|333.333333|1|\n4|250|0|");
  row("nothing", "SELECT ms FROM records WHERE trial = 5", "ms|\n|");
  row("text", "SELECT target, session_title FROM records LIMIT 1;",
      "target|session_title|\nllvm -keys=cpu|first|");
  row("bytes", "SELECT x'0aff', zeroblob(100)", "x'0aff'|zeroblob(100)|\nx'0aff'|<100 bytes>|");
  row("comment", "-- a\nSELECT 1 AS a -- b\n; -- c", "a|\n1|");
  row("recursive",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
      "SELECT sum(i) AS s FROM n",
      "s|\n6|");
  row("sums", "SELECT sum(records) FROM tally WHERE verdict < 64", "sum(records)|\n19|");
}

void FreeQueryTest::gives() {
  QFETCH(QByteArray, sql);
  QFETCH(QByteArray, result);
  QCOMPARE(QByteArray::fromStdString(ask(sql.toStdString())), result);
}

void FreeQueryTest::refuses_data() {
  QTest::addColumn<QByteArray>("sql");
  QTest::addColumn<QByteArray>("reason");
  const auto row = [](const char* name, const char* sql, const char* reason) {
    QTest::newRow(name) << QByteArray(sql) << QByteArray(reason);
  };
  const char* only = "only SELECT is allowed";
  row("delete", "DELETE FROM record", only);
  row("insert", "INSERT INTO tag (name) VALUES ('x')", only);
  row("drop", "DROP TABLE record", only);
  row("create", "CREATE TABLE x (y)", only);
  row("temporary", "CREATE TEMP TABLE x (y)", only);
  row("pragma", "PRAGMA query_only = OFF", only);
  row("pragma that reads", "SELECT * FROM pragma_table_info('record')", "");
  row("attach", "ATTACH 'other.db' AS other", only);
  row("vacuum into", "VACUUM INTO 'other.db'", only);
  row("extension", "SELECT load_extension('x')", "");
  row("transaction", "BEGIN", only);
  row("two", "SELECT 1; DELETE FROM record", "one statement");
  row("hidden second", "SELECT 1; /* x */ SELECT 2", "one statement");
  row("mistake", "SELEC 1", "syntax error");
  row("place", "SELECT 1 FROM records WHERE nonsense = 1", "at \"nonsense = 1\"");
  row("no table", "SELECT * FROM nowhere", "no such table: nowhere");
  row("empty", "  ;\n", "nothing to run");
  row("only a comment", "-- a", "nothing but a comment");
}

void FreeQueryTest::refuses() {
  QFETCH(QByteArray, sql);
  QFETCH(QByteArray, reason);
  QFile file(QString::fromStdString(path()));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray before = file.readAll();
  try {
    ask(sql.toStdString());
    QFAIL("it was run");
  } catch (const UsageError& error) {
    QVERIFY2(QByteArray(error.what()).contains(reason), error.what());
  }
  file.seek(0);
  QCOMPARE(file.readAll(), before);
  QVERIFY(!QFile::exists(QStringLiteral("other.db")));
}

void FreeQueryTest::examplesRun() {
  for (const FreeExample& example : freeExamples())
    QVERIFY2(ask(example.sql).find('\n') != std::string::npos, example.title);
}

void FreeQueryTest::endsWhenItTakesTooLong() {
  const char* endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                        "SELECT count(*) FROM n";
  const char* manyRows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                         "SELECT i FROM n";
  for (const char* sql : {endless, manyRows})
    QVERIFY_EXCEPTION_THROWN(runFreeQuery(
                                 path(), sql, {.seconds = 0.1, .goOn = {}}, [](const auto&) {},
                                 [](const auto&) { return true; }),
                             UsageError);
}

void FreeQueryTest::endsWhenItIsStopped() {
  int asked = 0;
  QVERIFY_EXCEPTION_THROWN(
      runFreeQuery(
          path(),
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
          {.seconds = 0, .goOn = [&] { return ++asked < 5; }}, [](const auto&) {},
          [](const auto&) { return true; }),
      QueryStopped);
  QCOMPARE(asked, 5);
}

void FreeQueryTest::endsWhenNoMoreIsWanted() {
  int rows = 0;
  const FreeQuery result = runFreeQuery(
      path(), "SELECT * FROM records", {}, [](const auto&) {},
      [&](const auto&) { return ++rows <= 7; });
  QCOMPARE(result.rows, std::int64_t(7));
  QVERIFY(!result.complete);
  QCOMPARE(result.columns.front(), std::string("record"));
}

void FreeQueryTest::tellsTheTables() {
  const std::vector<FreeTable> tables = freeTables(path());
  QCOMPARE(tables.at(0).name, std::string("records"));
  QVERIFY(!tables[0].meaning.empty());
  QVERIFY(std::find(tables[0].columns.begin(), tables[0].columns.end(), "ms") !=
          tables[0].columns.end());
  QCOMPARE(tables.at(1).name, std::string("record"));
  for (const FreeTable& table : tables)
    QVERIFY2(ask("SELECT * FROM \"" + table.name + "\" LIMIT 1").find('|') != std::string::npos,
             table.name.c_str());
}

NW_TEST_GUILESS(FreeQueryTest)

} // namespace nestwright::free_query_test

#include "free_query.moc"
