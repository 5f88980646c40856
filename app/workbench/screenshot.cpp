#include "app/workbench/screenshot.h"

#include "core/support/printable.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QPixmap>
#include <QTimer>

#include <cstdio>

namespace nestwright {

QSize sizeFromText(const QString& text) {
  bool wide = false, high = false;
  const QSize size(text.section(QLatin1Char('x'), 0, 0).toInt(&wide),
                   text.section(QLatin1Char('x'), 1).toInt(&high));
  return wide && high && !size.isEmpty() ? size : QSize();
}

void takeScreenshot(ui::MainWindow& window, const QString& file, QSize size, double afterSeconds) {
  window.resize(size);
  QTimer::singleShot(static_cast<int>(afterSeconds * 1000), &window, [&window, file] {
    const bool saved = window.grab().save(file);
    if (!saved)
      std::fprintf(stderr, "nestwright-workbench: cannot write %s\n",
                   printable(file.toStdString()).c_str());
    QObject::connect(qApp, &QApplication::lastWindowClosed, qApp,
                     [saved] { QApplication::exit(saved ? 0 : 1); });
    window.close();
  });
}

} // namespace nestwright
