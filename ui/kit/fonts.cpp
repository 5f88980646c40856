#include "ui/kit/fonts.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetrics>

namespace nestwright::ui {

QFont codeFont() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(Theme::instance().pointSize());
  return font;
}

QFont smallFont() {
  QFont font = QApplication::font();
  font.setPointSizeF(Theme::instance().pointSize() * 0.9);
  return font;
}

int tableRowHeight() {
  return QFontMetrics(QApplication::font()).height() + qRound(6 * Theme::instance().zoom());
}

} // namespace nestwright::ui
