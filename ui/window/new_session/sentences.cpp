#include "ui/window/new_session/sentences.h"

#include "ui/kit/text.h"

#include <QFileInfo>

namespace nestwright::ui {

QString fileProblem(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) return tr("There is no file %1.").arg(path);
  if (info.isDir() || !info.isReadable()) return tr("%1 cannot be read.").arg(path);
  return {};
}

QStringList firstOf(const QStringList& lines) {
  constexpr qsizetype kNamed = 4;
  if (lines.size() <= kNamed) return lines;
  return lines.mid(0, kNamed) << tr("and %1 more").arg(lines.size() - kNamed);
}

} // namespace nestwright::ui
