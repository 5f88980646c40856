#pragma once
/// \file Tells somebody who is elsewhere that a session has ended, or needs help.

#include "core/record/rows/session_status.h"

#include <QObject>

namespace nestwright::ui {

class DesktopNotice;
class Document;

class EndNotice : public QObject {
  Q_OBJECT
 public:
  EndNotice(Document& document, DesktopNotice& notice, QObject* parent);

 private:
  void look();
  void show(bool failed);

  Document& document_;
  DesktopNotice& notice_;
  SessionStatus seen_ = SessionStatus::Ready;
};

} // namespace nestwright::ui
