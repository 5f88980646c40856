#pragma once
/// \file A Python that has what a test needs.

#include "tests/end_to_end/run_program.h"

#include <QStandardPaths>

namespace nestwright::deploy_test {

/// The interpreter that can import all of the modules: the one that NESTWRIGHT_TEST_PYTHON names
/// and no other, else the shell's or the system's. Empty when none can.
inline QString pythonWith(const QStringList& modules) {
  QStringList interpreters = {QStandardPaths::findExecutable("python3"), "/usr/bin/python3"};
  if (qEnvironmentVariableIsSet("NESTWRIGHT_TEST_PYTHON"))
    interpreters = {qEnvironmentVariable("NESTWRIGHT_TEST_PYTHON")};
  for (const QString& python : interpreters)
    if (!python.isEmpty() &&
        runIn("/", python, {"-c", "import " + modules.join(", ")}).exitCode == 0)
      return python;
  return {};
}

} // namespace nestwright::deploy_test

/// Skips the test where no Python has them.
#define NW_PYTHON_WITH(python, ...)                                                                \
  const QString python = nestwright::deploy_test::pythonWith({__VA_ARGS__});                       \
  if (python.isEmpty())                                                                            \
  QSKIP(qPrintable("there is no python3 that can import " +                                        \
                   QStringList({__VA_ARGS__}).join(" and ") +                                      \
                   "; NESTWRIGHT_TEST_PYTHON may name one"))
