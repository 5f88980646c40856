#include "ui/document/dropped_files.h"

#include <QMimeData>
#include <QUrl>

namespace nestwright::ui {

QStringList droppedFiles(const QMimeData* data, const QString& ending) {
  QStringList files;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile() && url.toLocalFile().endsWith(ending)) files.append(url.toLocalFile());
  return files;
}

} // namespace nestwright::ui
