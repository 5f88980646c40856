#include "ui/records/record_tags.h"

#include "core/record/store/store.h"
#include "core/record/store/tag_rows.h"
#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"

#include <QUndoStack>

#include <memory>

namespace nestwright::ui {

RecordTags::RecordTags(Document& document, QObject* parent) : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &RecordTags::read);
  read();
}

void RecordTags::read() {
  if (document_.state() != DocumentState::Ready) {
    reading_.cancel();
    tags_.clear();
    Q_EMIT listChanged();
    return;
  }
  reading_.ask<std::vector<TagCount>>(
      [path = document_.file().path().toStdString()](const Job&) {
        return RecordStore::open(path, OpenMode::ReadOnly).tags().all();
      },
      [this](std::vector<TagCount> tags) {
        tags_ = std::move(tags);
        Q_EMIT listChanged();
      },
      [this](const QString& why) { Q_EMIT failed(why); });
}

void RecordTags::set(const QString& tag, const std::vector<RowId>& records, bool on) {
  if (document_.state() != DocumentState::Ready || records.empty()) return;
  // Only the records that really changed are changed back. Written and read on the work queue.
  auto changed = std::make_shared<std::vector<RowId>>(records);
  const QString path = document_.file().path();
  const auto apply = [this, path, tag, changed](bool value) {
    writing_.run(
        this,
        [path = path.toStdString(), tag = tag.toStdString(), changed, value] {
          *changed = RecordStore::open(path).tags().set(tag, *changed, value);
        },
        [this](const QString& error) {
          if (!error.isEmpty()) Q_EMIT failed(error);
          read();
          Q_EMIT recordsChanged();
        });
  };
  document_.undoStack().push(new Change(
      on ? tr("tag %1").arg(tag) : tr("removal of the tag %1").arg(tag), [=] { apply(on); },
      [=] { apply(!on); }));
}

} // namespace nestwright::ui

#include "moc_record_tags.cpp"
