/// Other programs are run with their words as they are, and found by name.

#include "core/support/run_command.h"

#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTest>

namespace nestwright::run_command_test {

using test::messageOf;
using test::says;

class RunCommand : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void commandsRunWithoutAShell() {
    const CommandResult result =
        runCommand({"sh", "-c", "pwd; echo \"$1\" >&2; exit 3", "sh", "a b"}, "/");
    QCOMPARE(result.exitCode, 3);
    QCOMPARE(result.output, std::string("/\na b\n"));
    QVERIFY(findProgram("sh").ends_with("/sh"));
    QVERIFY(findProgram("no-such-program").empty());
    QVERIFY(says(messageOf([] { runCommand({"no-such-program"}, "/"); }), "cannot start"));
  }
};

NW_TEST_APPLESS(RunCommand)

} // namespace nestwright::run_command_test

#include "run_command.moc"
