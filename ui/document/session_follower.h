#pragma once
/// \file Keeps what is known of the session that is shown up to date: reads it from the file a part
/// at a time, takes in what it tells, what a replay plays and what another program adds to the
/// file, and says what changed.

#include "core/story/live_session.h"
#include "ui/document/elsewhere.h"
#include "ui/document/reading/reader.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace nestwright::ui {

class Notices;
class Replay;

class SessionFollower : public QObject {
  Q_OBJECT
 public:
  /// `ownIsThere` says whether there is a session of the document's own, which may hold the one
  /// that is shown.
  SessionFollower(Reader& reader, Notices& notices, std::function<bool()> ownIsThere,
                  QObject* parent = nullptr);

  const LiveSession& session() const { return session_; }
  /// Whether another program is tuning this session, which the window then follows.
  const Elsewhere& elsewhere() const { return elsewhere_; }
  /// When each of the events in hand was told, microseconds since the epoch; empty when they are
  /// told now.
  const std::vector<std::int64_t>& eventTimes() const { return eventTimes_; }

  /// Whose measurements are shown. A replay shows what the session knew then, which were those of
  /// the whole file.
  Scope scope() const { return replaying_ ? Scope::WholeFile : scope_; }
  /// Reads everything again in this scope; in a replay once that has ended.
  void setScope(Scope scope);

  /// From now on it is this session, as its file has it; begin() tells so, and reads its curves.
  void adopt(LiveSession session);
  void begin();
  void forget();

  /// What the session tells.
  void take(const std::vector<Event>& events);
  /// Takes in what these commands are going to change, to be announced when they are posted.
  LiveChanges anticipate(const std::vector<Command>& commands);
  void setPending(Pending pending);
  /// Bests, counts, tasks and curves as the file has them now, while everything else goes on.
  void reread();
  /// Somebody else has done writing to the file.
  void writerEnded();
  /// Says that these changed.
  void announce(const LiveChanges& changes);

  /// While the past is shown, the present is not followed.
  void setReplaying(bool replaying);
  void takeReplayed(const Replay& replay, const std::vector<Event>& events,
                    const std::vector<std::int64_t>& times);
  void jumpTo(Moment& moment);

 Q_SIGNALS:
  void statusChanged();
  void tasksChanged();
  void progressChanged();
  void historyChanged();
  /// The present round went on, or another began.
  void roundChanged();
  /// The plan, of the user or of the session, is another.
  void settingsChanged();
  /// scope() is another; the numbers in it come with recordsReread().
  void scopeChanged();
  /// New records are in the file.
  void recordsAdded();
  /// Records were forgotten or restored; everything was read again.
  void recordsReread();
  /// A batch of events of the running session, oldest first.
  void eventsArrived(const std::vector<Event>& events);
  /// A replay went to another moment, its beginning first: what was built up from events is void.
  void jumped();

 private:
  /// Whether what the file says is all there is to know.
  bool isAtRest() const;
  void watch();
  void refresh();
  /// The fastest imported record of each task, which adopt() came without.
  void loadImported();
  // The curves from the beginning: what other sessions left, then the trials.
  void loadInherited();
  /// Of these tasks, from this one on.
  void loadInherited(std::shared_ptr<const std::vector<RowId>> tasks, std::size_t from);
  void loadHistory();
  void historyLoaded();
  void loadRound();
  void takeReread(SessionContents contents);
  void applySteering(const Event& event);

  Reader& reader_;
  Notices& notices_;
  LiveSession session_;
  Scope scope_ = Scope::WholeFile;
  bool replaying_ = false;
  std::vector<std::int64_t> eventTimes_;
  // What was told since the file is being read again; what is read may be older.
  bool rereading_ = false;
  bool tasksReadAgain_ = false; // since the page of the history before this one
  std::vector<Event> toldWhileRereading_;
  QTimer watchTimer_;
  Elsewhere elsewhere_;
  const std::function<bool()> ownIsThere_;
  bool isRefused_ = false; // it found the session held by somebody else
};

} // namespace nestwright::ui
