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

/// The beginning of a script: NumPy, and a session of ONNX Runtime with libraries of operators.
inline const QByteArray kOnnxSession = R"PY(
import numpy as np
import onnxruntime

def session(model, *libraries):
    options = onnxruntime.SessionOptions()
    for library in libraries:
        options.register_custom_ops_library(library)
    return onnxruntime.InferenceSession(model, options)
)PY";

/// Why a test of them is skipped.
inline QByteArray whyNoPython(const QStringList& modules) {
  return "there is no python3 that can import " + modules.join(" and ").toUtf8() +
         "; NESTWRIGHT_TEST_PYTHON may name one";
}

} // namespace nestwright::deploy_test
