#include "ui/lesson/lesson_marks.h"

#include "core/record/store/mark_rows.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"

#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

/// Two moments of less than this are the same to a person.
constexpr double kSameSeconds = 0.05;

} // namespace

LessonMarks::LessonMarks(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &LessonMarks::reload);
}

void LessonMarks::reload() {
  if (document_.state() != DocumentState::Ready) {
    if (!std::exchange(marks_, {}).empty()) Q_EMIT changed();
    return;
  }
  document_.reader().ask<std::vector<MarkRow>>(
      this, Reader::Channel::Marks,
      [session = document_.session().row().id](const RecordStore& store) {
        return store.marks().of(session);
      },
      [this](std::vector<MarkRow> marks) {
        marks_ = std::move(marks);
        Q_EMIT changed();
      });
}

void LessonMarks::write(std::function<void(RecordStore&)> what) {
  workQueue_.run(
      this,
      [path = document_.file().path().toStdString(), what = std::move(what)] {
        RecordStore store = RecordStore::open(path, OpenMode::ReadWrite);
        what(store);
      },
      [this](const QString& error) {
        if (!error.isEmpty()) document_.notices().warn(tr("The mark was not saved. %1").arg(error));
        reload();
      });
}

const MarkRow* LessonMarks::at(double wallSeconds) const {
  const MarkRow* last = nullptr;
  for (const MarkRow& mark : marks_)
    if (mark.wallSeconds <= wallSeconds + kSameSeconds) last = &mark;
  return last;
}

void LessonMarks::add(const QString& sentence) {
  const Replay* replay = document_.replayMode().replay();
  if (!replay || !replay->isReady() || sentence.trimmed().isEmpty()) return;
  MarkRow mark{0, document_.session().row().id, replay->time(),
               replay->timeline()->events().trials(replay->position()),
               sentence.trimmed().toStdString()};
  if (const MarkRow* here = at(mark.wallSeconds);
      here && std::abs(here->wallSeconds - mark.wallSeconds) < kSameSeconds)
    mark.id = here->id;
  write([mark](RecordStore& store) { store.marks().save(mark); });
}

void LessonMarks::remove(RowId mark) {
  write([mark](RecordStore& store) { store.marks().remove(mark); });
}

} // namespace nestwright::ui

#include "moc_lesson_marks.cpp"
