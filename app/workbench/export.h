#pragma once
/// \file Figures and tables from the command line, the same as from the window.

#include <QSize>
#include <QStringList>

namespace nestwright::ui {
class MainWindow;
}

namespace nestwright {

/// Waits until the window's document is open and read, writes each "VIEW=FILE", and ends the
/// application: with 0, or with 1 after a sentence on standard error.
void exportViews(ui::MainWindow& window, const QStringList& exports, QSize size);

} // namespace nestwright
