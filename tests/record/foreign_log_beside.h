#pragma once
/// \file A document with a log beside it that was written on another one.

#include "core/record/store/store.h"
#include "tests/record/file_bytes.h"

#include <QTemporaryDir>

namespace nestwright {

/// Puts the log beside a document that nobody has open: that of a copy that went its own way.
inline void putForeignLogBeside(const std::string& path) {
  const QTemporaryDir folder;
  const std::string other = folder.filePath(QStringLiteral("other.nwdb")).toStdString();
  overwrite(other, contents(path));
  RecordStore store = RecordStore::open(other);
  store.transaction([] {}); // goes into the file at once
  store.transaction([] {});
  overwrite(path + "-wal", contents(other + "-wal"));
  QVERIFY(!contents(path + "-wal").isEmpty());
}

} // namespace nestwright
