#include "ui/help_dialogs.h"

#include "ui/actions.h"
#include "ui/table_setup.h"
#include "ui/theme.h"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMessageBox>
#include <QTableWidget>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {
QString tr(const char* text) {
  return QCoreApplication::translate("HelpDialogs", text);
}
} // namespace

void showAbout(QWidget* parent) {
  QMessageBox box(parent);
  box.setWindowTitle(tr("About Nestwright"));
  box.setIconPixmap(QIcon(QStringLiteral(":/nestwright.svg")).pixmap(64, 64));
  box.setTextFormat(Qt::RichText);
  box.setText(QStringLiteral("<h3>Nestwright %1</h3>%2")
                  .arg(QStringLiteral(NESTWRIGHT_VERSION),
                       tr("An interactive workbench for tuning tensor programs.")));
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

void showShortcuts(const Actions& actions, QWidget* parent) {
  QDialog dialog(parent);
  dialog.setWindowTitle(tr("Keyboard Shortcuts"));
  auto* table = new QTableWidget(0, 3, &dialog);
  table->setHorizontalHeaderLabels({tr("Shortcut"), tr("Command"), tr("What it does")});
  const auto addRow = [&](const QString& keys, const QString& command, const QString& what) {
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(keys));
    table->setItem(row, 1, new QTableWidgetItem(command));
    table->setItem(row, 2, new QTableWidgetItem(what));
  };
  for (const QAction* action : actions.all()) {
    if (action->shortcut().isEmpty()) continue;
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts())
      keys.append(key.toString(QKeySequence::NativeText));
    addRow(keys.join(QStringLiteral(", ")), action->text().remove(QLatin1Char('&')),
           action->whatsThis());
  }
  addRow(QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText), tr("Copy Row"),
         tr("The selected row of a table, with headers, tab-separated."));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  setUpTable(table);
  table->resizeColumnsToContents();
  table->horizontalHeader()->setStretchLastSection(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(&dialog);
  layout->addWidget(table);
  layout->addWidget(buttons);
  dialog.resize(720, 480);
  dialog.exec();
}

} // namespace nestwright::ui
