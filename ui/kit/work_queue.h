#pragma once
/// \file Slow work that writes or waits (making a session, preparing one, ending one): done one
/// after the other on a thread of its own, so that the window stays responsive.

#include "ui/kit/one_thread.h"

#include <QObject>
#include <QString>

#include <functional>

namespace nestwright::ui {

class WorkQueue : public QObject {
  Q_OBJECT
 public:
  /// Its end finishes what was asked.
  using QObject::QObject;

  /// Runs `work` on the work queue and then, on the GUI thread, `done` with an empty text, or
  /// with the reason why it failed; not when `receiver` has gone by then. The work itself is done
  /// in any case: what it uses it must hold.
  void run(QObject* receiver, std::function<void()> work,
           std::function<void(const QString& error)> done);

 private:
  OneThread thread_;
};

} // namespace nestwright::ui
