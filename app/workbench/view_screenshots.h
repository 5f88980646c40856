#pragma once
/// \file Pictures of every view for the manual: each with the whole window, in both themes and both
/// sizes, as resources/help/VIEW-THEME-SIZE.png.

#include <QString>

namespace nestwright::ui {
class MainWindow;
}

namespace nestwright {

/// Waits until the document is read, takes the pictures, and ends the application with 0, or with 1
/// after a sentence on standard error.
void takeViewScreenshots(ui::MainWindow& window, const QString& folder);

} // namespace nestwright
