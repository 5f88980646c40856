/// kill -9 of a running tune at random moments: nothing announced is lost, nothing measured twice
/// (C24).

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::kill_and_resume_test {

constexpr int kKills = 6;
constexpr int kTrials = 240;

/// Record ids in the lines that `tune --events` printed before it died; a torn last line is not an
/// announcement.
std::set<RowId> announced(const QByteArray& output) {
  std::set<RowId> ids;
  for (const QByteArray& line : output.split('\n')) {
    const nlohmann::json event = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
    if (event.is_object() && event.value("event", "") == "measured")
      ids.insert(event.at("record").get<RowId>());
  }
  return ids;
}

class KillAndResume : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingAnnouncedIsLost() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("killed.nwdb"));
    const quint32 seed = QRandomGenerator::system()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    std::set<RowId> promised;
    int patience = 1; // a busy machine may need longer than that to promise anything
    for (int kill = 0; kill < kKills || (promised.empty() && patience < 100); ++kill) {
      if (kill >= kKills) patience *= 2;
      QProcess process;
      process.start(programPath(), arguments(path));
      process.waitForFinished(patience * (300 + random.bounded(1500)));
      process.kill();
      process.waitForFinished();
      promised.merge(announced(process.readAllStandardOutput()));
      checkFile(path, promised);
    }
    QVERIFY(!promised.empty());
    const ProgramResult last = run(arguments(path));
    QVERIFY2(last.exitCode == 0, last.errors);
    promised.merge(announced(last.output));
    checkFile(path, promised);
    // A record may be stored and its announcement killed: more is there than was promised.
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(kTrials));
  }

 private:
  static QStringList arguments(const QString& path) {
    return {"tune",      "matmul:m=128,n=128,k=128",
            "--trials",  QString::number(kTrials),
            "--seed",    "3",
            "--repeats", "1",
            "--db",      path,
            "--resume",  "--events"};
  }

  static void checkFile(const QString& path, const std::set<RowId>& promised) {
    if (promised.empty()) return; // killed before the file existed
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<std::string> problems = store.check();
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    std::set<std::string> programs;
    std::set<RowId> present;
    RecordQuery query;
    query.order = RecordQuery::Order::Oldest;
    query.limit = 10 * kTrials;
    for (const Record& record : store.records().page(query)) {
      QVERIFY2(programs.insert(record.program).second, "a program was measured twice");
      present.insert(record.id);
    }
    for (const RowId id : promised)
      QVERIFY2(present.contains(id), "an announced record is lost");
  }
};

NW_TEST_GUILESS(KillAndResume)

} // namespace nestwright::kill_and_resume_test

#include "kill_and_resume.moc"
