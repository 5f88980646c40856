#pragma once
/// \file The one controller of the window: a `.nwdb` file, the session of it that is shown, and the
/// parts that views read and command. A part owns its state and knows no other view; a view takes
/// the parts that it needs. GUI thread only.

#include "core/story/live_session.h"
#include "core/story/session_contents.h"
#include "ui/document/document_file.h"
#include "ui/document/session_port.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

class QUndoStack;

namespace nestwright {
struct AgainWish;
}

namespace nestwright::ui {

class Importer;
class NoteBook;
class Notices;
class Reader;
class ReplayMode;
class SessionFollower;
class SessionRunner;
class SharedSelection;
class Steering;
class TimingApart;
class WorkQueue;

enum class DocumentState { Empty, Loading, Ready, Failed };

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(SessionFactory sessions = realSessions(), QObject* parent = nullptr);
  /// Pauses and stores a running session; waits for it.
  ~Document() override;

  // All return at once.
  /// `start`: go on tuning as soon as it is loaded. Without a session of it, the one seen last.
  /// What is open stays until the file is known to be readable; if it is not, refused() tells so.
  void open(const QString& path, bool start = false, RowId session = 0);
  /// Makes a session in the file (a new one, or one more in an existing file) and opens it, in
  /// place of what is open; DocumentFile::make() leaves that as it is.
  void create(const QString& path, const SessionConfig& config, bool start);
  /// Makes a session in this document that measures programs of its records again, shows it and
  /// begins; where that is not possible a notice says why, and the present session stays.
  void measureAgain(const AgainWish& wish);
  void showSession(RowId session);
  /// Pauses and stores a running session, then becomes empty; emits closed().
  void close();

  DocumentState state() const { return state_; }
  /// Why nothing of it can be seen or used, in a sentence; empty when it is Ready.
  QString whyNotReady() const;
  /// What is being waited for while Loading.
  QString loadingText() const { return loading_; }
  /// What failed, in a few words.
  QString errorTitle() const;
  /// Why the file could not be opened or the session not be made.
  QString errorText() const { return error_; }
  /// The file that could not be opened, when it is a document of which a part cannot be read; else
  /// empty.
  QString damagedFile() const { return damaged_; }

  /// What is known of the session that is shown.
  const LiveSession& session() const;
  /// Its programs are measured now, here or by another program; what would disturb that waits. In a
  /// replay nothing is, whatever the past shows.
  bool isTuned() const;
  /// Says what of it changed.
  SessionFollower& follower() const { return *follower_; }
  /// Where the document is.
  DocumentFile& file() const { return *file_; }
  /// What all views look at.
  SharedSelection& selection() const { return *selection_; }
  /// Commands to the session.
  Steering& steering() const { return *steering_; }
  /// Its past, shown in place of the present.
  ReplayMode& replayMode() const { return *replayMode_; }
  /// What times programs beside the session.
  TimingApart& timingApart() const { return *timingApart_; }
  /// What the user changed in this document, to be undone and done again; emptied with it. Views
  /// push a `Change` (ui/document/change.h) for filters, tags and whatever else should be undone.
  QUndoStack& undoStack() const { return *undo_; }
  /// What people wrote about its sessions, tasks and records.
  NoteBook& notes() const { return *notes_; }
  /// What is being imported into it, or was.
  Importer& importer() const { return *importer_; }
  /// Questions to the file.
  Reader& reader() const { return *reader_; }
  /// What a person has to be told.
  Notices& notices() const { return *notices_; }

 Q_SIGNALS:
  void stateChanged();
  /// The file cannot be opened; the document that was to go for it is still there.
  void refused(const QString& path, const QString& why);
  void closed();
  /// Another document, another session or none is about to take the place of this one.
  void leaving();

 private:
  void setState(DocumentState state, const QString& text = {});
  void leave();
  void forget();
  void enter(const QString& path, bool start, RowId session, const DocumentFile::Outcome& seen);
  void load(RowId session, bool startWhenLoaded);
  void adopt(LiveSession read, bool startWhenLoaded);
  void returnToPresent();
  void connectImporter();

  DocumentState state_ = DocumentState::Empty;
  QString error_, loading_, damaged_;
  bool creating_ = false;
  std::unique_ptr<TimingApart> timingApart_;
  std::unique_ptr<QUndoStack> undo_;
  std::unique_ptr<Notices> notices_;
  std::unique_ptr<NoteBook> notes_;
  std::unique_ptr<SessionRunner> runner_;
  // Their work uses what stands above them, and ends before that goes.
  std::unique_ptr<WorkQueue> work_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<DocumentFile> file_;
  std::unique_ptr<SessionFollower> follower_;
  std::unique_ptr<SharedSelection> selection_;
  std::unique_ptr<ReplayMode> replayMode_;
  std::unique_ptr<Steering> steering_;
  std::unique_ptr<Importer> importer_;
};

} // namespace nestwright::ui
