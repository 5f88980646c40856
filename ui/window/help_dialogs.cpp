#include "ui/window/help_dialogs.h"

#include "core/support/version.h"
#include "ui/kit/text.h"

#include <QIcon>
#include <QMessageBox>

namespace nestwright::ui {
void showAbout(QWidget* parent) {
  QMessageBox box(parent);
  box.setWindowTitle(tr("About Nestwright"));
  box.setIconPixmap(QIcon(QStringLiteral(":/nestwright.svg")).pixmap(64, 64));
  box.setTextFormat(Qt::RichText);
  box.setText(
      QStringLiteral("<h3>%1</h3>%2")
          .arg(qs(versionText()), tr("An interactive workbench for tuning tensor programs.")));
  box.setInformativeText(
      tr("<p>Free software under the GNU General Public License, version 3 or later. It comes "
         "without "
         "any warranty.</p>"
         "<p>Built on Qt %1 (LGPL 3), QCustomPlot (GPL 3+), LLVM (Apache 2.0 with exceptions), "
         "SQLite "
         "(public domain), ONNX (Apache 2.0), Protocol Buffers, CLI11, zstd and xxHash (BSD), fmt, "
         "spdlog and JSON for Modern C++ (MIT).</p>")
          .arg(QString::fromLatin1(qVersion())));
  box.exec();
}

} // namespace nestwright::ui
