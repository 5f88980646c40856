#include "ui/window/new_session/sentences.h"

#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"

#include <QFileInfo>
#include <QLabel>

namespace nestwright::ui {

QString fileProblem(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) return tr("There is no file %1.").arg(path);
  if (info.isDir() || !info.isReadable()) return tr("%1 cannot be read.").arg(path);
  return {};
}

QLabel* problemLabel(QWidget* parent) {
  QLabel* label = sentenceLabel(parent);
  keepTextColour(label, &Colours::failed);
  return label;
}

QStringList firstOf(const QStringList& lines) {
  constexpr qsizetype kNamed = 4;
  if (lines.size() <= kNamed) return lines;
  return lines.mid(0, kNamed) << tr("and %1 more").arg(lines.size() - kNamed);
}

} // namespace nestwright::ui
