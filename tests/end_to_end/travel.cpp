/// The way of a program from one target to another, as a person goes it: tuned on one instruction
/// set, measured on a second, compared, and measured first by a session on a third.

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/target/instruction_set.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>

namespace nestwright::travel_test {

using nlohmann::json;

class Travel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (!canRun(hostTarget(), InstructionSet::Avx2)) QSKIP("no processor with AVX2");
  }

  void oneTargetIsNoMap() {
    const ProgramResult tuned = run({"tune", kTask, "--rules", "paper", "--trials", "16",
                                     "--threads", "1", "--isa", "sse4.2", "--db", path_});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const ProgramResult none = run({"travel", "--db", path_});
    QCOMPARE(none.exitCode, 1);
    QVERIFY2(none.errors.contains("all records are of one target"), none.errors);
    // The command that it names is the one that helps.
    const QByteArray command =
        "nestwright measure --db " + path_.toUtf8() + " --isa native --threads 1";
    QVERIFY2(none.errors.contains(command), none.errors);
    const ProgramResult measured =
        run({"measure", "--db", path_, "--isa", "native", "--threads", "1"});
    QVERIFY2(measured.exitCode == 0, measured.errors);
  }

  void twoTargetsAreCompared() {
    const json map = run({"travel", "--db", path_, "--json", "-o", seeds_}).json();
    QCOMPARE(map.at("targets").size(), std::size_t(2));
    QCOMPARE(map.at("pairs").at(0).at("tasks").get<int>(), 1);
    QVERIFY(map.at("pairs").at(0).at("shared").get<int>() >= 12);
    const json& task = map.at("tasks").at(0);
    QVERIFY(task.at("portfolio").at("covers_all").get<bool>());
    const ProgramResult table = run({"travel", "--db", path_});
    QVERIFY2(table.output.contains("Kendall's tau") && table.output.contains("within 5 % of"),
             table.output);
  }

  void seedsComeFirstOnAThirdTarget() {
    const json written = json::parse(std::ifstream(seeds_.toStdString()));
    QVERIFY(!written.at("programs").empty());
    std::vector<std::string> programs;
    for (const json& seed : written.at("programs"))
      programs.push_back(seed.at("program"));
    const QString path = folder_.filePath("third.nwdb");
    const QStringList tune{"tune",  kTask,  "--rules", "paper", "--trials", "12", "--threads", "1",
                           "--isa", "avx2", "--seeds", seeds_,  "--db",     path, "--resume"};
    test::killAfter(1, tune + QStringList{"--events"}); // the first seed was announced
    const ProgramResult resumed = run(tune);
    QVERIFY2(resumed.exitCode == 0, resumed.errors);

    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    const std::vector<Record> records = test::recordsOf(path);
    QCOMPARE(records.size(), std::size_t(12));
    std::set<std::string> measured;
    for (const Record& record : records)
      QVERIFY2(measured.insert(record.program).second, "a program was measured twice");
    for (std::size_t i = 0; i < programs.size(); ++i) {
      QCOMPARE(records[i].program, programs[i]);
      const Trace trace = traceOf(records[i]).value();
      QCOMPARE(trace.origin, Origin::Seed);
      QVERIFY(trace.reason.starts_with("within 5 % of the best on"));
    }
  }

  void seedsOfOtherTasksAreNamed() {
    const QString path = folder_.filePath("other.nwdb");
    const ProgramResult other =
        run({"tune", "matmul:m=32,n=32,k=32", "--threads", "1", "--seeds", seeds_, "--db", path});
    QCOMPARE(other.exitCode, 1);
    QVERIFY2(other.errors.contains("its task is not one of the session's"), other.errors);
    QVERIFY(!QFile::exists(path));
  }

 private:
  static constexpr const char* kTask = "matmul:m=48,n=48,k=48";

  QTemporaryDir folder_;
  const QString path_ = folder_.filePath(QStringLiteral("travel.nwdb"));
  const QString seeds_ = folder_.filePath(QStringLiteral("seeds.json"));
};

NW_TEST_GUILESS(Travel)

} // namespace nestwright::travel_test

#include "travel.moc"
