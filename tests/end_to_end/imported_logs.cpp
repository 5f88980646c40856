/// Logs of others on the command line: what is said of their records, where they go out to, and
/// what scripts are told.

#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::imported_logs_test {

using nlohmann::json;

const QString kLogs = QStringLiteral(NESTWRIGHT_TEST_DATA "/logs/");

class ImportedLogs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult result = run({"import", path("a.nwdb"), kLogs + "tvm-gallery-conv2d.json",
                                      kLogs + "matmul_512.records.json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY2(result.output.contains("21 records imported"), result.output);
  }

  /// Of a program that cannot be lowered for its target all else is shown, with the reason.
  void recordsOfOtherTargetsAreShown() {
    QFile log(kLogs + "tvm-gallery-conv2d.json"), odd(path("odd.json"));
    QVERIFY(log.open(QIODevice::ReadOnly) && odd.open(QIODevice::WriteOnly));
    odd.write(log.readAll().replace("cuda -keys=cuda,gpu", "hexagon -keys=hexagon"));
    odd.close();
    QCOMPARE(run({"import", path("odd.nwdb"), path("odd.json")}).exitCode, 0);
    const ProgramResult shown = run({"show", "--db", path("odd.nwdb"), "1"});
    QCOMPARE(shown.exitCode, 0);
    for (const char* part :
         {"record 1: task 1", "steps:", "loops:", "blockIdx.x", "not to be had: loop"})
      QVERIFY2(shown.output.contains(part), part);
    // Alone it is an error, beside others a part.
    QCOMPARE(run({"show", "--db", path("odd.nwdb"), "1", "--ir"}).exitCode, 1);
    QCOMPARE(run({"show", "--db", path("odd.nwdb"), "1", "--ir", "--loops"}).exitCode, 0);
    const json document = run({"show", "--db", path("odd.nwdb"), "1", "--json"}).json();
    QVERIFY(document.at("layouts").get<std::string>().find("not to be had") == 0);
  }

  /// A log tells times, and nothing of how they were taken.
  void nothingIsClaimedThatTheLogDoesNotSay() {
    const ProgramResult shown = run({"show", "--db", path("a.nwdb"), "2"});
    QCOMPARE(shown.exitCode, 0);
    QVERIFY(shown.output.contains("repeats: "));
    QVERIFY2(!shown.output.contains("warm-up"), shown.output);
    const json document = run({"show", "--db", path("a.nwdb"), "2", "--json"}).json();
    QVERIFY(document.at("runs_per_repeat").is_null());
  }

  void standardOutputHasOneContentUnderAllItsNames() {
    const QByteArray there = run({"export", path("a.nwdb"), "-o", "-"}).output;
    QVERIFY(there.startsWith("{\"i\": "));
    QCOMPARE(run({"export", path("a.nwdb"), "-o", "/dev/stdout"}).output, there);
  }

  /// A script can tell by the exit code that these were no logs.
  void whatIsNoLogIsAnError_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("no records") << QByteArray("root:x:0:0\nbin:x:1:1\n") << 1;
    QTest::newRow("comments") << QByteArray("# nothing\n") << 1;
    QTest::newRow("nothing") << QByteArray() << 1;
  }
  void whatIsNoLogIsAnError() {
    QFETCH(QByteArray, text);
    QFETCH(int, exitCode);
    QFile file(path("none.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    QFile::remove(path("none.nwdb"));
    for (int again = 0; again < 2; ++again) {
      const ProgramResult result = run({"import", path("none.nwdb"), path("none.json")});
      QCOMPARE(result.exitCode, exitCode);
      QVERIFY2(result.errors.contains("is a record"), result.errors);
      if (again == 1 && text.contains("root"))
        QVERIFY2(result.output.contains("1 of 1 log had been imported before, 2 lines of them "
                                        "broken"),
                 result.output);
    }
  }

  void everythingKnownIsNoError() {
    const ProgramResult again = run({"import", path("a.nwdb"), kLogs + "matmul_512.records.json"});
    QCOMPARE(again.exitCode, 0);
    const json stats = run({"db", "stats", path("a.nwdb"), "--json"}).json().at("files").at(0);
    QCOMPARE(stats.at("sessions").size(), std::size_t(1));
  }

  void mistakesAreToldInSentences_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("message");
    const auto add = [&](const char* name, const QStringList& arguments, int code,
                         const char* message) {
      QTest::newRow(name) << arguments << code << QString::fromUtf8(message);
    };
    const QString db = path("a.nwdb");
    add("verb", {"frob"}, 2, "nestwright has no verb \"frob\"; nestwright --help");
    add("option for a verb", {"--frob"}, 2, "nestwright has no option \"--frob\"");
    add("verb of db", {"db", "frob"}, 2, "nestwright db has no verb \"frob\"");
    add("below nothing", {"query", "--db", db, "--limit", "-1"}, 2, "--limit: -1 is below 0");
    add("no number", {"query", "--db", db, "--below", "nan"}, 2,
        "--below: nan is no number to reckon with");
    add("empty SELECT", {"query", "--db", db, "--sql", ""}, 2, "--sql is empty");
    add("task", {"query", "--db", db, "--task", "99999"}, 1, "there is no task 99999");
    add("session", {"query", "--db", db, "--session", "99"}, 1, "there is no session 99");
    add("task of an export", {"export", db, "-o", "-", "--task", "99999"}, 1,
        "there is no task 99999");
    add("session of an export", {"export", db, "-o", "-", "--session", "99"}, 1,
        "there is no session 99");
    add("verdict", {"query", "--db", db, "--verdict", "okk"}, 2, "'okk' is no verdict");
    add("verdict of a filter", {"query", "--db", db, "--filter", "error:foo"}, 2, "\"foo\"");
    add("trial beyond all", {"query", "--db", db, "--filter", "trial:1..99999999999999999999"}, 2,
        "is beyond every trial that there can be");
    add("threads", {"tune", "matmul:m=8,n=8,k=8", "--threads", "99999", "--db", path("no.nwdb")}, 2,
        "--threads: this machine gives us");
    add("features", {"tune", "matmul:m=8,n=8,k=8", "--features", "odd", "--db", path("no.nwdb")}, 2,
        "there are paper; lowered; paper,lowered and steps");
    add("place of a file", {"tune", "matmul:m=8,n=8,k=8", "--db", "/proc/x"}, 1, "/proc/x");
  }
  void mistakesAreToldInSentences() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    QFETCH(QString, message);
    const ProgramResult result = run(arguments);
    QVERIFY2(result.errors.contains(message.toUtf8()), result.errors);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.errors.size() < 400, result.errors); // no number of 309 digits
    QVERIFY(!QFile::exists(path("no.nwdb")));
  }

  void helpNamesEachChoiceOnce() {
    const QByteArray help = run({"tune", "--help"}).output;
    QVERIFY(!help.contains("paper,lowered,paper"));
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  QTemporaryDir folder_;
};

NW_TEST_GUILESS(ImportedLogs)

} // namespace nestwright::imported_logs_test

#include "imported_logs.moc"
