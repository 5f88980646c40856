#pragma once
/// \file The thread of the session that is shown: made when the first command is posted, ended when
/// the window goes elsewhere. It has no opinion on what it passes on.

#include "ui/document/event_queue.h"
#include "ui/document/session_port.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace nestwright::ui {

class SessionRunner : public QObject {
  Q_OBJECT
 public:
  SessionRunner(SessionFactory factory, WorkQueue& work, QObject* parent = nullptr);
  /// Pauses and stores what runs; waits for it. What is being prepared or ended is `work`'s.
  ~SessionRunner() override;

  /// Which one is meant from now on; what was posted and not passed on yet is forgotten, and what
  /// one that is being ended still tells is not heard.
  void setSession(const QString& path, RowId session);
  /// Tells the session, which is prepared first if there is none yet. Returns at once.
  void post(const Command& command);
  /// Ends the session, so that the next post() prepares it anew. Returns at once.
  void letGo();
  /// Pauses and stores, then calls `then`, at once if nothing runs. Of several requests made while
  /// a session ends, the last one counts. What waits for a session that is being prepared is
  /// dropped.
  void end(std::function<void()> then);
  /// There is a session to be ended.
  bool isAlive() const { return session_ != nullptr; }

 Q_SIGNALS:
  /// A batch of what the session tells, oldest first.
  void told(const std::vector<Event>& events);
  /// It could not be prepared; what was posted is forgotten.
  void failed(const QString& why);

 private:
  void listenTo(std::shared_ptr<EventQueue> queue);
  void takeEvents();
  void prepared(std::unique_ptr<SessionPort> session, const QString& error);

  SessionFactory factory_;
  WorkQueue& work_;
  QString path_;
  RowId id_ = 0;
  // One queue a session: what an ending one still tells is not about the next.
  std::shared_ptr<EventQueue> queue_; // null before there is a session
  std::unique_ptr<SessionPort> session_;
  std::vector<Command> waiting_; // until the session is prepared
  bool preparing_ = false;
  std::uint64_t preparations_ = 0; // what was prepared for an earlier one is dropped
  std::uint64_t ends_ = 0;         // requests to end; the last one counts
};

} // namespace nestwright::ui
