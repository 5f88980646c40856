#pragma once
/// \file A word for somebody who is elsewhere, by the means of the desktop.

#include <QObject>

class QSystemTrayIcon;
class QWidget;

namespace nestwright::ui {

/// Belongs to the window that it speaks for.
class DesktopNotice : public QObject {
  Q_OBJECT
 public:
  explicit DesktopNotice(QWidget& window);
  /// Draws attention to the window and shows the text beside the tray, where there is one; a click
  /// brings the window up. Nothing while the window is the active one.
  void tell(const QString& title, const QString& text);

 private:
  QWidget& window_;
  QSystemTrayIcon* tray_ = nullptr; // made for the first notice
};

} // namespace nestwright::ui
