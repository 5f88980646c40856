#include "ui/document/document.h"

#include "core/record/file/file_system.h"
#include "core/record/sql/damaged_file.h"
#include "core/session/run/row_contents.h"
#include "ui/document/import/import_following.h"
#include "ui/document/import/importer.h"
#include "ui/document/note_book.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/session_runner.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/document/timing_apart.h"
#include "ui/kit/text.h"
#include "ui/kit/work_queue.h"

#include <QFileInfo>
#include <QUndoStack>

#include <atomic>
#include <utility>

namespace nestwright::ui {

Document::Document(SessionFactory sessions, QObject* parent)
    : QObject(parent), timingApart_(std::make_unique<TimingApart>(*this)),
      undo_(std::make_unique<QUndoStack>()), notices_(std::make_unique<Notices>()),
      work_(std::make_unique<WorkQueue>()), reader_(std::make_unique<Reader>()),
      file_(std::make_unique<DocumentFile>(*work_)),
      follower_(std::make_unique<SessionFollower>(
          *reader_, *notices_, [this] { return runner_ && runner_->isAlive(); })),
      selection_(std::make_unique<SharedSelection>(follower_->session())),
      replayMode_(std::make_unique<ReplayMode>(*file_, *follower_, *notices_)),
      importer_(std::make_unique<Importer>()) {
  runner_ = std::make_unique<SessionRunner>(std::move(sessions), *work_);
  steering_ = std::make_unique<Steering>(*follower_, *runner_, *undo_, *notices_, [this] {
    return Steering::Obstacles{.readOnly = !file_->readOnlyReason().isEmpty(),
                               .importing = isImporting(*this),
                               .replaying = replayMode_->isOn()};
  });
  notes_ = std::make_unique<NoteBook>(*this);
  connect(runner_.get(), &SessionRunner::told, follower_.get(), &SessionFollower::take);
  connect(reader_.get(), &Reader::failed, notices_.get(), &Notices::warn);
  connect(notes_.get(), &NoteBook::failed, notices_.get(), &Notices::warn);
  connect(replayMode_.get(), &ReplayMode::presentWanted, this, &Document::returnToPresent);
  connectImporter();
}

Document::~Document() = default;

const LiveSession& Document::session() const {
  return follower_->session();
}

bool Document::isTuned() const {
  return !replayMode_->isOn() && (session().isRunning() || follower_->elsewhere().isBusy());
}

QString Document::whyNotReady() const {
  return state_ == DocumentState::Ready     ? QString()
         : state_ == DocumentState::Loading ? tr("The document is being read.")
                                            : tr("No document is open.");
}

QString Document::errorTitle() const {
  const QString file = QFileInfo(file_->path()).fileName();
  return creating_ ? tr("The session could not be made") : tr("%1 could not be opened").arg(file);
}

void Document::setState(DocumentState state, const QString& text) {
  state_ = state;
  error_ = state == DocumentState::Failed ? text : QString();
  loading_ = state == DocumentState::Loading ? text : QString();
  Q_EMIT stateChanged();
}

/// Before anything of this document goes. An import into it stops; the same import goes on later.
void Document::leave() {
  if (isImporting(*this)) importer_->stop();
  if (state_ == DocumentState::Ready) Q_EMIT leaving();
}

void Document::forget() {
  undo_->clear();
  follower_->forget();
  replayMode_->leave();
  selection_->begin({});
  runner_->setSession({}, 0);
  reader_->setPath(file_->path());
}

void Document::open(const QString& path, bool start, RowId session) {
  if (state_ != DocumentState::Ready) {
    creating_ = false;
    file_->leave(path);
    forget();
    setState(DocumentState::Loading, tr("Opening %1 …").arg(QFileInfo(path).fileName()));
  }
  file_->look(path, [this, path, start, session](const DocumentFile::Outcome& seen) {
    damaged_ = seen.damaged ? path : QString();
    if (seen.error.isEmpty()) return enter(path, start, session, seen);
    if (state_ == DocumentState::Ready) {
      Q_EMIT refused(path, seen.error);
      return;
    }
    creating_ = false;
    file_->leave(path);
    setState(DocumentState::Failed, seen.error);
  });
}

void Document::enter(const QString& path, bool start, RowId session,
                     const DocumentFile::Outcome& seen) {
  leave();
  runner_->end([this, path, start, session, seen] {
    creating_ = false;
    file_->enter(path, seen);
    forget();
    setState(DocumentState::Loading, tr("Opening %1 …").arg(QFileInfo(path).fileName()));
    load(session, start && seen.readOnly.isEmpty());
    if (!seen.notice.isEmpty()) notices_->warn(seen.notice);
  });
}

void Document::create(const QString& path, const SessionConfig& config, bool start) {
  file_->forgetLook();
  leave();
  runner_->end([this, path, config, start] {
    creating_ = true;
    file_->leave(path);
    forget();
    setState(DocumentState::Loading, tr("Dividing %1 into tasks …").arg(qs(subjectText(config))));
    file_->make(path, config, [this, path, start](const DocumentFile::Outcome& made) {
      // Another file may be wanted by now.
      if (state_ != DocumentState::Loading || file_->path() != QFileInfo(path).absoluteFilePath())
        return;
      damaged_.clear();
      if (!made.error.isEmpty()) return setState(DocumentState::Failed, made.error);
      load(made.session, start);
      if (!made.notice.isEmpty()) notices_->warn(made.notice);
    });
  });
}

void Document::measureAgain(const AgainWish& wish) {
  if (state_ != DocumentState::Ready) return;
  Q_EMIT leaving();
  runner_->end([this, wish, before = session().row().id] {
    forget();
    setState(DocumentState::Loading, tr("Looking for the programs to measure again …"));
    file_->measureAgain(wish, [this, before](const DocumentFile::Outcome& outcome) {
      const bool failed = !outcome.error.isEmpty();
      load(failed ? before : outcome.session, !failed);
      if (failed)
        notices_->warn(outcome.error);
      else if (!outcome.notice.isEmpty())
        notices_->warn(outcome.notice);
    });
  });
}

void Document::close() {
  file_->forgetLook();
  if (importer_->isActive()) { // ends with whole lines, within half a second
    connect(importer_.get(), &Importer::ended, this, &Document::close, Qt::SingleShotConnection);
    return importer_->stop();
  }
  leave();
  if (runner_->isAlive()) follower_->setPending(Pending::Pause);
  runner_->end([this] {
    file_->leave();
    forget();
    setState(DocumentState::Empty);
    Q_EMIT closed();
  });
}

void Document::showSession(RowId session) {
  if (state_ != DocumentState::Ready || session == this->session().row().id) return;
  Q_EMIT leaving();
  runner_->end([this, session] {
    forget();
    setState(DocumentState::Loading, tr("Reading the session …"));
    load(session, false);
  });
}

/// The present comes back from the file, as when the document was opened.
void Document::returnToPresent() {
  const Selection selection = selection_->current();
  const RowId session = this->session().row().id;
  forget();
  selection_->begin(selection);
  setState(DocumentState::Loading, tr("Going back to the present …"));
  load(session, false);
}

void Document::load(RowId session, bool startWhenLoaded) {
  using Answer = std::pair<LiveSession, std::string>; // and what to know of the place of the file
  // Another session of the same file is looked at in the same way.
  const std::optional<Scope> scope =
      session != 0 ? std::optional(follower_->scope()) : std::nullopt;
  const auto damaged = std::make_shared<std::atomic<bool>>(false);
  reader_->ask<Answer>(
      this, Reader::Channel::Contents,
      [session, scope, damaged](const RecordStore& store) {
        try {
          return Answer{LiveSession(readContents(store, session, scope, ReadImported::Later)),
                        fileSystemNote(store.path())};
        } catch (const DamagedFile&) { // which only small files tell when they are opened
          *damaged = true;
          throw;
        }
      },
      [this, startWhenLoaded](Answer answer) {
        adopt(std::move(answer.first), startWhenLoaded);
        if (!answer.second.empty()) notices_->warn(QString::fromStdString(answer.second) + '.');
      },
      [this, damaged](const QString& error) {
        damaged_ = *damaged ? file_->path() : QString();
        setState(DocumentState::Failed, error);
      });
}

void Document::adopt(LiveSession read, bool startWhenLoaded) {
  file_->setViewState(read.contents().viewState);
  follower_->adopt(std::move(read));
  runner_->setSession(file_->path(), session().row().id);
  // Back from a replay what was looked at is still there.
  if (!session().task(selection_->current().task)) {
    for (const TaskEntry& task : session().tasks())
      if (task.rank == 0) selection_->begin({task.row.id, 0}); // the task with the most work
    if (const std::optional<Selection> last = selectionOf(session())) selection_->begin(*last);
  }
  setState(DocumentState::Ready);
  selection_->announce();
  follower_->begin();
  if (startWhenLoaded) steering_->start();
}

void Document::connectImporter() {
  connect(importer_.get(), &Importer::changed, this, [this] {
    if (isAbout(*importer_, *this)) follower_->announce({.status = true, .progress = true});
  });
  connect(importer_.get(), &Importer::ended, this, [this] {
    const bool failed = importer_->state() == ImportState::Failed;
    if (state_ != DocumentState::Ready && failed) { // nothing to look at but the reason
      file_->leave(importer_->wish().database);
      creating_ = false;
      damaged_.clear();
      return setState(DocumentState::Failed, importer_->error());
    }
    if (failed) notices_->warn(tr("The import has failed. %1").arg(importer_->error()));
    if (isAbout(*importer_, *this)) follower_->writerEnded();
  });
  followImports(*this, *importer_);
}

} // namespace nestwright::ui

#include "moc_document.cpp"
