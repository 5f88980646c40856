#pragma once
/// \file Steering the session from the window: what is wanted becomes a command, what it will
/// change is shown at once, and most of it can be undone.

#include "core/story/plan.h"

#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QUndoStack;

namespace nestwright::ui {

class Notices;
class SessionFollower;
class SessionRunner;

class Steering : public QObject {
  Q_OBJECT
 public:
  /// What of the surroundings stands in the way.
  struct Obstacles {
    bool readOnly = false;  // the file cannot be written
    bool importing = false; // records are being taken into it
    bool replaying = false; // the past is shown, which cannot be changed
  };
  /// Commands go to `runner`; what can be undone is pushed on `undo`.
  Steering(SessionFollower& follower, SessionRunner& runner, QUndoStack& undo, Notices& notices,
           std::function<Obstacles()> obstacles, QObject* parent = nullptr);

  /// Tells the session what to do, which is prepared first if there is none yet; what it will
  /// change is shown at once. What cannot be now, or is so already, is left out. Can be undone,
  /// under this name in the Edit menu or that of the command, but for starting, pausing and
  /// measuring.
  void steer(const Command& command, const QString& undoText = {});
  void start() { steer(Start{}); } // also resumes
  void pause() { steer(Pause{}); }
  void stop() { steer(Stop{}); }
  /// What of the plan is another now, as one change. `what` is what the Edit menu calls it.
  void setPlan(const Plan& plan, const QString& what = {});
  /// Goes on, or begins, with so much more time as the budget. Can be undone.
  void tuneFor(double seconds);
  /// So much more time on top of the time budget. Can be undone.
  void extendTime(double seconds);

  // Why not, in a sentence; empty when it can be done.
  /// Of whatever changes the session.
  QString whyNotChange() const;
  QString whyNotStart() const;
  QString whyNotPause() const;
  QString whyNotStop() const;
  QString whyNotTuneLonger() const;
  /// Of a measurement that somebody asks for, of the session or of the machine beside it.
  QString whyNotMeasure() const;
  bool canStart() const { return whyNotStart().isEmpty(); }
  bool canPause() const { return whyNotPause().isEmpty(); }
  bool canStop() const { return whyNotStop().isEmpty(); }
  bool canTuneLonger() const { return whyNotTuneLonger().isEmpty(); }
  /// True when start() goes on with trials that were made before.
  bool startResumes() const;

 private:
  /// That the session is about to do something else.
  QString pendingText() const;
  /// Whether the session is to hear of it: it can be now, and changes something.
  bool canSteer(const Command& command) const;
  /// True, and says so, when a replay is shown: the past cannot be changed.
  bool refusesInReplay();
  QString undoTextOf(const Command& command) const;
  void carryOut(const std::vector<Command>& commands);
  const LiveSession& session() const;

  SessionFollower& follower_;
  SessionRunner& runner_;
  QUndoStack& undo_;
  Notices& notices_;
  std::function<Obstacles()> obstacles_;
};

} // namespace nestwright::ui
