#include "ui/document/sample.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace nestwright::ui {

QString samplePath() {
  const QDir binaries(QCoreApplication::applicationDirPath());
  for (const char* place : {"../share/nestwright/sample.nwdb", "../../../resources/sample.nwdb"}) {
    const QFileInfo file(binaries.filePath(QLatin1String(place)));
    if (file.isFile()) return file.canonicalFilePath();
  }
  return {};
}

QString copyOfSample(const QString& sample) {
  QString copy = QDir(dataFolder()).filePath(QStringLiteral("sample.nwdb"));
  if (QFileInfo::exists(copy)) return copy;
  if (!QFile::copy(sample, copy)) return {};
  QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
  return copy;
}

QString dataFolder() {
  QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                   QStringLiteral("/nestwright");
  QDir().mkpath(folder);
  return folder;
}

} // namespace nestwright::ui
