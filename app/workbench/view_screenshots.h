#pragma once
/// \file Pictures of every view for the manual.

#include <QString>
#include <QStringList>

namespace nestwright::ui {
class MainWindow;
}

namespace nestwright {

struct ViewPictures {
  QString folder;    // made where there is none
  QStringList names; // of those that are taken (Pose::name); empty: all
  QString log;       // that is imported for the picture of an import
};

/// Waits until the document is read, takes the pictures in both themes and both sizes, as
/// folder/NAME-THEME-SIZE.png, and ends the application with 0, or with 1 after a sentence on
/// standard error.
void takeViewScreenshots(ui::MainWindow& window, const ViewPictures& pictures);

} // namespace nestwright
