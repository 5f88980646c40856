#pragma once
/// \file Files as bytes, for tests that damage them.

#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTest>

#include <string>

namespace nestwright {

/// Empty when there is no such file.
inline QByteArray contents(const std::string& path) {
  QFile file(QString::fromStdString(path));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void overwrite(const std::string& path, const QByteArray& bytes) {
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

} // namespace nestwright
