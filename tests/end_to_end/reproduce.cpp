/// `nestwright reproduce`: a failure of a record file, in a file of its own (C8).

#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace nestwright::reproduce_test {

class Reproduce : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    SessionConfig config;
    config.measure.runTimeoutSeconds = 1e-4; // no kernel is loaded and run in so little
    const RowId session = made_up::makeSession(database(), config, {64});
    RecordStore store = RecordStore::open(database().toStdString());
    const Steps tiled{SplitStep{2, 0, 64, {8}, true}, AnnotationStep{2, 0, Annotation::Parallel}};
    Record slow;
    slow.session = session, slow.task = 1, slow.trial = 1;
    slow.program = "slow";
    slow.steps = tiled;
    slow.result.verdict = Verdict::RunTimeout;
    slow.result.error = "running the kernel took longer than 0.0001 s";
    store.records().add(slow);
    Record illegal = slow;
    illegal.trial = 2;
    illegal.program = "illegal";
    illegal.steps.push_back(ReorderStep{2, {0, 1}});
    illegal.result.verdict = Verdict::Illegal;
    illegal.result.error = "a reorder of 2 loops, of 4";
    illegal.result.failingStep = 2;
    store.records().add(illegal);
    Record gone = slow; // it would not fail so
    gone.trial = 3;
    gone.program = "gone";
    gone.result.verdict = Verdict::CompileError;
    store.records().add(gone);
  }

  void theFileShowsTheSameVerdict_data() {
    QTest::addColumn<QString>("record");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<int>("steps");
    QTest::newRow("run timeout") << "1"
                                 << "run timeout" << 0;
    QTest::newRow("illegal") << "2"
                             << "illegal" << 1;
  }
  void theFileShowsTheSameVerdict() {
    QFETCH(QString, record);
    QFETCH(QString, verdict);
    QFETCH(int, steps);
    const QString file = folder_.filePath(verdict + ".json");
    const ProgramResult made =
        run({"reproduce", record, "--db", database(), "--output", file, "--json"});
    QVERIFY2(made.exitCode == 0, made.errors);
    QCOMPARE(made.json().at("steps").get<int>(), steps);
    QVERIFY(made.json().at("minimal").get<bool>());
    const ProgramResult seen = run({"reproduce", file});
    QVERIFY2(seen.exitCode == 0, seen.errors);
    QVERIFY2(seen.output.startsWith(verdict.toUtf8() + ": "), seen.output);
    // It needs nothing else: the record file may be gone, and the folder another.
    nlohmann::json document = readJson(file);
    document["verdict"] = "compile error";
    document["failing_step"] = -1;
    const QString changed = folder_.filePath("changed.json");
    std::ofstream(changed.toStdString()) << document.dump();
    const ProgramResult other = run({"reproduce", changed});
    QCOMPARE(other.exitCode, 1);
    QVERIFY2(other.output.startsWith(verdict.toUtf8() + ": "), other.output);
    QVERIFY2(other.errors.contains("it was recorded as \"compile error\""), other.errors);
  }

  void aForeignFileNamesNoProgram() {
    const QString file = folder_.filePath("mine.json"), foreign = folder_.filePath("foreign.json");
    QCOMPARE(run({"reproduce", "2", "--db", database(), "-o", file}).exitCode, 0);
    nlohmann::json document = readJson(file);
    const QString trace = folder_.filePath("owned");
    document["measure"]["worker_command"] = {"/bin/sh", "-c", "touch " + trace.toStdString()};
    std::ofstream(foreign.toStdString()) << document.dump();
    QCOMPARE(run({"reproduce", foreign}).exitCode, 0);
    QVERIFY(!QFile::exists(trace));
  }

  void mistakesAreNamed_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("message");
    const QString file = folder_.filePath("x.json");
    QTest::newRow("no such record")
        << QStringList{"99", "--db", database(), "-o", file} << 1 << "no record 99";
    QTest::newRow("no number") << QStringList{"one", "--db", database(), "-o", file} << 2 << "one";
    QTest::newRow("no output") << QStringList{"1", "--db", database()} << 2 << "--output";
    QTest::newRow("no database") << QStringList{"1", "-o", file} << 2 << "--db";
    QTest::newRow("no file") << QStringList{file} << 1 << "x.json: cannot be read";
    QTest::newRow("there already")
        << QStringList{"2", "--db", database(), "-o", database()} << 1 << "is there already";
    QTest::newRow("fails otherwise now")
        << QStringList{"3", "--db", database(), "-o", file} << 1
        << "ended as \"compile error\" and now ends as \"run timeout\"";
  }
  void mistakesAreNamed() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    QFETCH(QString, message);
    const ProgramResult result = run(QStringList{"reproduce"} + arguments);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.errors.contains(message.toUtf8()), result.errors);
    QVERIFY(!QFile::exists(folder_.filePath("x.json")));
  }

 private:
  QString database() const { return folder_.filePath("failed.nwdb"); }
  static nlohmann::json readJson(const QString& path) {
    std::ifstream file(path.toStdString());
    return nlohmann::json::parse(file);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(Reproduce)

} // namespace nestwright::reproduce_test

#include "reproduce.moc"
