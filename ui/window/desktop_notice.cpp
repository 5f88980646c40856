#include "ui/window/desktop_notice.h"

#include <QApplication>
#include <QSystemTrayIcon>
#include <QWidget>

namespace nestwright::ui {

DesktopNotice::DesktopNotice(QWidget& window) : QObject(&window), window_(window) {}

void DesktopNotice::tell(const QString& title, const QString& text) {
  if (window_.isActiveWindow()) return;
  QApplication::alert(&window_);
  if (!QSystemTrayIcon::isSystemTrayAvailable()) return;
  if (!tray_) {
    tray_ = new QSystemTrayIcon(window_.windowIcon(), this);
    connect(tray_, &QSystemTrayIcon::messageClicked, &window_, [this] {
      window_.raise();
      window_.activateWindow();
    });
  }
  tray_->show();
  tray_->showMessage(title, text, window_.windowIcon());
}

} // namespace nestwright::ui

#include "moc_desktop_notice.cpp"
