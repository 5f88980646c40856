/// Collecting a data set: killed it goes on, and the parts of two machines come together.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::kill_collect_test {

constexpr int kPrograms = 24;

QStringList arguments(const QString& path, const QStringList& more = {}) {
  return QStringList{"collect",
                     "matmul:m=32,n=32,k=32",
                     "matmul:m=48,n=32,k=32",
                     "--programs-per-task",
                     QString::number(kPrograms),
                     "--programs-per-turn",
                     "8",
                     "--threads",
                     "1",
                     "--json",
                     "--db",
                     path} +
         more;
}

std::int64_t recordsOf(const QString& path) {
  try {
    return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().total();
  } catch (const std::exception&) {
    return 0; // it is being made
  }
}

std::set<std::string> programs(const QString& path) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  RecordQuery query;
  query.limit = 10'000;
  std::set<std::string> ids;
  for (const Record& record : store.records().page(query))
    ids.insert(record.program);
  return ids;
}

class KillCollect : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void killedItGoesOnAndPartsComeTogether() {
    const QTemporaryDir folder;
    const QString whole = folder.filePath(QStringLiteral("whole.nwdb"));
    QProcess killed;
    killed.start(programPath(), arguments(whole));
    QTRY_VERIFY_WITH_TIMEOUT(recordsOf(whole) > 3, 60'000);
    killed.kill();
    killed.waitForFinished();
    QVERIFY(recordsOf(whole) < 2 * kPrograms);
    const ProgramResult rest = run(arguments(whole));
    QVERIFY2(rest.exitCode == 0, rest.errors);
    QCOMPARE(QJsonDocument::fromJson(rest.output).object()["programs"].toInt(), 2 * kPrograms);
    QCOMPARE(QJsonDocument::fromJson(rest.output).object()["full_tasks"].toInt(), 2);
    QCOMPARE(RecordStore::open(whole.toStdString()).sessions().all().size(), std::size_t(1));

    const QString all = folder.filePath(QStringLiteral("all.nwdb"));
    QStringList parts;
    for (const char* part : {"1/2", "2/2"}) {
      parts.append(folder.filePath(QStringLiteral("part%1.nwdb").arg(parts.size())));
      const ProgramResult made = run(arguments(parts.back(), {"--shard", part}));
      QVERIFY2(made.exitCode == 0, made.errors);
      QCOMPARE(recordsOf(parts.back()), std::int64_t(kPrograms));
    }
    for (int time = 0; time < 2; ++time) {
      const ProgramResult merged = run(QStringList{"import", all} + parts);
      QVERIFY2(merged.exitCode == 0, merged.errors);
    }
    QCOMPARE(programs(all), programs(whole));
    QCOMPARE(RecordStore::open(all.toStdString()).check(), std::vector<std::string>());
    QCOMPARE(RecordStore::open(all.toStdString()).sessions().all().size(), std::size_t(2));
  }
};

NW_TEST_GUILESS(KillCollect)

} // namespace nestwright::kill_collect_test

#include "kill_collect.moc"
