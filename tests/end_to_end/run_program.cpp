#include "tests/end_to_end/run_program.h"

#include <QProcess>

nlohmann::json ProgramResult::json() const {
  return nlohmann::json::parse(output.begin(), output.end(), nullptr, false);
}

QString programPath() {
  return QStringLiteral(NESTWRIGHT_BINARIES "/nestwright");
}

ProgramResult run(const QStringList& arguments, int timeoutSeconds) {
  return runIn({}, programPath(), arguments, timeoutSeconds);
}

ProgramResult runIn(const QString& folder, const QString& program, const QStringList& arguments,
                    int timeoutSeconds) {
  QProcess process;
  process.setWorkingDirectory(folder);
  process.start(program, arguments);
  ProgramResult result;
  if (!process.waitForFinished(timeoutSeconds * 1000)) process.kill();
  if (process.exitStatus() == QProcess::NormalExit) result.exitCode = process.exitCode();
  result.output = process.readAllStandardOutput();
  result.errors = process.readAllStandardError();
  return result;
}
