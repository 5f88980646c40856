#pragma once
/// \file What deploy wrote, as the tools of C programmers see it.

#include "tests/end_to_end/run_program.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <string>

namespace nestwright::deploy_test {

inline QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline bool write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// What a shared object needs by itself.
inline QStringList neededLibraries(const QString& path) {
  QStringList needed;
  const ProgramResult told = runIn("/", "readelf", {"-d", path});
  for (const QByteArray& line : told.output.split('\n'))
    if (line.contains("(NEEDED)"))
      needed.append(QString::fromUtf8(line.mid(line.indexOf('[') + 1)).section(']', 0, 0));
  return needed;
}

/// Names that a shared object gives to others.
inline QStringList exportedNames(const QString& path) {
  QStringList names;
  const ProgramResult told = runIn("/", "nm", {"-D", "--defined-only", path});
  for (const QByteArray& line : told.output.split('\n'))
    if (!line.isEmpty()) names.append(QString::fromUtf8(line).section(' ', -1));
  return names;
}

} // namespace nestwright::deploy_test
