#include "ui/document/document_file.h"

#include "core/measure/worker_launch.h"
#include "core/record/file/document_file.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/file/read_only.h"
#include "core/record/sql/damaged_file.h"
#include "core/record/store/store.h"
#include "core/story/session_contents.h"
#include "ui/document/settings.h"
#include "ui/kit/text.h"

#include <QFileInfo>
#include <QStringList>

#include <memory>
#include <optional>

namespace nestwright::ui {
namespace {

/// What opening a file for writing tells, beside errors.
struct Opening {
  std::string readOnly; // why the file can only be read; empty when it can be written
  std::string aside;    // that a log of another file lay beside it; empty when there was none
  RowId session = 0;    // that was made
  bool damaged = false; // a part of the file cannot be read

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

/// Why the file can only be read; empty when it can be written.
std::string openOnce(const std::string& file) {
  try {
    RecordStore::open(file, OpenMode::ReadWrite);
    return {};
  } catch (const ReadOnlyFile& refusal) {
    RecordStore::open(file, OpenMode::ReadOnly);
    return refusal.what();
  }
}

} // namespace

QString DocumentFile::title() const {
  return QFileInfo(path_).completeBaseName();
}

void DocumentFile::leave(const QString& path) {
  ++visit_;
  path_ = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
  readOnlyReason_.clear();
  viewState_.clear();
}

void DocumentFile::look(const QString& path, Done done) {
  // Opened for writing once.
  auto opening = std::make_shared<Opening>();
  work_.run(
      this,
      [file = QFileInfo(path).absoluteFilePath().toStdString(), opening] {
        opening->aside = setAside(file, OpenMode::ReadWrite);
        try {
          opening->readOnly = openOnce(file);
        } catch (const DamagedFile&) {
          opening->damaged = true;
          throw;
        }
      },
      [this, opening, done = std::move(done), look = ++looks_](const QString& error) {
        if (look == looks_)
          done({error, opening->text(), 0, qs(opening->readOnly), opening->damaged});
      });
}

void DocumentFile::enter(const QString& path, const Outcome& seen) {
  leave(path);
  readOnlyReason_ = seen.readOnly;
}

void DocumentFile::make(const QString& path, const SessionConfig& config, Done done) {
  auto opening = std::make_shared<Opening>();
  work_.run(
      this,
      [file = QFileInfo(path).absoluteFilePath().toStdString(), config, opening,
       launch = workerLaunchFromText(Settings::workerCommand().toStdString())] {
        opening->aside = setAside(file, OpenMode::Create);
        opening->session = makeSession(file, config, launch);
      },
      [opening, done = std::move(done)](const QString& error) {
        done({error, opening->text(), opening->session});
      });
}

void DocumentFile::measureAgain(const AgainWish& wish, Done done) {
  auto opened = std::make_shared<AgainSession>();
  work_.run(
      this,
      [file = path_.toStdString(), wish, opened,
       launch = workerLaunchFromText(Settings::workerCommand().toStdString())] {
        RecordStore store = RecordStore::open(file, OpenMode::ReadWrite);
        *opened = openMeasureAgain(store, wish, launch);
      },
      [this, opened, done = std::move(done), visit = visit_](const QString& error) {
        if (visit != visit_) return;
        const bool known = error.isEmpty() && !opened->isNew;
        done({error,
              known ? tr("These programs were measured again on this target before: this is "
                         "session %1, which did so. Choose to begin anew for another one.")
                          .arg(opened->session)
                    : QString(),
              opened->session});
      });
}

void DocumentFile::keepViewState(const std::string& json) {
  if (path_.isEmpty() || json == viewState_) return;
  viewState_ = json;
  // A file that cannot be written forgets it, which is no reason to bother anybody.
  work_.run(
      this, [json, file = path_.toStdString()] { keep(file, kViewStateKey, json); },
      [](const QString&) {});
}

} // namespace nestwright::ui

#include "moc_document_file.cpp"
