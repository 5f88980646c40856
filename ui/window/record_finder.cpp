#include "ui/window/record_finder.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"

#include <utility>

namespace nestwright::ui {

RecordFinder::RecordFinder(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &RecordFinder::follow);
}

/// A record of another document is not looked for in this one.
void RecordFinder::follow() {
  if (path_ != document_.file().path()) {
    reading_.cancel();
    waiting_.reset();
  }
  if (document_.state() == DocumentState::Ready) select();
}

void RecordFinder::open(RowId record) {
  if (document_.state() != DocumentState::Ready) return;
  path_ = document_.file().path();
  reading_.ask<std::optional<Record>>(
      [path = document_.file().path().toStdString(), record](const Job&) {
        return RecordStore::open(path, OpenMode::ReadOnly).records().one(record);
      },
      [this, record](std::optional<Record> found) {
        if (found && record <= document_.replayMode().newestRecord())
          take(record, found->session, found->task);
        else
          document_.notices().warn(
              tr("There is no record %1 in this document.").arg(countText(record)));
      },
      [this](const QString& why) { document_.notices().warn(why); });
}

void RecordFinder::take(RowId record, RowId session, RowId task) {
  const bool here = session == document_.session().row().id;
  // Going to another session ends this one's run, which nobody asked for.
  if (!here && document_.session().isRunning()) {
    document_.notices().warn(tr("Record %1 is of session %2. Pause this one to look at it.")
                                 .arg(countText(record))
                                 .arg(session));
    return;
  }
  waiting_ = Selection{task, record};
  if (here)
    select();
  else
    document_.showSession(session);
}

void RecordFinder::select() {
  if (!waiting_) return;
  document_.selection().select(*std::exchange(waiting_, std::nullopt));
}

} // namespace nestwright::ui

#include "moc_record_finder.cpp"
