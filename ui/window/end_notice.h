#pragma once
/// \file Tells somebody who is elsewhere that a session has ended, or needs help.

#include "core/record/rows/session_status.h"

#include <QObject>

class QSystemTrayIcon;
class QWidget;

namespace nestwright::ui {

class Document;

class EndNotice : public QObject {
  Q_OBJECT
 public:
  EndNotice(Document& document, QWidget* window);

 private:
  void look();
  void show(bool failed);

  Document& document_;
  QWidget* window_;
  QSystemTrayIcon* tray_ = nullptr; // made when a session ends out of sight
  SessionStatus seen_ = SessionStatus::Ready;
};

} // namespace nestwright::ui
