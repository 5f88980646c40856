#pragma once
/// \file Running programs from a test: our command line, and others.

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QStringList>

/// What a finished run left behind.
struct ProgramResult {
  int exitCode = -1; // -1: it crashed or did not end in time
  QByteArray output, errors;
  /// Standard output as JSON; null (and a test failure in the caller) when it is none.
  nlohmann::json json() const;
};

/// Path of the `nestwright` program under test.
QString programPath();

/// Runs `nestwright` with the arguments and waits for it.
ProgramResult run(const QStringList& arguments, int timeoutSeconds = 300);

/// Runs any program in a folder; empty: in this one.
ProgramResult runIn(const QString& folder, const QString& program, const QStringList& arguments,
                    int timeoutSeconds = 300);
