#pragma once
/// \file Pictures of the window for manuals and packages.

#include <QSize>
#include <QString>

namespace nestwright::ui {
class MainWindow;
}

namespace nestwright {

/// "1400x900" as a size; empty when it is none.
QSize sizeFromText(const QString& text);

/// Shows the window at this size, waits so many seconds while it works, saves a picture, and closes
/// it as a user would. The application ends with 0, or with 1 when the file cannot be written.
void takeScreenshot(ui::MainWindow& window, const QString& file, QSize size, double afterSeconds);

} // namespace nestwright
