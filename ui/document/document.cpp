#include "ui/document/document.h"

#include "core/record/file/file_system.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/file/read_only.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/session_rows.h"
#include "ui/document/importer.h"
#include "ui/document/note_book.h"
#include "ui/document/replay.h"
#include "ui/kit/text.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kWatchMilliseconds = 1000;
/// Without a new trial for this long, nobody else is tuning (one measurement may take ten seconds).
constexpr int kElsewhereMilliseconds = 12'000;

/// What opening a file for writing tells, beside errors.
struct Opening {
  std::string readOnly; // why the file can only be read; empty when it can be written
  std::string aside;    // that a log of another file lay beside it; empty when there was none

  QString text() const {
    QStringList told;
    for (const std::string& sentence : {readOnly, aside})
      if (!sentence.empty()) told.append(qs(sentence) + '.');
    return told.join(' ');
  }
};

/// The text of what was moved out of the way; empty when nothing was.
std::string setAside(const std::string& file, OpenMode mode) {
  const std::optional<SetAsideLog> log = setForeignLogAside(file, mode);
  return log ? describe(*log) : std::string();
}

} // namespace

Document::Document(SessionFactory sessions, QObject* parent)
    : QObject(parent), factory_(std::move(sessions)) {
  notes_ = std::make_unique<NoteBook>(*this);
  connect(&queue_, &EventQueue::ready, this, &Document::takeEvents);
  connect(&reader_, &Reader::failed, this, &Document::warning);
  connect(&watchTimer_, &QTimer::timeout, this, &Document::watch);
  watchTimer_.start(kWatchMilliseconds);
  auto* importer = importer_ = new Importer(this);
  connect(importer, &Importer::changed, this, [this, importer] {
    if (!isAbout(*importer, *this)) return;
    Q_EMIT progressChanged();
    Q_EMIT statusChanged();
  });
  connect(importer, &Importer::ended, this, [this, importer] {
    const bool failed = importer->state() == ImportState::Failed;
    if (state_ != DocumentState::Ready && failed) { // nothing to look at but the reason
      path_ = QFileInfo(importer->wish().database).absoluteFilePath();
      creating_ = false;
      return setState(DocumentState::Failed, importer->error());
    }
    if (failed) Q_EMIT warning(tr("The import has failed. %1").arg(importer->error()));
    if (!isAbout(*importer, *this)) return;
    grownElsewhere_.invalidate();
    // The last records, and the state of their session.
    if (!isRunning() && pending_ == Pending::None && !isReplaying()) refresh();
    Q_EMIT statusChanged();
  });
  followImports(*this, *importer);
}

Document::~Document() {
  cancelCopy();
}

QString Document::title() const {
  return QFileInfo(path_).completeBaseName();
}

const TaskEntry* Document::task(RowId id) const {
  return const_cast<Document*>(this)->find(id);
}

TaskEntry* Document::find(RowId task) {
  const auto found = std::find_if(contents_.tasks.begin(), contents_.tasks.end(),
                                  [&](const TaskEntry& entry) { return entry.row.id == task; });
  return found == contents_.tasks.end() ? nullptr : &*found;
}

double Document::bestTotal() const {
  double total = contents_.tasks.empty() ? kUnknown : 0;
  for (const TaskEntry& task : contents_.tasks)
    total += task.summary.bestRecord ? task.row.weight * task.summary.bestSeconds : kUnknown;
  return total;
}

std::vector<NetworkTotals> Document::networkTotals() const {
  return totalsOf(contents_.networks, contents_.tasks);
}

double Document::presentTotal() const {
  double total = 0;
  for (const TaskEntry& task : contents_.tasks)
    total += task.row.weight *
             (task.summary.bestRecord ? task.summary.bestSeconds : task.summary.naiveSeconds);
  return total;
}

// --- the life of a document

QString Document::errorTitle() const {
  const QString file = QFileInfo(path_).fileName();
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
  ++visit_;
  undo_.clear();
  contents_ = {};
  history_ = {};
  round_ = {};
  if (replay_) {
    replay_.reset();
    Q_EMIT replayChanged();
  }
  historyLoading_ = false;
  arrivedWhileLoading_.clear();
  rereading_ = false;
  toldWhileRereading_.clear();
  progress_ = {};
  status_ = SessionStatus::Ready;
  statusReason_.clear();
  pauseCause_ = PauseCause::None;
  pending_ = Pending::None;
  selection_ = {};
  changes_ = {};
  waitingCommands_.clear();
  grownElsewhere_.invalidate();
  preparing_ = false;
  reader_.setPath(path_);
}

void Document::open(const QString& path, bool start) {
  leave();
  endSession([this, path, start] {
    path_ = QFileInfo(path).absoluteFilePath();
    readOnlyReason_.clear();
    forget();
    creating_ = false;
    setState(DocumentState::Loading, tr("Opening %1 …").arg(QFileInfo(path_).fileName()));
    // Opened for writing once, on the work queue: migrates an older file, and finds damage.
    auto opening = std::make_shared<Opening>();
    workQueue_.run(
        [file = path_.toStdString(), opening] {
          opening->aside = setAside(file, OpenMode::ReadWrite);
          try {
            RecordStore::open(file, OpenMode::ReadWrite);
          } catch (const ReadOnlyFile& refusal) {
            opening->readOnly = refusal.what();
            RecordStore::open(file, OpenMode::ReadOnly);
          }
        },
        [this, start, opening, visit = visit_](const QString& error) {
          if (visit != visit_) return;
          if (!error.isEmpty()) return setState(DocumentState::Failed, error);
          readOnlyReason_ = qs(opening->readOnly);
          load(0, start && readOnlyReason_.isEmpty());
          if (const QString text = opening->text(); !text.isEmpty()) Q_EMIT warning(text);
        });
  });
}

void Document::create(const QString& path, const SessionConfig& config, bool start) {
  leave();
  endSession([this, path, config, start] {
    path_ = QFileInfo(path).absoluteFilePath();
    readOnlyReason_.clear();
    forget();
    creating_ = true;
    setState(DocumentState::Loading, tr("Dividing %1 into tasks …").arg(qs(subjectText(config))));
    auto made = std::make_shared<RowId>(0);
    auto opening = std::make_shared<Opening>();
    workQueue_.run(
        [file = path_.toStdString(), config, made, opening] {
          opening->aside = setAside(file, OpenMode::Create);
          *made = makeSession(file, config);
        },
        [this, visit = visit_, made, opening, start](const QString& error) {
          if (visit != visit_) return;
          if (!error.isEmpty()) return setState(DocumentState::Failed, error);
          load(*made, start);
          if (const QString text = opening->text(); !text.isEmpty()) Q_EMIT warning(text);
        });
  });
}

void Document::close() {
  if (importer_->isActive()) { // ends with whole lines, within half a second
    connect(importer_, &Importer::ended, this, &Document::close, Qt::SingleShotConnection);
    return importer_->stop();
  }
  leave();
  if (session_) setPending(Pending::Pause);
  endSession([this] {
    path_.clear();
    readOnlyReason_.clear();
    forget();
    setState(DocumentState::Empty);
    Q_EMIT closed();
  });
}

void Document::endSession(std::function<void()> then) {
  // Of several requests made while a session ends, the last one counts.
  const std::uint64_t visit = ++visit_;
  if (!session_) return then();
  // Ending waits for the measurement in flight; that must not be seen in the window.
  auto ending = std::make_shared<std::unique_ptr<SessionPort>>(std::move(session_));
  workQueue_.run([ending] { ending->reset(); },
                 [this, visit, then = std::move(then)](const QString&) {
                   takeEvents();
                   if (visit == visit_) then();
                 });
}

void Document::showSession(RowId session) {
  if (state_ != DocumentState::Ready || session == contents_.session.id) return;
  Q_EMIT leaving();
  endSession([this, session] {
    forget();
    setState(DocumentState::Loading, tr("Reading the session …"));
    load(session, false);
  });
}

void Document::load(RowId session, bool startWhenLoaded) {
  using Answer =
      std::pair<SessionContents, std::string>; // and what to know of the place of the file
  reader_.ask<Answer>(
      Reader::Channel::Contents,
      [session](const RecordStore& store) {
        return Answer{readContents(store, session), fileSystemNote(store.path())};
      },
      [this, startWhenLoaded](Answer answer) {
        adopt(std::move(answer.first), startWhenLoaded);
        if (!answer.second.empty()) Q_EMIT warning(QString::fromStdString(answer.second) + '.');
      },
      [this](const QString& error) { setState(DocumentState::Failed, error); });
}

/// What the file says of the session as a whole.
void Document::takeNumbers() {
  progress_ = {};
  progress_.budget = isImport(session()) ? 0 : contents_.config.trials + contents_.demandedTrials;
  progress_.wallSeconds = contents_.session.wallSeconds;
  progress_.secondsLeft = kUnknown;
  progress_.trials = contents_.summary.trials;
  progress_.errors = contents_.summary.errors;
  progress_.kernelSeconds = contents_.summary.kernelSeconds;
  status_ = contents_.session.status;
  statusReason_.clear();
  pauseCause_ = PauseCause::None;
  if (status_ != SessionStatus::Running) return;
  // Nobody pauses a session that was killed; what it announced is all there.
  status_ = SessionStatus::Paused;
  statusReason_ = tr("It was interrupted; every announced record is in the file.").toStdString();
}

void Document::adopt(SessionContents contents, bool startWhenLoaded) {
  contents_ = std::move(contents);
  takeNumbers();
  resetHistory();
  // Something to look at: the task with the most work.
  const bool returning = find(selection_.task) != nullptr; // from a replay
  for (const TaskEntry& task : contents_.tasks)
    if (task.rank == 0 && !returning) selection_ = {task.row.id, 0};
  if (const std::optional<Selection> last = selectionOf(contents_); last && !returning)
    selection_ = *last;
  setState(DocumentState::Ready);
  Q_EMIT selectionChanged();
  announce({true, true, true, true, true});
  loadInherited(0);
  loadRound();
  if (startWhenLoaded) start();
}

// --- another program that tunes on the same file

void Document::watch() {
  if (state_ != DocumentState::Ready || historyLoading_ || isRunning() ||
      pending_ != Pending::None || isReplaying())
    return;
  reader_.ask<std::int64_t>(
      Reader::Channel::Watch,
      [session = contents_.session.id](const RecordStore& store) {
        return store.sessions().summary(session).trials;
      },
      [this](std::int64_t trials) {
        if (isRunning() || pending_ != Pending::None || isReplaying()) return;
        const bool wasBusy = isBusyElsewhere();
        if (trials > progress_.trials) {
          grownElsewhere_.start();
          refresh();
        } else if (wasBusy && grownElsewhere_.elapsed() > kElsewhereMilliseconds) {
          grownElsewhere_.invalidate();
          refresh(); // its last words: finished, or paused
        }
        if (wasBusy != isBusyElsewhere()) Q_EMIT statusChanged();
      });
}

void Document::refresh() {
  reader_.ask<SessionContents>(
      Reader::Channel::Contents,
      [session = contents_.session.id](const RecordStore& store) {
        return readContents(store, session);
      },
      [this](SessionContents contents) {
        if (isRunning() || pending_ != Pending::None || isReplaying()) return;
        contents_ = std::move(contents);
        takeNumbers();
        announce({true, true, true, true, true});
        historyLoading_ = true;
        loadHistory();
      });
}

// --- commands to the session

bool Document::startResumes() const {
  return progress_.trials > 0;
}

bool Document::canStart() const {
  return state_ == DocumentState::Ready && readOnlyReason_.isEmpty() && pending_ == Pending::None &&
         !isBusyElsewhere() && !isReplaying() && !isImport(session()) && !isImporting(*this) &&
         (status_ == SessionStatus::Ready || status_ == SessionStatus::Paused ||
          status_ == SessionStatus::Failed ||
          (status_ == SessionStatus::Finished && progress_.trials < progress_.budget));
}

bool Document::canTuneLonger() const {
  return state_ == DocumentState::Ready && readOnlyReason_.isEmpty() && pending_ == Pending::None &&
         !isBusyElsewhere() && !isReplaying() && !isImport(session());
}

bool Document::canPause() const {
  return state_ == DocumentState::Ready && pending_ == Pending::None && isRunning() &&
         !isReplaying();
}

bool Document::canStop() const {
  return state_ == DocumentState::Ready &&
         (pending_ == Pending::None || pending_ == Pending::Pause) && !isReplaying() &&
         !isImport(session()) && (isRunning() || status_ == SessionStatus::Paused);
}

void Document::setPending(Pending pending) {
  pending_ = pending;
  Q_EMIT statusChanged();
}

void Document::post(const Command& command) {
  if (session_) return session_->post(command);
  waitingCommands_.push_back(command);
  if (std::exchange(preparing_, true)) return;
  // Preparing reads the file and starts a thread; the window goes on meanwhile.
  auto made = std::make_shared<std::unique_ptr<SessionPort>>();
  workQueue_.run(
      [this, made, file = path_.toStdString(), id = contents_.session.id] {
        *made = factory_(file, id, [this](const Event& event) { queue_.push(event); });
      },
      [this, made, visit = visit_](const QString& error) {
        if (visit == visit_) sessionPrepared(std::move(*made), error);
      });
}

void Document::sessionPrepared(std::unique_ptr<SessionPort> session, const QString& error) {
  preparing_ = false;
  const auto commands = std::exchange(waitingCommands_, {});
  if (!error.isEmpty()) {
    setPending(Pending::None);
    Q_EMIT warning(tr("The session cannot start. %1").arg(error));
    return;
  }
  session_ = std::move(session);
  for (const Command& command : commands)
    session_->post(command);
}

void Document::select(const Selection& selection) {
  if (selection == selection_) return;
  selection_ = selection;
  Q_EMIT selectionChanged();
}

void Document::compare(const ProgramPair& programs) {
  compared_ = programs;
  Q_EMIT comparedChanged();
}

void Document::cross(RowId task, const std::vector<RowId>& records) {
  if (state_ == DocumentState::Ready && find(task)) Q_EMIT crossingWanted(task, records);
}

// --- events of the session

void Document::takeEvents() {
  const std::vector<Event> events = queue_.take();
  if (events.empty() || state_ != DocumentState::Ready || isReplaying()) return;
  for (const Event& event : events) {
    apply(event);
    if (rereading_) toldWhileRereading_.push_back(event);
    applySteering(event);
  }
  announce(std::exchange(changes_, {}));
  Q_EMIT eventsArrived(events);
}

void Document::announce(const LiveChanges& changes) {
  if (changes.tasks) Q_EMIT tasksChanged();
  if (changes.status) Q_EMIT statusChanged();
  if (changes.progress) Q_EMIT progressChanged();
  if (changes.history) Q_EMIT historyChanged();
  if (changes.records) Q_EMIT recordsAdded();
  if (changes.round) Q_EMIT roundChanged();
  if (changes.settings) Q_EMIT settingsChanged();
}

void Document::apply(const Event& event) {
  if (std::holds_alternative<StateChanged>(event)) pending_ = Pending::None;
  LiveParts{contents_.tasks,
            history_,
            progress_,
            status_,
            statusReason_,
            pauseCause_,
            round_,
            contents_.config,
            historyLoading_ ? &arrivedWhileLoading_ : nullptr,
            isReplaying() ? 0 : contents_.lastTrial}
      .apply(event, changes_);
}

} // namespace nestwright::ui
