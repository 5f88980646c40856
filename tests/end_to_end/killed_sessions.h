#pragma once
/// \file Killing the program under test, and what it leaves in its file.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "tests/end_to_end/run_program.h"

#include <QFile>
#include <QProcess>
#include <QtTest>

#include <algorithm>
#include <vector>

namespace nestwright::test {

/// In the order in which they were measured.
inline std::vector<Record> recordsOf(const QString& path) {
  RecordQuery query;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 10'000;
  return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().page(query);
}

/// So many measurements, or what a session of `trials` has left where that is less: on a busy
/// machine one that is to be killed goes further before it is.
inline int measurementsLeft(const QString& path, int trials, int wanted) {
  if (!QFile::exists(path)) return wanted;
  return std::min(wanted, trials - static_cast<int>(recordsOf(path).size()));
}

/// kill -9 as soon as the program has told of so many measurements; the arguments ask for events.
inline void killAfter(int measurements, const QStringList& arguments) {
  QProcess process;
  process.start(programPath(), arguments);
  int told = 0;
  while (told < measurements && process.waitForReadyRead(120'000))
    while (process.canReadLine())
      if (process.readLine().contains("\"measured\"")) ++told;
  process.kill();
  process.waitForFinished();
  QVERIFY2(told >= measurements, process.readAllStandardError());
}

/// kill -9 after so many milliseconds. Whether it still ran then.
inline bool killedWithin(int milliseconds, const QStringList& arguments) {
  QProcess process;
  process.start(programPath(), arguments);
  const bool ended = process.waitForFinished(milliseconds);
  process.kill();
  process.waitForFinished();
  return !ended;
}

} // namespace nestwright::test
