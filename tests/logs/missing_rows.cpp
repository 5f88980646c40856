/// A record of a task, or a task of a target, that the file does not have: said, not followed.

#include "core/logs/export_log.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/record_task.h"
#include "core/support/error.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::missing_rows_test {

class MissingRows : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("named");
    QTest::newRow("task") << "UPDATE record SET task = 99"
                          << "task 99";
    QTest::newRow("target") << "UPDATE task SET target = 98"
                            << "target 98";
  }

  void areNamed() {
    QFETCH(const QString, change);
    QFETCH(const QString, named);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      const samples::Ground ground = samples::fill(store);
      store.records().add(samples::record(ground, 1, 1e-3));
    }
    {
      sqlite::Database database(path, sqlite::Access::ReadWrite);
      database.execute("PRAGMA foreign_keys = OFF");
      database.execute(change.toStdString());
    }
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    const std::optional<Record> record = store.records().one(1);
    QVERIFY(record);
    for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::Tvm}) {
      ExportOptions options;
      options.format = format;
      options.output = folder.file("out");
      try {
        exportLog(store, options, std::atomic<bool>{false});
        QFAIL("it was exported");
      } catch (const InputError& error) {
        QVERIFY2(QString(error.what()).contains(named), error.what());
      }
    }
    if (named == "task 99") QVERIFY_THROWS_EXCEPTION(InputError, taskOf(store, *record));
  }
};

NW_TEST_GUILESS(MissingRows)

} // namespace nestwright::missing_rows_test

#include "missing_rows.moc"
