#pragma once
/// \file Names for new files.

#include <QFileInfo>
#include <QString>

#include <functional>

namespace nestwright::ui {

/// The first of "stem.nwdb", "stem-2.nwdb" and so on that is free; by default, where no file is.
inline QString freeName(
    const QString& stem, const QString& ending,
    const std::function<bool(const QString& path)>& isFree = [](const QString& path) {
      return !QFileInfo::exists(path);
    }) {
  QString path = stem + ending;
  for (int number = 2; !isFree(path); ++number)
    path = QStringLiteral("%1-%2%3").arg(stem, QString::number(number), ending);
  return path;
}

} // namespace nestwright::ui
