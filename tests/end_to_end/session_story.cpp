/// `nestwright session` and `nestwright show --ancestry` on the session that comes along.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace nestwright::session_story_test {

using nlohmann::json;

class SessionStory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    QVERIFY(QFile::copy(NESTWRIGHT_SAMPLE, database()));
    QVERIFY(QFile::setPermissions(database(), QFile::ReadOwner | QFile::WriteOwner));
  }

  void curvesEndAtTheBests() {
    const json told = story({"curves", "--json"});
    const RecordStore store = RecordStore::open(database().toStdString(), OpenMode::ReadOnly);
    QCOMPARE(told.at("session").get<RowId>(), store.sessions().all().back().id);
    QVERIFY(!told.at("tasks").empty());
    for (const json& task : told.at("tasks")) {
      QVERIFY(!task.at("name").get<std::string>().empty());
      if (task.at("bests").empty()) continue;
      const std::optional<Record> best = store.records().best(task.at("task").get<RowId>());
      QVERIFY(best);
      QCOMPARE(task.at("bests").back().at("record").get<RowId>(), best->id);
      QCOMPARE(task.at("bests").back().at("seconds").get<double>(), best->result.latency());
    }
    QVERIFY(told.at("total").back().at("seconds").get<double>() <=
            told.at("total").front().at("seconds").get<double>());
    const ProgramResult text = run({"session", "curves", "--db", database()});
    QCOMPARE(text.exitCode, 0);
    QVERIFY2(text.output.contains("best latency") && text.output.contains("total"), text.output);
  }

  void oneTaskIsToldAlone() {
    const json all = story({"curves", "--json"});
    const QString task = QString::number(all.at("tasks").front().at("task").get<RowId>());
    const ProgramResult one = run({"session", "curves", "--db", database(), "--task", task});
    QCOMPARE(one.exitCode, 0);
    QVERIFY(!one.output.contains("total"));
    QCOMPARE(std::size_t(one.output.count('\n')) >= all.at("tasks").front().at("bests").size(),
             true);
    const json alone = story({"curves", "--json", "--task", task});
    QCOMPARE(alone.at("tasks").size(), std::size_t(1));
    QCOMPARE(alone.at("tasks").front(), all.at("tasks").front());
    QVERIFY(!alone.contains("total"));
  }

  void allTrialsAreGivenToSomeTask() {
    const json told = story({"allocation", "--json", "--samples", "5"});
    QCOMPARE(told.at("at").size(), std::size_t(5));
    double given = 0;
    for (const json& band : told.at("bands"))
      given += band.at("given").back().get<double>();
    QCOMPARE(given, told.at("trials").get<double>());
    double share = 0;
    const json byTime = story({"allocation", "--json", "--share", "--by-time"});
    for (const json& band : byTime.at("bands"))
      share += band.at("given").back().get<double>();
    QVERIFY(std::abs(share - 100) < 1e-6);
    const ProgramResult text = run({"session", "allocation", "--db", database(), "--share"});
    QVERIFY2(text.exitCode == 0 && text.output.contains(" %"), text.output);
  }

  void surprisesComeLargestFirst() {
    const json told = story({"surprises", "--json", "--rows", "7", "--session", "1"});
    const json& programs = told.at("surprises");
    QCOMPARE(programs.size(), std::size_t(7));
    double before = 1e9;
    for (const json& program : programs) {
      const double size = std::abs(program.at("measured_share").get<double>() -
                                   program.at("predicted_share").get<double>());
      QVERIFY(size <= before);
      before = size;
    }
    const ProgramResult text =
        run({"session", "surprises", "--db", database(), "--rows", "7", "--session", "1"});
    QCOMPARE(text.output.count('\n'), 8); // with its head
    // The newest session drew its programs at random.
    QVERIFY(story({"surprises", "--json"}).at("surprises").empty());
    // Its ancestors: the program itself, and those that it was bred from.
    const QString record = QString::number(programs.front().at("record").get<RowId>());
    const ProgramResult bred = run({"show", record, "--db", database(), "--ancestry", "--json"});
    QVERIFY2(bred.exitCode == 0, bred.errors);
    const json ancestry = bred.json().at("ancestry");
    QCOMPARE(ancestry.front().at("record").get<RowId>(),
             programs.front().at("record").get<RowId>());
    for (const json& one : ancestry)
      for (const json& parent : one.at("parents"))
        QVERIFY(std::ranges::any_of(ancestry,
                                    [&](const json& of) { return of.at("program") == parent; }));
    const ProgramResult inWords = run({"show", record, "--db", database(), "--ancestry"});
    QVERIFY2(inWords.output.contains(("record " + record).toUtf8()), inWords.output);
  }

  void whatIsNotThereIsSaid() {
    const ProgramResult session = run({"session", "curves", "--db", database(), "--session", "77"});
    QCOMPARE(session.exitCode, 1);
    QVERIFY2(session.errors.contains("has no session 77"), session.errors);
    const ProgramResult task = run({"session", "surprises", "--db", database(), "--task", "999"});
    QCOMPARE(task.exitCode, 1);
    QVERIFY2(task.errors.contains("has no task 999"), task.errors);
    QCOMPARE(run({"session"}).exitCode, 2);
  }

 private:
  QString database() const { return folder_.filePath(QStringLiteral("sample.nwdb")); }
  json story(QStringList arguments) const {
    arguments.prepend(QStringLiteral("session"));
    const ProgramResult result = run(arguments << QStringLiteral("--db") << database());
    return result.exitCode == 0 ? result.json() : json();
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(SessionStory)

} // namespace nestwright::session_story_test

#include "session_story.moc"
