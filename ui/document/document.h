#pragma once
/// \file The one controller of the window: a `.nwdb` file, the session that runs on it, and the
/// selection that all views share. Views read from here, follow its signals and call its commands;
/// they know nothing of one another. GUI thread only.

#include "core/record/rows/record_query.h"
#include "core/story/live_parts.h"
#include "core/story/session_contents.h"
#include "core/story/tuning_history.h"
#include "ui/document/event_queue.h"
#include "ui/document/program_ref.h"
#include "ui/document/reader.h"
#include "ui/document/session_port.h"
#include "ui/kit/text.h"
#include "ui/kit/work_queue.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright {
struct Moment;
} // namespace nestwright

namespace nestwright::ui {

enum class DocumentState { Empty, Loading, Ready, Failed };

/// What is looked at, shared by all views. A record implies its task.
struct Selection {
  RowId task = 0;   // 0: all tasks
  RowId record = 0; // 0: the task's best
  friend bool operator==(const Selection&, const Selection&) = default;
};

/// What was selected when the window left the session; nothing when that was another one.
std::optional<Selection> selectionOf(const SessionContents& contents);

/// What a session is after and how it searches, as far as that can be changed on the way.
struct Plan {
  std::int64_t trials = 0; // budgets
  double maxSeconds = 0;   // 0: none
  SearchOptions search;
  Objective objective;
  friend bool operator==(const Plan&, const Plan&) = default;
};
Plan planOf(const SessionConfig& config);

/// A command whose effect has not been announced yet.
enum class Pending { None, Start, Pause, Stop };

class Importer;
class NoteBook;
class Replay;

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(SessionFactory sessions = realSessions(), QObject* parent = nullptr);
  /// Pauses and stores a running session; waits for it.
  ~Document() override;

  // Commands. All return at once.
  /// `start`: go on tuning as soon as it is loaded.
  void open(const QString& path, bool start = false);
  /// Makes a session in the file (a new one, or one more in an existing file) and opens it.
  void create(const QString& path, const SessionConfig& config, bool start);
  /// Pauses and stores a running session, then becomes empty; emits closed().
  void close();
  /// Tells the session what to do, which is prepared first if there is none yet; what it will
  /// change is shown at once. What cannot be now, or is so already, is left out. Can be undone,
  /// under this name in the Edit menu or that of the command, but for starting, pausing and
  /// measuring.
  void steer(const Command& command, const QString& undoText = {});
  void start() { steer(Start{}); } // also resumes
  void pause() { steer(Pause{}); }
  void stop() { steer(Stop{}); }
  /// What the user changed in this document, to be undone and done again; emptied with it. Views
  /// push a `Change` (ui/document/change.h) for filters, tags and whatever else should be undone.
  QUndoStack& undoStack() { return undo_; }
  /// What people wrote about its sessions, tasks and records.
  NoteBook& notes() const { return *notes_; }
  /// What is being imported into it, or was.
  Importer& importer() const { return *importer_; }
  /// Writes all that is in the file now to another one, beside everything else that goes on; emits
  /// copyProgressed() and copyEnded().
  void saveCopy(const QString& path);
  void cancelCopy();
  /// Keeps the window's state with the document: JSON, read again as viewState() when it is opened.
  void keepViewState(const std::string& json);
  /// What of the plan is another now, as one change. `what` is what the Edit menu calls it.
  void setPlan(const Plan& plan, const QString& what = {});
  /// Goes on, or begins, with so much more time as the budget. Can be undone.
  void tuneFor(double seconds);
  /// So much more time on top of the time budget. Can be undone.
  void extendTime(double seconds);
  bool isSeed(RowId task, RowId record) const;
  /// Bests, counts, tasks and curves as the file has them now, while everything else goes on.
  void rereadRecords();
  /// Plays the session's past from its beginning, with all views following; what would change the
  /// session is refused until endReplay().
  void startReplay();
  void endReplay();
  void showSession(RowId session);
  void select(const Selection& selection);
  void selectTask(RowId task) { select({task, 0}); }
  /// Puts two programs side by side; a side that is not valid is still to be chosen.
  void compare(const ProgramPair& programs);
  /// Takes these records' programs, all of one task, as parents to cross; for none the task's
  /// fastest.
  void cross(RowId task, const std::vector<RowId>& records);

  // Facts.
  DocumentState state() const { return state_; }
  QString path() const { return path_; }
  /// File name without folder and ending; empty without a document.
  QString title() const;
  /// What failed, in a few words.
  QString errorTitle() const;
  /// Why the file could not be opened or the session not be made.
  QString errorText() const { return error_; }
  /// Why the file can be looked at but not written, with what to do; empty when it can be.
  QString readOnlyReason() const { return readOnlyReason_; }
  /// What is being waited for while Loading.
  QString loadingText() const { return loading_; }
  bool historyLoading() const { return historyLoading_; }

  const std::vector<SessionRow>& sessions() const { return contents_.sessions; }
  const SessionRow& session() const { return contents_.session; }
  const SessionConfig& config() const { return contents_.config; }
  QString networkName() const { return qs(contents_.network); }
  QString targetText() const { return qs(contents_.target); }
  /// Operations per second that the target cannot exceed; 0 when unknown.
  double peakFlops() const { return contents_.peakFlops; }
  const std::vector<TaskEntry>& tasks() const { return contents_.tasks; }
  /// The networks that the session tunes together, and what their latencies are now.
  const std::vector<SessionNetwork>& networks() const { return contents_.networks; }
  std::vector<NetworkTotals> networkTotals() const;
  const TaskEntry* task(RowId id) const;
  const TuningHistory& history() const { return history_; }
  const Progress& progress() const { return progress_; }
  /// Weighted total of the bests, seconds; infinity until every task has one.
  double bestTotal() const;
  /// Sum of weight × best, a task without a best counting with its naive program: what shares of
  /// time are shares of.
  double presentTotal() const;
  const Selection& selection() const { return selection_; }
  const ProgramPair& compared() const { return compared_; }
  Reader& reader() { return reader_; }
  /// The window's state when the document was left, JSON; empty for one that was never shown.
  const std::string& viewState() const { return contents_.viewState; }

  SessionStatus status() const { return status_; }
  /// Why the session paused or failed by itself.
  QString statusReason() const { return qs(statusReason_); }
  /// Whether somebody has to do something before the session can go on.
  bool needsHelp() const { return nestwright::needsHelp(status_, pauseCause_); }
  Pending pending() const { return pending_; }
  /// The replay, or null.
  Replay* replay() const { return replay_.get(); }
  bool isReplaying() const { return replay_ != nullptr; }
  bool canReplay() const;
  /// The newest record that views may show: later ones have not happened yet in a replay.
  RowId newestRecord() const;
  /// Marks of records that were not then what they are now; null where all were the same, and
  /// outside of a replay.
  std::shared_ptr<const OtherMarks> otherMarks() const;
  /// When each of the events in hand was told, microseconds since the epoch; empty when they are
  /// told now.
  const std::vector<std::int64_t>& eventTimes() const { return eventTimes_; }
  const RoundStory& round() const { return round_; }
  bool isRunning() const { return status_ == SessionStatus::Running; }
  /// Another program, such as the command line, is tuning this session; the window follows it.
  bool isBusyElsewhere() const { return grownElsewhere_.isValid(); }
  bool canStart() const;
  bool canTuneLonger() const;
  bool canPause() const;
  bool canStop() const;
  /// True when start() goes on with trials that were made before.
  bool startResumes() const;

 Q_SIGNALS:
  void stateChanged();
  void statusChanged();
  void tasksChanged();
  void progressChanged();
  void historyChanged();
  void selectionChanged();
  /// The programs to compare were chosen, or chosen once more.
  void comparedChanged();
  /// Parents to cross were chosen, or chosen once more.
  void crossingWanted(RowId task, const std::vector<RowId>& records);
  /// A batch of events of the running session, oldest first.
  void eventsArrived(const std::vector<Event>& events);
  /// The plan, of the user or of the session, is another.
  void settingsChanged();
  /// Records were forgotten or restored; everything was read again.
  void recordsReread();
  /// New records are in the file.
  void recordsAdded();
  void closed();
  /// Another document, another session or none is about to take the place of this one.
  void leaving();
  /// A copy is being written, this part of it is done.
  void copyProgressed(double done);
  /// A copy was written; or was not, with the reason, which is empty when it was cancelled.
  void copyEnded(const QString& path, bool written, const QString& reason);
  /// The present round went on, or another began.
  void roundChanged();
  /// A replay began, ended, or went to another moment: what was built up from events is void.
  void jumped();
  /// A replay began or ended.
  void replayChanged();
  /// Something went wrong that leaves the document usable.
  void warning(const QString& text);

 private:
  void setState(DocumentState state, const QString& text = {});
  void forget();
  void load(RowId session, bool startWhenLoaded);
  void adopt(SessionContents contents, bool startWhenLoaded);
  void leave();
  // Steering (document_steering.cpp).
  /// Whether the session is to hear of it: it can be now, and changes something.
  bool canSteer(const Command& command);
  /// What takes the command back; nothing for one that cannot be.
  std::optional<Command> opposite(const Command& command) const;
  QString undoTextOf(const Command& command) const;
  /// The command as it can be now: trials that were made cannot be taken back.
  Command possible(const Command& command) const;
  void carryOut(const std::vector<Command>& commands);
  /// Shows what the command is going to change.
  LiveChanges anticipate(const Command& command);
  Plan planUntil(double wallSeconds) const;
  void applySteering(const Event& event);
  void takeReread(SessionContents contents);
  // The curves from the beginning: what other sessions left, then the trials.
  void resetHistory();
  void loadInherited(std::size_t fromTask);
  void loadHistory();
  void historyLoaded();
  void takeNumbers();
  void watch();
  void refresh();
  void endSession(std::function<void()> then);
  void post(const Command& command);
  void sessionPrepared(std::unique_ptr<SessionPort> session, const QString& error);
  void setPending(Pending pending);
  void takeEvents();
  void apply(const Event& event);
  /// True, and says so, when a replay is shown: the past cannot be changed.
  bool refusesInReplay();
  void followReplay(const std::vector<Event>& events, const std::vector<std::int64_t>& times);
  void jumpTo(Moment& moment);
  void loadRound();
  TaskEntry* find(RowId task);

  struct Copying; // document_file.cpp
  SessionFactory factory_;
  QUndoStack undo_;
  std::unique_ptr<NoteBook> notes_;
  std::shared_ptr<Copying> copying_;
  DocumentState state_ = DocumentState::Empty;
  QString path_, error_, loading_;
  SessionContents contents_;
  TuningHistory history_;
  RoundStory round_;
  std::unique_ptr<Replay> replay_;
  std::vector<std::int64_t> eventTimes_;
  bool historyLoading_ = false, creating_ = false;
  QString readOnlyReason_;
  std::vector<CurvePoint> arrivedWhileLoading_;
  // What was told since the file is being read again; what is read may be older.
  bool rereading_ = false;
  std::vector<Event> toldWhileRereading_;
  Progress progress_;
  SessionStatus status_ = SessionStatus::Ready;
  std::string statusReason_;
  PauseCause pauseCause_ = PauseCause::None;
  Pending pending_ = Pending::None;
  Selection selection_;
  ProgramPair compared_;
  void announce(const LiveChanges& changes);
  LiveChanges changes_;
  /// Counts open, create and close: an answer for an earlier document is dropped.
  std::uint64_t visit_ = 0;
  QTimer watchTimer_;
  QElapsedTimer grownElsewhere_; // since trials came that were not ours; invalid when none do

  EventQueue queue_;
  std::unique_ptr<SessionPort> session_;
  std::vector<Command> waitingCommands_; // until the session is prepared
  bool preparing_ = false;
  WorkQueue workQueue_;
  Reader reader_;
  Importer* importer_ = nullptr; // a child
};

} // namespace nestwright::ui
